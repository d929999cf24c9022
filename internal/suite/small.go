package suite

import (
	"iter"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: every problem of n buffers on a small grid, each once up to the
// symmetries that no planner may care about: the order of the buffers, a shift
// of all times, a stretch of time (two slots in a row with the same buffers
// live are one), and time run backwards.
//
// A problem is a multiset of shapes; the shapes are numbered and multisets
// enumerated as non-decreasing sequences. A sequence stands for its class when
// it starts at time 0, has an event at each time up to its end, and is no
// greater than its mirror image.

// shape is a buffer without a name.
type shape struct{ lower, upper, size int64 }

func (s shape) compare(t shape) int {
	for _, d := range [...]int64{s.lower - t.lower, s.upper - t.upper, s.size - t.size} {
		if d != 0 {
			return int(d)
		}
	}
	return 0
}

// EachSmall yields every problem of exactly n buffers without further
// constraints, with lifespans in [0, horizon) and sizes from 1 to maxSize, once
// up to symmetry. The horizon is at most 62. 5 buffers, horizon 3 and sizes to 3
// give 11,649 problems, horizon 4 gives 91,563; in all of these the lowest
// height is the load. Each problem is the caller's to keep.
func EachSmall(n int, horizon, maxSize int64) iter.Seq[*model.Problem] {
	var shapes []shape
	for lower := range horizon {
		for upper := lower + 1; upper <= horizon; upper++ {
			for size := int64(1); size <= maxSize; size++ {
				shapes = append(shapes, shape{lower, upper, size})
			}
		}
	}
	return func(yield func(*model.Problem) bool) {
		chosen := make([]shape, 0, n)
		var extend func(from int) bool
		extend = func(from int) bool {
			if len(chosen) == n {
				return !standsForClass(chosen) || yield(problemOf(chosen))
			}
			for k := from; k < len(shapes); k++ {
				chosen = append(chosen, shapes[k])
				if !extend(k) {
					return false
				}
				chosen = chosen[:len(chosen)-1]
			}
			return true
		}
		extend(0)
	}
}

// standsForClass reports whether a sorted sequence represents its class.
func standsForClass(shapes []shape) bool {
	if len(shapes) == 0 {
		return true
	}
	if shapes[0].lower != 0 {
		return false
	}
	end, events := int64(0), uint64(0)
	for _, s := range shapes {
		end = max(end, s.upper)
		events |= 1<<s.lower | 1<<s.upper
	}
	if events != 1<<(end+1)-1 {
		return false
	}
	mirror := make([]shape, len(shapes))
	for i, s := range shapes {
		mirror[i] = shape{end - s.upper, end - s.lower, s.size}
	}
	slices.SortFunc(mirror, shape.compare)
	return slices.CompareFunc(shapes, mirror, shape.compare) <= 0
}

func problemOf(shapes []shape) *model.Problem {
	p := &model.Problem{Name: "small", Buffers: make([]model.Buffer, len(shapes))}
	for i, s := range shapes {
		p.Buffers[i] = model.Buffer{ID: "b" + strconv.Itoa(i+1), Lower: s.lower, Upper: s.upper, Size: s.size}
	}
	return p
}
