package evictbound

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestFillRow compares the knapsack of one section with all sets. With units of several bytes it is a bound, and with
// units of one byte exact.
func TestFillRow(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 22))
	below := 0
	for range 2_000 {
		var items []item
		for range 1 + r.IntN(7) {
			items = append(items, item{1 + r.Int64N(20), big.NewInt(r.Int64N(30) - 5)})
		}
		need, unit := 1+r.Int64N(40), 1+r.Int64N(6)
		best, some := int64(0), false
		for set := range 1 << len(items) {
			bytes, cost := int64(0), int64(0)
			for k, x := range items {
				if set>>k&1 == 1 {
					bytes, cost = bytes+x.bytes, cost+x.cost.Int64()
				}
			}
			if bytes >= need && (!some || cost < best) {
				best, some = cost, true
			}
		}
		never := func() bool { return false }
		exact, ok := fillRow(items, need, 1, 0, never)
		if ok != some || some && exact != best {
			t.Fatalf("%v free %d for %d, %v; want %d, %v", items, need, exact, ok, best, some)
		}
		if !some {
			continue
		}
		if rough, ok := fillRow(items, need, unit, 0, never); !ok || rough > best {
			t.Fatalf("%v free %d in units of %d for %d, %v; there is a set for %d", items, need, unit, rough, ok, best)
		} else if rough < best {
			below++
		}
	}
	if below == 0 {
		t.Error("no unit was too coarse")
	}
}

// TestUpTo: sums are rounded up to the step of the costs, and no further.
func TestUpTo(t *testing.T) {
	for _, x := range [][4]int64{
		{0, 5, 0, 0}, {-3, 5, 0, 0}, {1, 5, 0, 5}, {5, 5, 0, 5}, {6, 5, 0, 10}, {20, 5, 2, 5}, {21, 5, 2, 10},
	} {
		if got := upTo(big.NewInt(x[0]), x[1], uint(x[2])); got != x[3] {
			t.Errorf("%d in steps of %d and units of 2^-%d: %d, want %d", x[0], x[1], x[2], got, x[3])
		}
	}
}

// TestCovers compares what a set of evictions frees with the load of each slot, beside reserved ranges and ties.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 23))
	counts := map[bool]int{}
	for range 1_000 {
		p := &model.Problem{
			Rules: &model.Rules{
				Pools: []model.Pool{{ID: "x", Capacity: 12, Reserved: []model.Range{{Lower: 3, Upper: 5}, {Lower: 4, Upper: 6}}}},
			},
		}
		for i := range 6 {
			b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(4), Size: 1 + r.Int64N(4)}
			b.Upper = b.Lower + 4 + r.Int64N(4)
			if i > 1 { // the first two may be tied
				b.Extra = &model.Extra{Evictions: []model.Eviction{{Lower: b.Lower + 1, Upper: b.Lower + 2 + r.Int64N(2), Cost: 1}}}
			}
			p.Buffers = append(p.Buffers, b)
		}
		tied := r.IntN(2) == 0
		if tied {
			p.Rules.Together = []model.Together{{Buffers: []int32{0, 1}}}
		}
		all := All(p)
		taken := make([]bool, len(all))
		for k := range taken {
			taken[k] = r.IntN(4) > 0
		}
		fits := true
		for at := range int64(12) {
			load := int64(0)
			for i := range p.Buffers {
				b := &p.Buffers[i]
				away := false
				for k, e := range all {
					away = away || taken[k] && int(e.Buffer) == i && e.Lower <= at && at < e.Upper
				}
				if b.Lower <= at && at < b.Upper && !away && !(tied && i < 2) {
					load += b.Size
				}
			}
			fits = fits && load <= 12-3
		}
		if got := New(p, all, 0, nil).Enough(taken); got != fits {
			t.Fatalf("covers %v, want %v: %+v", got, fits, p)
		}
		counts[fits]++
	}
	if t.Log(counts); min(counts[true], counts[false]) < 100 {
		t.Errorf("the test is lopsided: %v", counts)
	}
}

// TestFamilies: the room of all pools bounds the loads only if each of them has a capacity.
func TestFamilies(t *testing.T) {
	evict := &model.Extra{Evictions: []model.Eviction{{Lower: 1, Upper: 3, Cost: 1}}}
	for _, tc := range []struct {
		capacities []int64
		rows       int
	}{
		{[]int64{8, 8}, 1}, // three of 8 do not fit into both
		{[]int64{8, 0}, 0}, // one of the pools has all the room that there is
		{[]int64{0, 0}, 0},
		{[]int64{8, 16}, 0}, // they fit
		{[]int64{8}, 1},
	} {
		p := &model.Problem{Rules: &model.Rules{}}
		for k, c := range tc.capacities {
			p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: string(rune('a' + k)), Capacity: c})
		}
		for _, id := range []string{"x", "y", "z"} {
			p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: 0, Upper: 4, Size: 8, Extra: evict})
		}
		if err := model.Validate(p); err != nil {
			t.Fatal(err)
		}
		if got := families(p, All(p), 0); len(got) != tc.rows {
			t.Errorf("%d: %d rows, want %d", tc.capacities, len(got), tc.rows)
		}
	}
}
