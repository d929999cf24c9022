package ruled_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// divided returns the buffers of a problem in one pool that is divided into objects.
func divided(p *model.Problem, objective ...model.Measure) *model.Problem {
	q := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "textures", Objects: true}}, Objective: objective}}
	for _, b := range p.Buffers {
		b.Extra = nil
		q.Buffers = append(q.Buffers, b)
	}
	return q
}

// valuesOf returns the measures of the objective, and whether they are proven.
func valuesOf(p *model.Problem, r *plan.Result) (values []int64, proven bool) {
	if proven = r.Status == model.Optimal || r.Status == model.Infeasible; !r.Status.HasPlan() {
		return nil, proven
	}
	for k, m := range p.Objective() {
		values = append(values, model.ValueOf(r.Measures, m))
		proven = proven && r.Bounds[k].Value == values[k]
	}
	return values, proven
}

// TestObjects plans problems of 50 buffers as objects. Their least heights are those of an integer program.
func TestObjects(t *testing.T) {
	auto := run.Prepared(must.Get(plan.Find("auto"))(t))
	for name, want := range map[string][2]int64{"obj_s11": {1324, 14}, "obj_s12": {1272, 15}, "obj_s14": {1188, 14}} {
		height, objects := model.MeasureHeight, model.MeasureObjects
		for _, x := range []struct {
			objective []model.Measure
			want      []int64
		}{
			{[]model.Measure{height}, want[:1]},
			{[]model.Measure{height, objects}, want[:]},
			{[]model.Measure{objects, height}, []int64{want[1], want[0]}},
		} {
			p := divided(read(t, name), x.objective...)
			r := must.Get(ruled.Solve(context.Background(), p, auto, plan.Options{}))(t)
			if values, proven := valuesOf(p, &r); !proven || !slices.Equal(values, x.want) {
				t.Errorf("%s, %v: %v, proven %v, want %v", name, x.objective, values, proven, x.want)
			}
			if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
				t.Errorf("%s, %v: %s", name, x.objective, report.Violations[0].Message)
			}
		}
		// Within the least height there is a plan, and within one byte less there is none.
		for less, status := range map[int64]model.Status{0: model.Feasible, 1: model.Infeasible} {
			p := divided(read(t, name), model.MeasurePenalty)
			p.Rules.Pools[0].Capacity = want[0] - less
			r := must.Get(ruled.Solve(context.Background(), p, auto, plan.Options{}))(t)
			if r.Status.HasPlan() != status.HasPlan() || !r.Status.HasPlan() && r.Status != status {
				t.Errorf("%s, capacity %d: %v", name, p.Rules.Pools[0].Capacity, r.Status)
			}
		}
	}
}

// TestObjectsEqualBruteForce compares problems in which pools are divided into objects with brute force.
func TestObjectsEqualBruteForce(t *testing.T) { equalBruteForce(t, "objects") }

// TestExtentsEqualBruteForce does the same if sizes have several dimensions.
func TestExtentsEqualBruteForce(t *testing.T) { equalBruteForce(t, "extents") }

func equalBruteForce(t *testing.T, feature string) {
	exact := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 9))
	total, none, open, dropped, counted := 0, 0, 0, 0, 0
	for total < plantest.Share(4_000, 1_000, 200) {
		p := drawn.Bank(r, feature)
		best, _, decided := oracle.Best(p, 20_000)
		if !decided {
			continue
		}
		total++
		without := drawn.Without(p, feature)
		if free, _, ok := oracle.Best(without, 20_000); ok && len(without.Rules.Objective) == len(p.Rules.Objective) &&
			!slices.Equal(free, best) {
			dropped++
		}
		if slices.Contains(p.Objective(), model.MeasureObjects) && best != nil {
			counted++
		}
		for _, o := range []plan.Options{{Minimize: true}, {Minimize: true, NodeLimit: 1 + r.Int64N(60)}} {
			got := must.Get(ruled.Solve(context.Background(), p, exact, o))(t)
			values, proven := valuesOf(p, &got)
			fail := func(why string) {
				t.Fatalf("%s: %v %v, best %v, bounds %v\n%s", why, got.Status, values, best, got.Bounds, drawn.DescribeRuled(p))
			}
			switch {
			case best == nil && values != nil, got.Status == model.Infeasible && best != nil:
				fail("brute force says otherwise")
			case proven && !slices.Equal(values, best):
				fail("not the best")
			case values == nil:
			case slices.Compare(values, best) < 0:
				fail("better than the best")
			case !oracle.Legal(p, &got.Plan) || !verify.CheckMeasures(p, &got.Plan, got.Measures).OK():
				fail("not legal")
			}
			if o.NodeLimit == 0 && !proven {
				open++
			}
		}
		if best == nil {
			none++
		}
	}
	t.Logf("%d problems, %d without a plan, %d open, %d with another answer without %s, %d count objects", total, none, open,
		dropped, feature, counted)
	if open > total/50 || none < total/10 || dropped < total/20 || counted < total/20 {
		t.Error("lopsided")
	}
}
