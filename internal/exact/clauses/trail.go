package clauses

import "github.com/stowage-go/stowage/internal/bound"

// Idea: one trail of everything that follows from the decisions: literals that hold, and bounds of offsets that have
// risen. Each entry has its reason, in terms of entries before it. A level is a decision and all that follows from it.
//
// Invariant: value[v] is that of the entry at[v], and the entries of one bound are a list by prev, with falling values.
//
// Complexity: undoing a level costs its entries.

// A why is the kind of reason that an entry has.
type why uint8

const (
	given   why = iota // the problem and the capacity
	decided            // a decision
	pushed             // literal b holds, and bound a of its other buffer is so high: a bound rises
	clashed            // bounds a and b leave no room for the other literal of the pair
	clause             // all other literals of clause a are false
	listed             // the list of items from a to b
	stacked            // the stack of what lies before, in clique a, as item b says
)

// An entry is a bound that rose, v >= 0, or a literal that holds, v < 0 being its complement.
type entry struct {
	v     int32
	prev  int32 // the entry that set bound v before, or -1
	a, b  int32
	value int64 // of the bound
	why   why
}

// An item is part of a reason: that the literal of entry at holds, or that bound v has reached a value, which it has at
// entry at.
type item struct {
	at, v int32 // v is -1 for literals
	value int64
	slack bool // the value may be less by what the conclusion has in excess
}

// holds reports whether a literal is true, false and open likewise.
func (s *Search) holds(m int32) bool   { return s.order[m>>1] == 1+uint8(m&1) }
func (s *Search) refuted(m int32) bool { return s.order[m>>1] == 2-uint8(m&1) }

// ends returns the buffers of a literal.
func (s *Search) ends(m int32) (lower, upper int32) {
	if m&1 == 0 {
		return s.first[m>>1], s.second[m>>1]
	}
	return s.second[m>>1], s.first[m>>1]
}

// set makes an open literal true.
func (s *Search) set(m int32, w why, a, b int32) {
	p := m >> 1
	s.order[p], s.orderAt[p] = 1+uint8(m&1), int32(len(s.trail))
	s.trail = append(s.trail, entry{v: ^m, prev: -1, why: w, a: a, b: b})
}

// raise makes bound v at least x. It returns false if the buffer has no offset left, and then fail has the reason.
func (s *Search) raise(v int32, x int64, w why, a, b int32) bool {
	x = bound.Up(x, s.align[v>>1])
	if x <= s.value[v] {
		return true
	}
	t := int32(len(s.trail))
	s.trail = append(s.trail, entry{v: v, prev: s.at[v], why: w, a: a, b: b, value: x})
	s.value[v], s.at[v] = x, t
	if other := s.value[v^1]; x+other > 0 {
		s.fail = append(s.fail[:0], item{at: t, v: v, value: 1 - other}, item{at: s.at[v^1], v: v ^ 1, value: other})
		return false
	}
	return w != pushed || len(s.trail) <= s.alarm || !s.cyclic(t)
}

// open begins a level.
func (s *Search) open() {
	s.levels = append(s.levels, int32(len(s.trail)))
	s.lists = append(s.lists, int32(len(s.items)))
}

// back takes back all levels above the given one.
func (s *Search) back(level int) {
	if level >= len(s.levels) {
		return
	}
	from := s.levels[level]
	for t := int32(len(s.trail)) - 1; t >= from; t-- {
		e := &s.trail[t]
		if e.v < 0 {
			p := (^e.v) >> 1
			s.order[p] = 0
			s.queue.put(p)
		} else {
			s.at[e.v], s.value[e.v] = e.prev, s.trail[e.prev].value
		}
	}
	s.trail, s.items = s.trail[:from], s.items[:s.lists[level]]
	s.levels, s.lists = s.levels[:level], s.lists[:level]
	s.head = from
}
