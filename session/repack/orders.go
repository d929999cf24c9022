package repack

import "slices"

// Idea: the sizes of a block's slices stay in one order, from low to high, and each size keeps its starts. So only
// slices of one size swap their starts. An order is the start of each slice, from low to high. XLA makes at most four
// slices of a block, mostly equal ones: at most 24 orders. In two of them the bytes in use are always one range: the
// lowest slice first, and the highest first.
//
// Complexity: at most mostOrders orders for each block.

// mostOrders limits how many orders of one block are listed.
const mostOrders = 24

// An order has the start of each slice, from low to high.
type order []int64

// orders returns the orders of a block: the given one, the lowest slice first, the highest first, and then the others.
// all is false if there are more. A block without slices has one order, which is nil.
func (b *Block) orders() (list []order, all bool) {
	if b.Slices == nil {
		return []order{nil}, true
	}
	given := make(order, len(b.Slices))
	starts := map[int64][]int64{} // of each size, ascending
	for k, s := range b.Slices {
		given[k] = s.Start
		starts[s.Size] = append(starts[s.Size], s.Start)
	}
	for _, s := range starts {
		slices.Sort(s)
	}
	up, down := make(order, len(given)), make(order, len(given))
	taken := map[int64]int{}
	for k, s := range b.Slices {
		of := starts[s.Size]
		up[k], down[k] = of[taken[s.Size]], of[len(of)-1-taken[s.Size]]
		taken[s.Size]++
	}
	add := func(o order) {
		if !slices.ContainsFunc(list, func(x order) bool { return slices.Equal(x, o) }) {
			list = append(list, o)
		}
	}
	add(given)
	add(up)
	add(down)
	// The others, slice by slice: each start of its size that is left.
	all = true
	now := make(order, len(given))
	used := map[int64][]bool{}
	for size, of := range starts {
		used[size] = make([]bool, len(of))
	}
	steps := 0
	var fill func(k int)
	fill = func(k int) {
		if steps++; len(list) > mostOrders || steps > 50*mostOrders {
			all = false
			return
		}
		if k == len(now) {
			add(slices.Clone(now))
			return
		}
		size := b.Slices[k].Size
		for j, start := range starts[size] {
			if used[size][j] || j > 0 && starts[size][j-1] == start && !used[size][j-1] {
				continue
			}
			used[size][j] = true
			now[k] = start
			fill(k + 1)
			used[size][j] = false
		}
	}
	fill(0)
	if len(list) > mostOrders {
		list, all = list[:mostOrders], false
	}
	return list, all
}

// with returns the slices of a block in an order.
func (b *Block) with(o order) []Slice {
	if b.Slices == nil {
		return nil
	}
	out := slices.Clone(b.Slices)
	for k := range out {
		out[k].Start = o[k]
	}
	return out
}
