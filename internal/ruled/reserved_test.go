package ruled_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// counted counts how often a planner is asked.
type counted struct {
	run.Planner
	runs int
}

func (c *counted) Help() run.Help { return run.HelpOf(c.Planner) }

func (c *counted) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	c.runs++
	return c.Planner.Plan(ctx, tl, o)
}

// TestManyReserved has thousands of reserved ranges with holes of 50 between, and a buffer of 51 that fits above the
// last. Each hole must not be a question for the planner, so the questions are counted.
func TestManyReserved(t *testing.T) {
	holes := func(capacity int64) *model.Problem {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "p", Capacity: capacity}}}}
		for k := range int64(3000) {
			p.Rules.Pools[0].Reserved = append(p.Rules.Pools[0].Reserved, model.Range{Lower: 100 * k, Upper: 100*k + 50})
		}
		for i := range 300 {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Lower: 0, Upper: 5, Size: 50})
		}
		p.Buffers = append(p.Buffers, model.Buffer{ID: "x", Lower: 0, Upper: 4, Size: 51})
		return p
	}
	known := must.Get(plan.Find("auto"))(t)
	solve := func(p *model.Problem, o plan.Options) plan.Result {
		asked := &counted{Planner: run.Prepared(known)}
		r := must.Get(ruled.Solve(context.Background(), p, asked, o))(t)
		if r.Status.HasPlan() {
			if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
				t.Fatal(report.Violations[0].Message)
			}
		}
		if t.Log(asked.runs, "runs"); asked.runs > 12 {
			t.Errorf("the planner was asked %d times", asked.runs)
		}
		return r
	}
	if r := solve(holes(400_000), plan.Options{Minimize: true}); r.Status != model.Optimal || r.Height != 299_950+51 {
		t.Errorf("%v, height %d", r.Status, r.Height)
	}
	if r := solve(holes(300_000), plan.Options{}); r.Status != model.Infeasible {
		t.Errorf("%v, where x fits nowhere", r.Status)
	}
	// Two buffers of 26 do not fit a hole of 50, which loads do not see. So from the 157th case on the planner decides.
	p := holes(400_000)
	for i := range p.Buffers {
		p.Buffers[i].Size = 26
	}
	if r := solve(p, plan.Options{NodeLimit: 1}); !r.Status.HasPlan() {
		t.Errorf("%v after a node", r.Status)
	}
	if r := solve(p, plan.Options{Timeout: time.Nanosecond}); !r.Status.HasPlan() {
		t.Errorf("%v after no time", r.Status)
	}
}
