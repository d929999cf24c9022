package stackdp

import (
	"cmp"
	"math"
	"slices"
)

// Idea: two rules keep the number of states small.
//
// Dominance: take two states with the same order. If no distance of a is above that of b, and a has no more excess, b
// is superfluous. Whatever completes b completes a.
//
// Beam: if more states than the width are left, the states with the least excess + least excess of the rest stay. Ties
// go to the least pieces. If any choice will do (Question.Any), pieces alone decide:
//
//	pieces(state) = sum over sections from now on of (sum of the gaps - the largest gap)
//
// pieces measures fragmentation. The gaps of a section lie between the buffers that live now and still live then, and
// between these and the floor or the capacity. The distances say how large they are. A small gap is of use only for
// small buffers, so it is good if buffers that live long lie together.
//
// Invariant: dropping superfluous states loses no plan. If states are cut off, walk.cut has the least excess among
// them, that of the rest included.
//
// Complexity: O(points²) for each comparison, at most pileRivals for a state; O(live²) for pieces.

// pileRivals is how many states a state is compared with.
const pileRivals = 64

// heavy is how many distances a state may have before the width shrinks: if many buffers live at a time, fewer states
// stay.
const heavy = 150

// widthOf is the width for states of so many points.
func (w *walk) widthOf(points int) int {
	return max(1, min(w.question.Width, w.question.Width*heavy/pairs(points)))
}

// A rank says which states are cut off first.
type rank struct {
	excess int64 // with the least excess of the rest
	pieces int64
	class  int32
	state  int32
}

func (x rank) compare(y rank) int {
	return cmp.Or(cmp.Compare(x.excess, y.excess), cmp.Compare(x.pieces, y.pieces), cmp.Compare(x.class, y.class),
		cmp.Compare(x.state, y.state))
}

// thin drops states at the end of section t until at most width are left. It may leave classes empty.
func (w *walk) thin(classes []*class, t int) {
	sum, points := 0, 2
	for _, x := range classes {
		sum, points = sum+x.n, max(points, x.points)
	}
	width := w.widthOf(points)
	if sum <= width {
		return
	}
	sum = 0
	for _, x := range classes {
		x.dominate()
		sum += x.n
	}
	if sum <= width {
		return
	}
	var ending uint64
	for _, i := range w.end[t+1] {
		ending |= w.mark(i)
	}
	ranks := make([]rank, 0, sum)
	for n, x := range classes {
		rest := w.rest(t+1, x.set&^ending)
		for k := range x.n {
			ranks = append(ranks, rank{x.excess[k] + rest, w.pieces(&x.states, k, int32(t)), int32(n), int32(k)})
		}
	}
	w.cutOff(classes, ranks, width, w.question.Any)
}

// thinOne drops states of one class until at most width are left. It is called in section t, before all items of the
// section have begun. What is to come adds at least least to the excess.
func (w *walk) thinOne(x *class, t int, least int64) {
	x.dominate()
	width := w.widthOf(x.points)
	if x.n <= width {
		return
	}
	ranks := make([]rank, x.n)
	for k := range ranks {
		ranks[k] = rank{x.excess[k] + least, w.pieces(&x.states, k, int32(t)), 0, int32(k)}
	}
	w.cutOff([]*class{x}, ranks, width, false)
}

// cutOff keeps the first width states by rank: by excess, then by pieces. If alone is set, pieces come first.
func (w *walk) cutOff(classes []*class, ranks []rank, width int, alone bool) {
	compare := rank.compare
	if alone {
		compare = func(x, y rank) int { return cmp.Or(cmp.Compare(x.pieces, y.pieces), x.compare(y)) }
	}
	slices.SortFunc(ranks, compare)
	out := make([][]bool, len(classes))
	for _, r := range ranks[width:] {
		w.cut = min(w.cut, r.excess)
		if out[r.class] == nil {
			out[r.class] = make([]bool, classes[r.class].n)
		}
		out[r.class][r.state] = true
	}
	for n, x := range classes {
		if out[n] != nil {
			x.drop(out[n])
		}
	}
}

// within drops the states above a limit.
func (s *states) within(limit int64) {
	if s.n == 0 || slices.Max(s.excess) <= limit {
		return
	}
	out := make([]bool, s.n)
	for k, excess := range s.excess {
		out[k] = excess > limit
	}
	s.drop(out)
}

// A place has the keys by which dominate sorts a state.
type place struct {
	hash  uint64 // of the order
	sum   int64  // of the distances
	state int32
}

// dominate drops superfluous states. A state is compared only with states of the same hash before it, whose distances
// have no larger sum.
func (s *states) dominate() {
	if s.n < 2 {
		return
	}
	places := make([]place, s.n)
	for k := range places {
		x := place{hash: 14695981039346656037, state: int32(k)}
		for _, lane := range s.orderOf(k) {
			x.hash = (x.hash ^ uint64(lane)) * 1099511628211
		}
		for _, d := range s.distancesOf(k) {
			x.sum += int64(d)
		}
		places[k] = x
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.sum, y.sum),
			cmp.Compare(s.excess[x.state], s.excess[y.state]), cmp.Compare(x.state, y.state))
	})
	out := make([]bool, s.n)
	var front []int32 // those with the same hash that stay
	hash := uint64(0)
	for _, x := range places {
		if x.hash != hash {
			front, hash = front[:0], x.hash
		}
		k := int(x.state)
		for n := len(front) - 1; n >= max(0, len(front)-pileRivals) && !out[k]; n-- {
			out[k] = s.dominates(int(front[n]), k)
		}
		if !out[k] {
			front = append(front, x.state)
		}
	}
	s.drop(out)
}

// dominates reports whether state a makes state b superfluous.
func (s *states) dominates(a, b int) bool {
	if s.excess[a] > s.excess[b] || !slices.Equal(s.orderOf(a), s.orderOf(b)) {
		return false
	}
	its, mine := s.distancesOf(a), s.distancesOf(b)
	for x, d := range mine {
		if its[x] > d {
			return false
		}
	}
	return true
}

// drop drops the states that are out.
func (s *states) drop(out []bool) {
	lanes, each, left := s.points-2, pairs(s.points), 0
	for k := range s.n {
		if out[k] {
			continue
		}
		if left != k {
			copy(s.order[left*lanes:(left+1)*lanes], s.orderOf(k))
			copy(s.distance[left*each:(left+1)*each], s.distancesOf(k))
			s.record[left], s.excess[left] = s.record[k], s.excess[k]
		}
		left++
	}
	s.n, s.order, s.distance, s.record, s.excess = left, s.order[:left*lanes], s.distance[:left*each], s.record[:left],
		s.excess[:left]
}

// pieces measures how fragmented the room of state k is from section t on.
func (w *walk) pieces(s *states, k int, t int32) (sum int64) {
	order, distance := s.orderOf(k), s.distancesOf(k)
	for now := t; ; {
		// the first end from now on; the last point that lives then, and its size
		next, point, under := int32(math.MaxInt32), 0, int32(0)
		total, most := int64(0), int64(0)
		for a := 1; a < s.points; a++ {
			size := int32(0)
			if a <= len(order) {
				i := w.live[order[a-1]]
				if w.question.Items[i].Last <= now {
					continue
				}
				size, next = w.size[i], min(next, w.question.Items[i].Last)
			}
			gap := int64(distance[row(s.points, point)+a] - under)
			total, most = total+gap, max(most, gap)
			point, under = a, size
		}
		if next == math.MaxInt32 {
			return sum
		}
		sum += int64(next-now) * (total - most)
		now = next
	}
}
