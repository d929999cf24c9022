package explain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// squeezed draws a problem with two to four pools with capacities, that are often too small.
func squeezed(r *rand.Rand) *model.Problem {
	p := drawn.Banked(r)
	for len(p.Rules.Pools) > 4 || len(p.Buffers) > 6 {
		p = drawn.Banked(r)
	}
	if r.IntN(3) > 0 { // the kinds of Banked are seldom too small
		for k := range p.Rules.Pools {
			q := &p.Rules.Pools[k]
			if q.Capacity == 0 && r.IntN(3) > 0 || q.Capacity > 6 {
				q.Capacity = 2 + r.Int64N(5)
			}
			for _, x := range q.Reserved {
				q.Capacity = max(q.Capacity, x.Upper)
			}
		}
	}
	return p
}

// TestRuledWaysOut makes each change that WaysOut names to random problems with two to four pools that have no plan:
// all have one then, by brute force. If a capacity is called the least, one byte less is not enough. No capacity
// below the bound is enough. An overfull moment is named only if there is no plan.
func TestRuledWaysOut(t *testing.T) {
	known := must.Get(plan.Find("auto"))(t)
	planner := run.Prepared(known)
	solve := func(ctx context.Context, p *model.Problem, o plan.Options) (*plan.Result, error) {
		if !p.Ruled() {
			t.Fatal("a problem without rules")
		}
		r, err := ruled.Solve(ctx, p, planner, o)
		return &r, err
	}
	feasible := func(p *model.Problem) (yes, decided bool) {
		must.Do(t, model.Validate(p))
		all := make([]int, len(p.Buffers))
		for i := range all {
			all[i] = i
		}
		best, _, decided := oracle.Sets(model.Among(p, all), 400_000)
		return best != nil, decided
	}
	found := map[string]int{}
	enough := func(kind string, seed int, p *model.Problem) {
		yes, decided := feasible(p)
		if decided && !yes {
			t.Errorf("problem %d: %s is not enough\n%s", seed, kind, drawn.DescribeRuled(p))
		}
		if decided {
			found[kind]++
		}
	}
	not := func(kind string, seed int, p *model.Problem) {
		if yes, decided := feasible(p); decided && yes {
			t.Errorf("problem %d: %s: one less is enough\n%s", seed, kind, drawn.DescribeRuled(p))
		} else if decided {
			found[kind]++
		}
	}
	r := rand.New(rand.NewPCG(7, 40))
	for seed := range 350 {
		p := squeezed(r)
		if model.Validate(p) != nil {
			continue
		}
		yes, decided := feasible(p)
		if f := fullest(p); f != nil && decided {
			if yes {
				t.Errorf("problem %d has a plan, and is too full: %s\n%s", seed, f.words(p), drawn.DescribeRuled(p))
			}
			found["full"]++
		}
		if yes || !decided {
			continue
		}
		x := asked(t, p)
		if x.Status != model.Infeasible {
			t.Fatalf("problem %d: %v", seed, x.Status)
		}
		w := must.Get(WaysOut(context.Background(), p, x, solve))(t)
		if lines := w.Lines(p, func(id string) string { return id }); len(lines) != len(w.Rooms)+min(1,
			len(w.Together))+w.Changes() {
			t.Errorf("problem %d: %q", seed, lines)
		}
		with := func(change func(q *model.Problem)) *model.Problem {
			q, rules := *p, *p.Rules
			q.Rules, q.Buffers = &rules, slices.Clone(p.Buffers)
			rules.Pools = slices.Clone(rules.Pools)
			change(&q)
			return &q
		}
		room := func(k int, capacity int64) *model.Problem {
			return with(func(q *model.Problem) { q.Rules.Pools[k].Capacity = capacity })
		}
		for _, m := range w.Rooms {
			enough("a pool", seed, room(m.Pool, m.To))
			if m.By < 1 || m.To-m.By != p.Rules.Pools[m.Pool].Capacity || m.Least > m.To {
				t.Errorf("problem %d: %+v", seed, m)
			}
			if m.Least-1 > p.Rules.Pools[m.Pool].Capacity {
				not(map[bool]string{true: "the least of a pool", false: "below a bound"}[m.Least == m.To], seed,
					room(m.Pool, m.Least-1))
			}
		}
		if len(w.Together) > 0 {
			enough("pools together", seed, with(func(q *model.Problem) {
				for _, m := range w.Together {
					q.Rules.Pools[m.Pool].Capacity = m.To
				}
			}))
		}
		if w.NoRoom {
			not("no capacity", seed, with(func(q *model.Problem) {
				for k := range q.Rules.Pools {
					q.Rules.Pools[k].Capacity = 0
				}
			}))
		}
		for _, s := range w.Shrink {
			enough("smaller", seed, with(func(q *model.Problem) { q.Buffers[s.Buffer].Size = s.To }))
			if s.Exact && s.By > 1 {
				not("the least smaller", seed, with(func(q *model.Problem) { q.Buffers[s.Buffer].Size = s.To + 1 }))
			}
		}
		for _, a := range w.Absent {
			enough("absent", seed, with(func(q *model.Problem) {
				switch b := &q.Buffers[a.Buffer]; {
				case a.Splits:
					b.Gaps = []model.Gap{{Lower: a.Lower, Upper: a.Upper}}
				case a.Upper == b.Upper:
					b.Upper = a.Lower
				default:
					b.Lower = a.Upper
				}
			}))
		}
		for _, a := range w.Allowed {
			enough("allowed", seed, with(func(q *model.Problem) {
				extra := *q.Buffers[a.Buffer].Extra
				extra.Pools = append(slices.Clone(extra.Pools), int32(a.Pool))
				q.Buffers[a.Buffer].Extra = &extra
			}))
		}
		for _, i := range w.Unfixed {
			enough("unfixed", seed, with(func(q *model.Problem) { q.Buffers[i].Fixed = nil }))
		}
		for _, pair := range w.Loose {
			enough("not apart", seed, with(func(q *model.Problem) {
				k := slices.Index(q.Rules.Apart, pair)
				q.Rules.Apart = slices.Delete(slices.Clone(q.Rules.Apart), k, k+1)
			}))
		}
	}
	t.Log(fmt.Sprint(found))
	for _, kind := range []string{
		"full", "a pool", "the least of a pool", "pools together", "smaller", "the least smaller", "absent",
		"allowed", "unfixed",
	} {
		if found[kind] < 2 {
			t.Errorf("%s: only %d", kind, found[kind])
		}
	}
}

