package ruled_test

import (
	"context"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// timed notes the timeout of the last question.
type timed struct {
	plain
	timeout time.Duration
}

func (x *timed) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	x.timeout = o.Timeout
	return x.plain.Plan(ctx, tl, o)
}

// TestSingle: one question about one pool has the timeout of the run, so the planner takes all the time. A question among
// several has none, and ends by itself.
func TestSingle(t *testing.T) {
	for name, c := range map[string]struct {
		rules  model.Rules
		single bool
	}{
		"apart":     {model.Rules{}, true},
		"period":    {model.Rules{Period: 100}, true},
		"reserved":  {model.Rules{Pools: []model.Pool{{ID: "a", Reserved: []model.Range{{Lower: 1000, Upper: 1001}}}}}, false},
		"two pools": {model.Rules{Pools: []model.Pool{{ID: "a", Capacity: 1 << 20}, {ID: "b", Capacity: 1 << 20}}}, false},
		"penalties": {model.Rules{Penalties: []model.Penalty{{Buffers: model.Pair{0, 10}, Cost: 1}}}, false},
		"objective": {model.Rules{Objective: []model.Measure{model.MeasureHeight, model.MeasureCost}}, false},
	} {
		p := &model.Problem{Rules: &c.rules}
		for i := range int64(40) {
			p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + i)), Lower: i, Upper: i + 4, Size: 1 + i%7})
		}
		p.Rules.Apart = []model.Pair{{0, 20}}
		x := &timed{}
		const limit = time.Hour
		must.Get(ruled.Solve(t.Context(), p, x, plan.Options{Timeout: limit, Minimize: true}))(t)
		if want := map[bool]time.Duration{true: limit}[c.single]; x.timeout != want {
			t.Errorf("%s: a timeout of %v, want %v", name, x.timeout, want)
		}
	}
}
