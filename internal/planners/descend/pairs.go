package descend

import (
	"context"
	"errors"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: planners that keep a table of conflicting pairs share this file. It refuses a problem with too many pairs. A
// partition is encoded when it is first asked for, in units of the encoding.

// A PairSolver answers for one partition as Searcher does for all: RunPairs asks it in
// bytes, Encoded in units of the encoding.
type PairSolver interface {
	Fit(height int64) ([]int64, Outcome)
}

// RunPairs is Run for a planner of that name whose solvers stand on the pairs of a partition. build makes the solver of
// a partition; it returns nil if a limit comes. The error is for too many pairs.
func RunPairs(ctx context.Context, name string, tl *timeline.Timeline, o plan.Options, start bool,
	build func(b *Budget, part *timeline.Partition) (PairSolver, error),
) (plan.Result, error) {
	if err := pairwise.Admit(tl, tl.Partitions, pairwise.DefaultMaxPairs); err != nil {
		return plan.Result{}, tooMany(name, err)
	}
	budget := NewBudget(ctx, o)
	defer budget.Close()
	s := &pairs{name: name, tl: tl, budget: budget, solvers: make([]PairSolver, len(tl.Partitions)), build: build}
	r := Run(ctx, tl, o, s, budget, bound.Step(tl.Problem), start)
	return r, s.err
}

func tooMany(name string, err error) error {
	return plan.Unsupported(name, "cannot take this problem: "+err.Error())
}

// Encoded makes build of RunPairs from one for the encoding of a partition, which reports false if a limit comes.
func Encoded(tl *timeline.Timeline,
	build func(b *Budget, part *timeline.Partition, e *pairwise.Encoding) (PairSolver, bool)) func(*Budget,
	*timeline.Partition) (PairSolver, error) {
	return func(b *Budget, part *timeline.Partition) (PairSolver, error) {
		e, err := pairwise.Encode(b.Watch, tl, part.Buffers, pairwise.DefaultMaxPairs)
		if err != nil {
			return nil, err
		}
		if s, ok := build(b, part, e); ok {
			return inUnits{s, e}, nil
		}
		return nil, nil
	}
}

// inUnits turns bytes into units and back.
type inUnits struct {
	solver PairSolver
	e      *pairwise.Encoding
}

// Fit asks the solver in units.
func (s inUnits) Fit(height int64) ([]int64, Outcome) {
	units, out := s.solver.Fit(height / s.e.Unit)
	if out != Found {
		return nil, out
	}
	return s.e.Bytes(units), out
}

// pairs answers for the partitions of a timeline.
type pairs struct {
	name    string
	tl      *timeline.Timeline
	budget  *Budget
	solvers []PairSolver // by partition, built on demand
	build   func(b *Budget, part *timeline.Partition) (PairSolver, error)
	err     error // a partition is too dense
}

// Fit searches partition k.
func (p *pairs) Fit(k int, height int64) ([]int64, Outcome) {
	s := p.solvers[k]
	if s == nil {
		var err error
		if s, err = p.build(p.budget, &p.tl.Partitions[k]); err != nil && !errors.Is(err, pairwise.ErrLimit) {
			p.err = tooMany(p.name, err)
		}
		if err != nil || s == nil {
			return nil, Stopped
		}
		p.solvers[k] = s
	}
	return s.Fit(height)
}
