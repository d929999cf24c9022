package greedy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// even returns n buffers that begin at any time, with any life up to a tenth of the time and any size.
func even(seed uint64, n int) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 9))
	p := &model.Problem{}
	for i := range n {
		lower := rng.Int64N(1000)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(100), Size: 1 + rng.Int64N(1000),
		})
	}
	return p
}

// TestTurned: a plan is no higher after its turns, and mostly lower. Both ways the plan is valid.
func TestTurned(t *testing.T) {
	const seeds = 20
	lower, turns := 0, int64(0)
	for seed := range uint64(seeds) {
		problem := even(seed, 1200)
		if seed%2 == 1 {
			problem.Buffers[7].Alignment = 64
		}
		p := NewPortfolio(t.Context(), timeline.New(problem), 0)
		before, given := p.Height, p.turns
		offsets, height := p.turned(slices.Clone(p.Offsets), p.Height)
		if fault := verify.First(problem, offsets, height, -1); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
		if model.HeightOf(problem, offsets) != height || height > before {
			t.Fatalf("seed %d: height %d, before %d", seed, height, before)
		}
		if height < before {
			lower++
		}
		turns += given - p.turns
	}
	if lower < seeds*3/4 || turns < 2*seeds {
		t.Errorf("%d of %d are lower, after %d turns", lower, seeds, turns)
	}
}

// TestTurnsLower: where the portfolio ends above the bound without turns, it ends lower with them.
func TestTurnsLower(t *testing.T) {
	open, lower := 0, 0
	for seed := range uint64(4) {
		tl := timeline.New(even(seed, thresholds.TurnsLeast))
		heights := [2]int64{}
		for k := range heights {
			p := NewPortfolio(t.Context(), tl, 0)
			if k == 1 {
				p.turns = 0
			}
			p.Rest()
			heights[k] = p.Height
		}
		if heights[0] > heights[1] {
			t.Errorf("seed %d: %d with turns, %d without", seed, heights[0], heights[1])
		}
		if heights[1] > tl.LowerBound {
			open++
		}
		if heights[0] < heights[1] {
			lower++
		}
	}
	if open < 2 || lower < open-1 {
		t.Errorf("%d are above the bound without turns, %d are lower with them", open, lower)
	}
}

// TestTurnable: few buffers are not turned, nor are gaps and fixed offsets.
func TestTurnable(t *testing.T) {
	few, many := even(1, thresholds.TurnsLeast-1), even(1, thresholds.TurnsLeast)
	fixed, gap := even(1, thresholds.TurnsLeast), even(1, thresholds.TurnsLeast)
	fixed.Buffers[3].Fixed = new(int64)
	for i := range gap.Buffers {
		if b := &gap.Buffers[i]; b.Upper-b.Lower > 3 {
			b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Lower + 2}}
			break
		}
	}
	for name, tc := range map[string]struct {
		p    *model.Problem
		want bool
	}{"few": {few, false}, "many": {many, true}, "fixed": {fixed, false}, "gap": {gap, false}} {
		p := NewPortfolio(t.Context(), timeline.New(tc.p), 0)
		if p.turnable() != tc.want {
			t.Errorf("%s: %t", name, p.turnable())
		}
	}
}

// TestTurnsWait: no plan is turned before the cheapest trials have run, since these often prove the height.
func TestTurnsWait(t *testing.T) {
	proven := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 10))
		problem := even(seed, thresholds.TurnsLeast)
		for i := range problem.Buffers {
			b := &problem.Buffers[i]
			b.Upper = b.Lower + 1 + int64(math.Pow(900, rng.Float64()))
			b.Size = 1 + int64(math.Pow(1e6, rng.Float64()))
		}
		p := NewPortfolio(t.Context(), timeline.New(problem), 0)
		if p.Height == p.tl.LowerBound {
			continue
		}
		if p.Quick(true); p.Height == p.tl.LowerBound {
			proven++
		}
		if p.turning {
			t.Errorf("seed %d: turned to %d, bound %d", seed, p.Height, p.tl.LowerBound)
		}
		if p.Rest(); p.Height > p.tl.LowerBound && !p.turning {
			t.Errorf("seed %d: not turned though %d is above the bound %d", seed, p.Height, p.tl.LowerBound)
		}
	}
	if proven < 3 {
		t.Errorf("the cheapest trials prove the height of %d problems", proven)
	}
}
