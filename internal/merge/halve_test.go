package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// unlike draws buffers with such sizes and lifespans that few of them can be merged.
func unlike(seed uint64) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 5))
	p := &model.Problem{}
	for i := range int64(700) {
		lower := rng.Int64N(700)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: fmt.Sprint(i), Lower: lower, Upper: lower + 1 + int64(30*rng.ExpFloat64()), Size: 1 + rng.Int64N(1<<16),
		})
	}
	return p
}

// TestHalving: most plans that start from first-fit's end lower, at the load or above it, in a few nodes for each
// buffer; without the technique few do. A node limit holds.
func TestHalving(t *testing.T) {
	seeds := plantest.Share(8, 8, 4)
	lower, without := 0, 0
	for seed := range uint64(seeds) {
		p := unlike(seed)
		tl := timeline.New(p)
		start := slices.Clone(greedy.NewPortfolio(t.Context(), tl, tl.LowerBound).Offsets)
		o := plan.Options{Minimize: true, NodeLimit: 6000, Start: start}
		before := model.HeightOf(p, start)
		r := plantest.Must(t, &Planner{}, p, o)
		if r.Height < before {
			lower++
		}
		if r.Stats.Nodes > o.NodeLimit {
			t.Errorf("seed %d: %d nodes", seed, r.Stats.Nodes)
		}
		o.Without = []string{"halving"}
		if r := plantest.Must(t, &Planner{}, p, o); r.Height < before {
			without++
		}
	}
	if t.Logf("%d of %d, %d without", lower, seeds, without); lower < seeds/2 || 3*without > lower {
		t.Error("too few")
	}
}

// TestHalvingEnds: halving ends after some attempts that fail. Each attempt asks for a higher plan than the one before,
// and for a lower one than the lowest so far.
func TestHalvingEnds(t *testing.T) {
	p := unlike(1)
	tl := timeline.New(p)
	w := run.NewWatch(t.Context())
	defer w.Close()
	s := &search{ctx: t.Context(), watch: w, tl: tl, o: &plan.Options{NodeLimit: 1}, goal: 1, step: 1, height: 17}
	s.halving.low = 1
	s.set.halving = true
	m := s.newMerger(rand.New(rand.NewPCG(1, 1)), 0)
	m.live = m.live[:1]
	var asked []int64
	for range 10 {
		s.nodes = 0
		s.halve(m)
		asked = append(asked, s.halving.low)
	}
	if !slices.IsSorted(asked) || s.halving.missed != halvesMost || s.halving.low >= 17 {
		t.Errorf("%v, %d missed", asked, s.halving.missed)
	}
}
