package xla

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: the dumps count time in events or in instructions. A planner needs to know only which values are live together.
// So time is counted in steps: a step begins where a value is allocated after a value was freed. Values of one place
// become one buffer. It is live while any of them is, with gaps while none is. A united buffer is no longer allocated
// and freed in between, so some steps may fall together. Steps are counted again until nothing changes.
//
// Invariant: two values conflict after that if and only if they conflicted before, and both dumps of a module give the
// same numbers.
//
// Complexity: O(n log n) for each round, of which real dumps take three or four.
//
// Trials: docs/lab/formats.md (the trace has no numbers of instructions).

// maxRounds ends the counting for a file that is made to need many rounds. It then has more steps than it needs, and
// the same conflicts.
const maxRounds = 20

// A value is a buffer that XLA gives a place.
type value struct {
	id           int64 // of the logical buffer
	name         string
	size         int64
	offset       int64
	lower, upper int64 // half-open, in any clock
	leader       int32 // of the values that share a place, by union and find
	placed       bool  // offset is known
}

// find returns the leader of the values that share a place with k: the value with the smallest number, after unite was
// called for each pair.
func find(values []value, k int32) int32 {
	for values[k].leader != k {
		values[k].leader = values[values[k].leader].leader
		k = values[k].leader
	}
	return k
}

// unite makes two values share a place.
func unite(values []value, a, b int32) {
	a, b = find(values, a), find(values, b)
	if a > b {
		a, b = b, a
	}
	values[b].leader = a
}

// A piece is a time in which a place holds a number of bytes.
type piece struct {
	place        int32
	lower, upper int64
	size         int64
}

// join returns the heap of the values, which are in order of their id and have a size each. Offsets are multiples of
// align.
func join(values []value, align int64) Heap {
	h := Heap{Allocation: -1, Problem: &model.Problem{}, Values: len(values)}
	pieces := make([]piece, len(values))
	for k := range values {
		v := &values[k]
		pieces[k] = piece{find(values, int32(k)), v.lower, v.upper, v.size}
	}
	pieces = merge(pieces)
	var before []piece
	for round := 0; round < maxRounds && !slices.Equal(before, pieces); round++ {
		before = append(before[:0], pieces...)
		pieces = merge(steps(pieces))
	}
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.lower, b.lower))
	})
	names := unique(values, pieces)
	base, placed := int64(-1), true
	for k := range values {
		placed = placed && values[k].placed
		if base < 0 || values[k].offset < base {
			base = values[k].offset
		}
	}
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && pieces[to].place == pieces[from].place {
			to++
		}
		h.Problem.Buffers = append(h.Problem.Buffers, buffer(pieces[from:to], names[pieces[from].place]))
		if placed {
			h.Offsets = append(h.Offsets, values[pieces[from].place].offset-base)
		}
		from = to
	}
	// XLA's own plan has to be one of the problem's.
	for _, at := range h.Offsets {
		for at%align != 0 {
			align /= 2
		}
	}
	for k := range h.Problem.Buffers {
		h.Problem.Buffers[k].Alignment = align
		if placed {
			h.Height = max(h.Height, h.Offsets[k]+h.Problem.Buffers[k].Size)
		}
	}
	return h
}

// steps counts the times of the pieces in steps. If a piece follows another of the same place at once, a larger piece
// counts only as an allocation, and a smaller piece only as a free. For that the pieces are in order of place and
// lower.
func steps(pieces []piece) []piece {
	type event struct {
		at    int64
		piece int32
		start bool
	}
	follows := func(k int) bool {
		return k > 0 && pieces[k-1].place == pieces[k].place && pieces[k-1].upper == pieces[k].lower
	}
	events := make([]event, 0, 2*len(pieces))
	for k, p := range pieces {
		if !follows(k) || pieces[k-1].size < p.size {
			events = append(events, event{p.lower, int32(k), true})
		}
		if k+1 == len(pieces) || !follows(k+1) || pieces[k+1].size < p.size {
			events = append(events, event{p.upper, int32(k), false})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		switch c := cmp.Compare(a.at, b.at); {
		case c != 0:
			return c
		case a.start == b.start:
			return cmp.Compare(a.piece, b.piece)
		case b.start:
			return -1
		}
		return 1
	})
	const open = -1 // to become the time of the piece beside it
	for k := range pieces {
		pieces[k].lower, pieces[k].upper = open, open
	}
	step, freed := int64(0), false
	for _, e := range events {
		if !e.start {
			pieces[e.piece].upper = step + 1
			freed = true
			continue
		}
		if freed {
			step, freed = step+1, false
		}
		pieces[e.piece].lower = step
	}
	out := pieces[:0]
	for k, p := range pieces {
		if p.upper == open {
			p.upper = pieces[k+1].lower
		}
		if p.lower == open {
			p.lower = pieces[k-1].upper
		}
		pieces[k] = p
	}
	for _, p := range pieces {
		if p.lower < p.upper {
			out = append(out, p)
		}
	}
	return out
}

