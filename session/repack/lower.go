package repack

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: the blocks of a group, or one block alone, are a body: they have one offset. Once each sliced block has an
// order, the bytes of the body that are in use at each time are known. If they are always one range, the body is one
// buffer, with a gap while nothing is in use, and a gap with a window while less is. Otherwise it is a body of the
// rules (Together) with a buffer for each range.
//
// Invariant: the plans of the lowered problem are the plans of the blocks with these orders, at the same heights.
//
// Complexity: O(k²) for a body of k blocks and slices.

// A body is a set of blocks that have one offset, by their indices.
type body []int32

// A piece is a range of a body's bytes that is in use for a time: [from, to) and [low, high).
type piece struct{ from, to, low, high int64 }

// bodiesOf returns the bodies in the order of their first blocks.
func bodiesOf(blocks []Block) (all []body) {
	of := map[int32]int{}
	for i := range blocks {
		g := blocks[i].Group
		k, there := of[g]
		if g == 0 || !there {
			of[g] = len(all)
			all = append(all, body{int32(i)})
			continue
		}
		all[k] = append(all[k], int32(i))
	}
	return all
}

// pieces returns which bytes a body uses when. Pieces that meet in time have bytes between them. chosen has an order of
// each block.
func pieces(blocks []Block, of body, chosen []order) (list []piece) {
	if len(of) == 1 && blocks[of[0]].Slices == nil {
		b := &blocks[of[0]]
		return []piece{{b.Start, b.End + 1, 0, b.Size}}
	}
	var times []int64
	var parts []piece
	for _, i := range of {
		b := &blocks[i]
		times = append(times, b.Start, b.End+1)
		if b.Slices == nil {
			parts = append(parts, piece{b.Start, b.End + 1, 0, b.Size})
			continue
		}
		low := int64(0)
		for k, s := range b.Slices {
			parts = append(parts, piece{chosen[i][k], b.End + 1, low, low + s.Size})
			times = append(times, chosen[i][k])
			low += s.Size
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	slices.SortFunc(parts, func(a, b piece) int { return cmp.Compare(a.low, b.low) })
	before := 0 // pieces from here on end where the next time begins
	for k, from := range times[:len(times)-1] {
		to, begin := times[k+1], len(list)
		for _, p := range parts {
			if p.from > from || p.to <= from {
				continue
			}
			if n := len(list) - 1; n >= begin && p.low <= list[n].high {
				list[n].high = max(list[n].high, p.high)
			} else {
				list = append(list, piece{from, to, p.low, p.high})
			}
		}
		now := list[begin:]
		if same := list[before:begin]; len(same) == len(now) && len(same) > 0 && same[0].to == from && slices.EqualFunc(same, now, sameBytes) {
			for j := range same {
				same[j].to = to
			}
			list = list[:begin]
		} else {
			before = begin
		}
	}
	return list
}

func sameBytes(a, b piece) bool { return a.low == b.low && a.high == b.high }

// shapesOf returns the pieces of each body.
func shapesOf(blocks []Block, bodies []body, chosen []order) [][]piece {
	shapes := make([][]piece, len(bodies))
	for k, of := range bodies {
		shapes[k] = pieces(blocks, of, chosen)
	}
	return shapes
}

// A lowered is a problem that planners take, and which body each buffer is of.
type lowered struct {
	p  *model.Problem
	of []int32 // the body of each buffer, whose offset is that of the buffer less at
	at []int64
}

// lower returns the problem of the bodies with these pieces.
func lower(shapes [][]piece, align int64) lowered {
	var l lowered
	l.p = &model.Problem{}
	for k, list := range shapes {
		one := true
		for j := 1; j < len(list); j++ {
			one = one && list[j-1].to <= list[j].from
		}
		if one {
			l.p.Buffers = append(l.p.Buffers, buffer(fmt.Sprint("b", k), list, align))
			l.of, l.at = append(l.of, int32(k)), append(l.at, 0)
			continue
		}
		var tied model.Together
		for j, x := range list {
			b := model.Buffer{ID: fmt.Sprintf("b%d.%d", k, j), Lower: x.from, Upper: x.to, Size: x.high - x.low}
			if align > 1 && x.low%align == 0 {
				b.Alignment = align
			}
			tied.Buffers, tied.At = append(tied.Buffers, int32(len(l.p.Buffers))), append(tied.At, x.low)
			l.p.Buffers = append(l.p.Buffers, b)
			l.of, l.at = append(l.of, int32(k)), append(l.at, x.low)
		}
		if l.p.Rules == nil {
			l.p.Rules = &model.Rules{}
		}
		l.p.Rules.Together = append(l.p.Rules.Together, tied)
	}
	return l
}

// buffer returns a body as one buffer: its pieces follow one another.
func buffer(id string, list []piece, align int64) model.Buffer {
	b := model.Buffer{ID: id, Lower: list[0].from, Upper: list[len(list)-1].to, Alignment: align}
	for _, x := range list {
		b.Size = max(b.Size, x.high)
	}
	end := b.Lower
	for _, x := range list {
		if x.from > end {
			b.Gaps = append(b.Gaps, model.Gap{Lower: end, Upper: x.from})
		}
		if x.low > 0 || x.high < b.Size {
			b.Gaps = append(b.Gaps, model.Gap{Lower: x.from, Upper: x.to, Window: &model.Window{Lower: x.low, Upper: x.high}})
		}
		end = x.to
	}
	return b
}

// start returns the offsets of the buffers if the bodies lie at at.
func (l *lowered) start(at []int64) []int64 {
	out := make([]int64, len(l.of))
	for i, k := range l.of {
		out[i] = at[k] + l.at[i]
	}
	return out
}

// offsets returns the offsets of n bodies in a plan of the buffers.
func (l *lowered) offsets(n int, plan []int64) []int64 {
	out := make([]int64, n)
	for i, k := range l.of {
		out[k] = plan[i] - l.at[i]
	}
	return out
}

// Lower returns the blocks of a call, with their slices in the order given, as a problem that any planner takes. Blocks
// of one group are one buffer. The wanted block is left out.
func Lower(c *Call) *model.Problem {
	p := lower(shapesOf(c.Blocks, bodiesOf(c.Blocks), given(c.Blocks)), c.Alignment).p
	p.Capacity = c.Capacity
	return p
}

// given returns the orders that the slices of the blocks have.
func given(blocks []Block) []order {
	out := make([]order, len(blocks))
	for i := range blocks {
		for _, s := range blocks[i].Slices {
			out[i] = append(out[i], s.Start)
		}
	}
	return out
}
