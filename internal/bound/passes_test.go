package bound

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPasses propagates random cycles of constraints, without an upper end. A system with a fixpoint must reach it
// within Passes. Any other system must have risen by Period by then.
func TestPasses(t *testing.T) {
	settled, never, longest := 0, 0, 0.0
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n := 2 + rng.IntN(4)
		alignments, distances := make([]int64, n), make([]int64, n)
		for k := range n {
			alignments[k] = []int64{1, 2, 3, 4, 6, 8, 9, 12}[rng.IntN(8)]
			distances[k] = rng.Int64N(30) - 16
		}
		most := Passes(alignments)
		offsets := make([]int64, n)
		pass, rose := int64(0), true
		for ; rose && pass <= 3*most; pass++ {
			rose = false
			for k, d := range distances {
				next := (k + 1) % n
				if v := Up(offsets[k]+d, alignments[next]); v > offsets[next] {
					offsets[next], rose = v, true
				}
			}
		}
		if rose {
			never++
			if period := Period(alignments); offsets[0] < period {
				t.Errorf("seed %d: %d after %d passes, less than the period %d", seed, offsets[0], pass, period)
			}
			continue
		}
		if pass > 2 {
			settled++
		}
		longest = max(longest, float64(pass)/float64(most))
		if pass > most {
			t.Errorf("seed %d: %v with distances %v settles after %d passes, not %d", seed, alignments, distances, pass, most)
		}
	}
	if settled < 1000 || never < 1000 {
		t.Errorf("one-sided: %d settle after more than one round, %d never", settled, never)
	}
	t.Logf("the longest took %.2f of the passes", longest)
}

// TestPassesOfLargeAlignments has alignments whose product is above any offset.
func TestPassesOfLargeAlignments(t *testing.T) {
	if got := Passes([]int64{1, 1<<31 - 1, 1 << 31, 1<<31 + 1}); got != math.MaxInt64 {
		t.Errorf("%d", got)
	}
	if got := Passes([]int64{1, 1, 1}); got != 9 {
		t.Errorf("three offsets without alignment: %d passes", got)
	}
}
