package repack

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: XLA places the longest bodies first, and tries each order of the slices where it places them. This does the
// same, and takes the order that ends lowest. So the orders follow from what lies around the block, and a planner that
// takes them as they are starts near a good plan. XLA takes the smallest gap; here it is the lowest, for orders of one
// block are compared by their ends.
//
// Complexity: O(n² log n) for n bodies, times the orders of a block.
//
// Source: XLA, best_fit_repacker.cc (13fddba), read.

// fitted places all bodies. It returns their offsets and the order of each block.
func (s *search) fitted() (at []int64, chosen []order) {
	chosen = slices.Clone(s.given)
	turns := make([]int, len(s.bodies)) // the bodies, in the order in which they are placed
	long := make([]int64, len(s.bodies))
	size := make([]int64, len(s.bodies))
	for k, of := range s.bodies {
		turns[k] = k
		from, to := s.blocks[of[0]].Start, s.blocks[of[0]].End
		for _, i := range of {
			from, to = min(from, s.blocks[i].Start), max(to, s.blocks[i].End)
			size[k] = max(size[k], s.blocks[i].Size)
		}
		long[k] = to - from
	}
	slices.SortStableFunc(turns, func(a, b int) int {
		return cmp.Or(cmp.Compare(long[b], long[a]), cmp.Compare(size[b], size[a]))
	})
	at = make([]int64, len(s.bodies))
	shapes := make([][]piece, len(s.bodies))
	var placed []int
	for _, k := range turns {
		best, end := int64(-1), int64(0)
		var shape []piece
		now := slices.Clone(chosen)
		for _, o := range s.choices(k) {
			for j, i := range s.bodies[k] {
				now[i] = o[j]
			}
			list := pieces(s.blocks, s.bodies[k], now)
			low, top := s.lowest(list, placed, shapes, at)
			if best < 0 || top < end || top == end && low < best {
				best, end, shape = low, top, list
				for j, i := range s.bodies[k] {
					chosen[i] = o[j]
				}
			}
		}
		at[k], shapes[k] = best, shape
		placed = append(placed, k)
	}
	return at, chosen
}

// choices returns the orders to try for a body, one of each of its blocks. Blocks of one body change together: the
// lists are those of the blocks, side by side.
func (s *search) choices(k int) (list [][]order) {
	most := 1
	for _, i := range s.bodies[k] {
		most = max(most, len(s.lists[i]))
	}
	for n := range most {
		var o []order
		for _, i := range s.bodies[k] {
			o = append(o, s.lists[i][min(n, len(s.lists[i])-1)])
		}
		list = append(list, o)
	}
	return list
}

// lowest returns the lowest offset for a body between those that are placed, and its end.
func (s *search) lowest(list []piece, placed []int, shapes [][]piece, at []int64) (offset, top int64) {
	s.taken = s.taken[:0]
	for _, k := range placed {
		for _, x := range shapes[k] {
			for _, y := range list {
				if x.from < y.to && y.from < x.to { // they meet, so the offset may not lie between these two
					s.taken = append(s.taken, [2]int64{at[k] + x.low - y.high, at[k] + x.high - y.low})
				}
			}
		}
	}
	slices.SortFunc(s.taken, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	for _, t := range s.taken {
		if offset > t[0] && offset < t[1] {
			offset = bound.Up(t[1], max(s.call.Alignment, 1))
		}
	}
	for _, y := range list {
		top = max(top, offset+y.high)
	}
	return offset, top
}
