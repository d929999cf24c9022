package session

import "slices"

// Idea: a walk or a planner moves buffers without need, and moveBack returns only those whose old place is free.
// Often another moved buffer lies there. So a moved buffer returns, and the moved ones in its way leave. Each of
// these takes a free place: its old one if that is free, else the best. If one finds none, all is undone.
//
//	before the call   after a walk     a returns, b gets another place
//	[ a ] [ c ]       [ b ] [ c ]      [ a ] [ c ]
//	[ b ]             [ x ] [ a ]      [ x ] [ b ]
//
// Invariant: no buffer at its old offset ever leaves it. So each success is less movement, and there are at most as
// many successes as moved buffers.
//
// It is left out with rules.
//
// Complexity: O(n) for each place that is looked up; at most swapPasses passes over the moved buffers.

// swapPasses is how often the moved buffers are tried.
const swapPasses = 3

// swapBack returns buffers to their old offsets where only moved ones are in the way. p is a valid plan. It stays one.
func (c *call) swapBack(p placing) {
	if c.s.p.Rules != nil {
		return
	}
	at := p.at
	var gone []int32
	for range swapPasses {
		back := 0
		for _, i := range c.movedFrom(at) {
			if c.watch.Over() {
				return
			}
			if at[i] != c.old[i] && c.swapOne(at, i, &gone) {
				back++
			}
		}
		if back == 0 {
			return
		}
	}
}

// movedFrom returns the buffers whose movement counts and that have moved, those that cost most first. The list is
// scratch.
func (c *call) movedFrom(at []int64) []int32 {
	s := c.s
	moved := s.scratch.moved[:0]
	for i := range at {
		if at[i] != c.old[i] && c.old[i] >= 0 && !c.mine[i] && s.p.Buffers[i].Fixed == nil {
			moved = append(moved, int32(i))
		}
	}
	s.scratch.moved = moved
	c.costlyFirst(moved)
	return moved
}

// swapOne returns buffer i to its old offset, and reports whether that succeeded. gone is scratch.
func (c *call) swapOne(at []int64, i int32, gone *[]int32) bool {
	s := c.s
	b := &s.p.Buffers[i]
	want := c.old[i]
	if want%b.Align() != 0 || s.p.Capacity > 0 && want > s.p.Capacity-b.Size {
		return false
	}
	left := (*gone)[:0]
	s.scratch.bans = s.bans(s.scratch.bans[:0], i, at)
	for _, ban := range s.scratch.bans {
		if j := ban.buffer; ban.low < want && want < ban.high && !slices.Contains(left, j) {
			if at[j] == c.old[j] && !c.mine[j] || s.p.Buffers[j].Fixed != nil {
				return false
			}
			left = append(left, j)
		}
	}
	*gone = left
	c.costlyFirst(left)
	from := s.scratch.from[:0]
	for _, j := range left {
		from = append(from, at[j])
		at[j] = away
	}
	s.scratch.from = from
	was := at[i]
	at[i] = want
	for _, j := range left {
		x := &s.p.Buffers[j]
		s.scratch.bans = s.bans(s.scratch.bans[:0], j, at)
		if old := c.old[j]; old >= 0 && allowed(x, s.scratch.bans, old, s.p.Capacity) {
			at[j] = old
			continue
		}
		offset, ok := bestFit(x, s.scratch.bans, s.p.Capacity)
		if !ok {
			at[i] = was
			for k, j := range left {
				at[j] = from[k]
			}
			return false
		}
		at[j] = offset
	}
	return true
}
