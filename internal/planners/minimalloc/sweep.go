package minimalloc

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a buffer's life is a row of pieces, in each of which it uses one window of its bytes. The sweep visits the
// starts and ends of all pieces in the order of time. It closes a section at the first end after a start, and a
// partition if no buffer is live.
//
// Package timeline has fewer sections, since it drops each section whose buffers are all in another one. This search
// keeps them: once some buffers are placed, a small section may give a higher bound than the one that contains it.
//
// Only the pieces of a buffer count here. google/minimalloc counts a buffer that ends in a gap as in use up to its
// end, and twice before. So it may miss a plan.
//
// Complexity: the sum of the members of all sections, which largest bounds.
// Source: google/minimalloc 9f5cf81, src/sweeper.cc.

// A span is a row of sections in which a buffer uses one window.
type span struct {
	first, last  int32
	lower, upper int64
}

// A partition is a set of buffers that share no time with others, or what is left of it.
type partition struct {
	buffers     []int32
	first, last int32 // sections [first, last)
}

// A point is an end of a piece.
type point struct {
	time         int64
	buffer       int32
	begins, life bool // the left end; an end of the whole life
	lower, upper int64
}

// largest is the most members of all sections together, and the most neighbours of all buffers together. Each takes
// four bytes.
const largest = 1 << 24

// points returns the ends of the pieces of a buffer.
func points(to []point, i int32, b *model.Buffer) []point {
	begin := len(to)
	for x := range b.Pieces {
		to = append(to, point{x.Lower, i, true, false, x.From, x.To}, point{x.Upper, i, false, false, x.From, x.To})
	}
	if begin < len(to) {
		to[begin].life, to[len(to)-1].life = true, true
	}
	return to
}

// sweep finds sections, partitions and cuts. The error is for what is too large.
func (s *search) sweep() error {
	buffers := s.tl.Problem.Buffers
	var all []point
	for i := range buffers {
		if s.budget.Ended() {
			return nil
		}
		all = points(all, int32(i), &buffers[i])
	}
	order := sorting.Count(len(all))
	if !sorting.Within(order, make([]int32, len(all)), func(k, m int32) bool {
		a, b := &all[k], &all[m]
		switch {
		case a.time != b.time:
			return a.time < b.time
		case a.begins != b.begins:
			return b.begins
		}
		return a.buffer < b.buffer
	}, s.budget.Ended) {
		return nil
	}
	s.spans = make([][]span, len(buffers))
	began := make([]int32, len(buffers))
	var active []int32                   // in use, in no order
	where := make([]int32, len(buffers)) // in active
	alive, members, start := 0, 0, int32(0)
	var closed int64 // when the last section was
	for k, at := range order {
		p := &all[at]
		if k == 0 {
			closed = p.time
		}
		i := p.buffer
		if p.begins {
			if p.life {
				if alive == 0 {
					s.partitions = append(s.partitions, partition{first: start})
				}
				alive++
				last := &s.partitions[len(s.partitions)-1]
				last.buffers = append(last.buffers, i)
			}
			where[i], began[i] = int32(len(active)), int32(len(s.sections))
			active = append(active, i)
			continue
		}
		if closed < p.time {
			if members += len(active); members > largest {
				return plan.Unsupported(name,
					"takes at most "+strconv.Itoa(largest)+" buffers in all sections together, and the problem has more")
			}
			if s.budget.Ended() {
				return nil
			}
			s.sections, closed = append(s.sections, slices.Clone(active)), p.time
		}
		moved := active[len(active)-1]
		active[where[i]], where[moved] = moved, where[i]
		active = active[:len(active)-1]
		s.spans[i] = append(s.spans[i], span{began[i], int32(len(s.sections)), p.lower, p.upper})
		if p.life {
			if alive--; alive == 0 {
				start = int32(len(s.sections))
				s.partitions[len(s.partitions)-1].last = start
			}
		}
	}
	s.cuts = make([]int32, len(s.sections))
	for i := range buffers {
		if len(s.spans[i]) == 0 {
			s.rest = max(s.rest, s.best[i]+buffers[i].Size)
			continue
		}
		first, last := s.extent(int32(i))
		for t := first; t+1 < last; t++ {
			s.cuts[t]++
		}
	}
	return nil
}

// neighbours finds who is ever in use with whom.
func (s *search) neighbours() error {
	s.from = make([]int32, 1, len(s.at)+1)
	for i := range s.at {
		if s.budget.Ended() {
			return nil
		}
		if s.near = s.tl.AppendConflicts(s.near, i); len(s.near) > largest {
			return plan.Unsupported(name,
				"takes at most "+strconv.Itoa(largest/2)+" conflicting pairs of buffers, and the problem has more")
		}
		s.from = append(s.from, int32(len(s.near)))
	}
	return nil
}
