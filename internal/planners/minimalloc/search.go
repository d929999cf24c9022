package minimalloc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: each node tries the unplaced buffers of a partition one after the other. Each goes to its least offset: the
// highest top of the placed buffers that it overlaps. That raises the least offsets of its neighbours and the floors of
// its sections. If a section cannot hold its unplaced buffers, the candidate has failed. A node whose candidates have
// all failed is one backtrack.
//
// Invariant: when node returns, the state is as it was, whatever the outcome. If a plan was found, it is in best.

// outcome is the result of a search.
type outcome uint8

const (
	stopped   outcome = iota // a limit came
	cut                      // the nodes of this turn are used up
	found                    // best holds a plan
	exhausted                // every candidate has failed
)

// keys are the letters that an order is made of.
const keys = "ACLOTUWZ"

type search struct {
	settings
	tl     *timeline.Timeline
	budget *descend.Budget
	proves bool // if the search finds no plan, there is none

	sections   [][]int32
	partitions []partition
	spans      [][]span
	rest       int64   // the height of the buffers that are never in use
	near, from []int32 // neighbours of i are near[from[i]:from[i+1]]

	capacity int64
	left     int64 // nodes of this turn

	at     []int64 // offsets of placed buffers; unplaced for others
	best   []int64
	least  []int64
	floor  []int64 // of sections
	total  []int64 // of sections: bytes of their unplaced buffers
	cuts   []int32 // from each section to the next: unplaced buffers that cross
	totals []int64 // scratch of rank

	raised  []change // of least
	floored []change // of floor
	touched []int32  // scratch of placed: sections, by stamp
	stamp   []int32
	now     int32
}

const unplaced = -1

// A change is the former value of an offset.
type change struct {
	of  int32
	was int64
}

// prepare makes the state in which no buffer is placed. The error is for a problem that is too large. If a limit comes,
// the state is incomplete, and no search uses it.
func (s *search) prepare() error {
	n := len(s.tl.Problem.Buffers)
	s.at, s.best, s.least, s.totals = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range s.at {
		s.at[i] = unplaced
		if fixed := s.tl.Problem.Buffers[i].Fixed; fixed != nil {
			s.least[i], s.best[i] = *fixed, *fixed
		}
	}
	if err := s.sweep(); err != nil || s.budget.Ended() {
		return err
	}
	if err := s.neighbours(); err != nil || s.budget.Ended() {
		return err
	}
	s.floor, s.total, s.stamp = make([]int64, len(s.sections)), make([]int64, len(s.sections)),
		make([]int32, len(s.sections))
	for _, spans := range s.spans {
		for _, p := range spans {
			for t := p.first; t < p.last; t++ {
				s.total[t] += p.upper - p.lower
			}
		}
	}
	return nil
}

// apart searches one partition from the ground up.
func (s *search) apart(p partition, order string) outcome {
	if s.budget.Over() {
		return stopped
	}
	list := slices.Clone(p.buffers)
	if s.preordering {
		s.rank(list, order)
	}
	return s.node(&p, order, list, sorting.Count(len(list)), 0, 0)
}

// rank sorts buffers by an order, each key descending, ties by number.
func (s *search) rank(list []int32, order string) {
	for _, i := range list {
		s.totals[i] = 0
		for _, p := range s.spans[i] {
			for _, x := range s.total[p.first:p.last] {
				s.totals[i] = max(s.totals[i], x)
			}
		}
	}
	sorting.By(list, func(i, j int32) bool {
		a, b := &s.tl.Problem.Buffers[i], &s.tl.Problem.Buffers[j]
		for at := range len(order) {
			c := 0
			switch order[at] {
			case 'A':
				high, low := bits.Mul64(uint64(a.Size), uint64(a.Upper-a.Lower))
				other, lower := bits.Mul64(uint64(b.Size), uint64(b.Upper-b.Lower))
				c = cmp.Or(cmp.Compare(other, high), cmp.Compare(lower, low))
			case 'C':
				c = cmp.Compare(s.width(j), s.width(i))
			case 'L':
				c = cmp.Compare(b.Lower, a.Lower)
			case 'O':
				c = cmp.Compare(s.from[j+1]-s.from[j], s.from[i+1]-s.from[i])
			case 'T':
				c = cmp.Compare(s.totals[j], s.totals[i])
			case 'U':
				c = cmp.Compare(b.Upper, a.Upper)
			case 'W':
				c = cmp.Compare(b.Upper-b.Lower, a.Upper-a.Lower)
			case 'Z':
				c = cmp.Compare(b.Size, a.Size)
			}
			if c != 0 {
				return c < 0
			}
		}
		return i < j
	})
}

// extent returns the sections [first, last) of a buffer, gaps included.
func (s *search) extent(i int32) (first, last int32) {
	spans := s.spans[i]
	return spans[0].first, spans[len(spans)-1].last
}

func (s *search) width(i int32) int32 {
	first, last := s.extent(i)
	return last - first
}

