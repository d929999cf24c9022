package heights

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// Idea: the best of a few simple orders is improved by moving one body after the other towards the front: a body
// that ends at the top of a pool, or one that it lies above. An order is kept if its plan is not worse. Plans that are
// equal lead on, because the measures of many pools change seldom.
//
// Invariant: the plan is never worse than that of any of the simple orders. The same seed gives the same plan.
//
// Complexity: each order takes what order.go says. The search ends after mostChecked distances, or after mostIdle
// orders for each body that bring nothing.

const (
	mostChecked = 20_000_000
	mostIdle    = 100 // orders for each body without a better plan
)

// A Found is a plan that a field has.
type Found struct {
	Pools   []int32 // of each buffer
	Offsets []int64
	Values  []int64 // of the measures that lead the objective
	Heights []int64 // of each pool
}

// Descend looks for a low plan. It ends at a plan whose measures are all at most floor. It returns nil if it finds
// none.
func (f *Field) Descend(ctx context.Context, floor []int64) *Found {
	x := f.placer()
	var best *Found
	var order []int32
	for _, o := range f.orders() {
		if x.place(o, valuesOf(best)) && (best == nil || slices.Compare(x.values, best.Values) < 0) {
			best, order = x.found(), o
		}
	}
	if best == nil {
		return nil
	}
	state := uint64(len(f.bodies))
	random := func(n int) int { return int(splitmix.Next(&state) % uint64(n)) }
	next := make([]int32, len(order))
	if !x.place(order, nil) {
		return best
	}
	tops := x.tops()
	last := 0
	for steps := 0; steps < last+mostIdle*len(order) && x.checked < mostChecked; steps++ {
		if slices.Compare(best.Values, floor) <= 0 {
			break
		}
		if steps%64 == 0 && ctx.Err() != nil {
			break
		}
		copy(next, order)
		for range 1 + random(3) {
			b := tops[random(len(tops))]
			if random(2) == 0 && len(f.near[b]) > 0 {
				b = f.near[b][random(len(f.near[b]))].other
			}
			from := slices.Index(next, b)
			if from < 1 {
				continue
			}
			to := random(from)
			copy(next[to+1:from+1], next[to:from])
			next[to] = b
		}
		if !x.place(next, best.Values) {
			continue
		}
		if slices.Compare(x.values, best.Values) < 0 {
			best, last = x.found(), steps
		}
		order, next = next, order
		tops = x.tops()
	}
	return best
}

func valuesOf(f *Found) []int64 {
	if f == nil {
		return nil
	}
	return f.Values
}

// orders are the simple orders. Fixed bodies come first in each. If kinds share no page, one kind after the other, too.
func (f *Field) orders() (all [][]int32) {
	for _, key := range []func(b *body) int64{
		func(b *body) int64 { return b.size },
		func(b *body) int64 { return b.area },
		func(b *body) int64 { return b.area / max(1, b.size) },
	} {
		order := make([]int32, len(f.bodies))
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			x, y := &f.bodies[a], &f.bodies[b]
			return cmp.Or(cmp.Compare(min(0, y.fixed), min(0, x.fixed)), cmp.Compare(key(y), key(x)),
				cmp.Compare(x.members[0], y.members[0]))
		})
		all = append(all, order)
		if f.paged != nil {
			order = slices.Clone(order)
			slices.SortStableFunc(order, func(a, b int32) int {
				x, y := &f.bodies[a], &f.bodies[b]
				return cmp.Or(cmp.Compare(min(0, y.fixed), min(0, x.fixed)), cmp.Compare(y.kind, x.kind))
			})
			all = append(all, order)
		}
	}
	return all
}

// tops returns the bodies that end at the top of a pool that the first measure is about and that is highest, or of any
// such pool if the measure is a sum.
func (x *placer) tops() (all []int32) {
	highest := slices.Max(x.height)
	for k, q := range x.in {
		end := x.origin[k] + x.bodies[k].size
		if x.pools[q].Objects { // each of them may make it lower
			end = x.height[q]
		}
		if end == x.height[q] && (end == highest || !x.goals[0].most) {
			all = append(all, int32(k))
		}
	}
	return all
}

// found copies the plan.
func (x *placer) found() *Found {
	f := &Found{
		Pools: make([]int32, len(x.p.Buffers)), Offsets: make([]int64, len(x.p.Buffers)), Values: slices.Clone(x.values),
		Heights: slices.Clone(x.height),
	}
	x.stack()
	for k := range x.bodies {
		for m, i := range x.bodies[k].members {
			f.Pools[i], f.Offsets[i] = x.in[k], x.origin[k]+x.bodies[k].at[m]
		}
	}
	return f
}
