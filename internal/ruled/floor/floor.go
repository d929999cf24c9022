// Package floor bounds the heights and the cost of a problem with rules, at each place in the objective. It asks no
// planner. Bounds of penalties and evictions come from internal/ruled/penalty and internal/ruled/evictbound.
package floor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/model"
)

// Idea: one formula for each measure. Sections are sets of bodies that conflict pair by pair (internal/lower), with all
// evictions taken. Let
//
//	in(p)     bodies that may be in pool p alone
//	ends(b)   the least end of body b in the pools that it may be in, each by itself
//	L         max over sections of the bytes in use;  L(p): the same for in(p)
//	R(p)      reserved bytes of p;  top(p): the end of the highest
//
// Then for all plans
//
//	height:p     >= h(p) = max of L(p), and ends of in(p)
//	peak:p       >= max(h(p), top(p))
//	height       >= max(sum of h(p), L + the least sum of reserved bytes below free ranges that have L bytes together)
//	peak         >= max(sum over p of max(h(p), top(p)), L + sum of R(p))
//	max_height   >= max of h(p), ends(b), and the least H at which all pools together have L free bytes below H
//	max_peak     >= max of that, and top(p)
//	cost         >= sum over bodies of their least costs; of the parts of one buffer only one counts
//	objects      >= max over sections of the bodies that may be in pools of objects alone: each has an object of its own
//
// Heights are rounded up (grid.go). Hold restricts the bounds to plans with a measure of at most v, which are as good in
// an earlier measure. Then pools end lower, and bodies may be in fewer pools, so the formulas give higher bounds.
//
// Invariant: no plan that keeps the held values is below Least.
//
// Complexity: O(n log n + uses · pools) for New, and O(uses + bodies · pools) for a measure.

// Floors are the bounds of a problem.
type Floors struct {
	l        *lower.Lowering
	pools    []model.Pool
	reserved [][]model.Range // of each pool, ascending
	limit    []int64         // of each pool: no byte above is in use; none for no limit
	bodies   []body
	sections int
	held     int64   // the most cost that Hold allows; none if there is no limit
	grid     int64   // heights are multiples of this
	buffer   []int32 // of each part, its buffer
}

// none stands for no limit.
const none = model.MaxSum

// body is a set of buffers that lie together.
type body struct {
	members []int32
	pools   []int32 // that it may be in
	uses    []model.Piece
	costs   []int64 // of each of pools
	ends    []int64 // likewise
	again   bool    // a further part of a buffer: without the eviction it is one with the part before
}

// New prepares the bounds of a valid problem with rules.
func New(p *model.Problem) *Floors {
	q := parts.All(p)
	f := &Floors{l: lower.New(q.Problem), pools: p.AllPools(), held: none, buffer: q.Of, grid: gridOf(q.Problem)}
	for k := range f.pools {
		f.reserved = append(f.reserved, lower.Merged(f.pools[k].Reserved))
		f.limit = append(f.limit, cmp.Or(f.pools[k].Capacity, none))
	}
	f.gather()
	f.choices()
	return f
}

// gather makes the bodies and their uses of sections: the whole problem is lowered as one pool, in which nothing is
// aligned or fixed.
func (f *Floors) gather() {
	strip := lower.Whole(f.l.Problem)
	f.bodies = make([]body, len(strip.Problem.Buffers))
	for k, i := range strip.Members {
		b := &f.bodies[strip.Body[k]]
		b.members = append(b.members, i)
	}
	for k := range f.bodies {
		i := f.bodies[k].members[0]
		f.bodies[k].again = i > 0 && f.buffer[i] == f.buffer[i-1]
		for x := range strip.Problem.Buffers[k].Pieces {
			f.bodies[k].uses = append(f.bodies[k].uses, x)
			f.sections = max(f.sections, int(x.Upper))
		}
	}
}

