package verify

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestDisjoint draws rectangles that mostly meet nobody, from a few to thousands, and compares disjoint with
// meetings, which looks for the pairs.
func TestDisjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var valid, not, again int
	for round := range 3000 {
		n := 1 + r.IntN(9) // compared two by two
		switch {
		case round%100 == 0:
			n = 1000 + r.IntN(4000) // sorted by digits
		case round%2 == 0:
			n += fewPieces
		}
		scale := int64(1) << r.IntN(40)
		at := func(k int64) int64 { return (k - 3) * scale }
		var pieces []rectangle
		// A grid of cells; each piece stays in its own, but for a few.
		wide := 1 + r.IntN(n)
		for k := range n {
			x, y := int64(k%wide), int64(k/wide)
			p := rectangle{at(4 * x), at(4*x + 1 + r.Int64N(4)), at(4 * y), at(4*y + 1 + r.Int64N(4)), k}
			if r.IntN(2*n) == 0 {
				p.end += scale * r.Int64N(5)
			}
			if r.IntN(2*n) == 0 {
				p.lower -= scale * r.Int64N(5)
			}
			pieces = append(pieces, p)
		}
		if round%3 != 1 {
			r.Shuffle(n, func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		} else {
			slices.SortStableFunc(pieces, func(a, b rectangle) int { return cmp.Compare(a.lower, b.lower) }) // they come in order
			for k := range pieces {
				pieces[k].buffer = k
			}
		}
		if wide > 1 && round%3 == 0 {
			// Some are there again and again, as a buffer with gaps is.
			var all []rectangle
			for _, p := range pieces {
				all = append(all, p)
				for times := r.IntN(4); times > 0; times-- {
					p.lower += int64(4*wide) * scale
					p.upper += int64(4*wide) * scale
					all = append(all, p)
					again++
				}
			}
			pieces = all
		}
		x, y := clash(pieces)
		// As buffers they are not listed, and the same two meet.
		p, offsets := &model.Problem{}, []int64(nil)
		for _, x := range pieces {
			p.Buffers = append(p.Buffers, model.Buffer{Lower: x.lower, Upper: x.upper, Size: x.end - x.start})
			offsets = append(offsets, x.start)
		}
		var m Memory
		m.cut(p, offsets)
		if listed := len(m.pieces) > 0; listed != (len(pieces) <= fewPieces) {
			t.Fatalf("round %d: %d pieces are listed: %v", round, len(pieces), listed)
		}
		if a, b := m.clash(); a != x || b != y {
			t.Fatalf("round %d: buffers %d and %d meet, want %d and %d", round, a, b, x, y)
		}
		got := x < 0
		pairs, _ := meetings(slices.Clone(pieces), MaxOverlaps)
		if !got {
			where := overlapOf(&pieces[x], &pieces[y])
			// It is one of the pairs, and no other meets earlier.
			if !slices.Contains(pairs, where) ||
				slices.ContainsFunc(pairs, func(o overlap) bool { return o.lower < where.lower }) {
				t.Fatalf("round %d: %+v is not the first of %d pairs", round, where, len(pairs))
			}
		}
		if got != (len(pairs) == 0) {
			t.Fatalf("round %d: disjoint says %v, but %d pairs meet", round, got, len(pairs))
		}
		if got {
			valid++
		} else {
			not++
		}
	}
	t.Logf("%d disjoint, %d not; %d pieces where one of the same buffer has been", valid, not, again)
	if valid < 500 || not < 100 || again < 10_000 {
		t.Errorf("the test is lopsided: %d disjoint, %d not", valid, not)
	}
}

// TestRanks compares the set of numbers with a slice of them.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, limit := range []int{1, 2, 63, 64, 65, 4096, 4097, 300_000} {
		set, in := new(ranks), []int32{}
		set.reset(limit)
		for range 2000 {
			k := int32(r.IntN(limit))
			at, found := slices.BinarySearch(in, k)
			below, above := int32(-1), int32(-1)
			if at > 0 {
				below = in[at-1]
			}
			next := at
			if found {
				next++
			}
			if next < len(in) {
				above = in[next]
			}
			if got := set.before(k); got != below {
				t.Fatalf("limit %d: before %d is %d, want %d", limit, k, got, below)
			}
			if got := set.after(k); got != above {
				t.Fatalf("limit %d: after %d is %d, want %d", limit, k, got, above)
			}
			switch {
			case !found:
				set.insert(k)
				in = slices.Insert(in, at, k)
			case r.IntN(3) > 0:
				set.remove(k)
				in = slices.Delete(in, at, at+1)
			}
		}
	}
}
