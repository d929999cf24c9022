package heights

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: an order of the bodies is a plan. Each body goes to the lowest free origin of the pool in which it raises the
// measures least; if several raise them as little, of the one in which it ends lowest. With the largest bodies first,
// that is the greedy of those who have no planner.
//
// Invariant: a plan keeps the rules, the capacities and the reserved ranges. Whatever follows a body in the order
// does not move it.
//
// Complexity: O(pairs + bodies · pools) for the whole order if the ranges that neighbours take are nearly sorted; the
// sort of a body's ranges is quadratic at worst.

// A placer makes plans of orders. It is of use to one goroutine.
type placer struct {
	*Field
	in      []int32 // the pool of each body, -1 as long as it has none
	origin  []int64
	height  []int64 // of each pool
	taken   [][]model.Range
	values  []int64 // of the bodies that are placed
	raised  []int64 // values in the pool that is tried
	least   []int64 // values in the best pool so far
	checked int64   // distances looked at, the effort
	shelves shelves
}

func (f *Field) placer() *placer {
	return &placer{
		shelves: newShelves(f), Field: f, in: make([]int32, len(f.bodies)), origin: make([]int64, len(f.bodies)), height: make([]int64, len(f.pools)),
		taken: make([][]model.Range, len(f.pools)), values: make([]int64, len(f.goals)),
		raised: make([]int64, len(f.goals)), least: make([]int64, len(f.goals)),
	}
}

// place makes the plan of an order. It returns false if some body has no place, or as soon as the plan is worse than
// most, unless that is nil.
func (x *placer) place(order []int32, most []int64) bool {
	for k := range x.in {
		x.in[k] = -1
	}
	clear(x.height)
	x.shelves.clear()
	for k := range x.goals {
		x.values[k] = x.goals[k].value(x.height)
	}
	for _, k := range order {
		if !x.put(k) || most != nil && slices.Compare(x.values, most) > 0 {
			return false
		}
	}
	return true
}

// put places a body. It returns false if the body has no place.
func (x *placer) put(k int32) bool {
	b := &x.bodies[k]
	for _, d := range x.near[k] {
		if q := x.in[d.other]; q >= 0 {
			x.taken[q] = append(x.taken[q], model.Range{Lower: x.origin[d.other] + d.low, Upper: x.origin[d.other] + d.high})
		}
	}
	x.keep(k)
	x.checked += int64(len(x.near[k]) + len(b.pools))
	best, at, top, in := int32(-1), int64(0), int64(0), int32(-1)
	for n, q := range b.pools {
		// With objects origin is what the pool grows by.
		origin, object, ok := int64(0), int32(-1), false
		end, more := int64(0), int64(0)
		if x.pools[q].Objects {
			origin, object, ok = x.cheapest(k, q)
			if end = x.height[q] + origin; int(object) == len(x.shelves.of[q]) {
				more = 1
			}
		} else if origin, ok = x.lowest(b, n); ok {
			end = max(x.height[q], origin+b.size)
		}
		if !ok {
			continue
		}
		c := -1
		for g := range x.goals {
			if x.goals[g].count {
				x.raised[g] = x.values[g] + more
				continue
			}
			x.raised[g] = x.goals[g].raised(x.values[g], q, x.height[q], end)
		}
		if best >= 0 {
			c = slices.Compare(x.raised, x.least)
		}
		if c < 0 || c == 0 && (origin < at || origin == at && end < top) {
			best, at, top, in = q, origin, end, object
			copy(x.least, x.raised)
		}
	}
	for _, d := range x.near[k] {
		if q := x.in[d.other]; q >= 0 {
			x.taken[q] = x.taken[q][:0]
		}
	}
	x.release(k)
	for _, q := range b.pools {
		x.taken[q] = x.taken[q][:0]
	}
	if best < 0 {
		return false
	}
	x.in[k], x.origin[k], x.height[best] = best, at, top
	if in >= 0 {
		x.share(k, best, in)
	}
	copy(x.values, x.least)
	return true
}

// lowest returns the lowest free origin of a body in the nth of its pools.
func (x *placer) lowest(b *body, n int) (int64, bool) {
	q := b.pools[n]
	taken, pool := x.taken[q], &x.pools[q]
	for _, r := range pool.Reserved {
		for m, i := range b.members {
			taken = append(taken, model.Range{Lower: r.Lower - b.at[m] - x.p.Buffers[i].Size, Upper: r.Upper - b.at[m]})
		}
	}
	x.taken[q] = taken
	most := int64(math.MaxInt64)
	if pool.Capacity > 0 {
		most = pool.Capacity - b.size
	}
	sort(taken)
	origin := b.grid[n].Up(0)
	if b.fixed >= 0 {
		origin = b.fixed
	}
	for _, r := range taken {
		if r.Lower >= origin {
			break
		}
		if origin < r.Upper {
			if b.fixed >= 0 {
				return 0, false
			}
			origin = b.grid[n].Up(r.Upper)
		}
	}
	return origin, origin <= most
}

// sort sorts ranges by their lower ends. Most lists are short, and mostly in order.
func sort(all []model.Range) {
	for k := 1; k < len(all); k++ {
		r, n := all[k], k
		for ; n > 0 && all[n-1].Lower > r.Lower; n-- {
			all[n] = all[n-1]
		}
		all[n] = r
	}
}
