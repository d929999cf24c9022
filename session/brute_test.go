package session

import (
	"context"
	"errors"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	tiny "github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// weighty is a weight that depends on the buffer.
func weighty(b *model.Buffer) int64 { return int64(len(b.ID)) * b.Size % 3 }

func plainly(*model.Buffer) int64 { return 1 }

// TestAgainstBruteForce makes random calls of sessions and of naive ones. Brute force knows each answer, and the least
// movement. STOWAGE_CASES=all makes more than 300,000 calls.
func TestAgainstBruteForce(t *testing.T) {
	ctx := context.Background()
	for _, x := range []struct {
		kind  string
		seeds uint64
		must  []string
	}{
		{"plain", plantest.Share(uint64(20000), 300), []string{
			"window", "hints", "no by load", "no by collision", "no by pin", "no by search",
		}},
		{"rules", plantest.Share(uint64(9000), 90), []string{
			"no by rules", "no by load", "pools", "together", "apart", "may_overlap", "distances", "clocks", "period",
			"reserved",
		}},
	} {
		seen, calls := map[string]int{}, 0
		for seed := range x.seeds {
			calls += bruteSeed(ctx, t, x.kind, seed, seen)
		}
		t.Logf("%s: %d calls: %v", x.kind, calls, seen)
		for _, must := range append(x.must, "keep", "fit", "repair", "refused", "unknown", "gaps") {
			if seen[must] < 5 {
				t.Errorf("%s: %s came %d times: %v", x.kind, must, seen[must], seen)
			}
		}
	}
}

// bruteSeed makes the calls of one seed, and returns how many there were.
func bruteSeed(ctx context.Context, t *testing.T, kind string, seed uint64, seen map[string]int) (calls int) {
	r := gen.NewRNG(seed, kind)
	weight := plainly
	if seed%3 == 0 {
		weight = weighty
	}
	n := drawNaive(kind, seed)
	o := Options{Weight: weight, Seed: seed}
	limited := seed%4 == 1 // by nodes, looks at the context, or the effort
	if limited {
		o.NodeLimit, o.Effort = r.Within(1, 3), Step(r.Within(int64(Keep), int64(Fresh)))
		o.Without = [][]Step{nil, {Repair}, {Keep, Window}, {Repair, Window}}[r.Below(4)]
	}
	p, _ := n.problem()
	s, err := Open(ctx, p, nil, o)
	if none, failed := errors.AsType[*NoPlanError](err); failed {
		best, _, decided := oracle.Ruled(p, 0)
		wrong := model.Feasible
		if best != nil {
			wrong = model.Infeasible
		}
		if decided && none.Answer.Status == wrong {
			t.Fatalf("seed %d: open says %v, brute force %v of %s", seed, none.Answer.Status, best, tiny.DescribeRuled(p))
		}
		// The session begins without the buffers, which come later by themselves.
		n = n.empty()
		p, _ = n.problem()
		s, err = Open(ctx, p, nil, o)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	_, plan := s.Snapshot()
	copy(n.at, plan.Offsets)
	copy(n.pool, plan.Pools)
	next := int64(0)
	for range 20 {
		c := drawChange(r, n, &next)
		m := n.clone()
		ids, ok := c.edit(m)
		q, valid := m.problem()
		ok = ok && valid
		before := s.state()
		within := ctx
		if limited && r.Chance(0.3) {
			within = run.EndAtLook(ctx, r.Below(60))
		}
		a, err := c.call(within, s)
		calls++
		if !ok || err != nil {
			if input, bad := errors.AsType[*model.InputError](err); ok || !bad || len(input.Issues) == 0 {
				t.Fatalf("seed %d, %s: %v, but the call is good: %v\n%s", seed, c.what, err, ok, tiny.DescribeRuled(q))
			}
			if s.state() != before {
				t.Fatalf("seed %d, %s: refused, and changed something", seed, c.what)
			}
			seen["refused"]++
			continue
		}
		mine := make([]bool, len(m.at))
		for _, id := range ids {
			mine[m.find(id)] = true
		}
		cost := func(i int) int64 { return m.buffers[i].Size * weight(&m.buffers[i]) }
		least, buffers, exists, decided := oracle.Moved(q, m.at, m.pool, mine, cost)
		if !decided {
			t.Fatalf("seed %d: too large for brute force", seed)
		}
		say := func(what string, more ...any) {
			t.Helper()
			t.Fatalf("seed %d, call %d, %s by %v: %s %v\nof %sat %v in %v",
				seed, calls, c.what, a.Step, what, more, tiny.DescribeRuled(q), m.at, m.pool)
		}
		if a.Status != model.Feasible {
			if s.state() != before {
				say("changed something")
			}
			if a.Status == model.Unknown && !limited {
				say("unknown")
			} else if a.Status == model.Infeasible && (exists || a.Proof == nil || a.Proof.String() == "") {
				say("infeasible, but a plan exists", a.Proof)
			}
			what := "unknown"
			if a.Status == model.Infeasible {
				what = "no by " + string(a.Proof.Why)
			}
			seen[what]++
			continue
		}
		if !exists {
			say("a plan that brute force does not find")
		}
		p, plan := s.Snapshot()
		if !same(t, p, m) {
			say("another problem", tiny.DescribeRuled(p))
		}
		if report := verify.CheckPlan(p, plan); !report.OK() || !oracle.Legal(p, plan) {
			say("a bad plan", report.Violations)
		}
		if report := verify.CheckHeight(p, plan.Offsets, p.Capacity, plan.Height); p.Rules == nil && !report.OK() {
			say("a bad plan", report.Violations)
		}
		load, _ := s.Peak()
		if s.Height() != plan.Height || p.Rules == nil && load > p.Capacity {
			say("a bad height or peak", plan.Height, load)
		}
		old, oldPool := m.at, m.pool
		m.at, m.pool = plan.Offsets, make([]int32, len(plan.Offsets))
		copy(m.pool, plan.Pools)
		var moved Movement
		for i := range m.at {
			if b := &m.buffers[i]; !mine[i] && (m.at[i] != old[i] || m.pool[i] != oldPool[i]) {
				moved.add(cost(i), b)
			}
		}
		if moved != a.Moved {
			say("moved", moved, "says", a.Moved)
		}
		plain := c.what == "remove" || c.what == "unpin"
		minimal := moved.Cost == least && moved.Buffers == buffers
		if !plain && (a.Least && !minimal || !a.Least && !limited) {
			m.at, m.pool = old, oldPool
			say("moved", moved, "least:", a.Least, "enough:", least, buffers)
		}
		for k, id := range ids {
			if i := m.find(id); a.Offsets[k] != m.at[i] || a.Pools != nil && a.Pools[k] != m.pool[i] {
				say("the answer has another place", a.Offsets, a.Pools)
			}
		}
		seen[a.Step.String()]++
		for _, f := range tiny.FeaturesOf(p) {
			seen[f]++
		}
		n = m
	}
	return calls
}
