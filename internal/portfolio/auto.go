// Package portfolio holds `auto`, the planner that runs where no other is
// named: heuristics for a plan at once, exact search for a better one or a
// proof.
package portfolio

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/canonical"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/plan"
	"github.com/stowage-go/stowage/internal/timeline"
)

func init() { plan.Register(Auto{}) }

// Auto is the planner `auto`.
//
// Idea: the heuristics come first, so that there is a plan whatever the limits,
// never higher than first-fit's. Where that is not enough (it does not fit the
// capacity, or is above the proven bound) exact search starts from it.
//
// To decide whether a capacity fits, the search has no limit but the caller's.
// To minimise without one, it gets effort for a second or two: the last percent
// of a hard problem may take forever. A timeout or node limit replaces that.
type Auto struct{}

// Info describes the planner.
func (Auto) Info() plan.Info {
	return plan.Info{
		Name:    "auto",
		Summary: "heuristics for a plan at once, then exact search for a better one or a proof",
		Source:  "Stowage",
		Exact:   true,
		Techniques: []plan.Technique{
			{Name: "heuristics", Summary: "start from the best of several first-fit orders; without it, from first-fit alone"},
			{Name: "exact", Summary: "go on with exact search"},
		},
	}
}

// effort is what minimising without a limit may cost: the nodes of the exact
// search times the incidences of all buffers and sections. With its rounds of
// inference, a node costs about ten nanoseconds for each.
const effort = 1e8

// Plan plans.
func (Auto) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	began := time.Now()
	heuristics, search := !slices.Contains(o.Without, "heuristics"), !slices.Contains(o.Without, "exact")
	o.Without = nil
	enough := o.Capacity // the height at which the heuristics may stop
	if o.Minimizing() {
		enough = 0
	}
	r := plan.Result{LowerBound: tl.LowerBound}
	if heuristics {
		var height int64
		r.Offsets, height, r.Member = greedy.Best(ctx, tl, enough)
		if r.Offsets != nil && !o.Fits(height) && enough == 0 {
			// The lowest in reach does not fit; whatever fits will do.
			r.Offsets, _, r.Member = greedy.Best(ctx, tl, o.Capacity)
		}
	} else {
		first, err := plan.Lookup("first-fit")
		if err != nil {
			return r, err
		}
		only, err := first.Plan(context.WithoutCancel(ctx), tl, plan.Options{})
		if err != nil {
			return r, err
		}
		r.Offsets, r.Member = only.Offsets, "first-fit"
	}
	if r.Offsets == nil {
		// Fixed offsets collide.
		r.Status, r.LowerBound = model.Infeasible, o.Capacity+1
		return r, nil
	}
	height := model.HeightOf(tl.Problem, r.Offsets)
	if o.Start != nil {
		if h := model.HeightOf(tl.Problem, o.Start); h < height {
			r.Offsets, height, r.Member = o.Start, h, "start"
		}
	}
	if o.Fits(height) {
		r.Status = model.Feasible
	}
	if o.Progress != nil {
		o.Progress(plan.Progress{Height: height, LowerBound: tl.LowerBound, Elapsed: time.Since(began)})
	}
	done := o.Fits(height) && (!o.Minimizing() || height <= tl.LowerBound)
	if done || !search || ctx.Err() != nil {
		return finish(r, o), nil
	}
	if o.Minimizing() && o.Timeout == 0 && o.NodeLimit == 0 {
		nodes := affordable(tl)
		if nodes < int64(4*len(tl.Problem.Buffers)) {
			return finish(r, o), nil // not even a few dives
		}
		o.NodeLimit = nodes
	}
	if o.Fits(height) {
		o.Start = r.Offsets
	}
	exact, err := canonical.Planner{}.Plan(ctx, tl, o)
	if err != nil {
		return plan.Result{}, err
	}
	exact.Member = canonical.Planner{}.Info().Name
	if exact.Status.HasPlan() && o.Start != nil && model.HeightOf(tl.Problem, exact.Offsets) >= height {
		exact.Member = r.Member // nothing lower was found
	}
	return exact, nil
}

// finish drops a plan that does not fit.
func finish(r plan.Result, o plan.Options) plan.Result {
	if r.Status != model.Feasible {
		r.Plan = model.Plan{}
		r.Status = model.Unknown
	}
	return r
}

// affordable returns how many nodes the default effort buys.
func affordable(tl *timeline.Timeline) int64 {
	var incidences int64
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			incidences += int64(s.Last - s.First)
		}
	}
	return effort / max(1, incidences)
}
