package shapes

import "slices"

// Idea: branch and bound over all orders of a few buffers. Buffers are put down one after the other. At each scenario
// the skyline and what is still to come in a section bound the height from below.
//
// Invariant: two buffers that never meet give the same plan in either order. So of two such neighbours in the order, the
// one with the smaller index comes first, and no plan is missed.
//
// Complexity: exponential in the buffers; the search ends without a result at a limit of nodes.

// mostExact is the number of buffers up to which all orders are tried, and exactNodes the number of nodes.
const (
	mostExact  = 14
	exactNodes = 60_000
)

// An exact is one search.
type exact struct {
	*climber
	meets [][]bool // by two buffers
	sky   [][]int64
	rest  [][]int64 // by scenario and section: the bytes that are not yet put down
	used  []bool
	order []int32
	best  []int32
	least float64 // the worst excess of best
	nodes int
	tops  []int64
}

// exact returns the order with the least worst excess of those that are not above the plan of the largest sizes. done
// is false, and the order nil, if there are too many buffers or nodes.
func (c *climber) exact(from []int32) (order []int32, done bool) {
	f := c.f
	if f.n > mostExact {
		return nil, false
	}
	x := exact{climber: c, used: make([]bool, f.n), best: from, tops: make([]int64, f.pools)}
	for k, h := range c.place(from).heights[1:] {
		x.least = max(x.least, excess(h, c.loads[k+1]))
	}
	for i := range f.n {
		row := make([]bool, f.n)
		for j := range f.n {
			for a := f.first[i]; a < f.first[i+1]; a++ {
				for b := f.first[j]; b < f.first[j+1]; b++ {
					row[j] = row[j] || f.lower[a] < f.upper[b] && f.lower[b] < f.upper[a]
				}
			}
		}
		x.meets = append(x.meets, row)
	}
	for k := range c.sizes {
		x.sky, x.rest = append(x.sky, make([]int64, f.sections)), append(x.rest, make([]int64, f.sections))
		for i := range f.n {
			x.over(int32(i), func(s int32) { x.rest[k][s] += c.sizes[k][i] })
		}
	}
	if x.least > 0 {
		x.search()
	}
	if x.nodes >= exactNodes {
		return nil, false
	}
	return x.best, true
}

// over calls do for each section of a buffer.
func (x *exact) over(i int32, do func(s int32)) {
	for piece := x.f.first[i]; piece < x.f.first[i+1]; piece++ {
		for s := x.f.lower[piece]; s < x.f.upper[piece]; s++ {
			do(s)
		}
	}
}

// hopeless reports whether no order that begins like this one is better than the best.
func (x *exact) hopeless() bool {
	each := x.f.sections / x.f.pools
	for k := range x.sizes {
		sum := int64(0)
		for p := range x.f.pools {
			top := int64(0)
			for s := p * each; s < (p+1)*each; s++ {
				top = max(top, x.sky[k][s]+x.rest[k][s])
			}
			if k == 0 && top > x.caps[p] {
				return true
			}
			sum += top
		}
		if k > 0 && excess(sum, x.loads[k]) >= x.least {
			return true
		}
	}
	return false
}

func (x *exact) search() {
	if x.nodes++; x.nodes >= exactNodes || x.hopeless() {
		return
	}
	if len(x.order) == x.f.n {
		x.best, x.least = slices.Clone(x.order), 0
		for k := range x.sizes {
			if k > 0 {
				x.least = max(x.least, excess(x.f.place(x.stacked(), x.sizes[k], make([]int64, x.f.n), x.tops), x.loads[k]))
			}
		}
		return
	}
	before := make([][]int64, len(x.sizes))
	for i := range int32(x.f.n) {
		if n := len(x.order); x.used[i] || n > 0 && i < x.order[n-1] && !x.meets[i][x.order[n-1]] {
			continue
		}
		for k := range x.sizes {
			before[k] = append(before[k][:0], x.sky[k]...)
		}
		if x.put(i) {
			x.used[i] = true
			x.order = append(x.order, i)
			x.search()
			x.order = x.order[:len(x.order)-1]
			x.used[i] = false
		}
		for k := range x.sizes {
			copy(x.sky[k], before[k])
			x.over(i, func(s int32) { x.rest[k][s] += x.sizes[k][i] })
		}
		if x.least <= 0 || x.nodes >= exactNodes {
			return
		}
	}
}

// put puts a buffer on top at each scenario; false if it is fixed and would not be at its offset.
func (x *exact) put(i int32) bool {
	fits := true
	for k := range x.sizes {
		at := int64(0)
		x.over(i, func(s int32) { at = max(at, x.sky[k][s]) })
		a := x.f.align[i]
		at = (at + a - 1) / a * a
		if fixed := x.f.fixed[i]; fixed >= 0 {
			fits = fits && at <= fixed
			at = fixed
		}
		x.over(i, func(s int32) {
			x.sky[k][s] = at + x.sizes[k][i]
			x.rest[k][s] -= x.sizes[k][i]
		})
	}
	return fits
}

// stacked returns the order with its pairs.
func (x *exact) stacked() *stack {
	s := &stack{order: x.order}
	x.f.trace(s)
	return s
}
