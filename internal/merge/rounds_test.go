package merge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// TestRoundsMend has a trap: each left half fits both right halves, but the stacks s and t fit only the composites
// a+b and c+d. For some seeds of the noise the first merge takes the wrong halves. Then four roots are left, although
// two are possible, and rounds mend that.
func TestRoundsMend(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 4, Size: 4},
		{ID: "b", Lower: 4, Upper: 8, Size: 4},
		{ID: "s", Lower: 0, Upper: 8, Size: 7},
		{ID: "c", Lower: 2, Upper: 4, Size: 4},
		{ID: "d", Lower: 4, Upper: 12, Size: 4},
		{ID: "t", Lower: 2, Upper: 12, Size: 9},
	}}
	const ticks = 12 // each moment has a buffer that fits no other, so each moment is a section
	for k := range int64(ticks) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('A' + k)), Lower: k, Upper: k + 1, Size: 20 + k})
	}
	tl := timeline.New(p)
	trapped := 0
	for seed := range uint64(40) {
		m := newMerger(t, p)
		m.rng, m.noise = random(seed), 2
		m.begin()
		switch len(m.live) {
		case ticks + 2:
			continue
		case ticks + 4:
			trapped++
		default:
			t.Fatalf("seed %d: %s", seed, m.text())
		}
		s := &search{
			ctx: t.Context(), watch: m.watch, tl: tl, o: &plan.Options{}, height: math.MaxInt64, goal: tl.LowerBound, step: 1,
		}
		s.set.rounds, s.set.nodes = true, 10
		s.rounds(m, m.rng, 0)
		if len(m.live) != ticks+2 {
			t.Errorf("seed %d: rounds leave %s", seed, m.text())
		}
	}
	if trapped < 10 {
		t.Errorf("%d of 40 merges fall into the trap", trapped)
	}
}

// TestParts plans packings on a grid that is coarse in time and space. Rounds that take everything apart leave dozens
// of roots there.
func TestParts(t *testing.T) {
	t.Parallel()
	seeds := plantest.Share[uint64](8, 4)
	with, without := 0, 0
	for seed := range seeds {
		p := made(t, "perfect", gen.Options{Buffers: 1000, Horizon: 120, Capacity: 1024, Seed: seed})
		o := plan.Options{Capacity: p.Capacity, NodeLimit: 40_000}
		if plantest.Must(t, &Planner{}, p, o).Status.HasPlan() {
			with++
		}
		o.Without = []string{"parts"}
		if plantest.Must(t, &Planner{}, p, o).Status.HasPlan() {
			without++
		}
	}
	t.Logf("%d of %d, %d without parts", with, seeds, without)
	if 2*with < int(seeds) || 4*without > int(seeds) {
		t.Error("want half of them, and a quarter without parts")
	}
}

// TestTearParts: of two roots of eight buffers each, a round in parts leaves some whole, splits some in part and some
// to the last buffer. Outside its sections it splits nothing.
func TestTearParts(t *testing.T) {
	p := &model.Problem{}
	for k := range 16 {
		at := int64(k/8) * 10
		p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + k)), Lower: at, Upper: at + 9, Size: 1 + int64(k)})
	}
	seen := map[int]int{}
	for seed := range uint64(200) {
		m := newMerger(t, p)
		m.rng = random(seed)
		if m.begin(); len(m.live) != 2 {
			t.Fatalf("%d roots, want 2", len(m.live))
		}
		m.log = m.log[:0]
		m.tear(0, 1, true)
		later := 0
		for _, r := range m.live {
			if m.all[r].first > 0 {
				later++
			}
		}
		if later != 1 {
			t.Fatalf("seed %d: the root outside is split: %s", seed, m.text())
		}
		seen[len(m.live)]++
	}
	if whole, all := seen[2], seen[9]; whole < 20 || all < 4 || 200-whole-all < 20 {
		t.Errorf("%d of 200 whole, %d split to the last: %v", whole, all, seen)
	}
}
