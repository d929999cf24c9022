package climb

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: where the load is near its peak, a plan at the bound has no byte to spare, and elsewhere it has many. So
// buffers are planned in the order of need,
//
//	need of a buffer = the highest load in its life + sizeCounts times its size
//
// since a large buffer needs its bytes side by side. First those of the most need are planned alone: they are few, and
// heuristics or exact search of a core (core.go) bring them to the goal. Then each level has some more. The plan of the
// level before is placed again from the lowest buffer to the highest, then the new ones by first fit, the largest
// first. What ends above the goal is mended (mend.go). A level has few buffers more than one whose plan is at the goal,
// so repairs are short. Repairs of a whole plan find no place in the peaks, where all is full of buffers that could
// as well lie elsewhere.
//
// Invariant: the plan of a level is valid for the buffers of that level, by whole lives. The plan of the last one is a
// plan of the problem. It is kept only if it is lower.
//
// Complexity: each level takes a timeline and a placement of its buffers, and levelEach steps for each of them at most.
// Levels grow by a factor, so all of them take a few times what the last one does.
//
// A level whose plan is as high as the plan to improve ends the turn. If memory is full at almost all times, all
// buffers are in need, and no turn begins.
//
// Source: this project. Peaks first, as internal/greedy/outward.go, but all peaks at once.
//
// Trials: docs/lab/climb.md (need by load alone, levels that grow faster or slower, a goal that rises with a failure).

const (
	// sizeCounts is how many times its size a buffer's need is above the load.
	sizeCounts = 2
	// firstLevel is how many buffers the first level has at least.
	firstLevel = 256
	// levelEach is how many steps a level may take for each of its buffers, leastLevel how many it may take in any case,
	// and levelPart the part of a turn that it may take at most.
	levelEach, leastLevel, levelPart = 1000, 1 << 20, 4
	// mostSteps is how many steps all levels may take.
	mostSteps = 1 << 26
	// levelPatience is the patience of repairs at first (mend.go).
	levelPatience = 1024
	// mendsFirst of levelParts steps of a level are repairs, then as many may be cores, and the rest is repairs.
	mendsFirst, levelParts = 3, 10
	// alwaysFull is how much of a memory as high as the goal is in use on average where all buffers are in need.
	alwaysFull = 0.95
)

// A pass is a turn of crests. A level is a fraction larger than the one before. A hasty pass ends with the first level
// of less than half of all buffers whose plan stays above the goal: another pass may have more luck, and costs little.
type pass struct {
	more, of int
	hasty    bool
}

// passes take turns.
var passes = [...]pass{{8, 5, true}, {7, 5, true}, {2, 1, true}, {6, 5, true}, {7, 5, false}}

// cresting reports whether there are levels: the problem has no gaps, since a level knows only whole lives, it is
// neither small nor so large that a placement takes seconds, and memory is not full at almost all times.
func (w *worker) cresting() bool {
	n := len(w.tl.Problem.Buffers)
	if n < thresholds.CoresLeast || n > thresholds.OrdersMost || w.tl.HasGaps() {
		return false
	}
	sum := 0.0
	for _, load := range w.tl.Load {
		sum += float64(load)
	}
	return sum < alwaysFull*float64(w.goal)*float64(len(w.tl.Load))
}

// crests plans level after level. It returns a lower plan, if any.
func (w *worker) crests(_ []int64, height int64) []int64 {
	need := needs(w.tl)
	order := sorting.Count(len(need))
	sorting.By(order, func(i, j int32) bool { return need[i] > need[j] })
	w.most = min(w.most, mostSteps)
	pass := &passes[w.turns%len(passes)]
	w.turns++
	offsets := make([]int64, len(order)) // of the buffers of the level before
	for n, before := firstLevel, 0; ; n = n * pass.more / pass.of {
		n = min(n, len(order))
		for n < len(order) && need[order[n]] == need[order[n-1]] {
			n++
		}
		level, lowest := w.level(order[:n], before, offsets)
		if level == nil || lowest >= height || pass.hasty && lowest > w.goal && 2*n < len(order) {
			return nil
		}
		for r, i := range order[:n] {
			offsets[i] = level[r]
		}
		if n == len(order) {
			return offsets
		}
		if before = n; w.taken >= w.most || w.watch.Over() {
			return nil
		}
	}
}

