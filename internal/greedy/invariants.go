package greedy

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants a Sweeper computes anew what it keeps up to date: the bytes in
// use during a sweep, and the heights of its plans. A difference is a panic.

// checkSpace checks that just the bytes of the live buffers are in use. k is the number of buffers of rest that are
// placed. Some sixty steps of a sweep are checked, because each check sorts all that is live.
func (s *Sweeper) checkSpace(p *sweptPart, way int, cut int32, rest []int32, k int) {
	if k%(1+len(rest)/64) != 0 {
		return
	}
	now, _ := s.extent(rest[k-1], way)
	var want []place.Range
	add := func(i int32, at int64) {
		want = append(want, place.Range{From: at, To: at + s.tl.Problem.Buffers[i].Size})
	}
	for _, list := range [][]int32{s.cross, rest[:k]} {
		for _, i := range list {
			if _, to := s.extent(i, way); to >= cut && to > now {
				add(i, s.trial[i])
			}
		}
	}
	want, double := union(want)
	invariants.Must(!double, "two live buffers have the same bytes")
	for _, i := range p.fixed {
		add(i, s.offsets[i])
	}
	want, double = union(want)
	invariants.Must(!double || len(p.fixed) > 1, "a fixed buffer shares its bytes with a live one")
	got := s.space.Used()
	if !slices.Equal(got, want) {
		invariants.Fail("bytes in use are %v, from scratch %v", got, want)
	}
}

// union returns the union of ranges, in ascending order. It also says whether two overlap.
func union(list []place.Range) (all []place.Range, overlap bool) {
	slices.SortFunc(list, func(a, b place.Range) int { return cmp.Compare(a.From, b.From) })
	for _, r := range list {
		last := len(all) - 1
		if last < 0 || all[last].To < r.From {
			all = append(all, r)
			continue
		}
		overlap = overlap || r.From < all[last].To
		all[last].To = max(all[last].To, r.To)
	}
	return all, overlap
}

// checkHeights checks that no partition's lowest plan is higher than is said of it, and that
// the highest of them is as high as the whole plan.
func (s *Sweeper) checkHeights() {
	if s.Height() == math.MaxInt64 {
		return
	}
	for k := range s.parts {
		height := int64(0)
		for _, i := range s.tl.Partitions[k].Buffers {
			if s.tl.Problem.Buffers[i].Fixed == nil {
				height = max(height, s.offsets[i]+s.tl.Problem.Buffers[i].Size)
			}
		}
		invariants.Must(height <= s.parts[k].height, "higher than is said of it is partition", k)
	}
	height := model.HeightOf(s.tl.Problem, s.offsets)
	invariants.Equal(s.Height(), height, "height of the plan")
}
