package strips

// Idea: each strip is computed for itself. From its lines of the result it follows, operator by operator from the last
// to the first, which lines of each tensor are needed: those that some operator of the chain reads. Then the operators
// run from the first to the last on these lines. Lines that two strips need are computed twice.
//
// Complexity: O(operators + lines) for each strip.

// halo writes the strips of a chain and returns the parts of its result.
func (b *builder) halo(c *Chain, result int32, cuts []int) ([]piece, error) {
	s := b.s
	calls := make([]call, c.Last-c.First+1)
	var parts []piece
	for b.strip = range c.Strips {
		own := span{cuts[b.strip], cuts[b.strip+1]}
		want := map[int32]span{result: own}
		for k := c.Last; k >= c.First; k-- {
			lines, needed := s.wanted(k, want)
			calls[k-c.First].reads = nil
			if !needed {
				continue
			}
			made, why := s.call(k, c, lines)
			if why != "" {
				return nil, s.refuse(k, why)
			}
			calls[k-c.First] = made
			for _, r := range made.reads {
				want[r.tensor] = cover(want[r.tensor], r.span)
			}
		}
		have := map[int32]piece{}
		b.cuts = map[cutKey]piece{}
		find := func(t int32, lines span, serves int) piece {
			p, ok := have[t]
			if !ok {
				p = b.whole(t)
			}
			return b.cut(t, p, lines, serves)
		}
		for k := c.First; k <= c.Last; k++ {
			if calls[k-c.First].reads == nil {
				continue
			}
			for i, p := range b.run(k, calls[k-c.First], find) {
				have[s.m.Operators[k].Outputs[i]] = p
			}
		}
		parts = append(parts, find(result, own, s.maker[result]))
	}
	return parts, nil
}

// wanted returns the lines of an operator's results that are wanted, and whether there are any.
func (s *Splitter) wanted(k int, want map[int32]span) (lines span, any bool) {
	for _, t := range s.m.Operators[k].Outputs {
		if w, ok := want[t]; ok {
			lines, any = cover(lines, w), true
		}
	}
	return lines, any
}

// cover returns the lines from the first to the last of two spans. An empty one counts for nothing.
func cover(x, y span) span {
	switch {
	case x.first >= x.end:
		return y
	case y.first >= y.end:
		return x
	}
	return span{min(x.first, y.first), max(x.end, y.end)}
}
