package beam

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// few draws sizes as those of networks: small multiples of one unit.
func few(r *rand.Rand) int64 {
	return 196 << r.IntN(5) * []int64{1, 1, 2, 3}[r.IntN(4)]
}

// TestCoarseHelps: coarse memories end lower with it.
func TestCoarseHelps(t *testing.T) {
	sum := func(without ...string) (percent float64) {
		for seed := range uint64(2) {
			p := crowded(seed, 800, 1<<15, few)
			r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 2_000_000, Without: without})
			percent += 100*float64(r.Height)/float64(r.LowerBound) - 100
		}
		return percent / 2
	}
	with, off := sum(), sum("coarse")
	if t.Logf("%.2f%%, %.2f%% without coarse", with, off); with > off-0.3 {
		t.Errorf("%.2f%% above the bound, %.2f%% without coarse", with, off)
	}
}

// TestCoarsen: a memory of more units than coarseTall is planned as without it, and no loose pass is coarse.
func TestCoarsen(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      *model.Problem
		coarse bool
		least  int
	}{
		{"few units", crowded(1, 300, 1<<15, few), true, coarseWidth},
		{"many buffers", crowded(1, 4000, 1<<15, few), true, coarseNodes / 4000},
		{"many units", crowded(1, 300, 1<<13, even), false, 0},
	} {
		tl := timeline.New(c.p)
		s := passOf(t, tl).search
		s.lower, s.settings.coarse, s.settings.width, s.settings.widest = tl.LowerBound, true, 8, widthMost
		if q := s.newKind(tl, 2*tl.LowerBound, false, 0); q.coarse != c.coarse || q.least != c.least || q.narrow() != c.coarse {
			t.Errorf("%s: %v, at least %d", c.name, q.coarse, q.least)
		}
		if q := s.newKind(tl, 2*tl.LowerBound, true, 0); q.coarse || q.narrow() {
			t.Errorf("%s: loose passes are coarse", c.name)
		}
		s.settings.coarse = false
		if q := s.newKind(tl, 2*tl.LowerBound, false, 0); q.coarse {
			t.Errorf("%s: coarse although that is off", c.name)
		}
	}
	p := crowded(3, 200, 1<<13, even)
	with := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 100_000})
	off := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 100_000, Without: []string{"coarse"}})
	if !slices.Equal(with.Offsets, off.Offsets) {
		t.Error("a memory that is not coarse has another plan")
	}
}

// TestRise: where passes die under a ceiling, those whose ceiling may go up end below their limit. Without a limit the
// ceiling stays.
func TestRise(t *testing.T) {
	died, risen := 0, 0
	for seed := range uint64(6) {
		tl := timeline.New(crowded(seed, 300, 1<<14, few))
		ceiling, limit := tl.LowerBound, tl.LowerBound+tl.LowerBound/4
		x := passOf(t, tl)
		if x.run(ceiling, 16) != nil {
			continue
		}
		died++
		x.limit = limit / x.granule
		if offsets := x.run(ceiling, 16); offsets != nil {
			risen++
			if height := model.HeightOf(tl.Problem, offsets); height >= limit || height > x.ceiling*x.granule {
				t.Errorf("seed %d: height %d, ceiling %d, limit %d", seed, height, x.ceiling*x.granule, limit)
			}
			if fault := verify.First(tl.Problem, offsets, limit, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		x.limit = ceiling/x.granule + 1
		if x.run(ceiling, 16) != nil {
			t.Errorf("seed %d: a plan at the ceiling, where there was none", seed)
		}
	}
	if t.Logf("%d of %d passes", risen, died); died < 4 || risen < died-1 {
		t.Errorf("%d of %d passes have a plan below their limit", risen, died)
	}
}
