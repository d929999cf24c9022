// Package cp is the planner cp: the constraint program of the TelaMalloc paper, solved by plain search. It measures
// what the encoding is worth without the paper's heuristics.
//
//	cp.go      the planner: options, partitions, minimising
//	search.go  chronological backtracking over orders or offsets
//	choose.go  which choice is next
package cp

import (
	"context"

	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: plain search over the encoding. Its variables are those of section 5.1 of the TelaMalloc paper: a position
// pos(X) for each buffer, and an order B(X, Y) for each two that overlap, with pos(X) + size(X) <= M, and pos(X) +
// size(X) <= pos(Y) or B(Y, X). internal/planners/pairwise propagates. This package only guesses, by first fail or in
// the input's order, and backtracks to the last guess.
//
// Complexity: exponential in the pairs; a node costs the propagation and a scan of the pairs that are still open.
//
// Source: Maas et al., "TelaMalloc", ASPLOS 2023, section 5.1 and figure 13. The paper's solver is CP-SAT, which learns
// clauses; this one does not, so it says what propagation alone can do. lab/bench/ortools runs CP-SAT itself.
//
// Gaps, windows that interlock, alignment and fixed offsets are all honoured: the engine has them.

func init() { run.Register(planner{}) }

type planner struct{}

// Name returns the planner's name.
func (planner) Name() string { return "cp" }

// Info describes the planner.
func (p planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "constraint program with plain search: pair orders and offsets, propagation, chronological backtracking",
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
	d.Technique(&s.firstFail, "first-fail",
		"branch next on the choice with the fewest offsets left; without it, in input order")
	d.Technique(&s.start, "start", "when minimising, start from the plan of the heuristics")
	d.Choice(&s.branch, "branch", "orders: branch on which buffer of a pair is above; offsets: branch on offsets, lowest first", "orders", "offsets")
}

// Plan searches until it has an answer or a limit comes. Nodes are guesses;
// Seed and Workers are not used. The error is for a problem with too many pairs.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var set settings
	if err := run.Bind("cp", &o, &set); err != nil {
		return plan.Result{}, err
	}
	return descend.RunPairs(ctx, "cp", tl, o, set.start,
		func(b *descend.Budget, part *timeline.Partition) (descend.PairSolver, error) {
			e, err := pairwise.New(b.Watch, tl, part, pairwise.DefaultMaxPairs)
			return &solver{e: e, budget: b, firstFail: set.firstFail, offsets: set.branch == "offsets"}, err
		})
}

// solver answers for one partition.
type solver struct {
	e      *pairwise.Engine
	budget *descend.Budget

	firstFail bool // choose by what is left, not by number
	offsets   bool // guess offsets rather than orders

	frames []frame // scratch of search
}

// Fit searches the partition.
func (s *solver) Fit(height int64) ([]int64, descend.Outcome) {
	e := s.e
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
