package place

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The free list against a bitmap.
func TestFreeList(t *testing.T) {
	const space = 200
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 22))
		var f FreeList
		f.Reset(0, space)
		var used [space]bool
		var live []Range
		free := func(at, size int64) bool {
			for k := at; k < at+size; k++ {
				if k < 0 || k >= space || used[k] {
					return false
				}
			}
			return true
		}
		for range 200 {
			if len(live) > 0 && rng.IntN(2) == 0 {
				k := rng.IntN(len(live))
				r := live[k]
				live = slices.Delete(live, k, k+1)
				f.Give(r.From, r.To-r.From)
				for at := r.From; at < r.To; at++ {
					used[at] = false
				}
			} else {
				size, align := 1+rng.Int64N(20), 1+rng.Int64N(4)
				at, ok := f.Lowest(size, 1)
				want := int64(0)
				for want <= space && !free(want, size) {
					want++
				}
				if ok != (want <= space) || ok && at != want {
					t.Fatalf("seed %d: lowest of %d is %d, %v; want %d", seed, size, at, ok, want)
				}
				limit := rng.Int64N(space)
				if at, ok = f.Highest(size, 1, limit); ok && (at+size > limit || !free(at, size)) {
					t.Fatalf("seed %d: highest of %d under %d is %d", seed, size, limit, at)
				}
				for want = limit - size; want >= 0 && !free(want, size); {
					want--
				}
				if ok != (want >= 0) || ok && at != want {
					t.Fatalf("seed %d: highest of %d under %d is %d, %v; want %d", seed, size, limit, at, ok, want)
				}
				if rng.IntN(2) == 0 {
					at, ok = f.Highest(size, align, limit)
				} else {
					at, ok = f.Lowest(size, align)
				}
				if !ok {
					continue
				}
				if !free(at, size) || at%align != 0 {
					t.Fatalf("seed %d: %d bytes at %d by %d are not free", seed, size, at, align)
				}
				f.Take(at, size)
				for k := at; k < at+size; k++ {
					used[k] = true
				}
				live = append(live, Range{From: at, To: at + size})
			}
			largest, run := int64(0), int64(0)
			for _, u := range used {
				if run++; u {
					run = 0
				}
				largest = max(largest, run)
			}
			if got := f.blocks[f.root].largest; got != largest {
				t.Fatalf("seed %d: the largest block is %d, not %d", seed, got, largest)
			}
		}
	}
}
