// Package run is how planners are called: the interface of those that work on a
// prepared problem, the bridge from it to the public one, the limits of a run,
// and what follows from a result whatever the planner.
//
// A planner of this repository implements Planner and calls Register from an
// init function. To users it is a plan.Planner as any other; inside, portfolios
// and descents hand the timeline on rather than sweep again.
package run

import (
	"context"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Planner makes plans of prepared problems. What plan.Planner says holds for
// it as well; tl.Problem is the problem itself.
type Planner interface {
	Info() plan.Info
	Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error)
}

// A planner that is Named says its name without a description of itself.
type Named interface{ Name() string }

// Name returns a planner's name.
func Name(p Planner) string {
	if n, ok := p.(Named); ok {
		return n.Name()
	}
	return p.Info().Name
}

// Register makes p known by its name. It panics where the name is taken.
func Register(p Planner) { plan.Register(&sweeping{p}) }

// Lookup returns the planner of that name. The error lists the names there are.
func Lookup(name string) (Planner, error) {
	p, err := plan.Lookup(name)
	if err != nil {
		return nil, err
	}
	return Prepared(p), nil
}

// All returns the registered planners in the order of their names.
func All() []Planner {
	var all []Planner
	for _, p := range plan.All() {
		all = append(all, Prepared(p))
	}
	return all
}

// Prepared returns p as a planner of prepared problems.
func Prepared(p plan.Planner) Planner {
	if s, ok := p.(*sweeping); ok {
		return s.planner
	}
	return &foreign{p}
}

// sweeping lets a planner of prepared problems take any.
type sweeping struct{ planner Planner }

func (s *sweeping) Info() plan.Info { return s.planner.Info() }

func (s *sweeping) Name() string { return Name(s.planner) }

func (s *sweeping) Plan(ctx context.Context, p *model.Problem, o plan.Options) (plan.Result, error) {
	if err := model.Validate(p); err != nil {
		return plan.Result{}, err
	}
	w := NewWatch(ctx)
	defer w.Close()
	tl := timeline.NewUnless(p, w.Over)
	if tl == nil {
		return plan.Result{}, nil // Unknown
	}
	return s.planner.Plan(ctx, tl, o)
}

// foreign is a user's own planner, which sees the problem alone.
type foreign struct{ planner plan.Planner }

func (f *foreign) Info() plan.Info { return f.planner.Info() }

func (f *foreign) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return f.planner.Plan(ctx, tl.Problem, o)
}
