package greedy

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func endless() *run.Watch { return run.NewWatch(context.Background()) }

// outward returns a sweeper for sweeps from peaks, or nil if there are no peaks. The sweeps must end lower than a
// plan, if it is not nil.
func outward(w *run.Watch, tl *timeline.Timeline, than []int64) *Sweeper {
	s, _ := NewSweeper(w, tl)
	if s == nil || !s.Outward() {
		return nil
	}
	if than != nil {
		s.Than(than)
	}
	return s
}

// first sweeps from the peaks.
func (s *Sweeper) first(goal int64) ([]int64, int64) {
	s.FromPeaks(goal)
	return s.Plan(), s.Height()
}

// stackLoose places the loose buffers on one pile.
func stackLoose(p *model.Problem) PlaceLoose {
	return func(loose []int32, low, high int32, floor, target int64, at []int64) bool {
		for _, i := range loose {
			a := p.Buffers[i].Align()
			at[i] = (floor + a - 1) / a * a
			floor = at[i] + p.Buffers[i].Size
		}
		return true
	}
}

// Plans from the peaks are valid, from whatever sections they begin, and again lower.
func TestOutwardIsValid(t *testing.T) {
	var planned, again int
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p := plantest.RandomOf(rng, 3+rng.IntN(40), 5+rng.Int64N(60))
		if seed%3 > 0 { // mostly without what it does not take
			for i := range p.Buffers {
				p.Buffers[i].Gaps, p.Buffers[i].Fixed = nil, nil
			}
		}
		tl := timeline.New(p)
		o := outward(endless(), tl, nil)
		if o == nil {
			if seed%3 > 0 {
				t.Fatalf("seed %d: none", seed)
			}
			continue
		}
		offsets, height := o.first(tl.LowerBound)
		begin := offsets
		check := func() {
			t.Helper()
			if report := verify.Check(p, offsets, 0); !report.OK() || report.Height != height {
				t.Fatalf("seed %d: %d for %d: %v", seed, report.Height, height, report.Violations)
			}
		}
		check()
		planned++
		for n := range 5 {
			before := slices.Clone(offsets)
			lower, h := o.Again(n, rng.Int32N(6), height-1, stackLoose(p))
			if !slices.Equal(before, offsets) {
				t.Fatalf("seed %d: a plan that was returned changed", seed)
			}
			if lower == nil {
				continue
			}
			if h > height {
				t.Fatalf("seed %d: %d after %d", seed, h, height)
			}
			offsets, height = lower, h
			check()
			again++
		}
		// The same sweeps make the same plan anew.
		o.Anew(endless())
		if same, _ := o.first(tl.LowerBound); !slices.Equal(same, begin) {
			t.Fatalf("seed %d: other plans anew", seed)
		}
		// The plan to beat is adopted if it is lower.
		if same, h := outward(endless(), tl, offsets).first(height); h != height || !slices.Equal(same, offsets) {
			t.Fatalf("seed %d: %d, though %d is enough", seed, h, height)
		}
	}
	if planned < 2000 || again < 100 {
		t.Errorf("%d plans, %d lower ones", planned, again)
	}
}

// Training graphs end at their load, where the sweeps from time zero do not.
func TestOutwardMeetsTheLoad(t *testing.T) {
	for seed, want := range map[uint64]int64{1: 12416667648, 5: 14916648960, 8: 16394244096} {
		p := must.Get(gen.Generate("training", gen.Options{Buffers: 30000, Seed: seed}))(t)
		tl := timeline.New(p)
		if _, height := outward(endless(), tl, nil).first(tl.LowerBound); height != want || height != tl.LowerBound {
			t.Errorf("seed %d: %d, the load is %d", seed, height, tl.LowerBound)
		}
	}
}

// S_1 ends at its load, after less than two sweeps of all.
func TestOutwardOnS1(t *testing.T) {
	p := plantest.Load(t, "idealloc/S_1.csv")
	tl := timeline.New(p)
	o := outward(endless(), tl, nil)
	if _, height := o.first(tl.LowerBound); height != tl.LowerBound || o.Steps > 30000 {
		t.Errorf("S_1: %d after %d placements, the load is %d", height, o.Steps, tl.LowerBound)
	}
}

// A limit leaves the plan to be lower than, or none.
func TestOutwardUnderALimit(t *testing.T) {
	p := plantest.Mixed(20000)
	tl := timeline.New(p)
	first, _, _ := Best(context.Background(), tl, 0)
	for looks := int64(0); looks < 60; looks += plantest.Share[int64](1, 3) {
		ctx := run.EndAtLook(context.Background(), looks*looks/4)
		w := run.NewWatch(ctx)
		if o := outward(w, tl, nil); o != nil {
			if offsets, _ := o.first(tl.LowerBound); offsets != nil {
				if report := verify.Check(p, offsets, 0); !report.OK() {
					t.Fatal(looks, report.Violations)
				}
			}
		}
		if o := outward(w, tl, first); o != nil {
			offsets, height := o.first(tl.LowerBound)
			if report := verify.Check(p, offsets, 0); !report.OK() || report.Height != height ||
				height > model.HeightOf(p, first) {
				t.Fatal(looks, report.Height, height, report.Violations)
			}
		}
		w.Close()
	}
}

func BenchmarkOutward(b *testing.B) {
	p := plantest.Load(b, "idealloc/S_1.csv")
	tl := timeline.New(p)
	for b.Loop() {
		outward(endless(), tl, nil).first(tl.LowerBound)
	}
}
