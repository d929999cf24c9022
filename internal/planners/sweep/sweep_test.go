package sweep

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func TestSweepMatchesTheBound(t *testing.T) {
	p := plantest.Training(60000)
	r := plantest.Must(t, sweep{}, p, plan.Options{})
	if ratio := float64(r.Height) / float64(r.LowerBound); ratio > 1.001 {
		t.Errorf("%.5f of the bound", ratio)
	}
}

// Sweeps honour every feature, whichever end they place from.
func TestSweepIsValid(t *testing.T) {
	var planned, refused int
	for seed := range uint64(3000) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 21)))
		tl := timeline.New(p)
		o := plan.Options{Params: map[string]string{"waste": "1"}}
		if seed%2 == 1 {
			o.Without = []string{"two-ended"}
		}
		if seed%3 == 0 {
			o.Capacity = tl.LowerBound + int64(seed%7)
		}
		r := plantest.Solve(t, context.Background(), sweep{}, tl, o)
		switch r.Status {
		case model.Infeasible:
			refused++
			if place.Collide(nil, tl) != place.Collided {
				t.Errorf("seed %d: infeasible, though no fixed buffers collide", seed)
			}
		case model.Unknown:
			if o.Capacity == 0 {
				t.Errorf("seed %d: no plan without a capacity", seed)
			}
		default:
			planned++
		}
	}
	if planned < 1500 || refused < 50 {
		t.Errorf("%d plans and %d collisions: the cases are lopsided", planned, refused)
	}
}

func TestSweepOptions(t *testing.T) {
	p := plantest.Mixed(3000)
	tl := timeline.New(p)
	all, err := run.Run(context.Background(), sweep{}, tl, plan.Options{Params: map[string]string{"waste": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	one, _ := run.Run(context.Background(), sweep{}, tl,
		plan.Options{Params: map[string]string{"waste": "1"}, NodeLimit: 1})
	if one.Stats.Nodes != 3000 || all.Stats.Nodes <= 3000 || one.Height < all.Height {
		t.Errorf("one pass: %d in %d nodes; all: %d in %d", one.Height, one.Stats.Nodes, all.Height, all.Stats.Nodes)
	}
	if same, _ := run.Run(context.Background(), sweep{}, tl,
		plan.Options{Params: map[string]string{"waste": "1"}}); !slices.Equal(same.Offsets, all.Offsets) {
		t.Error("two runs differ")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, _ := (sweep{}).Plan(ctx, tl, plan.Options{}); r.Status != model.Feasible {
		t.Errorf("%v under a context that has ended", r.Status)
	}
	if _, err := (sweep{}).Plan(ctx, tl, plan.Options{Params: map[string]string{"waste": "0.9"}}); err == nil {
		t.Error("a waste below 1 is taken")
	}
}

func BenchmarkSweep(b *testing.B) {
	for name, p := range map[string]*model.Problem{"training": plantest.Training(1e6), "mixed": plantest.Mixed(1e6)} {
		tl := timeline.New(p)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := run.NewWatch(context.Background())
				s, _ := greedy.NewSweeper(w, tl)
				s.Passes([]int32{2}, tl.LowerBound, 0, nil)
				w.Close()
			}
		})
	}
}
