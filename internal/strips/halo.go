package strips

import "github.com/stowage-go/stowage/internal/tiling"

// Idea: each strip is computed for itself. From its lines of the result it follows which lines of each tensor are needed
// (tiling.Halo). Then the operators run from the first to the last on these lines. Lines that two strips need are
// computed twice.
//
// Complexity: O(operators + lines) for each strip.

// halo writes the strips of a chain and returns the parts of its result.
func (b *builder) halo(c *Chain, result int32, cuts []int) ([]piece, error) {
	s := b.s
	var calls []call
	results := func(k int) []int32 { return s.m.Operators[k].Outputs }
	run := func(k int, lines tiling.Lines) (needs []tiling.Need[int32], err error) {
		made, why := s.call(k, c, span{lines.First, lines.End})
		if why != "" {
			return nil, s.refuse(k, why)
		}
		calls[k-c.First] = made
		for _, r := range made.reads {
			needs = append(needs, tiling.Need[int32]{Value: r.tensor, Lines: tiling.Lines{First: r.first, End: r.end}})
		}
		return needs, nil
	}
	var parts []piece
	for b.strip = range c.Strips {
		own := span{cuts[b.strip], cuts[b.strip+1]}
		calls = make([]call, c.Last-c.First+1)
		want := map[int32]tiling.Lines{result: {First: own.first, End: own.end}}
		if err := tiling.Halo(c.First, c.Last, want, results, run); err != nil {
			return nil, err
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
