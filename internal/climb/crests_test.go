package climb

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// tailed returns n buffers. Some live for a large part of the time, most briefly, and the load has several peaks.
func tailed(seed uint64, n int) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 8))
	p := several(seed, n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Upper = b.Lower + 1 + min(int64(n/2), int64(5/(1-rng.Float64())))
	}
	return p
}

// TestCrestsLower: plans of the peaks first end at the load or near it, where repairs of a whole plan do not, at the
// same number of steps.
func TestCrestsLower(t *testing.T) {
	lower, with, without := 0, 0.0, 0.0
	problems := plantest.Share(12, 4, 2)
	for seed := range uint64(problems) {
		p := tailed(seed, 20000)
		o := plan.Options{NodeLimit: 1 << 24}
		r := plantest.Must(t, &Planner{Crests: true}, p, o)
		with += 100 * (float64(r.Height)/float64(r.LowerBound) - 1)
		s := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: o.NodeLimit, Without: []string{"crests"}})
		without += 100 * (float64(s.Height)/float64(s.LowerBound) - 1)
		if r.Height < s.Height {
			lower++
		}
	}
	say := t.Logf
	if 2*lower < problems || with > without/4 {
		say = t.Errorf
	}
	say("%d of %d lower; above the load: %.2f%% with crests, %.2f%% without",
		lower, problems, with/float64(problems), without/float64(problems))
}

// TestCrests: a turn returns a plan that is valid and lower, or none. It never says that it has taken no steps.
func TestCrests(t *testing.T) {
	done, failed := 0, 0
	for seed := range uint64(24) {
		p := tailed(seed, 1100)
		if seed%3 == 0 {
			for i := range p.Buffers {
				p.Buffers[i].Alignment = int64(1) << (i % 5)
			}
		}
		for i := range p.Buffers {
			if b := &p.Buffers[i]; seed%3 == 1 && b.Upper-b.Lower > 10 {
				b.Gaps = []model.Gap{{Lower: b.Lower + 2, Upper: b.Upper - 3}}
			}
		}
		w := begun(t, timeline.New(p), plan.Options{Seed: seed})
		w.goal = w.tl.LowerBound
		height := model.HeightOf(p, w.best)
		if seed%4 == 0 {
			height = w.goal // no plan is lower
		}
		w.most = int64(1) << (14 + seed%10)
		offsets := w.crests(w.best, height)
		if w.taken == 0 {
			t.Fatalf("seed %d: no steps", seed)
		}
		if offsets == nil {
			failed++
			continue
		}
		done++
		if fault := verify.First(p, offsets, height-1, -1); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
	}
	t.Logf("%d lower, %d not", done, failed)
	if done < 6 || failed < 6 {
		t.Errorf("the cases are lopsided: %d lower, %d not", done, failed)
	}
}

// TestLevel: the buffers of a level before lie as that level's plan has them if there is room above them.
func TestLevel(t *testing.T) {
	p := tailed(1, 1100)
	w := begun(t, timeline.New(p), plan.Options{})
	w.goal, w.most = math.MaxInt64/2, math.MaxInt64/2
	need := needs(w.tl)
	order := make([]int32, len(need))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return int(need[j] - need[i]) })
	offsets := make([]int64, len(order))
	first, _ := w.level(order[:300], 0, offsets)
	for r, i := range order[:300] {
		offsets[i] = first[r]
	}
	second, height := w.level(order[:600], 300, offsets)
	part := &model.Problem{}
	for _, i := range order[:600] {
		part.Buffers = append(part.Buffers, p.Buffers[i])
	}
	if fault := verify.First(part, second, height, -1); fault != "" {
		t.Fatal(fault)
	}
	for r := range first {
		if second[r] > first[r] {
			t.Fatalf("buffer %d rises from %d to %d", order[r], first[r], second[r])
		}
	}
}

// TestNeeds: the need of each buffer is its size as often as sizeCounts says, and the highest load of its sections.
func TestNeeds(t *testing.T) {
	for seed := range uint64(30) {
		p := tailed(seed, 50+int(seed)*10)
		tl := timeline.New(p)
		for i, need := range needs(tl) {
			first, last := tl.Extent(i)
			if want := slices.Max(tl.Load[first:last]) + sizeCounts*p.Buffers[i].Size; need != want {
				t.Fatalf("seed %d: buffer %d needs %d, not %d", seed, i, need, want)
			}
		}
	}
}

// TestCresting: there are no levels of few buffers, with gaps, or where memory is full at almost all times.
func TestCresting(t *testing.T) {
	full := &model.Problem{}
	for i := range int64(2000) {
		full.Buffers = append(full.Buffers, model.Buffer{Lower: i, Upper: i + 10, Size: 1})
	}
	for _, c := range []struct {
		p    *model.Problem
		want bool
	}{{tailed(1, 1500), true}, {tailed(1, 900), false}, {hollow(tailed(1, 1500)), false}, {full, false}} {
		w := begun(t, timeline.New(c.p), plan.Options{})
		w.goal = w.tl.LowerBound
		if got := w.cresting(); got != c.want {
			t.Errorf("%d buffers: levels %v, not %v", len(c.p.Buffers), got, c.want)
		}
	}
}
