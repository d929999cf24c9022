package run

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// users is a planner of a user's own.
type users struct{}

func (users) Info() plan.Info { return plan.Info{Name: "users"} }

func (users) Plan(context.Context, *model.Problem, plan.Options) (plan.Result, error) {
	return plan.Result{}, nil
}

// TestTimeline: planners of this repository get a repeating step turned, so that no life has a gap. A user's planner
// gets the problem itself.
func TestTimeline(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "state", Upper: 10, Size: 4, Gaps: []model.Gap{{Lower: 2, Upper: 6}}}, {ID: "x", Lower: 1, Upper: 5, Size: 3},
	}}
	if tl := Timeline(puppet{name: "ours"}, p, nil); tl.HasGaps() || tl.Problem == p || len(p.Buffers[0].Gaps) != 1 {
		t.Errorf("not turned: %+v", tl.Problem)
	}
	if tl := Timeline(Prepared(&plan.Registration{Name: "users", Planner: users{}}), p, nil); tl.Problem != p {
		t.Errorf("turned for a user's planner: %+v", tl.Problem)
	}
}
