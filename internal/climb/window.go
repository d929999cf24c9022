package climb

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: large-neighbourhood search. Set a target below the height and lift out
// what sticks out above it. Put each such buffer back by taking its
// neighbourhood out as well, some dozens of buffers that are live around it,
// and asking the exact planner for a plan of these under the target with all
// others where they are. Where it finds none, the neighbourhood is drawn again,
// and wider; where all attempts fail, the target is given up for a higher one.
//
// The neighbourhood is a window of sections around the buffer. Of the buffers
// active in it the shortest-lived are free, up to a limit, and the rest fixed:
// the shorter a buffer, the less of the plan it pins down.
//
// Invariant: all that is not lifted out is a valid plan under the target.
//
// Complexity: O(n) to draw a window, then a bounded number of nodes.
//
// Source: Shaw, "Using Constraint Programming and Local Search Methods to Solve
// Vehicle Routing Problems", 1998; the exact planner is internal/exact.

// window repairs plans towards a target. It belongs to one worker.
type window struct {
	tl    *timeline.Timeline
	rng   *rand.Rand
	part  part
	width int   // free buffers at first
	limit int64 // nodes of the exact planner
	steps int64
	most  int64 // steps at which the node limit comes

	offsets []int64
	out     []bool // lifted out
	lifted  []int32
	free    []int32
	member  []bool // in free
	share   float64
}

func newWindow(tl *timeline.Timeline, rng *rand.Rand, sw settings) *window {
	n := len(tl.Problem.Buffers)
	return &window{
		tl: tl, rng: rng, part: part{tl: tl}, width: sw.width, limit: sw.nodes, share: 0.5,
		offsets: make([]int64, n), out: make([]bool, n), member: make([]bool, n),
	}
}

// partLimit is the most buffers of a window, fixed ones included, that the exact
// planner is asked to plan: its inference is quadratic in them.
const partLimit = 800

// attempts is how many windows are drawn for a buffer.
const attempts = 5

// run tries one target between the bound and the height, for so many steps, and
// reports whether w.offsets is a plan under it. The next target is lower after a success and
// higher after a failure.
func (w *window) run(ctx limit, offsets []int64, height, bound, steps int64) bool {
	target := height - max(1, int64(w.share*float64(height-bound)))
	if w.reach(ctx, offsets, target, w.steps+steps) {
		w.share = min(1, 2*w.share)
		return true
	}
	if w.share /= 2; w.share*float64(height-bound) < 1 {
		w.share = 0.5
	}
	return false
}

// reach tries to bring a plan under the target, until so many steps are taken.
func (w *window) reach(ctx limit, offsets []int64, target, until int64) bool {
	buffers := w.tl.Problem.Buffers
	copy(w.offsets, offsets)
	clear(w.out)
	w.lifted = w.lifted[:0]
	for i := range buffers {
		if w.offsets[i]+buffers[i].Size > target {
			if first, last := w.tl.Extent(i); buffers[i].Fixed != nil || first == last {
				return false
			}
			w.out[i] = true
			w.lifted = append(w.lifted, int32(i))
		}
	}
	w.steps += int64(len(buffers))
	// The largest are the hardest.
	sorting.By(w.lifted, func(i, j int32) bool { return buffers[i].Size > buffers[j].Size })
	for _, i := range w.lifted {
		for k := 0; w.out[i]; k++ {
			if k == attempts || w.steps >= until || ctx.Over() {
				return false
			}
			w.repair(ctx, i, target, k)
		}
	}
	return true
}

// repair plans the neighbourhood of buffer i anew, under the target.
func (w *window) repair(ctx limit, i int32, target int64, attempt int) {
	tl := w.tl
	first, last := tl.Extent(int(i))
	// The window leans to a random side.
	reach := int32(1) << (2 * attempt)
	lean := w.rng.Int32N(reach + 1)
	low, high := max(0, first-lean), min(int32(tl.Sections()), last+reach-lean)
	w.free = w.free[:0]
	for j := range w.offsets {
		if f, l := tl.Extent(j); f < high && l > low && f < l && tl.Problem.Buffers[j].Fixed == nil && int32(j) != i {
			w.free = append(w.free, int32(j))
		}
	}
	if limit := w.width << min(attempt, 3); len(w.free) > limit {
		sorting.By(w.free, func(x, y int32) bool {
			fx, lx := tl.Extent(int(x))
			fy, ly := tl.Extent(int(y))
			return lx-fx < ly-fy
		})
		w.free = w.free[:limit]
	}
	w.free = append(w.free, i)

	w.part.begin()
	low, high = first, last
	for _, j := range w.free {
		f, l := tl.Extent(int(j))
		low, high = min(low, f), max(high, l)
		w.member[j] = true
	}
	for _, j := range w.free {
		w.part.free(j, low, high)
	}
	for j := range w.offsets {
		// What else is lifted out waits.
		if !w.member[j] && !w.out[j] {
			w.part.fixed(j, w.offsets[j], low, high)
		}
	}
	for _, j := range w.free {
		w.member[j] = false
	}
	part := w.part.end()
	if len(w.part.problem.Buffers) > partLimit {
		w.steps += int64(len(w.offsets))
		return
	}
	// The fixed buffers take a node each.
	size := int64(len(w.part.problem.Buffers))
	w.steps += int64(len(w.offsets))
	nodes := affordable(w.limit+2*size, w.most-w.steps, size)
	if nodes < 1 {
		return
	}
	free, taken := exact.Fit(ctx.Context, part, target, nodes, 1)
	w.steps += taken * size
	if free == nil {
		return
	}
	for k, j := range w.free {
		w.offsets[j] = free[k]
		w.out[j] = false
	}
}
