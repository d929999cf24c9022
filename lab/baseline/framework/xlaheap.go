package framework

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Idea: XLA's heap simulator collects all intervals, sorts them once, and places each in a free chunk of its
// lifespan. The free chunks are the space that is left by placed buffers that share time with it, with aligned
// starts; the topmost has no end. Best fit takes the smallest chunk that holds the buffer, on a tie the lowest.
// Lowest offset is first fit.
//
// The sorts, ties by the buffer's index, durations in ticks of XLA's own clock (xlatime.go):
//
//	spatial           size, then duration, descending
//	temporal          duration, then size, descending
//	spatial-temporal  size × (duration + 1), descending
//	phase-window      start, then size descending
//	phase-window-end  end, then size descending
//
// By default XLA runs spatial and temporal and takes the better one, spatial on a tie: the sort default here. The
// phase windows are for heaps of several pages; a problem has one.
//
// Complexity: that of place.Place; XLA's interval tree makes it O(n log n + k) for k overlaps.
//
// Source: XLA, GlobalDecreasingSizeBestFitHeap (heap_simulator 0e06ac8), and AssignBuffersWithSequentialOrdering
// (buffer_assignment.cc) for the default. What is left out has no place in a problem yet: buffers that share memory by
// colocation, slices that arrive one by one, and several heaps.
//
// Durations in the problem's own time, with the area size × (upper - lower - 1), give a mean height of 1.838 times
// the load on A to K; XLA's clock gives 1.771 times.

func init() {
	register(planner{
		name:    "xla-heap",
		summary: "largest or longest first, each in the smallest hole that fits; parameters select other orders and fits",
		source:  "XLA, GlobalDecreasingSizeBestFitHeap and its use in buffer assignment (0e06ac8)",
		params: []param{
			{name: "sort", words: append([]string{"default"},
				xlaSorts...), summary: "sort order; default: the better of spatial and temporal"},
			{name: "fit", words: xlaFits, summary: "best or lowest"},
		},
		gaps:  true,
		fixed: true,
		place: func(t *task) error {
			sort, fit := t.choice("sort"), t.choice("fit")
			if sort > 0 {
				return t.placeInOrder(t.xlaClock().sorted(t, sort-1), xlaFit[fit])
			}
			return t.xlaBest([]int{0, 1}, []int{fit})
		},
	})
}

var (
	xlaSorts = []string{"spatial", "temporal", "spatial-temporal", "phase-window", "phase-window-end"}
	xlaFits  = []string{"best", "lowest"}
	xlaFit   = []place.Fit{place.BestFit, place.FirstFit}
)

// sorted returns the buffers in one of the orders of xlaSorts.
func (c *xlaClock) sorted(t *task, sort int) []int32 {
	longer := func(a, b int) int { return cmp.Compare(c.ticks(b), c.ticks(a)) }
	switch xlaSorts[sort] {
	case "spatial":
		return t.sorted(keys(t.larger, longer))
	case "temporal":
		return t.sorted(keys(longer, t.larger))
	case "phase-window":
		return t.sorted(func(a, b int) int { return cmp.Compare(c.start[a], c.start[b]) })
	case "phase-window-end":
		return t.sorted(func(a, b int) int { return cmp.Compare(c.end[a], c.end[b]) })
	}
	// The product of two int64 takes two words. The area counts both ends.
	area := func(i int) (high, low uint64) {
		return bits.Mul64(uint64(t.buffers[i].Size), uint64(c.ticks(i)+1))
	}
	return t.sorted(func(a, b int) int {
		ah, al := area(a)
		bh, bl := area(b)
		return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al))
	})
}

// xlaBest runs the heap with each fit and sort and keeps the lowest plan, the first one on a tie. If a limit comes,
// it keeps the best so far.
func (t *task) xlaBest(sorts, fits []int) error {
	lowest := int64(math.MaxInt64)
	c := t.xlaClock()
search:
	for _, fit := range fits {
		for _, sort := range sorts {
			if t.best != nil && t.enough() {
				break search
			}
			if err := t.placeInOrder(c.sorted(t, sort), xlaFit[fit]); err != nil {
				break search
			}
			t.nodes += int64(len(t.buffers))
			if height := model.HeightOf(t.tl.Problem, t.offsets); height < lowest {
				t.best, lowest = t.offsets, height
			}
		}
	}
	if t.best == nil {
		return errStopped
	}
	t.offsets = t.best
	return nil
}
