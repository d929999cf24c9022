package clauses

// Idea: orders that form a cycle, a below b below c below a, push their bounds up until the capacity stops them, which
// may be far away. Package bound has the two facts that prove a cycle (bound/passes.go). If a propagation takes more
// entries than it should, the chain of pushes that led to the last one is walked back. A bound that comes twice has
// pushed itself. The literals between are a contradiction if their distances add up to more than 0, or if the bound has
// risen by the period of the alignments.
//
// Complexity: the length of the chain. It is walked after so many entries that this is little beside them.
//
// Source: negative cycles by walks to the root (Cherkassky and Goldberg 1999).

// watchCycles sets after how many entries a chain is walked.
func (s *Search) watchCycles() {
	s.stride = 2*len(s.value) + 64
	s.alarm = len(s.trail) + s.stride
}

// cyclic looks for a cycle among the pushes that led to entry last. If there is one, fail has its literals.
func (s *Search) cyclic(last int32) bool {
	s.stride *= 2
	s.alarm = len(s.trail) + s.stride
	if s.met == nil {
		s.met, s.metSum = make([]int32, len(s.value)), make([]int64, len(s.value))
	}
	found, sum, t := false, int64(0), last
	for {
		e := &s.trail[t]
		if s.met[e.v] == 0 {
			s.met[e.v], s.metSum[e.v] = t+1, sum
		} else if young := s.met[e.v] - 1; sum-s.metSum[e.v] > 0 || s.trail[young].value-e.value >= s.period {
			found = true
			s.fail = s.fail[:0]
			for y := young; y != t; y = s.trail[y].a {
				s.fail = append(s.fail, item{at: s.orderAt[s.trail[y].b>>1], v: -1})
			}
		}
		if found || e.why != pushed {
			break
		}
		sum += s.distance[e.b]
		t = e.a
	}
	for y := last; ; y = s.trail[y].a {
		s.met[s.trail[y].v] = 0
		if y == t {
			return found
		}
	}
}
