package place

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A limit may fall at every look: the plan is valid, what was placed before the
// limit is where it would be without one, and collisions are not missed.
func TestLimitAtEveryLook(t *testing.T) {
	cuts, collisions := 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p := plantest.Random(rng)
		tl := timeline.New(p)
		order := bySize(p)
		fit := Fit(rng.IntN(2))
		whole, ending := Place(nil, tl, order, fit)
		for look := int64(0); ; look++ {
			w := run.NewWatch(run.EndAtLook(context.Background(), look))
			got, end := Place(w, tl, order, fit)
			w.Close()
			if (end == Collided) != (ending == Collided) || (got == nil) != (whole == nil) {
				t.Fatalf("seed %d, look %d: ending %d, without a limit %d", seed, look, end, ending)
			}
			if end == Collided {
				collisions++
			} else if report := verify.Check(p, got, 0); !report.OK() {
				t.Fatalf("seed %d, look %d: %v\n%s", seed, look, report.Violations, list(p, order))
			}
			if end != Cut {
				if !slices.Equal(got, whole) {
					t.Fatalf("seed %d, look %d: got %v, want %v", seed, look, got, whole)
				}
				break
			}
			cuts++
		}
	}
	if cuts < 2000 || collisions < 50 {
		t.Errorf("%d cuts, %d collisions: the cases are lopsided", cuts, collisions)
	}
}

// If a few buffers that are placed lift all others, the lower plan is that in which all are stacked.
func TestFinishAnew(t *testing.T) {
	p := &model.Problem{}
	for k := range int64(100) {
		p.Buffers = append(p.Buffers, model.Buffer{Lower: k, Upper: k + 2, Size: 10})
	}
	p.Buffers = append(p.Buffers, model.Buffer{Lower: 0, Upper: 1, Size: 60},
		model.Buffer{Lower: 30, Upper: 31, Size: 5, Fixed: new(int64)})
	tl := timeline.New(p)
	offsets := unplaced(len(p.Buffers))
	offsets[100] = 0
	stackOn(tl, offsets)
	high := model.HeightOf(p, offsets)
	offsets = unplaced(len(p.Buffers))
	offsets[100] = 0
	Finish(tl, offsets)
	low := model.HeightOf(p, offsets)
	if report := verify.Check(p, offsets, 0); !report.OK() || high < 80 || low > 75 || offsets[101] != 0 {
		t.Errorf("height %d, %d where all is kept: %v", low, high, report.Violations)
	}
}

// TestFinishIsTheLower: the plan of a placement that a limit cuts is no higher than stacking all buffers, unless it
// is within an eighth of the bound.
func TestFinishIsTheLower(t *testing.T) {
	anew := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 34))
		p := &model.Problem{}
		for range 300 {
			lower, life, size := rng.Int64N(400), 1+rng.Int64N(60), 1+rng.Int64N(30)
			if rng.IntN(4) == 0 {
				life, size = 1, 50+rng.Int64N(2000)
			}
			p.Buffers = append(p.Buffers, model.Buffer{Lower: lower, Upper: lower + life, Size: size})
		}
		tl := timeline.New(p)
		stacked := unplaced(len(p.Buffers))
		stackOn(tl, stacked)
		lowest := max(model.HeightOf(p, stacked), tl.LowerBound+tl.LowerBound/8)
		for look := int64(0); look < 300; look += 23 {
			w := run.NewWatch(run.EndAtLook(context.Background(), look))
			offsets, end := Place(w, tl, bySize(p), FirstFit)
			w.Close()
			if end == Whole {
				break
			}
			if report := verify.Check(p, offsets, 0); !report.OK() || report.Height > lowest {
				t.Fatalf("seed %d, look %d: height %d, %d where all is stacked: %v", seed, look, report.Height, lowest,
					report.Violations)
			}
			if look > 0 && slices.Equal(offsets, stacked) {
				anew++
			}
		}
	}
	if anew == 0 {
		t.Error("no plan was stacked anew")
	}
}

