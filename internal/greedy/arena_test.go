package greedy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWeighIsExact(t *testing.T) {
	if got, want := weigh(1<<61, 1<<62), [3]uint64{1 << 57, 0, 0}; got != want {
		t.Errorf("2^61 × 2^124: %v, want %v", got, want)
	}
	if got, want := weigh(1<<63+1, 1<<33), [3]uint64{2, 4, 0}; got != want {
		t.Errorf("(2^63+1) × 2^66: %v, want %v", got, want)
	}
	if got, want := weigh(3, 5), [3]uint64{0, 0, 75}; got != want {
		t.Errorf("3 × 25: %v, want %v", got, want)
	}
}

// The chunks tile the space after every step, as the invariant has it.
func TestArenaInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := NewArena()
	var live []int32
	for step := range 5000 {
		if len(live) == 0 || rng.IntN(5) < 3 && len(live) < 60 {
			live = append(live, a.Take(1+rng.Int64N(40), 1+rng.Int64N(9)*rng.Int64N(2), 128<<20))
		} else {
			k := rng.IntN(len(live))
			a.Free(live[k])
			live = slices.Delete(live, k, k+1)
		}
		at, used, free := a.top, 0, 0
		lastFree := true
		for c := a.last; c >= 0; c = a.chunks[c].prev {
			h := &a.chunks[c]
			at -= h.size
			if h.at != at || h.size < 1 {
				t.Fatalf("step %d: chunk at %d of %d, want it at %d", step, h.at, h.size, at)
			}
			if h.inUse {
				used++
			} else {
				free++
				if lastFree {
					t.Fatalf("step %d: two free neighbours, or a free chunk at the top", step)
				}
			}
			lastFree = !h.inUse
		}
		if at != 0 || used != len(live) || free != a.holes.count() {
			t.Fatalf("step %d: begins at %d, %d in use of %d, %d free of %d", step, at, used, len(live), free, a.holes.count())
		}
	}
}