// TestWithout has a problem for each rule of banks that no plan keeps: the rule and its buffers or pool are named.
func TestWithout(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("auto"))(t))
	at := func(id string, size int64, pool int32, fixed ...int64) model.Buffer {
		b := model.Buffer{ID: id, Upper: 2, Size: size, Extra: &model.Extra{Pools: []int32{pool}}}
		if len(fixed) > 0 {
			b.Fixed = &fixed[0]
		}
		return b
	}
	two := []model.Pool{{ID: "x", Capacity: 16}, {ID: "y", Capacity: 16}}
	for _, x := range []struct {
		buffers []model.Buffer
		rules   model.Rules
		want    Dropped
		says    string
	}{
		{
			[]model.Buffer{at("a", 4, 0, 0), at("b", 4, 1), at("c", 6, 1, 0)},
			model.Rules{Pools: two, Lockstep: [][]int32{{0, 1}}},
			Dropped{"lockstep", []int32{0, 1}, -1},
			"a, b without lockstep",
		},
		{
			[]model.Buffer{at("a", 4, 0), at("b", 4, 0)},
			model.Rules{Pools: two, DifferentPools: [][]int32{{1, 0}}},
			Dropped{"different_pools", []int32{1, 0}, -1},
			"b, a without different_pools",
		},
		{
			[]model.Buffer{at("a", 10, 0)},
			model.Rules{Pools: []model.Pool{{ID: "x", Capacity: 16, Borders: []int64{8}}}},
			Dropped{"borders", nil, 0},
			"the pool x without borders",
		},
		{
			[]model.Buffer{at("a", 6, 0), at("b", 6, 0)},
			model.Rules{Pools: []model.Pool{{ID: "x", Capacity: 16, Granularity: 16}}, Kinds: [][]int32{{0}, {1}}},
			Dropped{"granularity", nil, 0},
			"the pool x without granularity",
		},
		{
			[]model.Buffer{at("a", 10, 0), at("f", 8, 0), at("g", 9, 0)},
			model.Rules{Pools: two, Alternatives: [][]int32{{1, 2}}},
			Dropped{"alternatives", []int32{1, 2}, -1},
			"none of f, g",
		},
	} {
		p := &model.Problem{Buffers: x.buffers, Rules: &x.rules}
		solve := func(ctx context.Context, p *model.Problem, o plan.Options) (plan.Result, error) {
			return ruled.Solve(ctx, p, planner, o)
		}
		e := must.Get(Ruled(context.Background(), p, plan.Options{}, solve))(t)
		w := must.Get(WaysOut(context.Background(), p, e, func(ctx context.Context, p *model.Problem, o plan.Options) (*plan.Result, error) {
			r, err := solve(ctx, p, o)
			return &r, err
		}))(t)
		_, lines := w.ruledLines(p, func(id string) string { return id })
		if len(w.Without) != 1 || fmt.Sprint(w.Without[0]) != fmt.Sprint(x.want) || !slices.Contains(lines, x.says) {
			t.Errorf("%v: %v %q, want %v", x.rules, w.Without, lines, x.want)
		}
	}
}
