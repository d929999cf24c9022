package clauses

import "slices"

// Idea: learned clauses, and which pair is decided next: one that was often in the contradictions of late.
//
// Source: two watched literals and activities (Moskewicz and others 2001); restarts by Luby and others (1993); levels
// of clauses (Audemard and Simon 2009).

const (
	restartUnit = 64   // contradictions until the first restart
	decay       = 0.95 // of activities, by each contradiction
	keptFirst   = 2000 // clauses that are kept at first
)

// A learnt is a clause.
type learnt struct {
	literals []int32
	levels   int32 // how many levels its literals were of
	used     bool  // since the last reduction
	capacity int64 // up to which it holds
}

// A watch names a clause in which a literal is watched. If the blocker holds, the clause need not be looked at.
type watch struct {
	clause  int32
	blocker int32
}

// useful notes that a clause was part of a reason.
func (s *Search) useful(c int32) { s.clauses[c].used = true }

// bump raises the activity of a pair.
func (s *Search) bump(p int32) {
	h := &s.queue
	h.activity[p] += s.gain
	if h.activity[p] > 1e100 {
		for k := range h.activity {
			h.activity[k] *= 1e-100
		}
		s.gain *= 1e-100
	}
	if h.place[p] >= 0 {
		h.up(h.place[p])
	}
}

// add adds the clause of the last contradiction, and follows it.
func (s *Search) add() {
	s.gain /= decay
	c := slices.Clone(s.learned)
	if len(c) == 1 {
		s.facts = append(s.facts, learnt{literals: c, capacity: s.capacity})
		s.set(c[0], given, 0, 0)
		return
	}
	n := int32(len(s.clauses))
	for len(s.counted) <= len(s.levels) {
		s.counted = append(s.counted, 0)
	}
	levels := int32(1)
	for _, l := range c[1:] {
		if at := s.levelOf(l); s.counted[at] != s.conflicts {
			s.counted[at] = s.conflicts
			levels++
		}
	}
	s.clauses = append(s.clauses, learnt{literals: c, levels: levels, used: true, capacity: s.capacity})
	s.watched[c[0]] = append(s.watched[c[0]], watch{n, c[1]})
	s.watched[c[1]] = append(s.watched[c[1]], watch{n, c[0]})
	s.set(c[0], clause, n, 0)
}

// reduce forgets half of the clauses, if there are many. No level is open.
func (s *Search) reduce() {
	if len(s.clauses) < keptFirst+int(s.conflicts/8) {
		return
	}
	order := make([]int32, len(s.clauses))
	for k := range order {
		order[k] = int32(k)
	}
	value := func(c *learnt) int32 {
		x := c.levels
		if c.used {
			x -= 1000
		}
		if c.levels <= 2 {
			x -= 1 << 20
		}
		return x
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(value(&s.clauses[a]) - value(&s.clauses[b])) })
	order = order[:len(order)/2]
	slices.Sort(order)
	for n, k := range order {
		s.clauses[n] = s.clauses[k]
		s.clauses[n].used = false
	}
	s.clauses = s.clauses[:len(order)]
	s.watchAll()
}

// watchAll watches two literals of each clause that are not false. A clause that has fewer holds already, or follows as
// a fact of the first level.
func (s *Search) watchAll() {
	for k := range s.watched {
		s.watched[k] = s.watched[k][:0]
	}
	for n := range s.clauses {
		c, found := s.clauses[n].literals, 0
		for k, l := range c {
			if !s.refuted(l) {
				c[found], c[k] = l, c[found]
				if found++; found == 2 {
					break
				}
			}
		}
		for k := range 2 {
			s.watched[c[k]] = append(s.watched[c[k]], watch{int32(n), c[1-k]})
		}
	}
}

// next returns the open pair of the highest activity, or -1.
func (s *Search) next() int32 {
	for {
		p := s.queue.take()
		if p < 0 || s.order[p] == 0 {
			return p
		}
	}
}

// luby returns the nth number of the sequence 1 1 2 1 1 2 4 ...
func luby(n int64) int64 {
	n++
	for {
		k := int64(1)
		for k < n+1 {
			k *= 2
		}
		if k == n+1 {
			return k / 2
		}
		n -= k/2 - 1
	}
}

// A queue has pairs by activity, in a heap.
type queue struct {
	activity []float64
	list     []int32
	place    []int32
}

func (h *queue) fill(n int) {
	h.activity, h.place = make([]float64, n), make([]int32, n)
	for p := range h.place {
		h.place[p] = -1
	}
}

func (h *queue) put(p int32) {
	if h.place[p] >= 0 {
		return
	}
	h.place[p] = int32(len(h.list))
	h.list = append(h.list, p)
	h.up(h.place[p])
}

func (h *queue) take() int32 {
	if len(h.list) == 0 {
		return -1
	}
	p := h.list[0]
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	h.place[p] = -1
	if len(h.list) > 0 {
		h.list[0], h.place[last] = last, 0
		h.down(0)
	}
	return p
}

func (h *queue) up(k int32) {
	p := h.list[k]
	for k > 0 {
		parent := (k - 1) / 2
		q := h.list[parent]
		if h.activity[q] >= h.activity[p] {
			break
		}
		h.list[k], h.place[q] = q, k
		k = parent
	}
	h.list[k], h.place[p] = p, k
}

func (h *queue) down(k int32) {
	p := h.list[k]
	n := int32(len(h.list))
	for {
		child := 2*k + 1
		if child >= n {
			break
		}
		if child+1 < n && h.activity[h.list[child+1]] > h.activity[h.list[child]] {
			child++
		}
		q := h.list[child]
		if h.activity[q] <= h.activity[p] {
			break
		}
		h.list[k], h.place[q] = q, k
		k = child
	}
	h.list[k], h.place[p] = p, k
}