// needs returns the need of each buffer.
func needs(tl *timeline.Timeline) []int64 {
	need := make([]int64, len(tl.Problem.Buffers))
	ends := sorting.Count(len(need))
	sorting.By(ends, func(i, j int32) bool {
		_, a := tl.Extent(int(i))
		_, b := tl.Extent(int(j))
		return a < b
	})
	var falling []int32 // sections with loads that fall: each is the highest after the one before it
	now := int32(0)
	for _, i := range ends {
		first, last := tl.Extent(int(i))
		for ; now < last; now++ {
			for len(falling) > 0 && tl.Load[falling[len(falling)-1]] <= tl.Load[now] {
				falling = falling[:len(falling)-1]
			}
			falling = append(falling, now)
		}
		if need[i] = sizeCounts * tl.Size(i); first < last {
			at, _ := slices.BinarySearch(falling, first)
			need[i] += tl.Load[falling[at]]
		}
	}
	return need
}

// level plans the buffers of a list. The first ones of it, before in number, are in offsets already. It returns the
// offsets in the order of the list, and the height; nil if a limit comes first.
func (w *worker) level(list []int32, before int, offsets []int64) (level []int64, height int64) {
	p := &model.Problem{Buffers: make([]model.Buffer, len(list))}
	for r, i := range list {
		p.Buffers[r] = w.tl.Problem.Buffers[i]
	}
	tl := timeline.New(p)
	if before == 0 {
		first := greedy.NewPortfolio(w.ctx, tl, w.goal)
		first.Quick(false)
		w.taken += rebuildEach * int64(len(list))
		level, height = first.Offsets, first.Height
	} else {
		order := sorting.Count(len(list))
		sorting.By(order[:before], func(r, q int32) bool { return offsets[list[r]] < offsets[list[q]] })
		sorting.By(order[before:], func(r, q int32) bool { return tl.Size(r) > tl.Size(q) })
		w.taken += int64(len(list))
		level, height, _ = new(place.Memory).Below(w.watch, tl, order, place.FirstFit, place.Unlimited-1)
	}
	if level == nil || height <= w.goal || w.taken >= w.most {
		return level, height
	}
	each := min(levelEach*int64(len(list)), w.most/levelPart)
	s := &search{
		ctx: w.ctx, watch: w.watch, tl: tl, sw: w.sw, goal: w.goal,
		o: &plan.Options{
			NodeLimit: min(max(each, leastLevel), w.most-w.taken), Seed: w.rng.Uint64(),
			Without: w.o.Without, Params: w.o.Params,
		},
	}
	s.height.Store(math.MaxInt64)
	s.keep(level)
	s.worker(0).flatten()
	w.taken += s.steps.Load()
	return s.lowest()
}

// flatten lowers the plan of a level to the goal by repairs, then by cores, then by repairs.
func (w *worker) flatten() {
	part := w.o.NodeLimit / levelParts * mendsFirst
	mends := w.sw.mend && w.mending()
	w.mender.begins = mendBegin{1, levelPatience}
	w.repeat(mends, part, w.repairs)
	if !w.done() {
		w.repeat(w.sw.core && w.coring(), part, w.core)
		w.repeat(mends, w.o.NodeLimit, w.repairs)
	}
}

// repairs mends until the steps of a turn are used up.
func (w *worker) repairs(from []int64, height int64) []int64 { return w.mend(from, height, w.most) }

// repeat runs a technique, if it is able, as long as it lowers the plan, with so many steps at most.
func (w *worker) repeat(able bool, most int64, technique func(from []int64, height int64) []int64) {
	w.taken, w.most = 0, min(most, w.o.NodeLimit-w.steps.Load())
	for able && !w.done() && w.taken < w.most {
		lower := technique(w.lowest())
		if lower == nil || !w.keep(lower) {
			break
		}
	}
	w.steps.Add(w.taken)
}
