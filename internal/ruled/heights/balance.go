package heights

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// Idea: a pool by itself can mostly be planned at its load, or nearly. So pools whose loads are even make low plans,
// and loads are quick to compare. The search looks at the section and pool with the greatest load. A body that is live
// there goes to another pool, or changes places with one that is live at that time. The change that leaves the least
// load in the sections of the bodies is made, even if it is worse than before. A body may not come back for some
// steps (tabu search), so the search leaves what is only the best of its neighbours. It begins again at pools that
// annealing finds (split.go) for another goal: that the loads above the floor are few in all.
//
// Invariant: bodies are in pools that they may be in. The loads returned are the least that were seen.
//
// Complexity: mostLooked sections in all, and fewer for small problems (lookedEach). A step takes O(life) for each
// change that it compares.

const (
	mostLooked = 30_000_000
	lookedEach = 2_000 // for each body, pool and section
	tabuLeast  = 5     // steps in which a body may not return; at most four times as many
)

// A balance is the state of the search.
type balance struct {
	*Field
	in      []int32   // the pool of each body
	load    [][]int64 // of each pool in each section
	top     []int64   // the greatest load of each pool
	barred  [][]int   // of each body and pool, the step from which on the body may go there
	present [][]int32 // the bodies in each section
	looked  int64
}

// Balance changes the pools of the buffers so that the greatest load of a pool is low. It starts from the pools of a
// plan, and ends if no load is above floor, a bound of that load. It returns a bound that is at least as high. Each
// round ends at other pools. The bound is raised in round 0.
func (f *Field) Balance(ctx context.Context, pools []int32, floor int64, round uint64) (bound int64, of []int32) {
	if f.sections == 0 { // no buffer is in use at any time
		return floor, pools
	}
	if round > 0 {
		of, _ := f.tabu(ctx, f.even(ctx, pools, floor, round), floor)
		return floor, of
	}
	first, least := f.tabu(ctx, pools, floor)
	if least > floor {
		bound, divided := f.divide(ctx, floor, least)
		if floor = bound; divided != nil {
			first, least = divided, f.greatest(divided)
		}
	}
	if least > floor {
		parts, split := f.highest(ctx, first)
		floor = max(floor, parts)
		if now := f.greatest(split); now < least {
			first, least = split, now
		}
	}
	if least > floor {
		if second, now := f.tabu(ctx, f.even(ctx, first, floor, 0), floor); now < least {
			first = second
		}
	}
	return floor, first
}

// tabu is the search from some pools. It returns the least load, too.
func (f *Field) tabu(ctx context.Context, pools []int32, floor int64) (of []int32, least int64) {
	x := &balance{
		Field: f, in: make([]int32, len(f.bodies)), top: make([]int64, len(f.pools)), barred: make([][]int, len(f.bodies)),
		present: make([][]int32, f.sections),
	}
	for range f.pools {
		x.load = append(x.load, make([]int64, f.sections))
	}
	for k := range f.bodies {
		x.in[k], x.barred[k] = pools[f.bodies[k].members[0]], make([]int, len(f.pools))
		x.move(int32(k), x.in[k], 1)
		for _, u := range f.bodies[k].uses {
			for t := u.First; t < u.Last; t++ {
				x.present[t] = append(x.present[t], int32(k))
			}
		}
	}
	for q := range x.load {
		x.top[q] = slices.Max(x.load[q])
	}
	best := slices.Clone(x.in)
	least = slices.Max(x.top)
	state := uint64(len(f.bodies))
	most := min(mostLooked, lookedEach*int64(len(f.bodies)*len(f.pools)*f.sections))
	for step := 1; least > floor && x.looked < most && (step%256 > 0 || ctx.Err() == nil); step++ {
		q := int32(slices.Index(x.top, slices.Max(x.top)))
		at := int32(slices.Index(x.load[q], x.top[q]))
		x.looked += int64(f.sections)
		k, other, to := x.change(q, at, step, least)
		if k < 0 {
			continue // all are barred
		}
		wait := step + tabuLeast + int(splitmix.Next(&state)%(3*tabuLeast))
		x.shift(k, q, to, wait)
		if other >= 0 {
			x.shift(other, to, q, wait)
		}
		x.top[q], x.top[to] = slices.Max(x.load[q]), slices.Max(x.load[to])
		x.looked += 2 * int64(f.sections)
		if now := slices.Max(x.top); now < least {
			least = now
			copy(best, x.in)
		}
	}
	return f.each(best), least
}

// move adds the bytes of a body to the loads of a pool, or takes them away.
func (x *balance) move(k, q int32, sign int64) {
	for _, u := range x.bodies[k].uses {
		for t := u.First; t < u.Last; t++ {
			x.load[q][t] += sign * (u.To - u.From)
		}
		x.looked += int64(u.Last - u.First)
	}
}

// shift moves a body into another pool, and bars it from the old one for a while.
func (x *balance) shift(k, from, to int32, wait int) {
	x.move(k, from, -1)
	x.move(k, to, 1)
	x.in[k], x.barred[k][from] = to, wait
}

// change returns the best change of a body k that is live in section at of pool q: it goes to pool to, and the body
// other, unless that is -1, comes in its place. k is -1 if all changes are barred.
func (x *balance) change(q, at int32, step int, least int64) (k, other, to int32) {
	k, other, to = -1, -1, -1
	best := int64(-1)
	for _, a := range x.present[at] {
		if x.in[a] != q {
			continue
		}
		for _, p := range x.bodies[a].pools {
			if p == q {
				continue
			}
			allowed := step >= x.barred[a][p]
			// The body by itself, then in exchange for each body that is live in the same section.
			x.move(a, q, -1)
			x.move(a, p, 1)
			worst := max(x.most(a, q), x.most(a, p))
			if (allowed || worst < least) && (best < 0 || worst < best) {
				best, k, other, to = worst, a, -1, p
			}
			for _, b := range x.present[at] {
				if x.in[b] != p || !slices.Contains(x.bodies[b].pools, q) {
					continue
				}
				x.move(b, p, -1)
				x.move(b, q, 1)
				worst := max(x.most(a, q), x.most(a, p), x.most(b, q), x.most(b, p))
				if (allowed && step >= x.barred[b][q] || worst < least) && (best < 0 || worst < best) {
					best, k, other, to = worst, a, b, p
				}
				x.move(b, q, -1)
				x.move(b, p, 1)
			}
			x.move(a, p, -1)
			x.move(a, q, 1)
		}
	}
	return k, other, to
}

// most returns the greatest load of a pool in the sections of a body.
func (x *balance) most(k, q int32) (most int64) {
	for _, u := range x.bodies[k].uses {
		for t := u.First; t < u.Last; t++ {
			most = max(most, x.load[q][t])
		}
		x.looked += int64(u.Last - u.First)
	}
	return most
}

// greatest returns the greatest load of a choice of pools.
func (f *Field) greatest(pools []int32) int64 {
	x := f.split(pools)
	if x == nil {
		return math.MaxInt64
	}
	x.fill()
	return slices.Max(x.top)
}
