package enumerate

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// measuresOf returns the measures of a plan.
func measuresOf(p *model.Problem, plan *model.Plan) (values []int64) {
	all := model.MeasuresOf(p, plan)
	for _, m := range p.Objective() {
		values = append(values, model.ValueOf(all, m))
	}
	return values
}

// TestBest: without a plan to begin with, the plan is the best, or there is none, as brute force says.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	plans, none := 0, 0
	for n := range plantest.Share(40_000, 4_000, 1_000) {
		var p *model.Problem
		var best []int64
		decided := false
		if n%2 == 0 {
			p = drawn.Broad(r)
			best, _, decided = oracle.Chains(p, 20_000)
		} else {
			p = drawn.Ruled(r)
			best, _, decided = oracle.Ruled(p, 100_000)
		}
		if !decided || !Takes(p, Buffers) {
			continue
		}
		got := Plan(context.Background(), p, p.Objective(), Options{})
		if !got.Done {
			t.Fatalf("no end\n%s", drawn.DescribeRuled(p))
		}
		if got.Plan == nil {
			if none++; best != nil {
				t.Fatalf("no plan; the best is %v\n%s", best, drawn.DescribeRuled(p))
			}
			continue
		}
		plans++
		got.Plan.Height = model.ValueOf(model.MeasuresOf(p, got.Plan), model.MeasureHeight)
		if report := verify.CheckPlan(p, got.Plan); !report.OK() {
			t.Fatalf("%s\n%s", report.Violations[0].Message, drawn.DescribeRuled(p))
		}
		if values := measuresOf(p, got.Plan); !slices.Equal(values, best) {
			t.Fatalf("%v, the best is %v\n%s", values, best, drawn.DescribeRuled(p))
		}
	}
	t.Log(plans, "plans,", none, "without")
	if plans < none/2 || none < plans/4 {
		t.Error("lopsided")
	}
}

// nodes plans problems of some shape, and adds up the nodes.
func nodes(t *testing.T, seed uint64, many int, draw func(r *rand.Rand) *model.Problem) (sum int64) {
	t.Helper()
	r := rand.New(rand.NewPCG(40, seed))
	for range many {
		p := draw(r)
		got := Plan(context.Background(), p, p.Objective(), Options{})
		if !got.Done {
			t.Fatal("no end")
		}
		sum += got.Nodes
	}
	return sum
}

// buffersOf draws buffers that live for a part of eight slots.
func buffersOf(r *rand.Rand, n int, most int64) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{}}
	for i := range n {
		lower := r.Int64N(5)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: string(rune('a' + i)), Lower: lower, Upper: lower + 3 + r.Int64N(3), Size: 1 + r.Int64N(most),
		})
	}
	return p
}

// TestNodes holds what saves nodes. Each shape of problems takes more nodes than are allowed without one of these
// things: a comment has how many.
func TestNodes(t *testing.T) {
	equal := func(r *rand.Rand) *model.Problem {
		p := buffersOf(r, 8, 30)
		for _, id := range []string{"p", "q", "r", "s"} {
			p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: id})
		}
		p.Rules.Objective = []model.Measure{model.MeasureMaxHeight, model.MeasureHeight}
		return p
	}
	evictions := func(room int64, measures ...model.Measure) func(r *rand.Rand) *model.Problem {
		return func(r *rand.Rand) *model.Problem {
			p := buffersOf(r, 7, 9)
			for _, id := range []string{"p", "q", "r"} {
				p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: id, Capacity: room + r.Int64N(room)})
			}
			for i := range p.Buffers {
				if b := &p.Buffers[i]; i%3 < 2 {
					b.Extra = &model.Extra{
						Evictions: []model.Eviction{{Lower: b.Lower + 1, Upper: b.Lower + 2, Cost: 1 + r.Int64N(5)}},
					}
				}
			}
			p.Rules.Objective = measures
			return p
		}
	}
	aligned := func(r *rand.Rand) *model.Problem {
		p := buffersOf(r, 8, 9)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 1 + r.Int64N(6)
		}
		return p
	}
	tight := []uint64{36, 317, 555}
	hard := func(*rand.Rand) *model.Problem {
		seed := tight[0]
		tight = tight[1:]
		p := drawn.Banked(rand.New(rand.NewPCG(seed, 0x62616e6b)))
		if !slices.Contains(p.Rules.Objective, model.MeasureEviction) {
			p.Rules.Objective = append(p.Rules.Objective, model.MeasureEviction)
		}
		return p
	}
	for _, tc := range []struct {
		name string
		many int
		draw func(r *rand.Rand) *model.Problem
		most int64
	}{
		// 5,016 nodes; without twins 21,092, without an order of the ways 41,859
		{"equal pools", 20, equal, 5_100},
		// 100,290; without fewer 390,817, without what it knows of parts of sets 115,691, and of floors 130,991,
		// without any floors 179,551
		{"evictions last", 20, evictions(9, model.MeasureMaxHeight, model.MeasurePeak, model.MeasureEviction), 101_500},
		// 50,917; sets in any order 51,923, without fronts that are kept twice as many
		{"evictions first", 20, evictions(6, model.MeasureEviction, model.MeasureCost, model.MeasureHeight), 51_500},
		// 40,224; without sums of sections 198,110, without the front of a part 43,070, without an order of the two
		// inequalities 42,002
		{"one pool", 20, aligned, 41_000},
		// 348,320; always the largest unit first 1,014,762
		{"tight pools", 3, hard, 360_000},
	} {
		sum := nodes(t, 9, tc.many, tc.draw)
		t.Log(tc.name, sum)
		if sum > tc.most {
			t.Errorf("%s: %d nodes, %d are allowed", tc.name, sum, tc.most)
		}
	}
}
