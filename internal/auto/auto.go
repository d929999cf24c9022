// Package portfolio holds `auto`, the planner that runs where no other is
// named: heuristics for a plan at once, exact search for a better one or a
// proof, local search where exact search does not end.
package auto

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/climb"
	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.Register(Auto{}) }

// Auto is the planner `auto`.
//
// Idea: the heuristics come first, so that there is a plan whatever the limits,
// never higher than first-fit's. Where that is not enough (it does not fit the
// capacity, or is above the proven bound), exact search and local search take
// turns from the best plan so far, each with four times the effort of its turn
// before: exact search ends small problems with a proof, local search lowers
// what exact search cannot end. Where a problem is too large for exact search
// to dive a few times in its first turn, local search has the first turn alone.
//
// To minimise without a limit each has one turn, a second or two: the last
// percent of a hard problem may take forever. The largest problems get none (see
// climbMost). To decide whether a capacity fits,
// or with a limit, the turns go on until there is an answer or the limit comes.
// Local search alone has no answer to wait for, so it has one turn as well.
type Auto struct{}

// Info describes the planner.
func (Auto) Info() plan.Info {
	return plan.Info{
		Name:    "auto",
		Summary: "heuristics for a plan at once, then exact and local search in turns for a better one or a proof",
		Source:  "Stowage",
		Exact:   true,
		Techniques: []plan.Technique{
			{Name: "heuristics", Summary: "start from the best of several first-fit orders; without it, from first-fit alone"},
			{Name: "exact", Summary: "exact search takes turns"},
			{Name: "climb", Summary: "local search takes turns"},
		},
	}
}

const (
	// exactEffort is the first turn of exact search: nodes times the incidences
	// of all buffers and sections. With its rounds of inference, a node costs
	// about ten nanoseconds for each.
	exactEffort = 1e8
	// climbEffort is the first turn of local search, in its steps, of which it
	// takes three to eight million in a second on problems of hundreds.
	climbEffort = 1e7
	// exactMost is the number of buffers up to which exact search has a part in
	// the first turn. Its trail takes 16 bytes for each conflict on the way down:
	// 900 MB on a training graph of 10,000.
	exactMost = 4096
	// Without a limit, local search is for up to climbMost buffers and, above
	// closeAbove, for plans more than a thousandth over the bound: what it could
	// win there takes longer than its first turn.
	climbMost, closeAbove = 1 << 17, 1 << 14
	// grow is how much longer each turn is than the one before.
	grow = 4
)

// Plan plans.
func (Auto) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	a := auto{tl: tl, o: o, began: time.Now(), exact: !slices.Contains(o.Without, "exact"), climb: !slices.Contains(o.Without, "climb")}
	a.r.LowerBound = tl.LowerBound
	if err := a.heuristics(ctx, !slices.Contains(o.Without, "heuristics")); err != nil {
		return plan.Result{}, err
	}
	if a.r.Offsets == nil {
		// Fixed offsets collide.
		a.r.Status, a.r.LowerBound = model.Infeasible, o.Capacity+1
		return a.r, nil
	}
	once := (o.Minimizing() || !a.exact) && o.Timeout == 0 && o.NodeLimit == 0
	nodes, steps := affordable(tl), int64(climbEffort)
	n := len(tl.Problem.Buffers)
	if nodes < int64(4*n) || n > exactMost {
		if once {
			a.exact = false
		}
		nodes = 0 // local search has the first turn alone
	}
	if once && (n > climbMost || n > closeAbove && a.height <= tl.LowerBound+tl.LowerBound/1000) {
		return a.result(), nil
	}
	for !a.done() && ctx.Err() == nil && (a.exact || a.climb) {
		if a.exact && nodes > 0 {
			if !a.climb {
				nodes = 0 // no turns: as long as it takes
				if once {
					nodes = affordable(tl)
				}
			}
			if err := a.turn(ctx, exact.Planner{}, nodes); err != nil {
				return plan.Result{}, err
			}
		}
		if a.done() || ctx.Err() != nil {
			break
		}
		if a.climb {
			if err := a.turn(ctx, climb.Planner{}, steps); err != nil {
				return plan.Result{}, err
			}
		}
		if once || a.spent() {
			break
		}
		nodes, steps = max(nodes*grow, affordable(tl), 1), min(steps*grow, math.MaxInt64/grow)
	}
	return a.result(), nil
}

// auto is a run.
type auto struct {
	tl           *timeline.Timeline
	o            plan.Options
	began        time.Time
	exact, climb bool
	r            plan.Result // with the lowest plan so far, whether it fits or not
	height       int64       // of r.Offsets
	infeasible   bool
}

