package clauses

import "github.com/stowage-go/stowage/internal/bound"

// Idea: a contradiction follows from entries of the trail. The latest of them is replaced by its reason, again and
// again, until one literal of the last level is left. Bounds are always replaced, so that only literals are left. Not
// all of them can hold: that is the clause which is learned. It makes the last literal false on an earlier level.
//
// The argument often needs less than the value of a bound. So the earliest entry of the bound that is enough is taken.
//
// Invariant: the marked entries, with what is asked of them, imply the contradiction.
//
// Complexity: O(trail).
//
// Source: lazy clause generation (Ohrimenko, Stuckey, Codish 2009), first unique implication point (Zhang and others
// 2001).

// earliest returns the first entry of bound v, at or before t, that has reached x.
func (s *Search) earliest(t int32, x int64) int32 {
	for {
		prev := s.trail[t].prev
		if prev < 0 || s.trail[prev].value < x {
			return t
		}
		t = prev
	}
}

// need marks a bound, which has reached x at entry t.
func (s *Search) need(t int32, x int64) {
	t = s.earliest(t, x)
	if t < s.root() {
		return
	}
	if !s.marked[t] {
		s.mark(t)
		s.asked[t] = x
	} else {
		s.asked[t] = max(s.asked[t], x)
	}
}

// needLiteral marks a literal, which holds since entry t.
func (s *Search) needLiteral(t int32) {
	if t >= s.root() && !s.marked[t] {
		s.mark(t)
	}
}

func (s *Search) mark(t int32) {
	s.marked[t] = true
	s.top = max(s.top, t)
	if t >= s.last {
		s.pending++
	}
}

// root returns where the first level begins.
func (s *Search) root() int32 {
	if len(s.levels) == 0 {
		return int32(len(s.trail))
	}
	return s.levels[0]
}

// analyse turns the contradiction into a clause, in learned, whose first literal is false on an earlier level: the one
// returned. It returns false if the contradiction follows without a decision.
func (s *Search) analyse() (level int, ok bool) {
	for len(s.marked) < len(s.trail) {
		s.marked, s.asked = append(s.marked, false), append(s.asked, 0)
	}
	s.top, s.pending, s.last = -1, 0, int32(len(s.trail))
	s.learned = s.learned[:0]
	for _, it := range s.fail {
		s.mention(it, 0)
	}
	if s.top < 0 {
		return 0, false
	}
	// The last level is that of the latest entry. What is marked in it is counted.
	n := len(s.levels) - 1
	for s.levels[n] > s.top {
		n--
	}
	s.last, s.pending = s.levels[n], 0
	for t := s.last; t <= s.top; t++ {
		if s.marked[t] {
			s.pending++
		}
	}
	found, root := false, s.root()
	for t := s.top; t >= root; t-- {
		if !s.marked[t] {
			continue
		}
		s.marked[t] = false
		e := &s.trail[t]
		if t >= s.last {
			s.pending--
			if e.v < 0 && s.pending == 0 {
				found = true
				s.learned = append(s.learned, (^e.v)^1)
				s.bump((^e.v) >> 1)
				continue
			}
		} else if e.v < 0 {
			s.learned = append(s.learned, (^e.v)^1)
			s.bump((^e.v) >> 1)
			continue
		}
		if e.v < 0 {
			s.bump((^e.v) >> 1)
		}
		s.expand(t)
	}
	if !found {
		panic("clauses: a contradiction that needs no literal of its last level")
	}
	// The second literal is the latest of the others.
	level = 0
	for k := 1; k < len(s.learned); k++ {
		if l := s.levelOf(s.learned[k]); l > level {
			level = l
			s.learned[1], s.learned[k] = s.learned[k], s.learned[1]
		}
	}
	return level, true
}

// levelOf returns the level on which a literal was set.
func (s *Search) levelOf(m int32) int {
	t := s.orderAt[m>>1]
	low, high := 0, len(s.levels)
	for low < high {
		mid := (low + high) / 2
		if s.levels[mid] <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// mention marks an item of a reason. excess is what its value may be less by.
func (s *Search) mention(it item, excess int64) {
	switch {
	case it.v < 0:
		s.needLiteral(it.at)
	case it.slack:
		s.need(it.at, it.value-excess)
	default:
		s.need(it.at, it.value)
	}
}

// expand marks the reason of entry t.
func (s *Search) expand(t int32) {
	e := &s.trail[t]
	switch e.why {
	case pushed:
		s.need(e.a, s.above(e, t)+1-s.distance[e.b])
		s.needLiteral(s.orderAt[e.b>>1])
	case clashed:
		s.clash(e)
	case clause:
		for _, l := range s.clauses[e.a].literals {
			if l != ^e.v {
				s.needLiteral(s.orderAt[l>>1])
			}
		}
		s.useful(e.a)
	case stacked:
		x := s.above(e, t)
		if e.v&1 == 1 {
			x -= s.size[e.v>>1]
		}
		s.stackOf(e, x)
	case listed:
		excess, items := int64(0), s.items[e.a:e.b]
		if e.v >= 0 { // the first item is what the list proves
			excess, items = items[0].value-1-s.above(e, t), items[1:]
		}
		for _, it := range items {
			s.mention(it, excess)
		}
	}
}

// above returns what the value of entry t had to be above, before it was rounded up, to be what is asked of it.
func (s *Search) above(e *entry, t int32) int64 {
	align := s.align[e.v>>1]
	return bound.Up(s.asked[t], align) - align
}

// clash marks the two bounds that refute the other literal of a pair. They need not be higher together than it takes.
// One of the two is asked for less, the one that holds without a decision then, if there is one.
func (s *Search) clash(e *entry) {
	m := (^e.v) ^ 1
	va, vb := s.trail[e.a].value, s.trail[e.b].value
	spare := va + vb + s.distance[m] - 1
	if a := s.earliest(e.a, va-spare); a < s.root() {
		s.need(e.b, vb-spare+(va-s.trail[a].value)) // b is asked for what a leaves
		return
	}
	b := s.earliest(e.b, vb-spare)
	if b < s.root() {
		s.need(e.a, va-spare+(vb-s.trail[b].value))
		return
	}
	s.need(e.a, va-spare)
	s.need(e.b, vb)
}
