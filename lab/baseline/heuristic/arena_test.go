package heuristic

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The chunks tile the space after every step, as the invariant has it.
func TestArenaInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := newArena()
	var live []int32
	for step := range 5000 {
		if len(live) == 0 || rng.IntN(5) < 3 && len(live) < 60 {
			live = append(live, a.take(1+rng.Int64N(40), 1+rng.Int64N(9)*rng.Int64N(2), 128<<20))
		} else {
			k := rng.IntN(len(live))
			a.free(live[k])
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

// count returns the number of holes.
func (s *holes) count() (n int) {
	for _, p := range s.pieces {
		n += len(p)
	}
	return n
}
