package framework

import (
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Idea: USMP's third algorithm is like simulated annealing. The order of greedy-by-size is placed by first fit, holes
// included. Then these steps are repeated. Pick a buffer that touches the top. Take one of its conflicts that were
// placed before it. Swap it, in the order, with another such conflict or with a conflict of one. Place again. A lower
// plan is always taken, a higher one now and then, less often with every attempt, and an equal one never.
//
// Invariant: current was placed from order, without the swap that is being tried.
//
// As in USMP, the result is the last plan that was taken, not the lowest one seen. The random numbers are those of
// the C library's rand_r, started from the seed (0 by default), so the walk is that of TVM on Linux.
//
// Complexity: 500 placements, and for each the conflicts of the conflicts of a buffer. A node is one attempt.
//
// Source: Apache TVM, tir/usmp/algo/hill_climb (a531d170^). USMP draws a second buffer until it differs from the first,
// which never ends if all of them are the same one; here it gives up after a thousand draws.

func init() {
	register(planner{
		name:    "tvm-hill-climb",
		summary: "first fit, largest first, improved by random swaps of buffers below the top",
		source:  "Apache TVM, USMP hill_climb (a531d170^)",
		params:  []param{{name: "attempts", otherwise: 500, least: 1, most: 1 << 30, summary: "number of placements to try"}},
		gaps:    true,
		fixed:   true,
		place:   tvmHillClimb,
	})
}

// randR is the POSIX rand_r of the GNU C library: three steps of the classic
// linear congruential generator make one number of 31 bits.
type randR uint32

func (r *randR) next() uint32 {
	step := func() uint32 {
		*r = *r*1103515245 + 12345
		return uint32(*r) >> 16
	}
	v := step() % 2048
	v = v<<10 ^ step()%1024
	return v<<10 ^ step()%1024
}

// pick returns one of n.
func (r *randR) pick(n int) int { return int(uint64(r.next()) % uint64(n)) }

type tvmClimb struct {
	t        *task
	rand     randR
	order    []int32
	position []int32 // of each buffer in order
	near     []int32 // scratch: conflicts of the buffer at the top
	around   []int32 // scratch: conflicts of one of those
	first    []int32 // positions of the first level, ascending
	weight   []int32 // how often each position is in the second level
	touched  []int32 // positions with a weight
	second   int     // sum of the weights
}

func tvmHillClimb(t *task) error {
	attempts := t.number("attempts")
	if t.opts.NodeLimit > 0 {
		attempts = min(attempts, t.opts.NodeLimit)
	}
	n := len(t.buffers)
	c := &tvmClimb{t: t, rand: randR(t.opts.Seed), position: make([]int32, n), weight: make([]int32, n)}
	c.order = t.sorted(t.usmpOrder())
	for k, i := range c.order {
		c.position[i] = int32(k)
	}
	var current, rollback []int64
	var total int64 // of the plan that was taken last
	x, y := int32(-1), int32(-1)
	for attempt := range attempts {
		if attempt > 0 && t.stopped() {
			break
		}
		t.nodes++
		rollback = current
		var end place.Ending
		if current, end = place.Place(t.watch, t.tl, c.order, place.FirstFit); current == nil {
			return errStopped
		} else if end == place.Cut && t.offsets != nil {
			break
		}
		height := model.HeightOf(t.tl.Problem, current)
		if total == 0 || total > height || int64(c.rand.next()%100) < 50*(height-total)/height/attempt {
			t.offsets, total = current, height
			if total <= t.tl.MaxLoad {
				break
			}
		} else {
			c.swap(x, y)
			current = rollback
			height = model.HeightOf(t.tl.Problem, current)
		}
		if p, q, ok := c.draw(current, height); ok {
			x, y = p, q
			c.swap(x, y)
		}
	}
	return nil
}

// swap exchanges two positions of the order.
func (c *tvmClimb) swap(x, y int32) {
	if x != y {
		c.order[x], c.order[y] = c.order[y], c.order[x]
		c.position[c.order[x]], c.position[c.order[y]] = x, y
	}
}

// draw picks two positions to swap; ok is false if there are none.
func (c *tvmClimb) draw(offsets []int64, height int64) (x, y int32, ok bool) {
	var top []int32
	for _, i := range c.order {
		if offsets[i]+c.t.buffers[i].Size == height {
			top = append(top, i)
		}
	}
	c.levels(top[c.rand.pick(len(top))])
	if len(c.first) == 0 {
		return 0, 0, false
	}
	x = c.first[c.rand.pick(len(c.first))]
	for range 1000 {
		if c.second > 0 && c.rand.next()%100 > 25 {
			y = c.fromSecond(c.rand.pick(c.second))
		} else {
			y = c.first[c.rand.pick(len(c.first))]
		}
		if y != x {
			return x, y, true
		}
		if c.second < 2 && len(c.first) < 2 {
			break
		}
	}
	return 0, 0, false
}

// levels finds the conflicts of a buffer that come before it (the first level), and the conflicts of each of these
// that come before that one (the second level). The second level is long, has repeats, and is wanted in order. So it
// is kept as a weight for each position.
func (c *tvmClimb) levels(buffer int32) {
	for _, p := range c.touched {
		c.weight[p] = 0
	}
	c.touched, c.first, c.second = c.touched[:0], c.first[:0], 0
	c.near = c.t.tl.AppendConflicts(c.near[:0], int(buffer))
	for _, i := range c.near {
		if c.t.stopped() {
			break
		}
		at := c.position[i]
		if at < c.position[buffer] {
			c.first = append(c.first, at)
		}
		c.around = c.t.tl.AppendConflicts(c.around[:0], int(i))
		for _, j := range c.around {
			if p := c.position[j]; p < at {
				if c.weight[p] == 0 {
					c.touched = append(c.touched, p)
				}
				c.weight[p]++
				c.second++
			}
		}
	}
	slices.Sort(c.first)
	slices.Sort(c.touched)
}

// fromSecond returns the k-th position of the second level, with repeats.
func (c *tvmClimb) fromSecond(k int) int32 {
	for _, p := range c.touched {
		if k -= int(c.weight[p]); k < 0 {
			return p
		}
	}
	panic("framework: the weights do not add up")
}