// choices finds the pools that each body may be in, within the limits and the cost that is held.
func (f *Floors) choices() {
	least := int64(0)
	for k := range f.bodies {
		b := &f.bodies[k]
		b.pools, b.costs, b.ends = nil, nil, nil
		for q := range f.pools {
			if end, cost := f.alone(b, q); end <= f.limit[q] {
				b.pools, b.costs, b.ends = append(b.pools, int32(q)), append(b.costs, cost), append(b.ends, end)
			}
		}
		if len(b.pools) > 0 && !b.again {
			least += slices.Min(b.costs)
		}
	}
	for k := range f.bodies {
		b := &f.bodies[k]
		if f.held == none || len(b.pools) == 0 {
			continue
		}
		most := f.held - least + slices.Min(b.costs)
		for n := len(b.pools) - 1; n >= 0; n-- {
			if b.costs[n] > most {
				b.pools, b.costs, b.ends = slices.Delete(b.pools, n, n+1), slices.Delete(b.costs, n, n+1),
					slices.Delete(b.ends, n, n+1)
			}
		}
	}
}

// alone returns the least end of a body in a pool, from each member by itself, and its cost there. If the body may not
// be in the pool, the end is above any limit.
func (f *Floors) alone(b *body, pool int) (end, cost int64) {
	for _, i := range b.members {
		x := &f.l.Problem.Buffers[i]
		if !x.MayUse(int32(pool)) {
			return none + 1, 0
		}
		cost += x.CostIn(f.pools, int32(pool))
		step, at := bound.LCM(x.Align(), max(f.pools[pool].Alignment, 1), model.MaxSum), int64(0)
		for _, r := range f.reserved[pool] {
			if at = bound.Up(at, max(step, 1)); at+x.Size <= r.Lower {
				break
			}
			at = max(at, r.Upper)
		}
		at = bound.Up(at, max(step, 1))
		if x.Fixed != nil {
			if at > *x.Fixed {
				return none + 1, 0
			}
			at = *x.Fixed
		}
		end = max(end, at+x.Size)
	}
	return end, cost
}

// Hold says that only plans with a measure of at most v count.
func (f *Floors) Hold(m model.Measure, v int64) {
	kind, _, _ := strings.Cut(string(m), ":")
	switch {
	case m == model.MeasureCost:
		f.held = min(f.held, v)
	case m == model.MeasurePenalty || m == model.MeasureEviction || m == model.MeasureObjects:
		return
	case strings.HasPrefix(kind, "max_") || kind != string(m):
		for _, q := range f.of(m) {
			f.limit[q] = min(f.limit[q], v)
		}
	default: // a sum: the other pools have at least their own h
		sum := int64(0)
		low := make([]int64, len(f.pools))
		for q := range f.pools {
			low[q] = f.height(q, m == model.MeasurePeak)
			sum += low[q]
		}
		for q := range f.pools {
			f.limit[q] = min(f.limit[q], v-sum+low[q])
		}
	}
	f.choices()
}

// of returns the pools that a measure of height is about.
func (f *Floors) of(m model.Measure) (all []int) {
	_, id, one := strings.Cut(string(m), ":")
	for q := range f.pools {
		if !one || f.pools[q].ID == id {
			all = append(all, q)
		}
	}
	return all
}

// Least returns a bound of a measure: 0 for penalties and evictions.
func (f *Floors) Least(m model.Measure) (least int64) {
	switch m {
	case model.MeasureCost:
		for k := range f.bodies {
			if b := &f.bodies[k]; len(b.costs) > 0 && !b.again {
				least += slices.Min(b.costs)
			}
		}
		return least
	case model.MeasureObjects:
		return f.objects()
	case model.MeasurePenalty, model.MeasureEviction:
		return 0
	}
	kind, _, _ := strings.Cut(string(m), ":")
	peak := strings.HasSuffix(kind, string(model.MeasurePeak))
	for _, q := range f.of(m) {
		if h := f.height(q, peak); strings.HasPrefix(kind, "max_") {
			least = max(least, h)
		} else {
			least += h
		}
	}
	load := f.load(func(*body) bool { return true })
	switch m {
	case model.MeasureHeight:
		least = max(least, load+f.waste(load))
	case model.MeasurePeak:
		for q := range f.pools {
			load += f.taken(q, none)
		}
		least = max(least, load)
	case model.MeasureMaxHeight, model.MeasureMaxPeak:
		for k := range f.bodies {
			if ends := f.bodies[k].ends; len(ends) > 0 {
				least = max(least, slices.Min(ends))
			}
		}
		least = f.level(load, least)
	}
	return min(none, bound.Up(least, f.grid))
}

