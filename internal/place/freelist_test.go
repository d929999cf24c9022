package place

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// The free list against a bitmap, for sets of one block and of several pages.
func TestFreeList(t *testing.T) {
	cut := 0
	var f FreeList
	for seed := range plantest.Share[uint64](90, 40) {
		rng := rand.New(rand.NewPCG(seed, 22))
		space, most := int64(200), int64(20)
		if seed%30 == 0 {
			space, most = 2600, 3
		}
		f.Reset()
		used := make([]bool, space)
		var live []Range
		if space > 2000 { // full of holes
			for at := int64(0); at < space; at += 2 {
				f.Take(at, 1)
				used[at] = true
				live = append(live, Range{at, at + 1})
			}
		}
		// stretches are those in use, or those that are free, by the bitmap.
		stretches := func(of bool) (all []Range) {
			for at, u := range used {
				if u != of {
					continue
				}
				if k := len(all) - 1; k >= 0 && all[k].To == int64(at) {
					all[k].To++
				} else {
					all = append(all, Range{int64(at), int64(at) + 1})
				}
			}
			return all
		}
		for step := range 2 * space {
			if len(live) > 0 && rng.Int64N(2*space) < step {
				k := rng.IntN(len(live))
				r := live[k]
				live = slices.Delete(live, k, k+1)
				f.Give(r.From, r.To-r.From)
				for at := r.From; at < r.To; at++ {
					used[at] = false
				}
			} else {
				size, align, limit := 1+rng.Int64N(most), 1+rng.Int64N(4)*rng.Int64N(2), rng.Int64N(space)
				lowest, highest, tightest, least := int64(-1), int64(-1), int64(-1), int64(math.MaxInt64)
				free := stretches(false)
				if k := len(free) - 1; k >= 0 && free[k].To == space {
					free = free[:k+1]
					free[k].To = math.MaxInt64
				} else {
					free = append(free, Range{space, math.MaxInt64})
				}
				for _, b := range free {
					at := (b.From + align - 1) / align * align
					if at > b.To-size {
						continue
					}
					if lowest < 0 {
						lowest = at
					}
					if tightest < 0 || b.To-at < least {
						tightest, least = at, b.To-at
					}
					for ; at+size <= min(b.To, limit); at += align {
						highest = at
					}
				}
				if at := f.Find(size, align, FirstFit); at != lowest {
					t.Fatalf("seed %d: %d by %d are put lowest at %d, not %d", seed, size, align, at, lowest)
				}
				if at := f.Find(size, align, BestFit); at != tightest {
					t.Fatalf("seed %d: %d by %d are put tightest at %d, not %d", seed, size, align, at, tightest)
				}
				if at, ok := f.Highest(size, align, limit); ok != (highest >= 0) || ok && at != highest {
					t.Fatalf("seed %d: %d by %d under %d are put highest at %d, %v, not %d", seed, size, align, limit, at, ok, highest)
				}
				at := []int64{lowest, highest, tightest}[rng.IntN(3)]
				if at < 0 || at+size > space {
					continue
				}
				f.Take(at, size)
				for k := at; k < at+size; k++ {
					used[k] = true
				}
				live = append(live, Range{From: at, To: at + size})
			}
			var all []Range
			if f.used.size == inPages {
				cut = max(cut, len(f.sets.pages[f.used.at]))
				for k := range f.sets.pages[f.used.at] {
					all = append(all, f.sets.rangesOf(&f.sets.pages[f.used.at][k])...)
				}
			} else if f.used.size > 0 {
				all = f.sets.block(f.used.at, int(f.used.n))
			}
			if want := stretches(true); !slices.Equal(all, want) {
				t.Fatalf("seed %d: in use are %v, want %v", seed, all, want)
			}
		}
	}
	if cut < 3 {
		t.Errorf("no set of more than %d pages", cut)
	}
}
