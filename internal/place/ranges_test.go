package place

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// plainAdd is store.add for a list, and plainLowest store.lowest for lists.
func plainAdd(list []Range, r Range, tolerance int64) []Range {
	if r.From <= tolerance {
		r.From = 0
	}
	var all []Range
	for _, x := range list {
		if x.To+tolerance < r.From || x.From-tolerance > r.To {
			all = append(all, x)
			continue
		}
		r = Range{From: min(r.From, x.From), To: max(r.To, x.To)}
	}
	k := 0
	for k < len(all) && all[k].From < r.From {
		k++
	}
	return slices.Insert(all, k, r)
}

func plainLowest(lists [][]Range, offset, lower, upper, align int64) int64 {
	offset = bound.Up(offset, align)
	for again := true; again; {
		again = false
		for _, list := range lists {
			for _, x := range list {
				if x.From < offset+upper && offset+lower < x.To {
					offset, again = bound.Up(x.To-lower, align), true
				}
			}
		}
	}
	return offset
}

// ranges returns all that a set has.
func (t *store) ranges(s set) (all []Range) {
	if s.size == inPages {
		for _, p := range t.pages[s.at] {
			all = append(all, t.block(p.at, int(p.n))...)
		}
	} else if s.size > 0 {
		all = slices.Clone(t.block(s.at, int(s.n)))
	}
	return all
}

// TestStore compares sets that grow to many pages and close up again with plain lists: what is in them, and where
// they have room.
func TestStore(t *testing.T) {
	rounds := plantest.Share(24, 8, 10)
	var store store // keeps its memory over the rounds
	most, shrunk := 0, 0
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		tolerance := int64(seed % 3)
		store.reset(tolerance)
		sets, plain := make([]set, 3), make([][]Range, 3)
		space := 2000 + rng.Int64N(40_000)
		for step := range 4000 {
			k := rng.IntN(len(sets))
			from, size := rng.Int64N(space), 1+rng.Int64N(4)
			switch {
			case step%500 == 499:
				size = 1 + rng.Int64N(space/3) // swallows pages
			case seed%4 == 0: // ascending
				from = int64(step) * 10
			case seed%4 == 1: // descending
				from = int64(4000-step) * 10
			}
			r := Range{From: from, To: from + size}
			before := len(plain[k])
			want := plainAdd(plain[k], r, tolerance)
			if changed := store.add(&sets[k], r); changed != !slices.Equal(want, plain[k]) {
				t.Fatalf("seed %d, step %d: changed is %v", seed, step, changed)
			}
			plain[k] = want
			most = max(most, len(want))
			if before > len(want)+pageMost {
				shrunk++
			}
			if step%16 == 0 {
				if got := store.ranges(sets[k]); !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: the set is\n%v, want\n%v", seed, step, got, want)
				}
				var probes []probe
				lower := rng.Int64N(3)
				upper := lower + tolerance + 1 + rng.Int64N(1+space/100)
				for _, s := range sets {
					if s.size > 0 {
						probes = append(probes, store.probe(s, lower, upper))
					}
				}
				at, align := int64(0), 1+rng.Int64N(3)
				for range 4 { // on from each answer, as best fit goes on
					want := plainLowest(plain, at, lower, upper, align)
					if got := store.lowest(probes, at, align); got != want {
						t.Fatalf("seed %d, step %d: from %d on there is room at %d, not at %d", seed, step, at, want, got)
					}
					at = want + 1
				}
				if got, want := store.lowest(probes[:0], 5, align), bound.Up(5, align); got != want {
					t.Fatalf("nothing is in the way, and the answer is %d, not %d", got, want)
				}
			}
		}
	}
	if most < 3*pageMost || shrunk == 0 {
		t.Errorf("sets have up to %d ranges, %d shrank: no test of pages", most, shrunk)
	}
}

// TestBlocks: blocks of all sizes do not overlap, and freed ones are reused.
func TestBlocks(t *testing.T) {
	var s store
	s.reset(0)
	owner := map[uint32]int{}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 6000 {
		size := uint16(1 + rng.IntN(pageSize))
		at := s.take(size)
		block := s.block(at, 1<<size)
		for i := range block {
			if _, ok := owner[at+uint32(i)]; ok || block[i] != (Range{}) {
				t.Fatalf("block %d has a range of another", k)
			}
			owner[at+uint32(i)] = k
			block[i] = Range{From: 1, To: int64(k)}
		}
	}
	for _, at := range []uint32{1, 17, s.next - 2} {
		s.give(at, 1)
		if got := s.take(1); got != at {
			t.Errorf("%d came back as %d", at, got)
		}
	}
}
