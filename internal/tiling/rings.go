package tiling

// Idea: a chain is followed line by line, as a runtime would run it. Results that are needed outside of the chain are
// its ends. They are computed side by side: next is always the line of the end that is least far, as a part of
// its lines. A line is computed as soon as those are that it reads, and these only then:
//
//	line j of an operator:  for each operand made in the chain: its lines up to the last one that j reads
//	                        then the line itself
//
// Lines that nobody reads come last. After each line of an interior value, all lines between the lowest that a reader still needs and this one are kept.
//
// Invariant: whatever a line reads is in the rings when it is computed.
//
// Complexity: O(lines × operands) of the chain.
//
// Tried and dropped: strips of several lines. They are faster on a processor, and need larger rings.

// cost returns the bytes that a chain needs. It is false if the limit comes before.
func (s *search) cost(c *candidate) (int64, bool) {
	if cost, ok := s.known[*c]; ok {
		return cost, true
	}
	lines := 0
	var ends []int
	for k := c.from; k <= c.to; k++ {
		for _, y := range s.p.Operators[k].Results {
			s.ring[y] = 1
		}
		s.done[k] = 0
		lines += s.lines[c.axis][k]
		if s.ends(k, c) {
			ends = append(ends, k)
		}
	}
	if s.steps+lines > s.most {
		s.over = true
		return 0, false
	}
	for {
		next, least := -1, 1.0
		for _, k := range ends {
			if part := float64(s.done[k]) / float64(s.lines[c.axis][k]); part < least {
				next, least = k, part
			}
		}
		if next < 0 {
			break
		}
		s.pull(c, next, s.done[next])
	}
	for k := c.from; k <= c.to; k++ { // what nobody has asked for
		s.pull(c, k, s.lines[c.axis][k]-1)
	}
	cost := c.rest()
	for k := c.from; k <= c.to; k++ {
		for _, y := range s.p.Operators[k].Results {
			if s.interior(y, c) {
				cost += s.bytes(y, c.axis, s.ring[y])
			}
		}
	}
	s.known[*c] = cost
	return cost, true
}

// ends reports whether a result of an operator is needed outside of the chain, or nowhere.
func (s *search) ends(k int, c *candidate) bool {
	for _, y := range s.p.Operators[k].Results {
		if !s.interior(y, c) || len(s.readers[y]) == 0 {
			return true
		}
	}
	return false
}

// pull computes the lines of an operator up to one, and what they need.
func (s *search) pull(c *candidate, k, line int) {
	o := &s.p.Operators[k]
	for s.done[k] <= line {
		for i := range o.Reads {
			r := &o.Reads[i]
			maker := s.maker[r.Value]
			if x := r.Spans[c.axis][s.done[k]]; maker >= c.from && x.First <= x.Last {
				s.pull(c, maker, x.Last)
			}
		}
		at := s.done[k]
		s.done[k]++
		s.steps++
		for _, y := range o.Results {
			if s.interior(y, c) {
				s.ring[y] = max(s.ring[y], at+1-min(s.needed(c, y), at))
			}
		}
	}
}

// needed returns the lowest line of a value that its readers still need.
func (s *search) needed(c *candidate, v int) int {
	lowest := none
	for i := range s.readers[v] {
		r := &s.readers[v][i]
		lowest = min(lowest, r.lowest[c.axis][s.done[r.operator]])
	}
	return lowest
}
