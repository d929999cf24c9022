package tiling

// Idea: a chain is followed line by line, as a runtime would run it. Results that are needed outside of the chain are
// its ends. They are computed side by side: next is always the line of the end that is least far, as a part of
// its lines. A line is computed as soon as those are that it reads, and these only then:
//
//	line j of an operator:  for each operand made in the chain: its lines up to the last one that j reads
//	                        then the line itself
//
// Lines that nobody reads come last. After each line of an interior value, all lines between the lowest that a reader
// still needs and this one are kept.
//
// Invariant: whatever a line reads is in the rings when it is computed.
//
// Complexity: O(lines × operands) of the chain.
//
// Trials: docs/lab/tflm.md (strips of several lines are faster on a processor and need larger rings).

// follow replaces the bound of a chain by its cost, unless the limit comes before.
func (s *search) follow(c *candidate) {
	if c.sure {
		return
	}
	lines := 0
	var ends []int
	for k := c.from; k <= c.to; k++ {
		end := false
		for _, y := range s.p.Operators[k].Results {
			s.inside[y], s.ring[y] = s.interior(y, c.from, c.to), 1
			end = end || !s.inside[y] || len(s.readers[y]) == 0
		}
		if s.done[k] = 0; end {
			ends = append(ends, k)
		}
		lines += s.lines[c.axis][k]
	}
	if s.steps+s.looked/perStep+lines > s.most {
		s.over = true
		return
	}
	s.steps += lines
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
	c.cost, c.sure = c.rest, true
	for k := c.from; k <= c.to; k++ {
		for _, y := range s.p.Operators[k].Results {
			if s.inside[y] {
				c.cost += s.bytes(y, c.axis, s.ring[y])
			}
		}
	}
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
		for _, y := range o.Results {
			if s.inside[y] {
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
