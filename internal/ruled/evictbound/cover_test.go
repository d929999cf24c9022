package evictbound

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// crowded draws n buffers of which most can leave, at about two thirds of what is live.
func crowded(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{}}
	change := make([]int64, 2*n)
	for i := range n {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 1 + r.Int64N(30), Lower: r.Int64N(int64(n)), Extra: &model.Extra{}}
		b.Upper = b.Lower + 4 + r.Int64N(int64(n)-4)
		at := b.Lower + 1
		for at+2 < b.Upper && len(b.Extra.Evictions) < 3 {
			end := at + 1 + r.Int64N(b.Upper-at-1)
			b.Extra.Evictions = append(b.Extra.Evictions, model.Eviction{
				Lower: at, Upper: end,
				Cost: b.Size + r.Int64N(20),
			})
			at = end + 1
		}
		change[b.Lower] += b.Size
		change[b.Upper] -= b.Size
		p.Buffers = append(p.Buffers, b)
	}
	load := int64(0)
	for _, x := range change {
		load += x
		p.Capacity = max(p.Capacity, load*2/3)
	}
	return p
}

// TestStarts checks that the cheapest of the three starts is taken, and that each of them is the cheapest now and then.
func TestStarts(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 12))
	never := func() bool { return false }
	var wins [3]int
	for n := range 60 {
		p := crowded(r, 10+n)
		l := New(p, All(p), 0, never)
		every := make([]int, len(l.all))
		for n := range every {
			every[n] = n
		}
		flow, full := l.usedByFlow(every, never)
		if !flow.enough() {
			continue // nothing frees enough
		}
		starts := []*selection{flow, full, newSelection(l.all, l.families)}
		least, cheapest := int64(math.MaxInt64), []int(nil)
		for k, c := range starts {
			c.fill(every, even, never)
			c.drop(every)
			if price := Price(l.all, c.taken); price < least {
				least, cheapest = price, []int{k}
			} else if price == least {
				cheapest = append(cheapest, k)
			}
		}
		if len(cheapest) == 1 {
			wins[cheapest[0]]++
		}
		if got := Price(l.all, l.start(every, 0, never).taken); got != least {
			t.Errorf("a start of %d, the cheapest is %d", got, least)
		}
	}
	if t.Log(wins); min(wins[0], wins[1], wins[2]) < 3 {
		t.Errorf("the starts are the cheapest in %v", wins)
	}
}

// TestRuinCovers checks that ruin and recreate makes covers cheaper.
func TestRuinCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 13))
	never := func() bool { return false }
	var started, improved, bound int64
	for range 6 {
		p := crowded(r, 30)
		l := New(p, All(p), 0, never)
		every := make([]int, len(l.all))
		for n := range every {
			every[n] = n
		}
		start := l.start(every, 0, never)
		if start == nil {
			continue
		}
		started += Price(l.all, start.taken)
		taken, ok := l.Cheap(0, rand.New(rand.NewPCG(25, 14)), never)
		if !ok || !l.Enough(taken) {
			t.Fatal("no cover")
		}
		improved += Price(l.all, taken)
		bound += l.LeastOfWhole(never)
	}
	t.Log(started, improved, bound)
	if improved*100 > started*99 {
		t.Errorf("the starts cost %d, improved %d; the bound is %d", started, improved, bound)
	}
}

// TestLeastPrice compares the bound of the loads with every selection, and a cheap selection with the cheapest.
func TestLeastPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 9))
	tight, rowed, all, cheapest := 0, 0, 0, 0
	never := func() bool { return false }
	for range plantest.Share(5_000, 600, 300) {
		p := drawn.Loaded(r)
		evictions := All(p)
		loads := New(p, evictions, 0, never)
		if loads.Fit() {
			continue
		}
		best := int64(-1)
		for set := range 1 << len(evictions) {
			taken := make([]bool, len(evictions))
			for k := range taken {
				taken[k] = set>>k&1 == 1
			}
			if price := Price(evictions, taken); loads.Enough(taken) && (best < 0 || price < best) {
				best = price
			}
		}
		bound := loads.Least()
		if best < 0 {
			continue // no set frees enough
		}
		if all++; bound > best {
			t.Fatalf("the bound is %d, but there is a cover for %d\n%s", bound, best, drawn.DescribeRuled(p))
		} else if bound == best {
			tight++
		}
		whole := loads.LeastOfWhole(never)
		if whole < bound || whole > best {
			t.Fatalf("the bound with a row is %d, the other %d, the best %d\n%s", whole, bound, best,
				drawn.DescribeRuled(p))
		} else if whole == best {
			rowed++
		}
		taken, ok := loads.Cheap(bound, r, never)
		if !ok || !loads.Enough(taken) {
			t.Fatalf("a cover that covers nothing: %v\n%s", taken, drawn.DescribeRuled(p))
		}
		if Price(evictions, taken) == best {
			cheapest++
		}
	}
	t.Logf("the bound is met in %d of %d, with a row in %d, and %d covers are the cheapest", tight, all, rowed,
		cheapest)
	if tight*6 < all || rowed*2 < all || cheapest*100 < all*98 {
		t.Errorf("the bound is met in %d of %d, and %d covers are the cheapest", tight, all, cheapest)
	}
}