// merge joins the pieces of each place that touch or overlap; if they overlap, the larger size counts.
func merge(pieces []piece) []piece {
	slices.SortFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.lower, b.lower), cmp.Compare(b.size, a.size),
			cmp.Compare(b.upper, a.upper))
	})
	out := make([]piece, 0, len(pieces))
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && pieces[to].place == pieces[from].place {
			to++
		}
		out = profile(out, pieces[from:to])
		from = to
	}
	return out
}

// profile appends the pieces of one place, in order of lower, without overlaps: at each time the largest that is live.
func profile(out []piece, pieces []piece) []piece {
	first := len(out)
	add := func(p piece) {
		if n := len(out); p.lower >= p.upper {
			return
		} else if n > first && out[n-1].upper == p.lower && out[n-1].size == p.size {
			out[n-1].upper = p.upper
			return
		}
		out = append(out, p)
	}
	var live largest
	at := pieces[0].lower
	for next := 0; next < len(pieces) || len(live) > 0; {
		for len(live) > 0 && live[0].upper <= at {
			heap.Pop(&live)
		}
		if len(live) == 0 {
			if next == len(pieces) {
				break
			}
			at = max(at, pieces[next].lower)
			heap.Push(&live, pieces[next])
			next++
			continue
		}
		top := live[0]
		// The largest counts until it ends or a larger one begins.
		until := top.upper
		for next < len(pieces) && pieces[next].lower < until {
			p := pieces[next]
			if p.size > top.size {
				until = max(at, p.lower)
				break
			}
			heap.Push(&live, p)
			next++
		}
		add(piece{top.place, at, until, top.size})
		at = until
		if next < len(pieces) && pieces[next].lower <= at && pieces[next].size > top.size {
			heap.Push(&live, pieces[next])
			next++
		}
	}
	return out
}

// largest is a heap of pieces, the largest first.
type largest []piece

func (h largest) Len() int { return len(h) }
func (h largest) Less(a, b int) bool {
	return h[a].size > h[b].size || h[a].size == h[b].size && h[a].upper > h[b].upper
}
func (h largest) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *largest) Push(p any)   { *h = append(*h, p.(piece)) }
func (h *largest) Pop() any {
	p := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return p
}

// buffer returns the buffer of a place. It has a gap while no value is live, and a gap with a window while the live
// values need less.
func buffer(pieces []piece, name string) model.Buffer {
	b := model.Buffer{ID: name, Lower: pieces[0].lower, Upper: pieces[len(pieces)-1].upper}
	for _, p := range pieces {
		b.Size = max(b.Size, p.size)
	}
	at := b.Lower
	for _, p := range pieces {
		if p.lower > at {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: p.lower})
		}
		if p.size < b.Size {
			b.Gaps = append(b.Gaps, model.Gap{Lower: p.lower, Upper: p.upper, Window: &model.Window{Upper: p.size}})
		}
		at = p.upper
	}
	return b
}

// unique returns the names of the places: the name of the first value, with its number if others have the same name.
func unique(values []value, pieces []piece) map[int32]string {
	names := make(map[int32]string, len(pieces))
	taken := make(map[string]bool, len(pieces))
	for _, p := range pieces {
		if _, ok := names[p.place]; ok {
			continue
		}
		v := &values[p.place]
		name := v.name
		for n := 0; name == "" || taken[name]; n++ {
			name = v.name + "#" + strconv.FormatInt(v.id, 10)
			if n > 0 {
				name += "." + strconv.Itoa(n)
			}
		}
		taken[name] = true
		names[p.place] = name
	}
	return names
}
