// Package cp is the planner cp: the constraint program of the TelaMalloc paper
// without TelaMalloc, solved by plain search. It measures what the encoding is
// worth without domain heuristics.
//
//	cp.go      the planner: options, partitions, minimising
//	search.go  chronological backtracking over orders or offsets
//	choose.go  which choice is next
package cp

import (
	"context"
	"errors"

	"github.com/stowage-go/stowage/internal/baseline/descend"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: hand the encoding to a solver and let it be. The choices are those of
// section 5.1 of the TelaMalloc paper: a position pos(X) for each buffer and an
// order B(X, Y) for each two that overlap, with pos(X) + size(X) <= M and
// pos(X) + size(X) <= pos(Y) or B(Y, X). internal/pairwise propagates between
// them; this package only guesses, first fail and in the input's order, and
// backtracks to the last guess.
//
// Complexity: exponential in the pairs; a node costs the propagation and a scan
// of the pairs that are still open.
//
// Source: Maas et al., "TelaMalloc", ASPLOS 2023, section 5.1 and figure 13. The
// paper's solver is CP-SAT, which learns clauses; this one does not, so it says
// what propagation alone can do. bench/ortools runs CP-SAT itself.
//
// Gaps, windows that interlock, alignment and fixed offsets are all honoured:
// the engine has them.

func init() { run.Register(planner{}) }

type planner struct{}

// Info describes the planner.
func (planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    "cp",
		Summary: "the constraint program alone: orders and offsets, propagation, chronological backtracking",
		Source:  "Maas et al., TelaMalloc, ASPLOS 2023, section 5.1",
		Exact:   true,
	}, func() run.Settings { return new(settings) })
}

// settings are what can be set.
type settings struct {
	firstFail bool // choose by what is left, not by number
	start     bool
	branch    string
}

// Declare lists the techniques and the parameter.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.firstFail, "first-fail", "choose next where the fewest offsets are left, not in the input's order")
	d.Technique(&s.start, "start", "minimise from the plan of the heuristics")
	d.Choice(&s.branch, "branch", "orders: guess who lies above whom, offsets follow; offsets: guess offsets, lowest first, orders follow", "orders", "offsets")
}

// Plan searches until it has an answer or a limit comes. Nodes are guesses;
// Seed and Workers are not used. The error is for a problem with too many pairs.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var set settings
	if err := run.Bind("cp", &o, &set); err != nil {
		return plan.Result{}, err
	}
	if err := pairwise.Admit(tl, tl.Partitions, pairwise.DefaultMaxPairs); err != nil {
		return plan.Result{}, plan.Unsupported("cp", "takes no such problem: "+err.Error())
	}
	budget := descend.NewBudget(ctx, o)
	defer budget.Close()
	s := &solver{tl: tl, budget: budget, engines: make([]*pairwise.Engine, len(tl.Partitions)), firstFail: set.firstFail, offsets: set.branch == "offsets"}
	r := descend.Run(ctx, tl, o, s, s.budget, bound.Step(tl.Problem), set.start)
	return r, s.err
}

// solver answers for the partitions of one timeline.
type solver struct {
	tl      *timeline.Timeline
	budget  *descend.Budget
	engines []*pairwise.Engine // by partition, built on demand
	err     error              // a partition is too dense

	firstFail bool // choose by what is left, not by number
	offsets   bool // guess offsets rather than orders

	frames []frame // scratch of search
}

// Fit searches partition k.
func (s *solver) Fit(k int, height int64) ([]int64, descend.Outcome) {
	e := s.engines[k]
	if e == nil {
		var err error
		if e, err = pairwise.New(s.budget.Watch, s.tl, &s.tl.Partitions[k], pairwise.DefaultMaxPairs); err != nil {
			if !errors.Is(err, pairwise.ErrLimit) {
				s.err = plan.Unsupported("cp", "takes no such problem: "+err.Error())
			}
			return nil, descend.Stopped
		}
		s.engines[k] = e
	}
	if !e.Reset(height) {
		return nil, descend.Refuted
	}
	out := s.search(e)
	if out != descend.Found {
		return nil, out
	}
	at := make([]int64, e.Len())
	for j := range at {
		at[j], _ = e.Range(int32(j))
	}
	return at, out
}
