// Package sweep holds the planner `sweep`: the passes of greedy.Sweeper by themselves. Auto
// runs the sweeper as a trial of its portfolio, and needs no planner for that.
package sweep

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.Register(sweep{}) }

type sweep struct{}

// Name returns the planner's name.
func (sweep) Name() string { return "sweep" }

// Info describes the planner.
func (p sweep) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "passes through time with a free list: long-lived buffers from below, short-lived ones from above",
		Source:  "two-ended allocation, offline",
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

type settings struct {
	twoEnded, outward bool

	waste float64
}

// Declare lists the technique and the parameter.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.twoEnded, "two-ended",
		"place short-lived buffers from the ceiling down; without it, place every buffer lowest, in one pass")
	d.Technique(&s.outward, "outward", "if the waste is above the parameter waste, sweep from the peak in both directions")
	d.Float(&s.waste, "waste", 1.001, 1, math.Inf(1),
		"stop after a pass whose height is at most this many times the lower bound")
}

// Plan sweeps until a plan is good enough, or all thresholds were tried. A plan is good enough if it is within the
// parameter waste of the bound, or if it fits and any plan will do. A node is a placement. The only proof is
// Infeasible, for colliding fixed offsets. The first pass runs to its end even if ctx has ended. The error is for a
// bad parameter.
func (sweep) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set settings
	if err := run.Bind("sweep", &o, &set); err != nil {
		return r, err
	}
	if len(tl.Problem.Buffers) > math.MaxInt32 {
		return r, plan.Unsupported("sweep", "takes at most 2147483647 buffers")
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	s, end := greedy.NewSweeper(w, tl)
	if !place.FixedFit(tl.Problem, o.Capacity) || end == place.Collided {
		r.Status = model.Infeasible
		return r, nil
	}
	if end == place.Cut {
		return r, nil
	}
	goal := int64(min(float64(tl.LowerBound)*set.waste, math.MaxInt64/2))
	goal = max(goal, tl.LowerBound)
	ceiling := tl.LowerBound
	if !o.Minimizing() {
		goal, ceiling = max(goal, o.Capacity), o.Capacity
	}
	thresholds := []int32{0}
	if set.twoEnded {
		thresholds = greedy.Thresholds(tl.Sections())
	}
	s.Passes(thresholds, ceiling, goal, func() bool {
		if o.Progress != nil && o.Fits(s.Height()) {
			o.Progress(plan.Progress{Height: s.Height(), Offsets: s.Plan(), LowerBound: tl.LowerBound, Nodes: s.Steps})
		}
		return o.NodeLimit > 0 && s.Steps >= o.NodeLimit
	})
	if set.outward && s.Height() > goal && !w.Over() {
		if o.NodeLimit > 0 {
			s.Most = o.NodeLimit
		}
		s.FromPeaks(goal)
	}
	r.Stats.Nodes = s.Steps
	if o.Fits(s.Height()) {
		r.Status, r.Offsets, r.Height = model.Feasible, s.Last(), s.Height()
	}
	return r, nil
}
