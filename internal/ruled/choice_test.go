package ruled_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestChoice compares answers for several pools with brute force.
func TestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 20))
	counts := map[model.Status]int{}
	for range plantest.Share(15_000, 1_500, 500) {
		counts[check(t, r, drawn.Pooled(r))]++
	}
	t.Log(counts)
	if counts[model.Optimal] < 5*counts[model.Feasible] || 10*counts[model.Infeasible] < counts[model.Optimal] {
		t.Errorf("the test is lopsided: %v", counts)
	}
}

// TestNothingRidesFree: no body is in a dearer pool if a cheaper one still has room for it.
func TestNothingRidesFree(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 21))
	looked := 0
	for n := range plantest.Share(2_400, 600, 200) {
		p := drawn.Pooled(r)
		if n%8 == 0 {
			p = banked(r)
		}
		p.Rules.Objective = [][]model.Measure{nil, {model.MeasureCost}, {model.MeasureCost, model.MeasurePenalty}}[n%3]
		known := must.Get(plan.Find([]string{"auto", "first-fit"}[r.IntN(2)]))(t)
		// Few nodes leave the most to find at the end.
		got, err := ruled.Solve(context.Background(), p, run.Prepared(known),
			plan.Options{Minimize: true, NodeLimit: 1 + r.Int64N(20)})
		if err != nil && !errors.Is(err, plan.ErrUnsupported) {
			t.Fatal(err)
		}
		if err != nil || !got.Status.HasPlan() {
			continue
		}
		body, _, _ := model.BodiesOf(p)
		for i := range p.Buffers {
			looked += ride(t, p, got.Plan, i, body)
		}
	}
	if t.Log(looked, "places"); looked < 500 {
		t.Errorf("%d places have been looked at", looked)
	}
}

// banked draws buffers for three banks with costs of their own.
func banked(r *rand.Rand) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
		{ID: "tcm", Capacity: 40 + r.Int64N(40), Alignment: 4, Reserved: []model.Range{{Lower: 8, Upper: 13}}},
		{ID: "sram", Capacity: 90, Cost: 2},
		{ID: "dram", Alignment: 16, Cost: 5},
	}}}
	for i := range 30 {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 1 + r.Int64N(25), Lower: r.Int64N(30)}
		b.Upper = b.Lower + 1 + r.Int64N(9)
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// ride tries every place for the body of buffer i in every cheaper pool. It returns how many there were.
func ride(t *testing.T, p *model.Problem, got model.Plan, i int, body []int32) (looked int) {
	t.Helper()
	cost := func(pool int32) (sum int64, may bool) {
		may = true
		for j := range p.Buffers {
			if j == i || body != nil && body[j] == body[i] {
				sum += p.Buffers[j].CostIn(p.Rules.Pools, pool)
				may = may && p.Buffers[j].MayUse(pool)
			}
		}
		return sum, may
	}
	now, _ := cost(got.Pools[i])
	top := int64(0)
	for j, at := range got.Offsets {
		top = max(top, at+p.Buffers[j].Size)
	}
	for q := range int32(len(p.Rules.Pools)) {
		if other, may := cost(q); !may || other >= now {
			continue
		}
		for at := int64(0); at <= 2*top+64; at++ {
			moved := model.Plan{Offsets: slices.Clone(got.Offsets), Pools: slices.Clone(got.Pools)}
			for j := range p.Buffers {
				if j == i || body != nil && body[j] == body[i] {
					moved.Offsets[j] += at - got.Offsets[i]
					moved.Pools[j] = q
				}
			}
			looked++
			moved.Height = model.ValueOf(verify.MeasuresOf(p, &moved), model.MeasureHeight)
			if fault := verify.FirstOf(p, &moved); fault == "" {
				t.Fatalf("%s could be at %d of %s\n%v\n%s", p.Buffers[i].ID, at, p.Rules.Pools[q].ID, got,
					drawn.DescribeRuled(p))
			}
		}
	}
	return looked
}
