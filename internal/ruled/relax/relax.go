// Package relax is what searches share that keep a rule by problems without it: the questions and their limits, the
// best plan, and what follows from both.
package relax

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a problem without a rule has all plans of the problem with it. So its bounds hold, and if it has no plan, there
// is none. If its plan keeps the rule, that is the answer. Otherwise the search branches, and each branch is a smaller
// problem without the rule.
//
// Invariant: the branches together have all plans that keep the rule. So if none was left open, the best plan is
// proven.
//
// Complexity: at most MostQuestions problems, each with a limit of nodes, and fewQuestions of a few buffers.
//
// Source: branch and bound by relaxation.

const (
	// MostQuestions is the most problems of a search.
	MostQuestions = 300
	// A question of a few buffers takes microseconds, and those in lockstep are not enumerated. So there may be more.
	fewBuffers    = 8
	fewQuestions  = 5_000
	questionNodes = 400_000
)

// A Planner plans a problem without the rule. spent is the effort so far, and the result has the sum.
type Planner func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error)

// Options are those of the run, and what is wanted.
type Options struct {
	plan.Options
	Name  string // of the planner
	Least bool   // whether the best plan is wanted, not any
}

// Search is the state of a search.
type Search struct {
	P         *model.Problem
	O         Options
	Stats     plan.Stats
	First     *plan.Result // of the first question: the problem without the rule
	Best      *plan.Result // nil if no plan that keeps the rule is known
	Cut       bool         // a branch was left open
	planner   Planner
	questions int
}

// Stay returns copies of the buffers. Buffer i may be in pool(i) and in no other.
func Stay(buffers []model.Buffer, pool func(i int) int32) []model.Buffer {
	buffers = slices.Clone(buffers)
	for i := range buffers {
		extra := model.Extra{}
		if buffers[i].Extra != nil {
			extra = *buffers[i].Extra
		}
		extra.Pools = []int32{pool(i)}
		buffers[i].Extra = &extra
	}
	return buffers
}

// New starts a search. spent is the effort so far.
func New(p *model.Problem, o Options, spent plan.Stats, planner Planner) Search {
	return Search{P: p, O: o, Stats: spent, planner: planner}
}

// Ask plans a problem without the rule.
func (x *Search) Ask(ctx context.Context, q *model.Problem) (plan.Result, error) {
	o := x.O.Options
	if nodes := x.Stats.Nodes + questionNodes; o.NodeLimit == 0 || nodes < o.NodeLimit {
		o.NodeLimit = nodes
	}
	if x.questions++; x.questions > 1 {
		o.Turns = nil
	}
	within, end := run.Share(ctx, 3)
	defer end()
	r, err := x.planner(within, q, o, x.Stats)
	if err == nil {
		x.Stats = r.Stats
		if x.First == nil {
			x.First = &r
		}
	}
	return r, err
}

// Over reports whether the search ends, with branches left open.
func (x *Search) Over(ctx context.Context) bool {
	if x.Best != nil && !x.O.Least {
		return true
	}
	most := MostQuestions
	if len(x.P.Buffers) <= fewBuffers && x.O.NodeLimit == 0 {
		most = fewQuestions
	}
	over := x.questions > 0 && (x.questions >= most || ctx.Err() != nil ||
		x.O.NodeLimit > 0 && x.Stats.Nodes >= x.O.NodeLimit)
	x.Cut = x.Cut || over
	return over
}

// Hopes reports whether the bounds of a question allow for a plan that is better than the best.
func (x *Search) Hopes(r *plan.Result) bool {
	if x.Best == nil {
		return true
	}
	for _, b := range r.Bounds {
		if value := model.ValueOf(x.Best.Measures, b.Measure); b.Value != value {
			return b.Value < value
		}
	}
	return len(r.Bounds) == 0
}

// Offer makes a plan that keeps the rule the best, if it is better.
func (x *Search) Offer(r *plan.Result) {
	if x.Best != nil {
		for _, m := range x.P.Objective() {
			if a, b := model.ValueOf(r.Measures, m), model.ValueOf(x.Best.Measures, m); a != b {
				if a > b {
					return
				}
				break
			}
		}
	}
	x.Best = r
}

// Settle offers the plan of a question that keeps the rule. If it is not proven to be the best of its branch, the
// branch is left open.
func (x *Search) Settle(r *plan.Result) {
	x.Offer(r)
	x.Close(r)
}

// Result is the outcome of the search. by names the proof if the rule alone rules out all plans.
func (x *Search) Result(by string) plan.Result {
	r := x.result(by)
	r.Stats = x.Stats
	return r
}

func (x *Search) result(by string) plan.Result {
	switch {
	case x.Best == nil && x.Cut:
		r := plan.Result{Status: model.Unknown, Planner: x.O.Name}
		if x.First != nil {
			r.LowerBound = x.First.LowerBound
		}
		return r
	case x.Best == nil:
		r := plan.Result{Status: model.Infeasible, Planner: x.O.Name, ProvedBy: by}
		if x.First != nil && x.First.Status == model.Infeasible {
			r.ProvedBy, r.LowerBound = x.First.ProvedBy, x.First.LowerBound
		}
		return r
	case !x.O.Least:
		r := *x.Best // its bounds are those of its branch
		r.LowerBound, r.Bounds = min(r.Height, x.First.LowerBound), slices.Clone(x.First.Bounds)
		for k, m := range x.P.Objective() {
			if k == len(r.Bounds) {
				r.Bounds = append(r.Bounds, model.Value{Measure: m})
			}
			if r.Bounds[k].Value < model.ValueOf(r.Measures, m) {
				r.Status, r.ProvedBy = model.Feasible, "" // the best of its branch, perhaps not of all
			}
		}
		return r
	}
	r := *x.Best
	r.Bounds, r.ProvedBy, r.Status = make([]model.Value, len(x.P.Objective())), "", model.Feasible
	r.LowerBound = min(r.Height, x.First.LowerBound)
	proven := true
	for k, m := range x.P.Objective() {
		value, bound := model.ValueOf(r.Measures, m), int64(0)
		switch {
		case !x.Cut:
			bound = value
		case proven && k < len(x.First.Bounds):
			bound = min(value, x.First.Bounds[k].Value)
		}
		r.Bounds[k], proven = model.Value{Measure: m, Value: bound}, proven && bound == value
	}
	if proven {
		r.Status, r.ProvedBy = model.Optimal, x.O.Name
	}
	if m := r.Bounds[0]; m.Measure == model.MeasureHeight {
		r.LowerBound = m.Value
	}
	return r
}
