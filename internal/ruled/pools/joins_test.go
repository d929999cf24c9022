package pools

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/ruled/conflictgraph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// untangled returns the state of a strip without a plan, or nil if its time is a line.
func untangled(t *testing.T, p *model.Problem) *untangling {
	t.Helper()
	s, st := tangledSearch(t, p, plan.Options{Minimize: true})
	if !s.tangled(st) {
		return nil
	}
	tl, n := timeline.New(st.Problem), len(p.Buffers)
	u := &untangling{s: s, st: st, tl: tl, n: int64(n), minimize: true, goal: tl.LowerBound}
	u.a.bound = u.goal
	u.k = conflictgraph.New(&conflictgraph.Graph{Buffers: st.Problem.Buffers, Edges: st.Edges, Words: (n + 63) / 64},
		u.goal, 0)
	return u
}

// TestJoins compares groups that are planned apart with brute force: sums of heights and of bounds are those of the
// whole.
func TestJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	whole, parted, proven := 0, 0, 0
	for range plantest.Share(4000, 600, 300) {
		o := gen.Options{
			Buffers: 4 + r.IntN(3), Seed: r.Uint64(), Threads: 2 + r.Int64N(2), MinSize: 1, MaxSize: 6, Horizon: 9, MaxLife: 5,
		}
		o.Pattern = []string{"independent", "subset", "pairs", "sparse"}[r.IntN(4)]
		in := must.Get(gen.New("clocks", o))(t)
		p := in.Problem
		for i := range p.Buffers {
			if r.IntN(10) == 0 {
				p.Buffers[i].Alignment = 2
			}
		}
		u := untangled(t, p)
		if u == nil || joined(u.st) == nil {
			whole++
			continue
		}
		parted++
		best, _, decided := oracle.Ruled(p, 300_000)
		if err := u.joins(context.Background()); err != nil || !decided {
			t.Fatal(err, decided)
		}
		if !oracle.Legal(p, &model.Plan{Offsets: u.k.Offsets}) || u.k.Height < best[0] || u.a.bound > best[0] {
			t.Fatalf("height %d, bound %d, brute force %d", u.k.Height, u.a.bound, best[0])
		}
		if u.k.Height == u.a.bound {
			proven++
		}
	}
	t.Logf("%d whole, %d parted, %d of them proven", whole, parted, proven)
	if whole < 20 || parted < 20 || proven < parted*99/100 {
		t.Errorf("%d whole, %d parted, %d of them proven", whole, parted, proven)
	}
}

// TestJoinsLarge: independent threads are proven in few nodes.
func TestJoinsLarge(t *testing.T) {
	for seed := range uint64(3) {
		in := must.Get(gen.New("clocks", gen.Options{
			Buffers: 160, Seed: seed, Threads: 8, Pattern: "independent", MinSize: 1 << 10, MaxSize: 1 << 20,
		}))(t)
		s, st := tangledSearch(t, in.Problem, plan.Options{Minimize: true, NodeLimit: 2000})
		if groups := joined(st); len(groups) != 8 {
			t.Errorf("%d groups", len(groups))
		}
		if a, err := s.plan(context.Background(), st, 0, true); err != nil || a.status != model.Optimal {
			t.Errorf("seed %d: %v, height %d, bound %d, %v", seed, a.status, a.height, a.bound, err)
		}
	}
}
