package greedy

import (
	"cmp"
	"container/heap"
	"context"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: fill the space row by row from the bottom, like a game of falling
// blocks. Of the buffers that fit into the current row, on top of the skyline
// of those placed, the one in the most contended slot goes first; once none
// fits, the next row is the lowest one that takes a buffer. The contention of a
// slot is the load there, that of a buffer the largest of its slots. Ties go to
// the larger alignment, then size × lifetime², then lifetime, then the input's
// order. Nothing is ever placed under the skyline, so holes stay holes.
//
// Invariant: offsets never decrease, and each buffer lies at the highest
// skyline over its lifespan, rounded up to its alignment.
//
// Complexity: O((n + c) log n), c the corrections of a heap that skyline.go
// explains; quadratic where all overlap and no two have one extent.
//
// Source: section 3.1 and figure 4 of the TelaMalloc paper (ASPLOS 2023), where
// this is the allocator of production, tried before any solver. The text says
// that the highest contention goes first, the figure that the row decides who
// may; its example needs the row. The other reading is the parameter pick.
//
// Gaps and windows are additions. Fixed offsets are refused: a buffer that is
// already in place above the skyline would have to be walked around, and what
// is left would not be this heuristic.

func init() { run.Register(contention{}) }

type contention struct{}

// Info describes the planner.
func (contention) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    "contention",
		Summary: "row by row on a skyline, the most contended buffer first",
		Source:  "Maas et al., TelaMalloc, ASPLOS 2023, section 3.1",
	}, func() run.Settings { return new(contentionSettings) })
}

type contentionSettings struct{ pick string }

// Declare lists the parameter.
func (s *contentionSettings) Declare(d *run.Declaration) {
	d.Choice(&s.pick, "pick", "row: the most contended buffer that fits the lowest row; any: the most contended buffer, wherever the skyline puts it", "row", "any")
}

// Plan places all buffers once. It has no use for NodeLimit, Seed and Workers.
// A plan above the capacity proves nothing, so the status is then Unknown.
func (contention) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var s contentionSettings
	if err := run.Bind("contention", &o, &s); err != nil {
		return plan.Result{}, err
	}
	if err := movable(tl, "contention"); err != nil {
		return plan.Result{}, err
	}
	offsets := stackAll(ctx, tl, byContention(tl), s.pick == "any")
	return judge(tl, o, offsets), nil
}

// movable refuses problems with fixed offsets on behalf of a planner.
func movable(tl *timeline.Timeline, planner string) error {
	for i := range tl.Problem.Buffers {
		if b := &tl.Problem.Buffers[i]; b.Fixed != nil {
			return plan.Unsupported(planner, "cannot honour fixed offsets: buffer "+b.ID+" has one")
		}
	}
	return nil
}

// judge makes a result of offsets that may be above the capacity, or nil.
func judge(tl *timeline.Timeline, o plan.Options, offsets []int64) plan.Result {
	r := plan.Result{Stats: plan.Stats{Nodes: int64(len(tl.Problem.Buffers))}}
	if offsets == nil {
		return r
	}
	if height := model.HeightOf(tl.Problem, offsets); o.Fits(height) {
		r.Status, r.Offsets, r.Height = model.Feasible, offsets, height
	}
	return r
}

// byContention returns the buffers in the order of the tie-breaks.
func byContention(tl *timeline.Timeline) []int32 {
	buffers := tl.Problem.Buffers
	load := total(tl)
	weight := make([][3]uint64, len(buffers))
	order := make([]int32, len(buffers))
	for i := range order {
		order[i] = int32(i)
		weight[i] = weigh(uint64(buffers[i].Size), uint64(buffers[i].Upper-buffers[i].Lower))
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &buffers[a], &buffers[b]
		if c := cmp.Or(
			cmp.Compare(load[b], load[a]),
			cmp.Compare(y.Align(), x.Align()),
			slices.Compare(weight[b][:], weight[a][:]),
			cmp.Compare(y.Upper-y.Lower, x.Upper-x.Lower),
		); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return order
}

// weigh returns size × life², exactly, the highest word first.
func weigh(size, life uint64) [3]uint64 {
	high, low := bits.Mul64(size, life)
	carry, w0 := bits.Mul64(low, life)
	w2, w1 := bits.Mul64(high, life)
	w1, c := bits.Add64(w1, carry, 0)
	return [3]uint64{w2 + c, w1, w0}
}

// stackAll puts every buffer on the skyline: the lowest first and ties by the
// order or, where any is set, in the order itself. It returns nil if the
// context ends.
func stackAll(ctx context.Context, tl *timeline.Timeline, order []int32, any bool) []int64 {
	line := place.NewSkyline(tl.Sections())
	offsets := make([]int64, len(order))
	steps := 0
	done := func() bool {
		steps++
		return steps%pollEvery == 0 && ctx.Err() != nil
	}
	rest := func(i int32) int64 {
		least := int64(0)
		for _, s := range tl.Spans(int(i)) {
			least = max(least, line.Highest(s.First, s.Last)-s.Lower)
		}
		return bound.Up(least, tl.Problem.Buffers[i].Align())
	}
	put := func(i int32, at int64) {
		offsets[i] = at
		for _, s := range tl.Spans(int(i)) {
			line.Raise(s.First, s.Last, at+s.Upper)
		}
	}
	if any {
		for _, i := range order {
			if done() {
				return nil
			}
			put(i, rest(i))
		}
		return offsets
	}
	for s := newStack(tl, order); len(s.queue) > 0; {
		if done() {
			return nil
		}
		top := &s.queue[0]
		i := top.members[0]
		at := rest(i)
		if at > top.least {
			top.least = at
			heap.Fix(&s, 0)
			continue
		}
		put(i, at)
		if top.members = top.members[1:]; len(top.members) == 0 {
			heap.Pop(&s)
		} else {
			// The next of the pile has the same extent: it rests on this one.
			top.least = at + tl.Problem.Buffers[i].Size
			heap.Fix(&s, 0)
		}
	}
	return offsets
}
