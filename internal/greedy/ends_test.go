package greedy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestEnds: the orders of a sweep are those of words, without the buffers that no sweep places, partition by partition.
func TestEnds(t *testing.T) {
	var many, fixed int // problems in which so many begin in one section that digits sort them; problems with fixed buffers
	for seed := range uint64(1200) {
		r := rand.New(rand.NewPCG(seed, 47))
		n, times := 1+r.IntN(60), 2+r.Int64N(100)
		if seed%100 == 0 {
			n, times = 3*thresholds.DigitsLeast, 2+r.Int64N(3)
		}
		tl := timeline.New(plantest.RandomOf(r, n, times))
		s, _ := NewSweeper(endless(), tl)
		if s == nil {
			continue // fixed buffers collide
		}
		if n > 60 {
			many++
		}
		for i := range tl.Problem.Buffers {
			if tl.Problem.Buffers[i].Fixed != nil {
				fixed++
				break
			}
		}
		for way, words := range [2][2]string{{"LuZ", "U"}, {"uLZ", "l"}} {
			if !s.order(way) {
				t.Fatalf("seed %d: no order on way %d", seed, way)
			}
			var starts, ends []int32
			for k := range s.parts {
				if way == 1 {
					k = len(s.parts) - 1 - k
				}
				backwards := slices.Clone(s.parts[k].starts[1-way])
				slices.Reverse(backwards)
				starts, ends = append(starts, s.parts[k].starts[way]...), append(ends, backwards...)
			}
			for k, got := range [][]int32{starts, ends} {
				want := slices.DeleteFunc(Sorted(nil, tl, words[k]), func(i int32) bool {
					first, last := tl.Extent(int(i))
					return first == last || tl.Problem.Buffers[i].Fixed != nil
				})
				if !slices.EqualFunc(got, want, func(i, j int32) bool {
					_, x := s.extent(i, way)
					_, y := s.extent(j, way)
					return i == j || k == 1 && x == y
				}) {
					t.Fatalf("seed %d, %s: %v, want %v", seed, words[k], got, want)
				}
			}
			slices.Sort(ends)
			if slices.Sort(starts); !slices.Equal(starts, ends) {
				t.Fatalf("seed %d, way %d: %v start, %v end", seed, way, starts, ends)
			}
		}
	}
	if many == 0 || fixed == 0 {
		t.Errorf("%d problems have many starts in one section, %d fixed buffers", many, fixed)
	}
}

// TestEndsLate: a limit that comes before many buffers are in order leaves no order.
func TestEndsLate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 47))
	p := plantest.RandomOf(r, 2*pollEvery, 3)
	for i := range p.Buffers {
		p.Buffers[i].Fixed, p.Buffers[i].Gaps = nil, nil
	}
	tl := timeline.New(p)
	for looks := range int64(100) {
		s, _ := NewSweeper(run.NewWatch(run.EndAtLook(t.Context(), looks)), tl)
		whole := s.order(0)
		if whole != s.sorted[0] || whole && s.parts[0].starts[1] == nil {
			t.Errorf("a limit at look %d: order %v, sorted %v", looks, whole, s.sorted)
		}
		if whole {
			if looks < 5 {
				t.Errorf("only %d looks", looks)
			}
			return
		}
	}
	t.Error("no order at all")
}
