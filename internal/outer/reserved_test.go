package outer_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestManyReserved has thousands of reserved ranges with holes of 50 between, and a buffer of 51 that fits above the last. Each hole
// was a question for the planner: the run took its whole time, and half as much beyond, and ended without a plan or a proof.
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
	solve := func(p *model.Problem, o plan.Options) (r *stowage.Result) {
		took := processor.Of(func() {
			var err error
			if r, err = stowage.Solve(context.Background(), p, o); err != nil {
				t.Fatal(err)
			}
		})
		if took > 2*time.Second {
			t.Errorf("took %v", took)
		}
		return r
	}
	if r := solve(holes(400_000), plan.Options{Minimize: true}); r.Status != model.Optimal || r.Height != 299_950+51 {
		t.Errorf("%v, height %d", r.Status, r.Height)
	}
	if r := solve(holes(300_000), plan.Options{}); r.Status != model.Infeasible {
		t.Errorf("%v, where x fits nowhere", r.Status)
	}
	// Two of 26 share no hole of 50, which loads do not see. So from the 157th case on it is up to the planner.
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
