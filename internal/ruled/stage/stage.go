// Package stage runs a search that is an ordered list of stages.
package stage

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a search that consists of several searches has one list of stages. The list says what is tried, and in which
// order. All stages share one state. The list ends at the first stage after which nothing is left to look for.
//
// Invariant: a stage never makes the plan worse and never takes a proof back. Each stage sees to that itself.
//
// Complexity: that of the stages.

// A Stage is a part of a search. S is the state that its stages share.
type Stage[S State] struct {
	Name string
	Does string // what the stage tries, in a few words
	// For reports whether the stage has anything to do. nil is always.
	For func(S) bool
	Run func(S, context.Context) error
	// Nested says that the stage has a list of its own. Turns then are reported for the stages of that list.
	Nested bool
}

// A State is what the stages of one search share.
type State interface {
	// Done reports whether nothing is left to look for.
	Done() bool
	// Turn says how far the search is: all of its nodes so far, the height of its plan, and its bound.
	Turn() plan.Turn
}

// Run runs the stages in their order until the state is done. tell, unless it is nil, gets a turn for each stage that
// has run.
func Run[S State](ctx context.Context, s S, stages []Stage[S], tell func(plan.Turn)) error {
	for k := range stages {
		x := &stages[k]
		if s.Done() {
			return nil
		}
		if x.For != nil && !x.For(s) {
			continue
		}
		if tell == nil || x.Nested {
			if err := x.Run(s, ctx); err != nil {
				return err
			}
			continue
		}
		before, began := s.Turn().Nodes, time.Now()
		if err := x.Run(s, ctx); err != nil {
			return err
		}
		t := s.Turn()
		t.Planner, t.Reason, t.Nodes, t.Elapsed = x.Name, x.Does, t.Nodes-before, time.Since(began)
		tell(t)
	}
	return nil
}
