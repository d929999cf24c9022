package ruled_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// plain refuses fixed offsets and windows, as some planners do.
type plain struct{}

func (plain) Name() string { return "plain" }

func (plain) Info() plan.Info { return plan.Info{Name: "plain"} }

func (plain) Plan(_ context.Context, tl *timeline.Timeline, _ plan.Options) (plan.Result, error) {
	for i := range tl.Problem.Buffers {
		b := &tl.Problem.Buffers[i]
		if b.Fixed != nil {
			return plan.Result{}, plan.Unsupported("plain", "cannot honour fixed offsets: buffer "+b.ID+" has one")
		}
		if b.HasWindow() {
			return plan.Result{}, plan.Unsupported("plain", "cannot honour gaps with windows: buffer "+b.ID+" has one")
		}
	}
	return plan.NewResult(model.Feasible, make([]int64, len(tl.Problem.Buffers))), nil
}

// TestRefusal checks that a refusal names what the user wrote.
func TestRefusal(t *testing.T) {
	at := int64(8)
	for _, tc := range []struct {
		want string
		make func(p *model.Problem)
	}{
		{"plain cannot honour reserved ranges", func(p *model.Problem) {
			p.Rules.Pools = []model.Pool{{ID: "x", Reserved: []model.Range{{Lower: 4, Upper: 6}}}}
		}},
		{"plain cannot honour fixed offsets: buffer b", func(p *model.Problem) {
			p.Rules.Pools = []model.Pool{{ID: "x", Reserved: []model.Range{{Lower: 4, Upper: 6}}}}
			p.Buffers[1].Fixed = &at
		}},
		{"plain cannot honour distances", func(p *model.Problem) {
			p.Rules.Distances = []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 2}}
		}},
		{"plain cannot honour buffers that are tied", func(p *model.Problem) {
			p.Buffers[1].Lower, p.Buffers[1].Upper = 4, 6
			p.Rules.Together = []model.Together{{Buffers: []int32{0, 1}, At: []int64{0, 2}}}
		}},
		{"plain cannot honour gaps with windows: buffer a", func(p *model.Problem) {
			p.Buffers[0].Gaps = []model.Gap{{Lower: 1, Upper: 2, Window: &model.Window{Lower: 0, Upper: 1}}}
			p.Rules.Distances = []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 2}}
		}},
		{"plain cannot honour fixed offsets: buffer c", func(p *model.Problem) {
			p.Buffers[2].Extra = &model.Extra{Evictions: []model.Eviction{{Lower: 2, Upper: 3, Cost: 1}}}
			p.Buffers[2].Fixed = &at
		}},
	} {
		p := &model.Problem{Rules: &model.Rules{}, Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 3, Size: 4},
			{ID: "b", Lower: 2, Upper: 5, Size: 4},
			{ID: "c", Lower: 1, Upper: 5, Size: 4},
		}}
		tc.make(p)
		if err := model.Validate(p); err != nil {
			t.Fatal(err)
		}
		_, err := ruled.Solve(context.Background(), p, run.Planner(plain{}), plan.Options{})
		if !errors.Is(err, plan.ErrUnsupported) || !strings.Contains(err.Error(), "planner "+tc.want) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
}
