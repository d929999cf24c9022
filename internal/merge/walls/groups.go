package walls

import (
	"math"
	"math/bits"
	"sort"

	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: a moment with several walls divides the items that end and the items that begin into groups. A group is a set
// of ending items and a set of beginning items, with
//
//	sum of the sizes that end = sum of the sizes that begin
//
// All groups of small sets are found once for each moment. Then each guess draws several divisions into such groups at
// random. Groups of few items come first, since large sets have equal sums by chance more often.
//
// Complexity: O(s log s) a moment for s subsets, at most some 6,000 of each side; a draw
// looks at all groups once for each wall that it makes.

// A group is a set of items that end at a moment and a set of items that begin there, with equal sums.
type group struct{ out, in uint64 }

// A subset is a set of items that end at a moment, or of items that begin there.
type subset struct {
	sum  int64
	mask uint64
}

// A side with up to groupAll items has all its subsets tried. A larger side has its subsets of up to four items tried,
// and a side with more than groupFew items its subsets of up to two. If one side has more than groupNone items, no
// groups are looked for. A moment has at most groupsMost groups. Items that no group has are part of the last wall
// (rest).
const groupAll, groupFew, groupNone, groupsMost = 11, 20, 63, 4000

// findGroups finds the groups of the moment.
func (s *Search) findGroups() {
	s.groups, s.grouped = s.groups[:0], true
	if len(s.out) < 2 && len(s.in) < 2 && s.freed == 0 || len(s.out) > groupNone || len(s.in) > groupNone {
		return
	}
	in, out := s.subsets(s.in), s.subsets(s.out)
	order := sorting.Order(len(in), func(i, j int32) bool { return in[i].sum < in[j].sum })
	s.spend(len(in) + len(out))
	for _, o := range out {
		at := sort.Search(len(in), func(k int) bool { return in[order[k]].sum >= o.sum })
		for ; at < len(in) && in[order[at]].sum == o.sum && len(s.groups) < groupsMost; at++ {
			s.groups = append(s.groups, group{o.mask, in[order[at]].mask})
		}
	}
}

// subsets returns subsets of the items, the smallest first.
func (s *Search) subsets(of []int32) []subset {
	most := 4
	switch {
	case len(of) > groupFew:
		most = 2
	case len(of) <= groupAll:
		most = len(of)
	}
	to := []subset{{}}
	for from := 0; most > 0; most-- {
		for end := len(to); from < end; from++ {
			x := to[from]
			for k := bits.Len64(x.mask); k < len(of); k++ {
				to = append(to, subset{x.sum + s.items[of[k]].Size, x.mask | 1<<k})
			}
		}
	}
	return to[1:]
}

// divisions is how many divisions of a moment each guess draws.
const divisions = 6

// divide takes a guess over the moment: first with one wall, then with divisions drawn at
// random. If only one guess is kept and the moment can have one wall, nothing is drawn.
func (s *Search) divide(g *guess) {
	choice := s.rest(g, s.out, s.in)
	if s.o.Width == 1 && len(s.next) > 0 {
		return
	}
	if !s.grouped {
		s.findGroups()
	}
	for k := 0; k < divisions && !s.ended && (choice || len(s.groups) > 0); k++ {
		if s.draw(g) {
			choice = true
		}
	}
}

// draw divides the moment at random. It reports whether there was a choice of free space.
func (s *Search) draw(g *guess) bool {
	out, in := uint64(1)<<len(s.out)-1, uint64(1)<<len(s.in)-1
	for out != 0 && in != 0 && s.spend(len(s.groups)/16) {
		// Draw one item that ends. Of the groups that have it, take the one with the lowest rank.
		e := out
		for n := s.o.Rand.IntN(bits.OnesCount64(out)); n > 0; n-- {
			e &= e - 1
		}
		e &= -e
		best, least := group{}, s.rank(group{out, in})
		for _, c := range s.groups {
			if c.out&e != 0 && c.out&^out == 0 && c.in&^in == 0 {
				if r := s.rank(c); r < least {
					best, least = c, r
				}
			}
		}
		if best.in == 0 {
			break
		}
		begin := pick(s.in, best.in)
		next := s.replace(g, pick(s.out, best.out), begin)
		if next == nil {
			break
		}
		g = next
		g.prior += math.Log(float64(s.sum(begin))/s.o.Unit) + s.o.Rare
		out, in = out&^best.out, in&^best.in
	}
	return s.rest(g, pick(s.out, out), pick(s.in, in))
}

// rank is low for groups of few items, apart from noise. Groups of low rank come first.
func (s *Search) rank(c group) float64 {
	return float64(bits.OnesCount64(c.out)+bits.OnesCount64(c.in)) + 1.5*s.random()
}

// pick returns the elements of a list that the mask names.
func pick(from []int32, mask uint64) (list []int32) {
	for ; mask != 0; mask &= mask - 1 {
		list = with(list, from[bits.TrailingZeros64(mask)])
	}
	return list
}