// only reports whether a body may be in this pool and no other.
func (b *body) only(pool int) bool { return len(b.pools) == 1 && b.pools[0] == int32(pool) }

// height is h(p), or max(h(p), top(p)).
func (f *Floors) height(pool int, peak bool) int64 {
	h := f.load(func(b *body) bool { return b.only(pool) })
	for k := range f.bodies {
		if f.bodies[k].only(pool) {
			h = max(h, f.bodies[k].ends[0])
		}
	}
	if n := len(f.reserved[pool]); peak && n > 0 {
		h = max(h, f.reserved[pool][n-1].Upper)
	}
	return h
}

// load returns the most bytes in use in a section by some bodies.
func (f *Floors) load(counts func(*body) bool) (most int64) {
	load := bound.NewLoads(f.sections)
	for k := range f.bodies {
		if !counts(&f.bodies[k]) {
			continue
		}
		for _, u := range f.bodies[k].uses {
			load.Add(int32(u.Lower), int32(u.Upper), u.To-u.From)
		}
	}
	most, _ = bound.Peak(load.Sum())
	return most
}

// objects returns the most bodies of a section that may be in pools of objects and in no other.
func (f *Floors) objects() (most int64) {
	live := bound.NewLoads(f.sections)
	for k := range f.bodies {
		b := &f.bodies[k]
		if len(b.pools) == 0 || slices.ContainsFunc(b.pools, func(q int32) bool { return !f.pools[q].Objects }) {
			continue
		}
		for _, u := range b.uses { // one after the other in time
			live.Add(int32(u.Lower), int32(u.Upper), 1)
		}
	}
	most, _ = bound.Peak(live.Sum())
	return most
}

// taken returns the reserved bytes of a pool below a height.
func (f *Floors) taken(pool int, height int64) (sum int64) {
	for _, r := range f.reserved[pool] {
		sum += max(0, min(r.Upper, height)-r.Lower)
	}
	return sum
}

// level returns the least height, at least low, below which all pools together have load free bytes.
func (f *Floors) level(load, low int64) int64 {
	free := func(height int64) (sum int64) {
		for q := range f.pools {
			h := min(height, f.limit[q])
			sum = min(none, sum+h-f.taken(q, h))
		}
		return sum
	}
	high := low + load
	for q := range f.pools {
		high = min(none, high+f.taken(q, none))
	}
	if free(high) < load {
		return low // nothing fits
	}
	for low < high {
		if middle := low + (high-low)/2; free(middle) >= load {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// mostWays is the most choices of free ranges that are looked at.
const mostWays = 1_000

// waste returns the fewest reserved bytes that lie below the ends of the pools if the pools hold load bytes. Each pool
// is used up to one of its free ranges, or not at all.
func (f *Floors) waste(load int64) int64 {
	type way struct{ free, waste int64 }
	ways := []way{{}}
	for q := range f.pools {
		pool, at, free, below := []way{{}}, int64(0), int64(0), int64(0)
		for _, r := range append(slices.Clip(f.reserved[q]), model.Range{Lower: none, Upper: none}) {
			if room := min(r.Lower, f.limit[q]) - at; room > 0 {
				free = min(none, free+room)
				pool = append(pool, way{free, below})
			}
			at, below = r.Upper, below+r.Upper-r.Lower
		}
		var more []way
		for _, x := range ways {
			for _, y := range pool {
				more = append(more, way{min(none, x.free+y.free), x.waste + y.waste})
			}
		}
		if ways = more; len(ways) > mostWays {
			return 0
		}
	}
	least := int64(none)
	for _, x := range ways {
		if x.free >= load {
			least = min(least, x.waste)
		}
	}
	if least == none {
		return 0 // nothing fits
	}
	return least
}
