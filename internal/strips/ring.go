package strips

import "maps"

// Idea: no line is computed twice. Each strip computes of a value only the lines that no strip before has computed, up
// to the last one that is needed. Lines that later strips read are kept: a SLICE of those that are there. A reader that
// needs kept and new lines gets them from a CONCATENATION:
//
//	strip 0    new ████████            kept       ▒▒
//	strip 1    kept ▒▒ + new ██████    kept       ▒▒
//	strip 2    kept ▒▒ + new ██████
//
// All calls are found first, from the last operator to the first in each strip, because what is kept depends on what
// later strips read.
//
// Invariant: before a strip, the kept lines of a value end where its new lines begin.
//
// Complexity: O(operators × strips + lines).

// A turn is a strip of a ring.
type turn struct {
	calls []call        // by operator of the chain; without reads if it does not run
	fresh map[int32]int // by value: the first new line. The last is made by the call
	end   map[int32]int // by value: behind the last line that is there after the strip
	first map[int32]int // by value: the first line that is read
	last  map[int32]int // by value: the last operator that reads it
}

// ring writes the strips of a chain and returns the parts of its result.
func (b *builder) ring(c *Chain, result int32, cuts []int) ([]piece, error) {
	turns, err := b.s.turns(c, result, cuts)
	if err != nil {
		return nil, err
	}
	// keep is the first line that a later strip reads, by strip and value.
	keep := make([]map[int32]int, len(turns))
	later := map[int32]int{}
	for i := len(turns) - 1; i >= 0; i-- {
		keep[i] = map[int32]int{}
		maps.Copy(keep[i], later)
		for t, first := range turns[i].first {
			if old, ok := later[t]; !ok || first < old {
				later[t] = first
			}
		}
	}
	var parts []piece
	kept := map[int32]piece{}
	for i := range turns {
		b.strip, b.cuts = i, map[cutKey]piece{}
		parts = append(parts, b.turn(c, result, span{cuts[i], cuts[i+1]}, &turns[i], keep[i], kept))
	}
	return parts, nil
}

// turns returns what each strip computes.
func (s *Splitter) turns(c *Chain, result int32, cuts []int) ([]turn, error) {
	done := make([]int, c.Last-c.First+1)
	turns := make([]turn, c.Strips)
	for i := range turns {
		x := &turns[i]
		x.calls, x.fresh, x.end = make([]call, len(done)), map[int32]int{}, map[int32]int{}
		x.first, x.last = map[int32]int{result: cuts[i]}, map[int32]int{}
		ends := map[int32]int{result: cuts[i+1]}
		for k := c.Last; k >= c.First; k-- {
			o, end := &s.m.Operators[k], 0
			for _, t := range o.Outputs {
				end = max(end, ends[t])
			}
			from := done[k-c.First]
			done[k-c.First] = max(from, end)
			for _, t := range o.Outputs {
				x.fresh[t], x.end[t] = from, done[k-c.First]
			}
			if end <= from {
				continue
			}
			made, why := s.call(k, c, span{from, end})
			if why != "" {
				return nil, s.refuse(k, why)
			}
			x.calls[k-c.First] = made
			for _, r := range made.reads {
				t := r.tensor
				ends[t] = max(ends[t], r.end)
				if first, ok := x.first[t]; !ok || r.first < first {
					x.first[t] = r.first
				}
				x.last[t] = max(x.last[t], k)
			}
		}
	}
	return turns, nil
}

// turn writes a strip and returns its part of the result. kept is what the strip before has left; it becomes what this
// one leaves.
func (b *builder) turn(c *Chain, result int32, own span, x *turn, keep map[int32]int, kept map[int32]piece) piece {
	s := b.s
	fresh, joined := map[int32]piece{}, map[int32]piece{}
	find := func(t int32, lines span, serves int) piece {
		if !s.inside(t, c) {
			return b.cut(t, b.whole(t), lines, serves)
		}
		made, old := span{x.fresh[t], x.end[t]}, kept[t]
		switch {
		case lines.within(made):
			return b.cut(t, fresh[t], lines, serves)
		case lines.within(old.span):
			return b.cut(t, old, lines, serves)
		}
		if _, ok := joined[t]; !ok {
			joined[t] = b.join([]piece{old, b.cut(t, fresh[t], made, serves)}, t, -1)
		}
		return b.cut(t, joined[t], lines, serves)
	}
	left := map[int32]piece{}
	leave := func(t int32) { // once nobody reads it in this strip
		end := x.end[t]
		if first, ok := keep[t]; ok && first < end {
			left[t] = find(t, span{first, end}, s.maker[t])
		}
	}
	for k := c.First; k <= c.Last; k++ {
		o := &s.m.Operators[k]
		if call := x.calls[k-c.First]; call.reads != nil {
			for i, p := range b.run(k, call, find) {
				fresh[o.Outputs[i]] = p
			}
		}
		for _, t := range o.Outputs {
			if _, read := x.last[t]; !read && t != result {
				leave(t)
			}
		}
		for _, r := range x.calls[k-c.First].reads {
			if t := r.tensor; s.inside(t, c) && x.last[t] == k && t != result {
				leave(t)
			}
		}
	}
	part := find(result, own, s.maker[result])
	leave(result)
	clear(kept)
	maps.Copy(kept, left)
	return part
}

// inside reports whether the chain makes a tensor.
func (s *Splitter) inside(t int32, c *Chain) bool {
	return t >= 0 && s.maker[t] >= c.First && s.maker[t] <= c.Last
}
