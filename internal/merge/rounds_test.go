package merge

import (
	"math"
	"math/rand/v2"
	"testing"

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
		s.rounds(m, m.rng, stale)
		if len(m.live) != ticks+2 {
			t.Errorf("seed %d: rounds leave %s", seed, m.text())
		}
	}
	if trapped < 10 {
		t.Errorf("%d of 40 merges fall into the trap", trapped)
	}
}
