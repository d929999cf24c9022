package engine

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestAwkward minimises problems that brute force cannot answer, with all techniques and without some. No answer may
// contradict another one. With all techniques more problems are decided within the node limit than without ladders.
func TestAwkward(t *testing.T) {
	decided := map[string]int{}
	problems := plantest.Share(80, 40, 30)
	for seed := range uint64(problems) {
		tl := timeline.New(drawn.Awkward(seed))
		low, high, by := int64(0), int64(model.MaxSum), ""
		for _, off := range []string{"", "fronts", "shifts", "effective-sizes", "ladders", "spares", "dominance"} {
			o := plan.Options{NodeLimit: 1000, Minimize: true}
			if off != "" {
				o.Without = []string{off}
			}
			r := solveWithin(t, context.Background(), tl, o)
			if r.Status == model.Optimal || r.Status == model.Infeasible {
				decided[off]++
			}
			low = max(low, r.LowerBound)
			if r.Status.HasPlan() {
				high = min(high, r.Height)
			}
			if low > high {
				t.Fatalf("seed %d: without %q %s, %d over %d; before, without %q, it was otherwise\n%s", seed, off,
					r.Status, r.Height, r.LowerBound, by, drawn.Describe(tl.Problem))
			}
			by = off
		}
	}
	if decided["shifts"] > decided[""] || decided["ladders"] >= decided[""] {
		t.Errorf("of %d problems %v are decided without", problems, decided)
	}
	t.Log(problems, "problems, decided without", decided)
}

// TestShifts plans steps: each step lies partly above and partly under the next one.
// Canonical search alone decides them, without a table of pairs.
func TestShifts(t *testing.T) {
	p := &model.Problem{}
	for i := range int64(10) {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: i % 4, Upper: i%4 + 8, Size: 16 - i%3}
		for at := range int64(8) {
			b.Gaps = append(b.Gaps, model.Gap{
				Lower: b.Lower + at, Upper: b.Lower + at + 1, Window: &model.Window{Lower: at, Upper: at + 2 + i%2},
			})
		}
		p.Buffers = append(p.Buffers, b)
	}
	tl := timeline.New(p)
	if found, _ := tl.Interlocks(tl.Partitions[0], func() bool { return false }); !found {
		t.Fatal("nothing interlocks")
	}
	o := plan.Options{Minimize: true, NodeLimit: 20_000}
	with := solveWithin(t, context.Background(), tl, o)
	o.Without = []string{"shifts", "ladders"}
	without := solveWithin(t, context.Background(), tl, o)
	if with.Status != model.Optimal || without.Status == model.Optimal {
		t.Errorf("with shifts %s after %d nodes, without them %s", with.Status, with.Stats.Nodes, without.Status)
	}
}

// TestHard minimises problems that take hundreds of thousands of nodes without a technique of
// ladders, and some thousands with it.
func TestHard(t *testing.T) {
	for _, hard := range []struct {
		seed  uint64
		nodes int64
		off   string
	}{
		{320484, 100_000, "shifts"},
	} {
		tl := timeline.New(drawn.Awkward(hard.seed))
		o := plan.Options{Minimize: true, NodeLimit: hard.nodes}
		if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Optimal {
			t.Errorf("seed %d: %s after %d nodes", hard.seed, r.Status, r.Stats.Nodes)
		}
		o.Without = []string{hard.off}
		if r := solveWithin(t, context.Background(), tl, o); r.Status == model.Optimal {
			t.Errorf("seed %d, without %s: %s after %d nodes", hard.seed, hard.off, r.Status, r.Stats.Nodes)
		}
	}
}

// TestStretches finds a flaw among few of many buffers.
func TestStretches(t *testing.T) {
	for seed := range plantest.Share[uint64](8, 3) {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 120, Horizon: 300, Seed: seed}))(t)
		tl := timeline.New(in.Problem)
		o := plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 50_000}
		if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Infeasible {
			t.Errorf("seed %d: %s", seed, r.Status)
		}
		o.Without, o.NodeLimit = []string{"stretches"}, 5000
		if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Unknown {
			t.Errorf("seed %d, without stretches: %s", seed, r.Status)
		}
	}
	// Gaps, windows and fixed offsets reach beyond the stretches, or lie in none.
	for seed := range uint64(20) {
		p := must.Get(gen.Generate("random",
			gen.Options{Buffers: 40, Horizon: 60, MaxLife: 20, MaxSize: 9, Gaps: 0.5, Windows: 0.5, Seed: seed}))(t)
		tl := timeline.New(p)
		r := solveWithin(t, context.Background(), tl, plan.Options{Minimize: true, NodeLimit: 3000})
		o := plan.Options{Capacity: r.Height, NodeLimit: 3000, Without: []string{"preordering", "dynamic-ordering"}}
		if r := solveWithin(t, context.Background(), tl, o); r.Status == model.Infeasible {
			t.Errorf("seed %d: infeasible at the height of a plan", seed)
		}
	}
}

// TestFlaw: what Flaw returns does not fit by itself.
func TestFlaw(t *testing.T) {
	few := 0
	for seed := range uint64(12) {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 60, Horizon: 150, Seed: seed}))(t)
		tl := timeline.New(in.Problem)
		flaw := Flaw(context.Background(), tl, in.Problem.Capacity, 20_000)
		if flaw == nil {
			continue
		}
		p := &model.Problem{}
		for _, i := range flaw {
			p.Buffers = append(p.Buffers, in.Problem.Buffers[i])
		}
		if len(flaw) < len(in.Problem.Buffers) {
			few++
		}
		if r := solveWithin(t, context.Background(), timeline.New(p),
			plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 100_000}); r.Status != model.Infeasible {
			t.Errorf("seed %d: %d buffers are %s", seed, len(flaw), r.Status)
		}
		if Flaw(context.Background(), tl, in.Problem.Capacity*2, 20_000) != nil {
			t.Errorf("seed %d: a flaw where there is a plan", seed)
		}
	}
	if few < 6 {
		t.Errorf("%d flaws are among few buffers", few)
	}
}
