package drawn

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: every problem of n buffers on a small grid, each once up to the symmetries that no planner may care about: the
// order of the buffers, a shift of all times, a stretch of time (two slots in a row with the same buffers live are
// one), and time run backwards.
//
// A problem is a multiset of shapes; the shapes are numbered and multisets enumerated as non-decreasing sequences. A
// sequence stands for its class when it starts at time 0, has an event at each time up to its end, and is no greater
// than its mirror image.

// compare orders shapes: buffers without a name.
func compare(s, t model.Buffer) int {
	return cmp.Or(cmp.Compare(s.Lower, t.Lower), cmp.Compare(s.Upper, t.Upper), cmp.Compare(s.Size, t.Size))
}

// EachSmall yields every problem of exactly n buffers without further constraints, with lifespans in [0, horizon) and
// sizes from 1 to maxSize, once up to symmetry. The horizon is at most 62. 5 buffers, horizon 3 and sizes to 3 give
// 11,649 problems, horizon 4 gives 91,563; in all of these the lowest height is the load. Each problem is the caller's
// to keep.
func EachSmall(n int, horizon, maxSize int64) iter.Seq[*model.Problem] {
	var shapes []model.Buffer
	for lower := range horizon {
		for upper := lower + 1; upper <= horizon; upper++ {
			for size := int64(1); size <= maxSize; size++ {
				shapes = append(shapes, model.Buffer{Lower: lower, Upper: upper, Size: size})
			}
		}
	}
	return func(yield func(*model.Problem) bool) {
		chosen := make([]model.Buffer, 0, n)
		var extend func(from int) bool
		extend = func(from int) bool {
			if len(chosen) == n {
				return !standsForClass(chosen) || yield(named(chosen))
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
func standsForClass(shapes []model.Buffer) bool {
	if len(shapes) == 0 {
		return true
	}
	if shapes[0].Lower != 0 {
		return false
	}
	end, events := int64(0), uint64(0)
	for _, s := range shapes {
		end = max(end, s.Upper)
		events |= 1<<s.Lower | 1<<s.Upper
	}
	if events != 1<<(end+1)-1 {
		return false
	}
	mirror := make([]model.Buffer, len(shapes))
	for i, s := range shapes {
		mirror[i] = model.Buffer{Lower: end - s.Upper, Upper: end - s.Lower, Size: s.Size}
	}
	slices.SortFunc(mirror, compare)
	return slices.CompareFunc(shapes, mirror, compare) <= 0
}

// named returns the problem of so many shapes.
func named(shapes []model.Buffer) *model.Problem {
	p := &model.Problem{Name: "small", Buffers: slices.Clone(shapes)}
	for i := range p.Buffers {
		p.Buffers[i].ID = "b" + strconv.Itoa(i+1)
	}
	return p
}
