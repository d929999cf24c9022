package heuristic

import (
	"context"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: fill the space row by row from the bottom, like a game of falling blocks. A buffer fits into the current row
// if the skyline of the placed buffers is low enough. Of these buffers, the one in the most contended slot goes
// first. If none fits, the next row is the lowest one that takes a buffer. The contention of a slot is its load, and
// that of a buffer the largest of its slots. Ties go to the larger alignment, then size × lifetime², then lifetime,
// then the input's order. Nothing is ever placed under the skyline, so holes stay holes.
//
// Invariant: offsets never decrease, and each buffer lies at the highest
// skyline over its lifespan, rounded up to its alignment.
//
// Complexity: O((n + c) log n) for c corrections of a heap (greedy/skyline.go); quadratic if all overlap and no two
// have the same extent.
//
// Source: section 3.1 and figure 4 of the TelaMalloc paper (ASPLOS 2023). It is the allocator of production there,
// tried before any solver. The text says that the highest contention goes first; the figure, that only buffers of the
// row may go. The paper's example needs the row. The parameter pick has the other reading.
//
// Gaps and windows are additions. Fixed offsets are refused, because the skyline would have to go around them.

func init() { run.Register(contention{}) }

type contention struct{}

// Name returns the planner's name.
func (contention) Name() string { return "contention" }

// Info describes the planner.
func (p contention) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "fill a skyline row by row; the most contended buffer first",
		Source:  "Maas et al., TelaMalloc, ASPLOS 2023, section 3.1",
	}, func() run.Settings { return new(contentionSettings) })
}

// byContention is the order of the tie-breaks: largest load, alignment, size ×
// lifetime², lifetime, as greedy's orders spell them.
const byContention = "TGQW"

type contentionSettings struct{ pick string }

// Declare lists the parameter.
func (s *contentionSettings) Declare(d *run.Declaration) {
	d.Choice(&s.pick, "pick", "row: place the most contended buffer that fits the lowest row; any: place the most contended buffer of all, in its lowest row", "row", "any")
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
	w := run.NewWatch(ctx)
	defer w.Close()
	stack := greedy.StackLowest
	if s.pick == "any" {
		stack = greedy.Stack
	}
	offsets, whole := stack(w, tl, greedy.Sorted(w, tl, byContention))
	return judge(tl, o, offsets, whole), nil
}
