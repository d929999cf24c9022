package session

import "slices"

// Idea: walks and planners move much, up to all buffers. swapback.go returns buffers if the ones in their way find free
// places. Walking back returns more of them. A moved buffer goes to its old offset. The moved ones that it overlaps
// there give way in a short walk over overlaps (overlap.go), which holds the buffers at their old offsets. If the walk
// ends in a plan, the plan is kept, and all buffers at their old offsets are held from then on. If not, all is undone.
//
// Before that, the plan is put as near to the old offsets as its order allows (pack.go), if that moves less.
//
// Invariant: the offsets are a plan. From then on, no buffer at its old offset leaves it, so each success is less
// movement.
//
// Complexity: a walk of some moves for each moved buffer, once or a few times.
//
// Source: path relinking (Glover 1996): from a solution on the way to another one.
//
// It takes back about a quarter of what early walks move (docs/lab/session.md).

// A backward is the effort of walkBack.
type backward struct{ passes, moves int }

// Walks in the step repair are frequent, so only a short time may be spent on walking back. Later steps take long
// anyway.
var (
	backSoon = backward{1, 50}
	backLate = backward{3, 400}
)

// walkBack returns a plan that moves no more than p, which is one.
func (c *call) walkBack(p placing, effort backward) placing {
	h := c.overlaps()
	if h == nil {
		return p
	}
	at := slices.Clone(p.at) // it may be that of the last walk
	draw := c.s.o.Seed + 2
	h.start(at, nil, &draw)
	h.pack() // a plan has a plan in its order
	if a, b := c.movement(placing{at: at}), c.movement(placing{at: h.at}); b.compare(&a) < 0 {
		copy(at, h.at)
	}
	h.hold(at, &draw)
	for range effort.passes {
		back := 0
		for _, i := range c.movedFrom(at) {
			if c.watch.Over() {
				break
			}
			if at[i] != c.old[i] && h.walkOne(at, i, effort.moves, &draw) {
				copy(at, h.at)
				h.hold(at, &draw)
				back++
			}
		}
		if back == 0 {
			break
		}
	}
	for i := range h.held {
		h.held[i] = c.s.p.Buffers[i].Fixed != nil
	}
	return placing{at: at}
}

// hold begins anew at a plan, and holds the buffers that are at their old offsets.
func (h *overlaps) hold(at []int64, draw *uint64) {
	for i := range at {
		h.held[i] = h.c.s.p.Buffers[i].Fixed != nil || at[i] == h.c.old[i] && !h.c.mine[i]
	}
	h.start(at, nil, draw)
}

// walkOne looks for a plan near the present one, which is at, with buffer i at its old offset. It reports whether it
// found one, which is then in h.at. If not, all offsets are as before.
func (h *overlaps) walkOne(at []int64, i int32, moves int, draw *uint64) bool {
	c := h.c
	b, old := &c.s.p.Buffers[i], c.old[i]
	if old%b.Align() != 0 || c.s.p.Capacity > 0 && old > c.s.p.Capacity-b.Size {
		return false
	}
	row := h.row(i)
	for _, j := range h.pins {
		if row[j] > 0 && old < h.top(j) && at[j] < old+b.Size {
			return false
		}
	}
	h.held[i], h.pins = true, append(h.pins, i)
	h.forget()
	h.move(i, old)
	if h.walk(moves, draw) {
		return true
	}
	h.held[i], h.pins = false, h.pins[:len(h.pins)-1]
	for j, offset := range at {
		if h.at[j] != offset {
			h.move(int32(j), offset)
		}
	}
	return false
}
