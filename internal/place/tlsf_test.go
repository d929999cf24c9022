package place

import (
	"math/rand/v2"
	"testing"
)

// tiles walks the blocks from the floor to the top and holds the invariant of tlsf.go against them: they tile the
// space, no two neighbours are free, and the highest is in use. It returns the number of free blocks.
func (a *tlsf) tiles(t *testing.T, floor int64) (free int) {
	t.Helper()
	at, below := floor, int32(0)
	for k := a.cells[0].above; k != 0; k = a.cells[k].above {
		c := &a.cells[k]
		if c.at != at || c.below != below {
			t.Fatalf("block %d begins at %d above block %d, want %d and %d", k, c.at, c.below, at, below)
		}
		if c.prev != inUse {
			free++
			if below != 0 && a.cells[below].prev != inUse {
				t.Fatalf("two neighbours are free: %d bytes at %d, %d at %d", a.cells[below].size, a.cells[below].at, c.size, c.at)
			}
			if c.above == 0 {
				t.Fatalf("the block below the top is free: %d bytes at %d", c.size, c.at)
			}
		}
		at, below = at+c.size, k
	}
	if at != a.top || a.cells[0].below != below {
		t.Fatalf("the blocks end at %d with block %d, want %d and %d", at, below, a.top, a.cells[0].below)
	}
	return free
}

// TestTLSFJoins gives three blocks back in each order. Free neighbours must always be one block, and a
// free block at the top must become part of the room above.
func TestTLSFJoins(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var a tlsf
		a.begin(4, 1<<20)
		a.reset(0)
		blocks := [3]int32{a.take(10), a.take(20), a.take(30)}
		last := a.take(40)
		for _, k := range order {
			a.give(blocks[k])
			a.tiles(t, 0)
		}
		if free := a.tiles(t, 0); free != 1 {
			t.Errorf("%v: %d free blocks, want one of 60 bytes", order, free)
		}
		if k := a.take(60); a.cells[k].at != 0 {
			t.Errorf("%v: 60 bytes lie at %d, want 0", order, a.cells[k].at)
		} else if a.give(k); a.cells[0].above == 0 {
			t.Errorf("%v: nothing is left", order)
		}
		if a.give(last); a.top != 0 || a.cells[0].above != 0 {
			t.Errorf("%v: all is given back, but the top is %d", order, a.top)
		}
	}
}

// TestTLSF takes and gives at random. The free blocks are the space between the live ones, and a live block never
// moves.
func TestTLSF(t *testing.T) {
	type block struct {
		k        int32
		at, size int64
	}
	joined := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var a tlsf
		a.begin(8, 1<<20)
		floor := rng.Int64N(50)
		a.reset(floor)
		var live []block
		for range 200 {
			if len(live) < 20 && rng.IntN(5) < 3 {
				size := 1 + rng.Int64N(1+rng.Int64N(300))
				k := a.take(size)
				live = append(live, block{k, a.cells[k].at, size})
			} else if len(live) > 0 {
				g := rng.IntN(len(live))
				a.give(live[g].k)
				live[g] = live[len(live)-1]
				live = live[:len(live)-1]
			}
			free := a.tiles(t, floor)
			used := int64(0)
			for _, b := range live {
				if c := a.cells[b.k]; c.at != b.at || c.size != b.size || c.prev != inUse {
					t.Fatalf("seed %d: a live block %+v is now %+v", seed, b, c)
				}
				used += b.size
			}
			if holes := a.top - floor - used; (holes == 0) != (free == 0) {
				t.Fatalf("seed %d: %d free blocks, %d free bytes", seed, free, holes)
			}
			joined = max(joined, free)
		}
	}
	if joined < 5 {
		t.Errorf("at most %d free blocks at once: the cases are too plain", joined)
	}
}
