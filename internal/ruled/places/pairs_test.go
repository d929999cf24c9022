package places

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// bannedAsJudged holds, for all small offsets of two buffers and in both orders, that the one is free of the ban of
// the other if and only if the oracle takes the plan. It returns how many plans it took and how many not.
func bannedAsJudged(t *testing.T, p *model.Problem, most int64) (good, bad int) {
	t.Helper()
	c := NewPairs(p, model.NewConflicts(p))
	free := func(i, j int32, by int64) (free bool) {
		free = true
		c.Between(i, j, func(low, high int64) { free = free && (by <= low || high <= by) })
		return free
	}
	for a := range most {
		for b := range most {
			legal := oracle.Legal(p, &model.Plan{Offsets: []int64{a, b}})
			if one, other := free(0, 1, a-b), free(1, 0, b-a); one != legal || other != legal {
				t.Fatalf("at %d and %d: free %v and %v, but legal %v, of %s", a, b, one, other, legal, drawn.DescribeRuled(p))
			}
			if legal {
				good++
			} else {
				bad++
			}
		}
	}
	return good, bad
}

// TestBetweenDistances has all small pairs of buffers with a distance, in both orders, with and without a gap.
func TestBetweenDistances(t *testing.T) {
	for size := int64(1); size <= 9; size++ {
		for distance := int64(-4); distance <= 4; distance++ {
			for _, gaps := range [][]model.Gap{nil, {{Lower: 1, Upper: 2}}} {
				p := &model.Problem{
					Buffers: []model.Buffer{
						{ID: "a", Upper: 4, Size: (size-1)/3 + 1, Gaps: gaps}, {ID: "b", Lower: 3, Upper: 6, Size: (size-1)%3 + 1},
					},
					Rules: &model.Rules{Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: distance}}},
				}
				if good, bad := bannedAsJudged(t, p, 6); good == 0 || bad == 0 && distance > 0 {
					t.Fatalf("size %d, distance %d: %d and %d plans", size, distance, good, bad)
				}
				p.Buffers[0], p.Buffers[1] = p.Buffers[1], p.Buffers[0]
				p.Rules.Distances[0].Buffers = model.Pair{1, 0}
				bannedAsJudged(t, p, 6)
			}
		}
	}
}

// TestBetween has pairs of drawn problems, with all their rules but for ties.
func TestBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 13))
	good, bad := 0, 0
	for range plantest.Share(3000, 300) {
		p := drawn.Ruled(r)
		p.Capacity, p.Rules.Pools, p.Rules.Together = 0, nil, nil
		for i := range p.Buffers {
			b := &p.Buffers[i]
			b.Alignment, b.Fixed = 0, nil
			if b.Extra != nil {
				b.Extra = &model.Extra{Clocks: b.Extra.Clocks}
			}
		}
		for i := range p.Buffers {
			for j := range i {
				x, y := bannedAsJudged(t, model.Among(p, []int{j, i}), 4)
				good, bad = good+x, bad+y
			}
		}
	}
	if good < 5000 || bad < 1000 {
		t.Errorf("%d and %d plans", good, bad)
	}
}