// node tries the unplaced buffers of a partition. list has them by rank, and before has their ranks. The last placement
// was at offset and rank.
func (s *search) node(p *partition, order string, list, before []int32, offset int64, rank int32) outcome {
	if s.left <= 0 {
		return cut
	}
	s.left--
	if !s.budget.Spend() {
		return stopped
	}
	candidates := make([]int32, 0, len(before))
	top := int64(math.MaxInt64) // the least top that an unplaced buffer could have
	for _, r := range before {
		if i := list[r]; s.at[i] == unplaced {
			candidates = append(candidates, r)
			top = min(top, s.least[i]+s.tl.Problem.Buffers[i].Size)
		}
	}
	if len(candidates) == 0 {
		for _, i := range p.buffers {
			s.best[i] = s.at[i]
		}
		return found
	}
	if s.dynamicOrdering {
		sorting.By(candidates, func(q, r int32) bool {
			a, b := s.least[list[q]], s.least[list[r]]
			return a < b || a == b && q < r
		})
	}
	for _, r := range candidates {
		i := list[r]
		at := s.least[i]
		if s.canonical && (at < offset || at == offset && r < rank) || s.dominance && at >= top {
			continue
		}
		if fixed := s.tl.Problem.Buffers[i].Fixed; fixed != nil && at > *fixed {
			continue
		}
		if s.budget.Ended() {
			return stopped
		}
		raised, floored := len(s.raised), len(s.floored)
		hat, ok := s.place(i, at)
		out := exhausted
		switch {
		case !ok || !s.holds(p, at):
		case s.decomposition:
			out = s.parts(p, order, list, candidates, i, r)
		default:
			out = s.node(p, order, list, candidates, at, r)
		}
		s.takeBack(i, raised, floored)
		if out != exhausted {
			return out
		}
		if !hat && s.hatless {
			break
		}
	}
	s.budget.Backtracks++
	return exhausted
}

// place puts i at an offset. hat reports whether an unplaced buffer meets i. ok is false if a fixed buffer can then not
// lie at its offset.
func (s *search) place(i int32, offset int64) (hat, ok bool) {
	s.at[i] = offset
	s.now++
	s.touched = s.touched[:0]
	size := s.tl.Problem.Buffers[i].Size
	// A buffer that is never in use as a whole may pass the capacity unseen by sections.
	ok = offset+size <= s.capacity
	for _, j := range s.near[s.from[i]:s.from[i+1]] {
		if s.at[j] != unplaced {
			continue
		}
		hat = true
		distance := size
		if s.tl.HasGaps() {
			distance, _ = s.tl.Distance(int(i), int(j))
		}
		height := offset + distance
		if s.least[j] >= height {
			continue
		}
		s.raised = append(s.raised, change{j, s.least[j]})
		b := &s.tl.Problem.Buffers[j]
		if rest := height % b.Align(); rest > 0 {
			height += b.Align() - rest
		}
		s.least[j] = height
		if b.Fixed != nil && height > *b.Fixed {
			ok = false
		}
		if s.unallocatedFloor {
			for _, p := range s.spans[j] {
				for t := p.first; t < p.last; t++ {
					if s.stamp[t] != s.now {
						s.stamp[t] = s.now
						s.touched = append(s.touched, t)
					}
				}
			}
		}
	}
	for _, p := range s.spans[i] {
		for t := p.first; t < p.last; t++ {
			s.floored = append(s.floored, change{t, s.floor[t]})
			s.floor[t] = offset + p.upper
			s.total[t] -= p.upper - p.lower
		}
	}
	for _, t := range s.touched {
		least := int64(math.MaxInt64)
		for _, j := range s.sections[t] {
			if s.at[j] == unplaced {
				least = min(least, s.least[j])
			}
		}
		if least != math.MaxInt64 && s.floor[t] < least {
			s.floored = append(s.floored, change{t, s.floor[t]})
			s.floor[t] = least
		}
	}
	return hat, ok
}

// takeBack takes back the placement of i. raised and floored are the lengths of the logs before it.
func (s *search) takeBack(i int32, raised, floored int) {
	for k := len(s.floored) - 1; k >= floored; k-- {
		s.floor[s.floored[k].of] = s.floored[k].was
	}
	for k := len(s.raised) - 1; k >= raised; k-- {
		s.least[s.raised[k].of] = s.raised[k].was
	}
	s.floored, s.raised = s.floored[:floored], s.raised[:raised]
	for _, p := range s.spans[i] {
		for t := p.first; t < p.last; t++ {
			s.total[t] += p.upper - p.lower
		}
	}
	s.at[i] = unplaced
}

// holds reports whether all sections of a partition can still be under the capacity, after a placement at an offset.
func (s *search) holds(p *partition, offset int64) bool {
	for t := p.first; t < p.last; t++ {
		floor := s.floor[t]
		if s.monotonicFloor {
			floor = max(floor, offset)
		}
		if s.sectionInference {
			floor += s.total[t]
		}
		if floor > s.capacity {
			return false
		}
	}
	return true
}

// parts searches the buffers that are left after the placement of i, which has the given rank. Parts that no unplaced
// buffer connects are searched one by one.
func (s *search) parts(p *partition, order string, list, candidates []int32, i, rank int32) outcome {
	s.best[i] = s.at[i]
	first, last := s.extent(i)
	bounds := []int32{p.first}
	for t := first; t+1 < last; t++ {
		if s.cuts[t]--; s.cuts[t] == 0 {
			bounds = append(bounds, t+1)
		}
	}
	out := found
	if len(bounds) == 1 {
		out = s.node(p, order, list, candidates, s.at[i], rank)
	} else {
		bounds = append(bounds, p.last)
		for k := 1; k < len(bounds) && out == found; k++ {
			part := partition{first: bounds[k-1], last: bounds[k]}
			for _, j := range p.buffers {
				if from, to := s.extent(j); s.at[j] == unplaced && from < part.last && part.first < to {
					part.buffers = append(part.buffers, j)
				}
			}
			if len(part.buffers) > 0 {
				out = s.apart(part, order)
			}
		}
	}
	for t := first; t+1 < last; t++ {
		s.cuts[t]++
	}
	return out
}
