package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestMoves follows what the search tells of itself: problems of all kinds, with room and
// without, decided and minimised, with limits, with every combination of searches.
func TestMoves(t *testing.T) {
	if !(&Planner{}).Info().Moves {
		t.Error("the planner does not say that it tells")
	}
	var sum [5]int
	add := func(told [5]int) {
		for k, n := range told {
			sum[k] += n
		}
	}
	rng := rand.New(rand.NewPCG(11, 3))
	for seed := range plantest.Share[uint64](2000, 300, 60) {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok {
			continue
		}
		var o plan.Options
		if rng.IntN(2) == 0 {
			o.Without = []string{"ladders"}
		}
		for _, capacity := range []int64{0, height, height - 1, height + height/8} {
			if o.Capacity = capacity; capacity < 0 {
				continue
			}
			o.NodeLimit = 20_000
			if rng.IntN(3) == 0 {
				o.NodeLimit = 1 + rng.Int64N(60)
			}
			add(plantest.Moves(t, &Planner{}, p, o, o.Without != nil && !windowed(p)))
		}
	}
	for seed := range plantest.Share[uint64](200, 40, 10) {
		o, p := plan.Options{NodeLimit: 3000}, drawn.Cut(seed).Problem
		add(plantest.Moves(t, &Planner{}, p, o, !windowed(p)))
		add(plantest.Moves(t, &Planner{}, drawn.Awkward(seed), o, false))
	}
	for kind, n := range sum {
		if n < 100 {
			t.Errorf("%d moves of kind %d", n, kind)
		}
	}
	t.Log(sum)
}

// TestMovesApart is about a problem that falls apart: two partitions, one of them into
// pieces once its first buffer is placed.
func TestMovesApart(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "base", Lower: 0, Upper: 20, Size: 4},
		{ID: "a", Lower: 0, Upper: 6, Size: 3},
		{ID: "b", Lower: 4, Upper: 10, Size: 3},
		{ID: "c", Lower: 10, Upper: 16, Size: 2},
		{ID: "d", Lower: 14, Upper: 20, Size: 2},
		{ID: "alone", Lower: 30, Upper: 31, Size: 5},
	}}
	told := plantest.Moves(t, &Planner{}, p, plan.Options{Capacity: 10, Without: []string{"ladders"}}, true)
	if told[plan.MoveBegin] != 2 || told[plan.MovePlace] < 6 || told[plan.MoveDone] != 2 || told[plan.MovePlan] != 2 {
		t.Errorf("told %v", told)
	}
}

// windowed reports whether some buffer uses a part of itself in a gap.
func windowed(p *model.Problem) bool {
	for i := range p.Buffers {
		if slices.ContainsFunc(p.Buffers[i].Gaps, func(g model.Gap) bool { return g.Window != nil }) {
			return true
		}
	}
	return false
}
