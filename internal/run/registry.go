// Package run calls planners. It has the interface of planners that work on a prepared problem (a timeline), the bridge
// from it to the public one, the limits of a run, and the conclusions that follow from a result for every planner.
//
// A planner of this repository implements Planner and calls Register from an init function; internal/planners/sweep is
// a small example. Users see it as a plan.Planner. Inside the repository, a planner that calls another one passes the
// timeline on and does not compute it again.
package run

import (
	"context"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Planner makes plans of prepared problems. The contract of plan.Planner holds for it.
// tl.Problem is the problem itself, or the problem turned (see Timeline). Name is the name in Info.
//
// The capacity is o.Capacity, not the problem's. Plan honours alignments, gaps, windows and fixed offsets, or returns
// an error that names what it does not support. If the context ends, it returns the best plan so far.
type Planner interface {
	Name() string
	Info() plan.Info
	Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error)
}

// A Ruler is a planner that takes problems with rules as they are. For others internal/ruled makes plain problems of
// them. taken is false if that must be done for this run, too. The result is complete: measures, bounds, who proved it
// and why it ended.
type Ruler interface {
	Rules(ctx context.Context, p *model.Problem, o plan.Options) (r plan.Result, taken bool, err error)
}

// A Keeper is a planner that can keep its memory from run to run.
type Keeper interface {
	Planner
	// Keep returns the planner with a memory, for one goroutine. The offsets of a run are of use until the next run.
	Keep() Kept
}

// Kept is a planner with a memory.
type Kept interface {
	Planner
	// Forget lets go of the problem, and keeps the memory.
	Forget()
}

// Help is what may answer questions about problems with rules in a planner's name. None of it is a planner.
type Help uint8

const (
	HelpEnumerate Help = 1 << iota // internal/ruled/enumerate completes answers about small problems
	HelpStack                      // internal/ruled/stackdp answers about a pool that is left undecided
	HelpGraph                      // internal/ruled/conflictgraph plans on the graph of conflicts, if time is no line
)

// HelpOf returns the help that a planner takes. A planner says so with a method Help. Others answer for themselves.
func HelpOf(p Planner) Help {
	if h, ok := p.(interface{ Help() Help }); ok {
		return h.Help()
	}
	return 0
}

// Register makes p known by its name. It panics if the name is taken.
func Register(p Planner) {
	plan.RegisterAs(&plan.Registration{
		Name: p.Name(), Planner: &bridge{p},
		Exact: func() bool { return p.Info().Exact },
		Check: func(o *plan.Options) error { return plan.CheckOptions(p.Info(), *o) },
	})
}

// RegisterWith is Register for a planner that passes its settings. Its options are then
// checked without a plan.Info, which would cost each run some microseconds.
func RegisterWith(p Planner, exact bool, fresh func() Settings) {
	plan.RegisterAs(&plan.Registration{
		Name: p.Name(), Planner: &bridge{p},
		Exact: func() bool { return exact },
		Check: func(o *plan.Options) error {
			if len(o.Without)+len(o.Params) == 0 {
				return nil // no planner refuses its defaults
			}
			return Bind(p.Name(), o, fresh())
		},
	})
}

// Lookup returns the planner of that name. The error lists the registered names.
func Lookup(name string) (Planner, error) {
	r, err := plan.Find(name)
	if err != nil {
		return nil, err
	}
	return Prepared(r), nil
}

// All returns the registered planners in the order of their names.
func All() []Planner {
	var all []Planner
	for _, name := range plan.Names() {
		p, _ := Lookup(name)
		all = append(all, p)
	}
	return all
}

// Prepared returns a registered planner as a planner of prepared problems.
func Prepared(r *plan.Registration) Planner {
	if s, ok := r.Planner.(*bridge); ok {
		return s.planner
	}
	return &foreign{r}
}

// Timeline prepares a problem without rules for a planner of this repository. If the problem is a step that repeats,
// its time begins where the fewest bytes are live (lower.Turned). The plans are the same, and the times of the timeline
// are not. A user's own planner gets the problem as it is. over is as for timeline.NewUnless; if the limit comes, the
// result is nil.
func Timeline(planner Planner, p *model.Problem, over func() bool) *timeline.Timeline {
	return TimelineIn(new(timeline.Memory), planner, p, over)
}

// TimelineIn is Timeline in a memory.
func TimelineIn(m *timeline.Memory, planner Planner, p *model.Problem, over func() bool) *timeline.Timeline {
	if _, own := planner.(*foreign); !own {
		p = lower.Turned(p)
	}
	return m.New(p, over)
}

// bridge makes a plan.Planner of a planner of prepared problems: it computes the timeline.
type bridge struct{ planner Planner }

func (s *bridge) Info() plan.Info { return s.planner.Info() }

func (s *bridge) Plan(ctx context.Context, p *model.Problem, o plan.Options) (plan.Result, error) {
	if err := model.Validate(p); err != nil {
		return plan.Result{}, err
	}
	w := NewWatch(ctx)
	defer w.Close()
	tl := Timeline(s.planner, p, w.Over)
	if tl == nil {
		return plan.Result{}, nil // Unknown
	}
	return s.planner.Plan(ctx, tl, o)
}

// foreign is a user's own planner, which gets only the problem.
type foreign struct{ *plan.Registration }

func (f *foreign) Name() string { return f.Registration.Name }

func (f *foreign) Info() plan.Info { return f.Planner.Info() }

func (f *foreign) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return f.Registration.Plan(ctx, tl.Problem, o)
}