// heuristics finds the first plan: the best of several, or first-fit's alone.
func (a *auto) heuristics(ctx context.Context, several bool) error {
	enough := a.o.Capacity // the height at which the heuristics may stop
	if a.o.Minimizing() {
		enough = 0
	}
	if several {
		a.r.Offsets, a.height, a.r.Member = greedy.Best(ctx, a.tl, enough)
		if a.r.Offsets != nil && !a.o.Fits(a.height) && enough == 0 {
			// The lowest in reach does not fit; whatever fits will do.
			a.r.Offsets, a.height, a.r.Member = greedy.Best(ctx, a.tl, a.o.Capacity)
		}
	} else {
		first, err := run.Lookup("first-fit")
		if err != nil {
			return err
		}
		only, err := first.Plan(context.WithoutCancel(ctx), a.tl, plan.Options{})
		if err != nil {
			return err
		}
		a.r.Offsets, a.r.Member = only.Offsets, "first-fit"
	}
	if a.r.Offsets == nil {
		return nil
	}
	a.height = model.HeightOf(a.tl.Problem, a.r.Offsets)
	if a.o.Start != nil {
		if h := model.HeightOf(a.tl.Problem, a.o.Start); h < a.height {
			a.r.Offsets, a.height, a.r.Member = a.o.Start, h, "start"
		}
	}
	a.report()
	return nil
}

// done reports whether there is nothing left to look for.
func (a *auto) done() bool {
	return a.infeasible || a.o.Fits(a.height) && (!a.o.Minimizing() || a.height <= a.r.LowerBound)
}

// spent reports whether the node limit is used up.
func (a *auto) spent() bool { return a.o.NodeLimit > 0 && a.r.Stats.Nodes >= a.o.NodeLimit }

// turn runs a planner from the best plan with a node limit, 0 for none but the
// caller's, and takes what it finds.
func (a *auto) turn(ctx context.Context, p run.Planner, nodes int64) error {
	if a.spent() {
		return nil
	}
	o := a.o
	o.Without, o.NodeLimit, o.Start = nil, nodes, a.r.Offsets
	if a.o.NodeLimit > 0 {
		left := a.o.NodeLimit - a.r.Stats.Nodes
		if nodes == 0 || nodes > left {
			o.NodeLimit = left
		}
	}
	before := a.r.Stats
	o.Progress = nil
	if a.o.Progress != nil {
		o.Progress = func(q plan.Progress) {
			if a.o.Fits(a.height) && (q.Height == 0 || q.Height > a.height) {
				q.Height = a.height
			}
			q.LowerBound = max(q.LowerBound, a.r.LowerBound)
			q.Nodes += before.Nodes
			q.Elapsed = time.Since(a.began)
			a.o.Progress(q)
		}
	}
	r, err := p.Plan(ctx, a.tl, o)
	if err != nil {
		return err
	}
	a.r.Stats.Nodes += r.Stats.Nodes
	a.r.Stats.Backtracks += r.Stats.Backtracks
	a.r.LowerBound = max(a.r.LowerBound, r.LowerBound)
	if r.Status == model.Infeasible {
		a.infeasible = true
	}
	if r.Status == model.Optimal {
		a.r.LowerBound = max(a.r.LowerBound, model.HeightOf(a.tl.Problem, r.Offsets))
	}
	if r.Status.HasPlan() {
		if h := model.HeightOf(a.tl.Problem, r.Offsets); h < a.height {
			a.r.Offsets, a.height, a.r.Member = r.Offsets, h, p.Info().Name
		}
	}
	a.report()
	return nil
}

// report tells the caller what stands.
func (a *auto) report() {
	if a.o.Progress == nil {
		return
	}
	q := plan.Progress{LowerBound: a.r.LowerBound, Nodes: a.r.Stats.Nodes, Elapsed: time.Since(a.began)}
	if a.o.Fits(a.height) {
		q.Height = a.height
	}
	a.o.Progress(q)
}

// result is the outcome so far. A plan that does not fit is dropped.
func (a *auto) result() plan.Result {
	switch {
	case a.infeasible:
		a.r.Status, a.r.Plan = model.Infeasible, model.Plan{}
	case !a.o.Fits(a.height):
		a.r.Status, a.r.Plan = model.Unknown, model.Plan{}
	case a.height <= a.r.LowerBound:
		a.r.Status = model.Optimal
	default:
		a.r.Status = model.Feasible
	}
	return a.r
}

// affordable returns how many nodes the first turn of exact search has.
func affordable(tl *timeline.Timeline) int64 {
	var incidences int64
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			incidences += int64(s.Last - s.First)
		}
	}
	return exactEffort / max(1, incidences)
}
