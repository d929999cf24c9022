package beam

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
)

// TestSpread: the next beam is what a plain loop takes from all children: the one with the least sum of score, chance
// and price, again and again. A narrow beam and one without the technique take the best scores.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name   string
		spread bool
		width  int
	}{{"spread", true, 64}, {"narrow", true, spreadLeast - 1}, {"without", false, 64}} {
		dearer := 0
		for seed := range uint64(3) {
			tl := timeline.New(crowded(seed, 150, 1<<13, even))
			x := looseOf(t, tl)
			x.settings.spread, x.settings.ahead = c.spread, false
			x.ceiling = (tl.LowerBound + tl.LowerBound/8) / x.granule
			x.widen(c.width)
			x.restore(0)
			for k := range x.order {
				if k == 0 || x.first[k] != x.first[k-1] {
					x.advance(x.first[k])
				}
				x.value[k] = worth(x.last[k] - x.first[k])
				x.bear(k)
				children, ancestors := slices.Clone(x.children), x.ancestors()
				x.choose(k)
				want, ordered := x.take(children, ancestors, c.spread && c.width >= spreadLeast)
				if got := x.next.score[:x.next.n]; !slices.Equal(got, want) {
					t.Fatalf("%s: seed %d, buffer %d: scores %v, want %v", c.name, seed, k, got, want)
				}
				if !ordered {
					dearer++
				}
				if x.next.n == 0 {
					break
				}
				x.now, x.next = x.next, x.now
				x.levels = append(x.levels, int32(len(x.parent)))
			}
		}
		if (dearer > 100) != (c.name == "spread") || c.name != "spread" && dearer > 0 {
			t.Errorf("%s: %d beams are not those of the best scores", c.name, dearer)
		}
	}
}

// ancestors returns the node of each layout of the beam some buffers ago, or -1 for all if there were fewer.
func (x *pass) ancestors() (nodes []int32) {
	for _, node := range x.now.trace[:x.now.n] {
		for range min(generations, len(x.levels)) {
			node = x.parent[node]
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// take takes the next beam from children, and reports whether it has the best scores in their order.
func (x *pass) take(children []child, ancestors []int32, spread bool) (scores []int64, ordered bool) {
	slices.SortFunc(children, func(a, b child) int {
		if c := cmp.Compare(ancestors[a.layout], ancestors[b.layout]); c != 0 {
			return c // of two with the same price and score, that of the first line
		}
		if a.before(&b) {
			return -1
		}
		return 1
	})
	there, seen := map[int32]int64{}, map[int64]bool{}
	for len(scores) < x.width {
		best, least := -1, int64(0)
		for i, c := range children {
			key := c.score + c.chance
			for r := int64(1); spread && r <= there[ancestors[c.layout]]; r++ {
				key += lineCost / r
			}
			if !seen[c.score] && (best < 0 || key < least) {
				best, least = i, key
			}
		}
		if best < 0 {
			break
		}
		scores = append(scores, children[best].score)
		seen[children[best].score] = true
		there[ancestors[children[best].layout]]++
	}
	return scores, slices.IsSorted(scores)
}

// TestSpreadReaches: wide beams in which lines make each other dearer find more plans than those without.
func TestSpreadReaches(t *testing.T) {
	var found [2]int
	for seed := range uint64(24) {
		tl := timeline.New(crowded(seed, 150, 1<<13, even))
		for way := range found {
			x := passOf(t, tl)
			if x.settings.spread, x.settings.back = way == 1, false; !x.loosen(2 * tl.LowerBound) {
				t.Fatal("layouts cannot be loose")
			}
			if x.run(tl.LowerBound+tl.LowerBound/10, 64) != nil {
				found[way]++
			}
		}
	}
	t.Logf("%d plans without, %d with", found[0], found[1])
	if found[1] <= found[0] {
		t.Errorf("%d plans without, %d with", found[0], found[1])
	}
}
