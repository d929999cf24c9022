package climb

import "github.com/stowage-go/stowage/internal/sorting"

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

// window is what a worker knows of the last ones.
type window struct {
	share   float64 // of what is above the goal the next target is to take away
	offsets []int64
	out     []bool // lifted out
	lifted  []int32
	free    []int32
	member  []bool // in free
}

// partLimit is the most buffers of a window, fixed ones included, that the exact
// planner is asked to plan: its inference is quadratic in them.
const partLimit = 800

// attempts is how many windows are drawn for a buffer.
const attempts = 5

// windows tries one target after another, until one is reached.
func (w *worker) windows(from []int64, height, steps int64) []int64 {
	for w.taken < steps && !w.watch.Over() {
		if lower := w.target(from, height, steps); lower != nil {
			return lower
		}
	}
	return nil
}

// target tries one between the goal and the height, and returns the plan under it, if any.
// The next target is lower after a success and higher after a failure.
func (w *worker) target(from []int64, height, steps int64) []int64 {
	v := &w.window
	if w.reach(from, height-max(1, int64(v.share*float64(height-w.goal))), w.taken+steps) {
		v.share = min(1, 2*v.share)
		return copied(v.offsets)
	}
	if v.share /= 2; v.share*float64(height-w.goal) < 1 {
		v.share = 0.5
	}
	return nil
}

// reach tries to bring a plan under the target, until so many steps are taken.
func (w *worker) reach(from []int64, target, until int64) bool {
	v, buffers := &w.window, w.tl.Problem.Buffers
	if v.out == nil {
		v.out, v.member = make([]bool, len(from)), make([]bool, len(from))
	}
	clear(v.out)
	v.offsets = append(v.offsets[:0], from...)
	v.lifted = v.lifted[:0]
	for i := range from {
		if from[i]+buffers[i].Size > target {
			if first, last := w.tl.Extent(i); buffers[i].Fixed != nil || first == last {
				return false
			}
			v.out[i] = true
			v.lifted = append(v.lifted, int32(i))
		}
	}
	w.taken += int64(len(from))
	// The largest are the hardest.
	sorting.By(v.lifted, func(i, j int32) bool { return buffers[i].Size > buffers[j].Size })
	for _, i := range v.lifted {
		for k := 0; v.out[i]; k++ {
			if k == attempts || w.taken >= until || w.watch.Over() {
				return false
			}
			w.mend(i, target, k)
		}
	}
	return true
}

// mend plans the neighbourhood of buffer i anew, under the target.
func (w *worker) mend(i int32, target int64, attempt int) {
	v, tl := &w.window, w.tl
	first, last := tl.Extent(int(i))
	// The window leans to a random side.
	reach := int32(1) << (2 * attempt)
	lean := w.rng.Int32N(reach + 1)
	low, high := first-lean, last+reach-lean
	v.free = v.free[:0]
	for j := range v.offsets {
		if f, l := tl.Extent(j); f < high && l > low && f < l && tl.Problem.Buffers[j].Fixed == nil && int32(j) != i {
			v.free = append(v.free, int32(j))
		}
	}
	if most := w.sw.width << min(attempt, 3); len(v.free) > most {
		sorting.By(v.free, func(x, y int32) bool {
			fx, lx := tl.Extent(int(x))
			fy, ly := tl.Extent(int(y))
			return lx-fx < ly-fy
		})
		v.free = v.free[:most]
	}
	v.free = append(v.free, i)
	for _, j := range v.free {
		f, l := tl.Extent(int(j))
		first, last = min(first, f), max(last, l)
		v.member[j] = true
	}
	w.part.begin()
	for _, j := range v.free {
		w.part.free(j, first, last)
	}
	for j := range v.offsets {
		// What else is lifted out waits.
		if !v.member[j] && !v.out[j] {
			w.part.fixed(j, v.offsets[j], first, last)
		}
	}
	w.taken += int64(len(v.offsets))
	free := w.exactly(target, partLimit)
	for k, j := range v.free {
		v.member[j] = false
		if free != nil {
			v.offsets[j], v.out[j] = free[k], false
		}
	}
}
