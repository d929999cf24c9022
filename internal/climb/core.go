package climb

import (
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/model"
)

// Idea: in large graphs the load reaches its peak only for a moment. Heuristics waste space there, because they place
// something early that is in the way at the peak. So the core, the sections around the peak, is planned first: only the
// buffers that are active in it, by exact search, at the bound. Sweeps from the core to both ends of time place the
// rest (greedy.Sweeper), which has room to spare. Cores of several widths are tried. Later turns aim higher than the
// bound, and at other peaks.
//
// The buffers that are live in all sections of the core are one pile at its bottom. For example, a training graph of
// 30,000 buffers has 7,700 live at the peak. In a core of forty sections, exact search sees only a hundred of them.
//
// For two buffers f and g of the core,
//
//	f and g conflict  =>  they conflict in a section of the core
//
// since both are live there. So cutting lifespans to the core loses no conflict. This is not so with gaps, and the rest
// could not go around fixed offsets. In both cases there are no cores.
//
// Invariant: the offsets of the core are valid for the whole problem.
//
// Complexity: a bounded exact search and up to twelve sweeps for each core.
//
// A core of all sections is exact search with a node limit. It solves B, C, F, H and K of A–K at once.
//
// Trials: docs/lab/climb.md (first fit of the rest, by the old plan's order or by size, leaves S_1 above its load).

// halves are the numbers of sections that a core has on each side of its peak.
var halves = []int32{3, 10, 30, 100, 300}

// peaks is the number of peaks that a core may be around.
const peaks = 16

// coreLimit is the largest number of buffers in a core, without its pile.
const coreLimit = 3000

// coring prepares the sweeps. It returns false if the problem has gaps or fixed offsets.
func (w *worker) coring() bool {
	from, _ := w.lowest()
	out := w.lent
	if out != nil {
		out.Anew(w.watch)
	} else {
		out, _ = greedy.NewSweeper(w.watch, w.tl)
	}
	if out == nil || !out.Outward() {
		return false
	}
	out.Than(from)
	w.out = out
	return true
}

// core tries cores until one lowers the plan, at most one of each width. The first ones are around the highest peak and
// aim at the goal, from narrow to wide. Later ones are at random peaks, are narrower, and aim at
//
//	height - share × (height - goal)
//
// where share grows after a success and halves after a failure.
func (w *worker) core(from []int64, height int64) []int64 {
	w.out.Than(from)
	for range halves {
		n, half, target := 0, halves[w.tries%len(halves)], w.goal
		if w.tries >= len(halves) {
			n, half, target = w.rng.IntN(1+w.rng.IntN(peaks)), 1+w.rng.Int32N(half),
				height-max(1, int64(w.share*float64(height-w.goal)))
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
	w.taken += int64(len(w.tl.Problem.Buffers)) // to find which are in the core
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

// exactly plans a core by exact search. It returns nil if the core has too many buffers, or if
// the steps left do not allow a node, which counts one step for each buffer.
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
