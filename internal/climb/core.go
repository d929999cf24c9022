package climb

import (
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/model"
)

// Idea: in large graphs the load is at its peak for a moment and lower at all
// others. What heuristics waste, they waste there: they place something early
// that is in the way at the peak. So plan the sections around the peak first,
// exactly and at the bound, all buffers that are active there and no others;
// then sweep from this core to both ends of time (greedy.Sweeper). The rest has room to
// spare. Cores of several widths are tried. Later turns aim higher than the bound, and
// at other peaks.
//
// What is live in all sections of the core is one pile at its bottom, so that of a
// training graph of 30,000 buffers, of which 7,700 are live at the peak, exact search sees
// a hundred for forty sections.
//
// Two buffers of the core conflict anywhere only if they do so within the
// core's sections, since both are live there; so cutting them to it loses
// nothing. With gaps that is not so, and there are no cores; nor are there with
// fixed offsets, which the rest would have to go around.
//
// Invariant: the core's offsets are valid for the whole problem.
//
// Complexity: a bounded exact search and up to twelve sweeps a core.
//
// A core of all sections is the exact planner with a node limit: of A–K that is
// what solves B, C, F, H and K at once.
//
// Tried and dropped: first fit of the rest, in the order of the plan to improve and by
// size, which leaves S_1 above its load.

// halves are how many sections a core has on each side of its middle.
var halves = []int32{3, 10, 30, 100, 300}

// peaks is how many peaks cores are around.
const peaks = 16

// coreLimit is the largest number of buffers in a core, the pile aside.
const coreLimit = 3000

// coring reports whether the problem is of a kind that cores are for.
func (w *worker) coring() bool {
	from, _ := w.lowest()
	out, _ := greedy.NewSweeper(w.watch, w.tl)
	if out == nil || !out.Outward() {
		return false
	}
	out.Than(from)
	w.out = out
	return true
}

// core tries one of each width, until one lowers the plan: at first around the peak and
// at the goal, from narrow to wide, then at random peaks, narrower, and between the
// goal and the height. Of these the next one aims lower after a success and higher
// after a failure.
func (w *worker) core(from []int64, height int64) []int64 {
	w.out.Than(from)
	for range halves {
		n, half, target := 0, halves[w.tries%len(halves)], w.goal
		if w.tries >= len(halves) {
			n, half, target = w.rng.IntN(1+w.rng.IntN(peaks)), 1+w.rng.Int32N(half), height-max(1, int64(w.share*float64(height-w.goal)))
		}
		w.tries++
		if lower := w.around(n, half, target); lower != nil {
			w.share = min(1, 1.5*w.share)
			return lower
		}
		if w.share /= 2; w.share*float64(height-w.goal) < 1 {
			w.share = 0.5
		}
		if w.watch.Over() || w.taken >= w.most {
			break
		}
	}
	return nil
}

// around plans the core of half sections to each side of the n-th peak under the
// target, and the rest around it. It returns a lower plan, if any.
func (w *worker) around(n int, half int32, target int64) []int64 {
	out := w.out
	before := out.Steps
	w.taken += int64(len(w.tl.Problem.Buffers)) // to look which are in it
	out.Most = before + w.most - w.taken
	lower, _ := out.Again(n, half, target, func(loose []int32, low, high int32, floor, target int64, at []int64) bool {
		w.taken += out.Steps - before
		before = out.Steps
		core := w.exactly(loose, low, high, floor, target)
		for k, i := range loose {
			if core != nil {
				at[i] = core[k]
			}
		}
		return core != nil
	})
	w.taken += out.Steps - before
	return lower
}

// exactly has the exact planner plan a core, if it is of few enough and the steps that are
// left allow a node: one counts as many as there are buffers.
func (w *worker) exactly(loose []int32, low, high int32, floor, target int64) []int64 {
	n := int64(len(loose) + 1)
	nodes := min(w.sw.nodes+2*n, (w.most-w.taken)/n)
	if n > coreLimit || nodes < 1 {
		return nil
	}
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	for k, i := range loose {
		w.tl.Part(&p.Buffers[k], int(i), low, high)
	}
	pile := &p.Buffers[n-1]
	pile.Lower, pile.Upper, pile.Size, pile.Fixed = int64(low), int64(high), floor, new(int64)
	if floor == 0 {
		p.Buffers = p.Buffers[:n-1]
	}
	offsets, taken := engine.Fit(w.ctx, w.watch, p, target, nodes, 1)
	w.taken += taken * n
	return offsets
}
