// Package exact is the planner `exact`: exact search (package engine) that has a turn of package merge after each of
// its rounds. merge itself plans with the engine, so the code that combines the two stands above both.
package exact

import (
	"context"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.RegisterWith(&Planner{}, true, engine.Settings) }

// Planner is the planner `exact`. Its zero value is ready to use.
type Planner struct{}

// Name returns the planner's name.
func (*Planner) Name() string { return engine.Name }

// Help is what proves: small problems with rules are enumerated.
func (*Planner) Help() run.Help { return run.HelpEnumerate }

// Info describes the planner.
func (*Planner) Info() plan.Info { return (&engine.Planner{}).Info() }

// Plan searches for a plan that fits the capacity, or for the lowest.
func (*Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return (&engine.Planner{Composites: &merge.Planner{}}).Plan(ctx, tl, o)
}
