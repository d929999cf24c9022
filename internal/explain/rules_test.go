package explain

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// asked explains a problem with rules by auto.
func asked(t *testing.T, p *model.Problem) *plan.Explanation {
	t.Helper()
	known := must.Get(plan.Find("auto"))(t)
	planner := run.Prepared(known)
	e := must.Get(Ruled(context.Background(), p, plan.Options{},
		func(ctx context.Context, p *model.Problem, o plan.Options) (plan.Result, error) {
			return ruled.Solve(ctx, p, planner, o)
		}))(t)
	return e
}

// crowded draws a tiny problem with two pools that are often too small.
func crowded(r *rand.Rand) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
		{ID: "x", Capacity: 4 + r.Int64N(4), Reserved: []model.Range{{Lower: 1, Upper: 2}}},
		{ID: "y", Capacity: 3 + r.Int64N(3)},
	}}}
	n := 3 + r.IntN(3)
	for i := range n {
		lower := r.Int64N(4)
		b := model.Buffer{ID: string(rune('a' + i)), Lower: lower, Upper: lower + 1 + r.Int64N(3), Size: 1 + r.Int64N(3)}
		if r.IntN(2) == 0 {
			b.Extra = &model.Extra{Pools: []int32{int32(r.IntN(2))}}
		}
		p.Buffers = append(p.Buffers, b)
	}
	pair := func() model.Pair { i := r.IntN(n - 1); return model.Pair{int32(i), int32(i + 1)} }
	switch r.IntN(6) {
	case 4, 5:
		p.Rules.Alternatives = [][]int32{{0, int32(1 + r.IntN(2))}}
		for _, i := range p.Rules.Alternatives[0] {
			p.Buffers[i].Size += 3
		}
	case 0:
		p.Rules.Apart = []model.Pair{pair()}
	case 1:
		p.Rules.MayOverlap = []model.Pair{pair()}
	case 2: // a chain: what is left out in the middle still ties the ends
		p.Rules.Together = []model.Together{
			{Buffers: []int32{0, 1}, At: []int64{0, 2}}, {Buffers: []int32{1, 2}, At: []int64{0, 1}},
		}
	}
	return p
}

// TestRuled compares explanations with brute force: the set has no plan, and without any one of it there is a plan.
func TestRuled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	explained, cliques, chosen := 0, 0, 0
	for k := range 150 {
		p := crowded(r)
		if model.Validate(p) != nil {
			continue
		}
		fits := func(keep []int) bool {
			best, _, decided := oracle.Ruled(model.Among(p, keep), 0)
			if !decided {
				t.Fatal("brute force does not decide")
			}
			return best != nil
		}
		_, some, _ := oracle.Ruled(p, 0)
		e := asked(t, p)
		if (e.Status == model.Feasible) != (some != nil) {
			t.Fatalf("problem %d is %v, and brute force has the plan %v", k, e.Status, some)
		}
		if some != nil {
			continue
		}
		explained++
		if e.Status != model.Infeasible || !e.Irreducible || fits(e.Buffers) {
			t.Fatalf("problem %d: %+v", k, e)
		}
		for drop := range e.Buffers {
			rest := append(append([]int(nil), e.Buffers[:drop]...), e.Buffers[drop+1:]...)
			if rest = closed(p, rest); len(rest) > 0 && !fits(rest) {
				t.Fatalf("problem %d: %v do not fit without %d, either", k, e.Buffers, e.Buffers[drop])
			}
		}
		if strings.Contains(e.Reason, "more than") {
			cliques++
		}
		if strings.Contains(e.Reason, "Alternatives") {
			chosen++
		}
	}
	if explained < 20 || cliques < 3 || chosen < 5 {
		t.Errorf("%d explained, %d by what they take, %d by forms", explained, cliques, chosen)
	}
}

// TestRuledReason: pools and rules are named. Buffers that may share bytes count in no clique.
func TestRuledReason(t *testing.T) {
	two := func(distances ...model.Distance) *model.Problem {
		return &model.Problem{
			Capacity: 10,
			Buffers: []model.Buffer{
				{ID: "a", Lower: 0, Upper: 4, Size: 8},
				{ID: "b", Lower: 3, Upper: 5, Size: 8},
				{ID: "c", Lower: 9, Upper: 10, Size: 1},
			},
			Rules: &model.Rules{Distances: distances},
		}
	}
	if e := asked(t, two()); e.Reason != "Every two of them conflict. They take 16 bytes, which is 6 more than the capacity with 10 free. All of them are in use in [3, 4)." {
		t.Errorf("the reason is %q", e.Reason)
	}
	near := model.Distance{Buffers: model.Pair{0, 1}, Distance: 4}
	if e := asked(t, two(near)); e.Reason != "Buffers a of 8 and b of 8 are live together in [3, 4) at a distance of 4; within the capacity of 10 they share bytes wherever they lie: a may begin at 0 to 2, and b at 0 to 2." {
		t.Errorf("with a distance the reason is %q", e.Reason)
	}
	near.Distance = 2
	if e := asked(t, two(near)); e.Status != model.Feasible {
		t.Errorf("at a distance that fits: %v", e)
	}
	tied := two()
	tied.Rules.Pools, tied.Capacity = []model.Pool{
		{ID: "x", Capacity: 9, Reserved: []model.Range{{Lower: 0, Upper: 2}, {Lower: 1, Upper: 3}}},
	}, 0
	if e := asked(t, tied); len(e.Buffers) != 1 ||
		e.Reason != "Buffer a of 8 has no place: in the pool x it takes 8, and the longest stretch that is not reserved has 6." {
		t.Errorf("a buffer that is too large: %+v", e)
	}
	apart := two()
	apart.Rules.Apart = []model.Pair{{0, 2}}
	apart.Buffers[2].Size = 8
	apart.Buffers[1].Size = 1
	if e := asked(t, apart); !strings.HasSuffix(e.Reason, "Rules among them: apart a – c.") {
		t.Errorf("a pair apart: %q", e.Reason)
	}
}