// stack leaves what is placed where it is.
func TestStackKeeps(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 32))
		p := plantest.Random(rng)
		tl := timeline.New(p)
		whole, _ := Place(nil, tl, nil, FirstFit)
		if whole == nil {
			continue
		}
		offsets := slices.Clone(whole)
		for i := range offsets {
			if rng.IntN(2) == 0 {
				offsets[i] = -1
			}
		}
		before := slices.Clone(offsets)
		stackOn(tl, offsets)
		for i := range offsets {
			if (before[i] >= 0 || p.Buffers[i].Fixed != nil) && offsets[i] != whole[i] {
				t.Fatalf("seed %d: buffer %d moved from %d to %d", seed, i, whole[i], offsets[i])
			}
		}
		if report := verify.Check(p, offsets, 0); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
	}
}

// Space is reused: the plan is far below the sum of the sizes.
func TestFinishIsLow(t *testing.T) {
	p := plantest.Mixed(20000)
	tl := timeline.New(p)
	offsets := unplaced(len(p.Buffers))
	Finish(tl, offsets)
	if report := verify.Check(p, offsets, 0); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if height := model.HeightOf(p, offsets); height > 2*tl.LowerBound {
		t.Errorf("height %d, load %d", height, tl.LowerBound)
	}
}

// A limit never lends a plan that is not below.
func TestBelowUnderALimit(t *testing.T) {
	kept := 0
	for seed := range uint64(300) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 33)))
		tl := timeline.New(p)
		for look := range int64(12) {
			for _, below := range []int64{10, 20, 40, Unlimited} {
				w := run.NewWatch(run.EndAtLook(context.Background(), look))
				offsets, height, end := Below(w, tl, nil, FirstFit, below)
				w.Close()
				if offsets == nil {
					if height != 0 || end == Whole && below == Unlimited {
						t.Fatalf("seed %d: no plan, ending %d, height %d", seed, end, height)
					}
					continue
				}
				kept++
				if report := verify.Check(p, offsets, 0); !report.OK() || report.Height != height || height >= below {
					t.Fatalf("seed %d: below %d: height %d, %v", seed, below, height, report)
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("%d plans only", kept)
	}
}

// TestFinishTakesLittleMemory: most of the time that a million buffers take goes for memory that is touched for the
// first time. More than half of these training buffers are live at once.
func TestFinishTakesLittleMemory(t *testing.T) {
	for _, tc := range []struct {
		name   string
		p      *model.Problem
		placed int // one in so many, 0 for none
		most   uint64
	}{
		{"training", plantest.Training(100_000), 0, 70},
		{"training, half of it placed", plantest.Training(100_000), 2, 84},
		{"mixed", plantest.Mixed(100_000), 0, 16},
	} {
		tl := timeline.New(tc.p)
		whole := unplaced(len(tc.p.Buffers))
		Finish(tl, whole)
		offsets := unplaced(len(whole))
		for i := range offsets {
			if tc.placed > 0 && i%tc.placed == 0 {
				offsets[i] = whole[i]
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Finish(tl, offsets)
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(offsets)); each > tc.most {
			t.Errorf("%s: %d bytes a buffer, %d at most", tc.name, each, tc.most)
		}
	}
}

// stackOn stacks what has no offset, and moves nothing.
func stackOn(tl *timeline.Timeline, offsets []int64) {
	f := newFinisher(tl)
	f.placeFixed(offsets)
	f.stack(offsets, Unlimited)
}

func unplaced(n int) []int64 {
	offsets := make([]int64, n)
	for i := range offsets {
		offsets[i] = -1
	}
	return offsets
}

// BenchmarkFinish stacks all, and what is left of a placement: all but the first half.
func BenchmarkFinish(b *testing.B) {
	for name, p := range map[string]*model.Problem{"training": plantest.Training(1e6), "mixed": plantest.Mixed(1e6)} {
		tl := timeline.New(p)
		whole := unplaced(len(p.Buffers))
		Finish(tl, whole)
		for _, placed := range []int{0, len(whole) / 2} {
			b.Run(name+"/"+strconv.Itoa(placed), func(b *testing.B) {
				offsets := make([]int64, len(whole))
				for b.Loop() {
					b.StopTimer()
					copy(offsets, unplaced(len(offsets)))
					copy(offsets, whole[:placed])
					b.StartTimer()
					Finish(tl, offsets)
				}
				b.ReportMetric(float64(model.HeightOf(p, offsets))/float64(tl.LowerBound), "height/load")
			})
		}
	}
}
