package pools

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// paying draws buffers that live together, in a pool with room for about half of them. Most pairs may overlap at a
// price.
func paying(r *rand.Rand) *model.Problem {
	p := &model.Problem{
		Capacity: 6 + r.Int64N(5), Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty, model.MeasureHeight}},
	}
	for i := range int32(4 + r.IntN(2)) {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: string(rune('a' + i)), Upper: 1, Size: 1 + r.Int64N(5), Alignment: 1 + r.Int64N(3)})
		for j := range i {
			if r.IntN(4) > 0 {
				p.Rules.MayOverlap = append(p.Rules.MayOverlap, model.Pair{j, i})
				p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{Buffers: model.Pair{j, i}, Cost: 1 + r.Int64N(2)})
			}
		}
	}
	return p
}

// TestMeasuresInTurn compares plans of one pool with brute force: penalty and height in either order, beside reserved
// ranges, and in a third of the runs with an early end. A bound of the second measure must hold for every plan with
// the best value of the first.
func TestMeasuresInTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 26))
	counts, paid := map[model.Status]int{}, 0
	for n := range plantest.Share(4_000, 900, 500) {
		p := drawn.OnePool(r)
		p.Rules.Objective = [][]model.Measure{
			{model.MeasurePenalty, model.MeasureHeight}, {model.MeasureHeight, model.MeasurePenalty}, {model.MeasureHeight},
		}[n%3]
		if n%3 == 0 { // most must pay, and can choose for what
			p = paying(r)
		} else if len(p.Rules.Pools) == 1 && r.IntN(2) == 0 {
			q := &p.Rules.Pools[0]
			q.Reserved = append(slices.Clone(q.Reserved), model.Range{Lower: 5, Upper: 6}, model.Range{Lower: 9, Upper: 10})
			q.Capacity = max(q.Capacity, 12)
		}
		if model.Validate(p) != nil {
			continue
		}
		best, _, decided := oracle.Ruled(p, 100_000)
		if !decided {
			continue
		}
		name, ctx := []string{"exact", "auto"}[r.IntN(2)], context.Background()
		if n%4 == 0 {
			ctx = run.EndAtLook(ctx, r.Int64N(25))
		}
		known := must.Get(plan.Find(name))(t)
		s := New(lower.New(p), run.Prepared(known), plan.Options{Minimize: true}, plan.Stats{})
		got := must.Get(s.Plan(ctx, make([]int32, len(p.Buffers))))(t)
		counts[got.Status]++
		if !got.Status.HasPlan() {
			if got.Status == model.Infeasible && best != nil {
				t.Fatalf("a false infeasible\n%s", drawn.DescribeRuled(p))
			}
			continue
		}
		var values []int64
		for k, m := range p.Objective() {
			values = append(values, model.ValueOf(got.Measures, m))
			if slices.Equal(values[:k], best[:k]) && got.Bounds[k].Value > best[k] {
				t.Fatalf("%s: the bounds are %v, brute force has %v\n%s", name, got.Bounds, best, drawn.DescribeRuled(p))
			}
		}
		if c := slices.Compare(values, best); c < 0 || got.Status == model.Optimal && c > 0 {
			t.Fatalf("%s: %v with %v, brute force has %v\n%s", name, got.Status, values, best, drawn.DescribeRuled(p))
		}
		if values[0] > 0 && n%3 == 0 {
			paid++
		}
	}
	if t.Log(counts, paid); counts[model.Optimal] < 100 || paid < 5 {
		t.Errorf("the test is lopsided: %v, %d pay", counts, paid)
	}
}
