package session

import "slices"

// Idea: walks and planners move much, up to all buffers. Those that moved without need go home (home.go) if a free place is enough for the
// ones in their way. Homing gives more of them back: a moved buffer returns to its old offset, and the moved ones that it overlaps there give
// way in a short walk over overlaps (overlap.go), in which the buffers at home are held. If the walk ends in a plan, it is kept, and all
// that are home by then are held. If not, all is as it was.
//
// Before that, the plan is put as near to the old offsets as its order allows (settle.go), if that moves less.
//
// Invariant: the offsets are a plan. From then on, no buffer at its old offset leaves it, so each success is less movement.
//
// Complexity: a walk of some moves for each moved buffer, once or a few times.
//
// Source: path relinking (Glover 1996): from a solution on the way to another one.
//
// Measured, on the 1,000 changes of A: 16 plans of the step window move 41% less, and five of fresh 15% less, in 0.1 to 0.8 s each. Of
// plans that early walks find and that move more than 2%, homeSoon takes back 26%, in 10 ms each.

// A homeward is the effort of homing.
type homeward struct{ passes, moves int }

// Walks in the step repair are frequent, so that little time may be spent on what they move. Later steps take long anyway.
var (
	homeSoon = homeward{1, 50}
	homeLate = homeward{3, 400}
)

// homing returns a plan that moves no more than at, which is one.
func (c *call) homing(at []int64, effort homeward) []int64 {
	h := c.overlaps()
	if h == nil {
		return at
	}
	at = slices.Clone(at) // it may be that of the last walk
	draw := c.s.o.Seed + 2
	h.start(at, nil, &draw)
	h.settle() // a plan has a plan in its order
	if a, b := c.movement(at), c.movement(h.at); b.less(&a) {
		copy(at, h.at)
	}
	h.hold(at, &draw)
	for range effort.passes {
		back := 0
		for _, i := range c.movedFrom(at) {
			if c.watch.Over() {
				break
			}
			if at[i] != c.old[i] && h.walkHome(at, i, effort.moves, &draw) {
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
	return at
}

// hold begins anew at a plan, and holds the buffers that are at home.
func (h *overlaps) hold(at []int64, draw *uint64) {
	for i := range at {
		h.held[i] = h.c.s.p.Buffers[i].Fixed != nil || at[i] == h.c.old[i] && !h.c.mine[i]
	}
	h.start(at, nil, draw)
}

// walkHome looks for a plan near the present one, which is at, with buffer i at its old offset. It reports whether there is one, which is then
// in h.at. If not, all buffers lie where they lay.
func (h *overlaps) walkHome(at []int64, i int32, moves int, draw *uint64) bool {
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
