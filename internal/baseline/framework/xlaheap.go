package framework

import (
	"cmp"
	"math/bits"

	"github.com/stowage-go/stowage/internal/place"
)

// Idea: XLA's heap simulator collects all intervals, sorts them once, and places
// each where the free chunks of its lifespan say. The free chunks are what the
// placed buffers that share time with it leave, their starts aligned; the
// topmost is without end. Best fit takes the smallest chunk that holds the
// buffer, then the lowest; lowest offset is first fit.
//
// The sorts, ties by the buffer's index:
//
//	spatial           size, then duration, descending
//	temporal          duration, then size, descending
//	spatial-temporal  size × duration, descending
//
// Duration is from the first tick to the last one, so that a buffer of a single
// slot has 0.
//
// Complexity: that of place.Place; XLA's interval tree makes it O(n log n + k)
// for k overlaps.
//
// Source: XLA, GlobalDecreasingSizeBestFitHeap (heap_simulator 0e06ac8). What
// is left out has no place in a problem yet: buffers that share memory by
// colocation, slices that arrive one by one, and several heaps.

func init() {
	register(planner{
		name:    "xla-heap",
		summary: "largest first, each in the tightest hole; other sorts and fits by parameter",
		source:  "XLA, GlobalDecreasingSizeBestFitHeap (0e06ac8)",
		params: []param{
			{name: "sort", words: []string{"spatial", "temporal", "spatial-temporal"}, summary: "spatial, temporal or spatial-temporal"},
			{name: "fit", words: []string{"best", "lowest"}, summary: "best or lowest"},
		},
		gaps:  true,
		fixed: true,
		place: xlaHeap,
	})
}

var (
	xlaSorts = []string{"spatial", "temporal", "spatial-temporal"}
	xlaFits  = []string{"best", "lowest"}
	xlaFit   = []place.Fit{place.BestFit, place.FirstFit}
)

func xlaHeap(t *task) error {
	sort := t.choice("sort")
	fit := t.choice("fit")
	return t.placeInOrder(t.xlaSorted(sort), xlaFit[fit])
}

// xlaSorted returns the buffers in one of the orders of xlaSorts.
func (t *task) xlaSorted(sort int) []int32 {
	switch sort {
	case 0:
		return t.sorted(keys(t.larger, t.longer))
	case 1:
		return t.sorted(keys(t.longer, t.larger))
	}
	// The product of two int64 takes two words.
	area := func(i int) (high, low uint64) {
		b := &t.buffers[i]
		return bits.Mul64(uint64(b.Size), uint64(b.Upper-1-b.Lower))
	}
	return t.sorted(func(a, b int) int {
		ah, al := area(a)
		bh, bl := area(b)
		return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al))
	})
}
