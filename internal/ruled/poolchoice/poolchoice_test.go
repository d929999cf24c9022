package poolchoice

import (
	"context"
	"strconv"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// find returns a planner.
func find(t *testing.T, name string) run.Planner {
	t.Helper()
	known := must.Get(plan.Find(name))(t)
	return run.Prepared(known)
}

// chooserOf prepares the choice of a problem; ok is false if loads or pools alone leave no plan.
func chooserOf(p *model.Problem, planner run.Planner) (c *chooser, ok bool) {
	l := lower.New(p)
	s := pools.New(l, planner, plan.Options{Minimize: true}, plan.Stats{})
	s.KeepAnswers()
	sets := places.Find(p, l.Conflicts)
	choices, why := assign.New(l, sets)
	if why != "" {
		return nil, false
	}
	return &chooser{
		lowering: l, plans: s, sets: sets, loads: choices, planner: planner.Name(),
		costFirst: p.Objective()[0] == model.MeasureCost,
		again: func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
			return Plan(ctx, p, planner, o, spent)
		},
	}, true
}

// never is a limit that does not come.
func never() bool { return false }

// each calls do for every assignment whose loads fit.
func each(c *assign.Choices, do func(of assign.Assignment)) {
	room, of := c.RoomOf(nil), make(assign.Assignment, len(c.Bodies)-c.Single)
	var descend func(k int)
	descend = func(k int) {
		if k == len(of) {
			do(of)
			return
		}
		b := &c.Bodies[c.Single+k]
		for n := range b.Pools {
			of[k] = int32(n)
			if b.Take(n, room, 1) {
				descend(k + 1)
			}
			b.Take(n, room, -1)
		}
	}
	descend(0)
}

// TestCells: a buffer of 17 bytes at multiples of 16 takes two cells, so two of them do not fit into 48 bytes.
func TestCells(t *testing.T) {
	solve := func(capacity int64, reserved ...model.Range) plan.Result {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: capacity, Alignment: 16, Reserved: reserved}, {ID: "y", Capacity: 16},
		}}}
		for i := range 2 {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: 17, Upper: 1})
		}
		return must.Get(Plan(context.Background(), p, find(t, "exact"), plan.Options{Minimize: true}, plan.Stats{}))(t)
	}
	if r := solve(48); r.Status != model.Infeasible {
		t.Errorf("48 bytes: %v", r.Status)
	}
	if r := solve(49); r.Status != model.Optimal || r.Height != 49 {
		t.Errorf("49 bytes: %v, %d", r.Status, r.Height)
	}
}
