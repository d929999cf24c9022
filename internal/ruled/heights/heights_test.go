package heights

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// fieldOf prepares a problem. It returns nil if a bound alone shows that there is no plan.
func fieldOf(p *model.Problem, objective ...model.Measure) *Field {
	l := lower.New(p)
	c, why := assign.New(l, places.Find(p, l.Conflicts))
	if why != "" {
		return nil
	}
	return New(l, c, objective)
}

// free draws buffers that may be in any of some pools without a capacity, or in some of them.
func free(r *rand.Rand) *model.Problem {
	n, scale := 2+r.IntN(60), int64(1)<<r.IntN(30)
	p := &model.Problem{Rules: &model.Rules{}}
	for k := range 2 + r.IntN(7) {
		p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: string(rune('a' + k))})
	}
	some := r.IntN(2) == 0
	for k := range n {
		at := r.Int64N(int64(n))
		b := model.Buffer{ID: string(rune('A' + k)), Lower: at, Upper: at + 1 + r.Int64N(int64(n)), Size: 1 + r.Int64N(scale)}
		for q := range p.Rules.Pools {
			if some && r.IntN(2) == 0 {
				if b.Extra == nil {
					b.Extra = &model.Extra{}
				}
				b.Extra.Pools = append(b.Extra.Pools, int32(q))
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// greedy is what a user would write: the largest buffer first, into the pool in which it ends lowest. It returns the
// highest end.
func greedy(p *model.Problem) (highest int64) {
	type placed struct {
		b    *model.Buffer
		pool int32
		at   int64
	}
	var all []placed
	order := make([]*model.Buffer, len(p.Buffers))
	for k := range order {
		order[k] = &p.Buffers[k]
	}
	slices.SortStableFunc(order, func(a, b *model.Buffer) int { return cmp.Compare(b.Size, a.Size) })
	for _, b := range order {
		best := placed{b: b, pool: -1}
		for q := range p.Rules.Pools {
			if b.Extra != nil && !slices.Contains(b.Extra.Pools, int32(q)) {
				continue
			}
			var taken []placed
			for _, o := range all {
				if o.pool == int32(q) && o.b.Lower < b.Upper && b.Lower < o.b.Upper {
					taken = append(taken, o)
				}
			}
			slices.SortFunc(taken, func(x, y placed) int { return cmp.Compare(x.at, y.at) })
			at := int64(0)
			for _, o := range taken {
				if o.at-at >= b.Size {
					break
				}
				at = max(at, o.at+o.b.Size)
			}
			if best.pool < 0 || at < best.at {
				best.pool, best.at = int32(q), at
			}
		}
		all, highest = append(all, best), max(highest, best.at+b.Size)
	}
	return highest
}

// TestGreedy: no plan is above that of the greedy, and better orders lower many.
func TestGreedy(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	lower := 0
	for range 30 {
		p := free(r)
		found := fieldOf(p, model.MeasureMaxHeight).Descend(t.Context(), []int64{0})
		want := greedy(p)
		if found.Values[0] > want {
			t.Fatalf("%d, and the greedy has %d\n%s", found.Values[0], want, drawn.DescribeRuled(p))
		}
		if found.Values[0] < want {
			lower++
		}
	}
	if lower < 12 {
		t.Errorf("lower than the greedy in %d of 30", lower)
	}
}

// TestPlans: every plan of problems with all rules is right, and has the values that it is said to have.
func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	objectives := []model.Measure{model.MeasureMaxHeight, model.MeasureHeight, model.MeasurePeak, model.MeasureMaxPeak}
	plans := 0
	for range 600 {
		features := []string{"choice", "together", "distances", "reserved", "period", "clocks"}
		p := drawn.BroadOf(r, 12, "pools", features[r.IntN(len(features))])
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
			continue
		}
		objective := []model.Measure{
			objectives[r.IntN(4)], model.HeightIn(p.Rules.Pools[0].ID), model.PeakIn(p.Rules.Pools[0].ID),
		}
		f := fieldOf(p, objective...)
		if f == nil {
			continue
		}
		found := f.Descend(t.Context(), make([]int64, len(objective)))
		if found == nil {
			continue
		}
		plans++
		got := model.Plan{Offsets: found.Offsets, Pools: found.Pools}
		measures := model.MeasuresOf(p, &got)
		got.Height = model.ValueOf(measures, model.MeasureHeight)
		if report := verify.CheckMeasures(p, &got, measures); !report.OK() {
			t.Fatalf("%s\n%s", report.Violations[0].Message, drawn.DescribeRuled(p))
		}
		for k, m := range objective {
			if want := model.ValueOf(measures, m); found.Values[k] != want {
				t.Fatalf("%s is %d, and is said to be %d\n%s", m, want, found.Values[k], drawn.DescribeRuled(p))
			}
		}
	}
	if plans < 200 {
		t.Errorf("%d plans", plans)
	}
}

// TestEnds: a plan that meets the floor ends the search.
func TestEnds(t *testing.T) {
	p := free(rand.New(rand.NewPCG(45, 3)))
	f := fieldOf(p, model.MeasureMaxHeight)
	best := f.Descend(t.Context(), []int64{0})
	again := f.Descend(t.Context(), best.Values)
	if again.Values[0] != best.Values[0] {
		t.Errorf("%d, then %d", best.Values[0], again.Values[0])
	}
}

// highest returns the greatest load of a pool.
func highest(p *model.Problem, pools []int32) (most int64) {
	for q := range p.Rules.Pools {
		for k := range p.Buffers {
			load := int64(0)
			for i := range p.Buffers {
				if b := &p.Buffers[i]; pools[i] == int32(q) && b.Lower <= p.Buffers[k].Lower && p.Buffers[k].Lower < b.Upper {
					load += b.Size
				}
			}
			most = max(most, load)
		}
	}
	return most
}

// TestBalance: pools whose loads are even have lower ones than those of the greedy plan, in pools that buffers may be
// in.
func TestBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 4))
	lower := 0
	for range 8 {
		p := free(r)
		f := fieldOf(p, model.MeasureMaxHeight)
		x := f.placer()
		if !x.place(f.orders()[0], nil) {
			t.Fatal("no plan")
		}
		start := x.found().Pools
		_, even := f.Balance(t.Context(), start, 0, 0)
		for i, q := range even {
			if x := p.Buffers[i].Extra; x != nil && !slices.Contains(x.Pools, q) {
				t.Fatalf("buffer %d is in pool %d\n%s", i, q, drawn.DescribeRuled(p))
			}
		}
		before, after := highest(p, start), highest(p, even)
		if after > before {
			t.Fatalf("a load of %d, and %d before\n%s", after, before, drawn.DescribeRuled(p))
		}
		if after < before {
			lower++
		}
	}
	if lower < 4 {
		t.Errorf("lower in %d of 8", lower)
	}
}

// sumOf returns the sum of the greatest loads of a choice of pools.
func sumOf(p *model.Problem, pools []int32) (sum int64) {
	for q := range p.Rules.Pools {
		top := int64(0)
		for _, b := range p.Buffers {
			load := int64(0)
			for i, o := range p.Buffers {
				if pools[i] == int32(q) && o.Lower <= b.Lower && b.Lower < o.Upper {
					load += o.Size
				}
			}
			top = max(top, load)
		}
		sum += top
	}
	return sum
}

// TestSplit: the pools are allowed, their loads have no higher sum than before, and mostly a lower one. The bound is
// not above it, and mostly near.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 6))
	lower, near, total := 0, 0, 0
	for total < 16 {
		p := free(r)
		if p.Buffers[0].Extra == nil { // one pool would do for all
			continue
		}
		total++
		f := fieldOf(p, model.MeasureHeight)
		x := f.placer()
		if !x.place(f.orders()[0], nil) {
			t.Fatal("no plan")
		}
		start := x.found().Pools
		bound, split := f.Split(t.Context(), start, 0)
		for i, q := range split {
			if x := p.Buffers[i].Extra; x != nil && !slices.Contains(x.Pools, q) {
				t.Fatalf("buffer %d is in pool %d\n%s", i, q, drawn.DescribeRuled(p))
			}
		}
		before, after := sumOf(p, start), sumOf(p, split)
		if after > before || bound > after {
			t.Fatalf("a sum of %d, and %d before; bound %d\n%s", after, before, bound, drawn.DescribeRuled(p))
		}
		if after < before {
			lower++
		}
		if after-bound <= after/20 {
			near++
		}
	}
	if lower < 10 || near < 14 {
		t.Errorf("lower in %d of 16, near in %d", lower, near)
	}
}

// TestSplitBound holds the bound and the sum of small problems against all choices.
func TestSplitBound(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 7))
	least := 0
	for range 200 {
		p := free(r)
		p.Buffers = p.Buffers[:min(5, len(p.Buffers))]
		p.Rules.Pools = p.Rules.Pools[:2]
		for i := range p.Buffers {
			if x := p.Buffers[i].Extra; x != nil {
				if x.Pools = slices.DeleteFunc(x.Pools, func(q int32) bool { return q > 1 }); len(x.Pools) == 0 {
					p.Buffers[i].Extra = nil
				}
			}
		}
		best, pools := int64(-1), make([]int32, len(p.Buffers))
		var start []int32
		var try func(i int)
		try = func(i int) {
			if i == len(pools) {
				if sum := sumOf(p, pools); best < 0 || sum < best {
					best = sum
				}
				start = slices.Clone(pools)
				return
			}
			for q := range int32(2) {
				if p.Buffers[i].MayUse(q) {
					pools[i] = q
					try(i + 1)
				}
			}
		}
		try(0)
		bound, split := fieldOf(p, model.MeasureHeight).Split(t.Context(), start, 0)
		if bound > best || sumOf(p, split) < best {
			t.Fatalf("bound %d, sum %d, best %d\n%s", bound, sumOf(p, split), best, drawn.DescribeRuled(p))
		}
		if sumOf(p, split) == best {
			least++
		}
	}
	if least < 190 {
		t.Errorf("only %d of 200 sums are least", least)
	}
}

// few cuts a problem down to seven buffers and four pools.
func few(r *rand.Rand, p *model.Problem) {
	p.Buffers, p.Rules.Pools = p.Buffers[:min(7, len(p.Buffers))], p.Rules.Pools[:min(4, len(p.Rules.Pools))]
	for i := range p.Buffers {
		some := []int32{}
		for q := range p.Rules.Pools {
			if r.IntN(2) == 0 {
				some = append(some, int32(q))
			}
		}
		if p.Buffers[i].Extra = nil; len(some) > 0 {
			p.Buffers[i].Extra = &model.Extra{Pools: some}
		}
	}
}

// leastOf returns the least value of all choices of pools, and the last choice.
func leastOf(p *model.Problem, value func(*model.Problem, []int32) int64) (best int64, last []int32) {
	best = math.MaxInt64
	pools := make([]int32, len(p.Buffers))
	var try func(i int)
	try = func(i int) {
		if i == len(pools) {
			best, last = min(best, value(p, pools)), slices.Clone(pools)
			return
		}
		for q := range p.Rules.Pools {
			if p.Buffers[i].MayUse(int32(q)) {
				pools[i] = int32(q)
				try(i + 1)
			}
		}
	}
	try(0)
	return best, last
}

// TestBranch holds branch and bound by itself, without the bound and the choice of the prices that climb, against all
// choices.
func TestBranch(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 8))
	branched := 0
	for range 150 {
		p := free(r)
		few(r, p)
		best, pools := leastOf(p, sumOf)
		x := fieldOf(p, model.MeasureHeight).split(pools) // the last choice
		x.fill()
		x.keep()
		before := x.least
		x.branch(t.Context())
		if x.least != best || x.bound > best || x.bound < best-best>>16 {
			t.Fatalf("sum %d, bound %d, least sum %d\n%s", x.least, x.bound, best, drawn.DescribeRuled(p))
		}
		if before > best {
			branched++
		}
	}
	if branched < 60 {
		t.Errorf("only %d of 150 sums fell", branched)
	}
}

// TestBalanceIsLeast holds the loads of small problems against all choices.
func TestBalanceIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 5))
	missed := 0
	for range 30 {
		p := free(r)
		p.Buffers = p.Buffers[:min(len(p.Buffers), 6)]
		p.Rules.Pools = p.Rules.Pools[:2]
		for k := range p.Buffers {
			p.Buffers[k].Extra = nil
		}
		f := fieldOf(p, model.MeasureMaxHeight)
		least, pools := int64(1)<<62, make([]int32, len(p.Buffers))
		for all := range 1 << len(p.Buffers) {
			for k := range pools {
				pools[k] = int32(all >> k & 1)
			}
			least = min(least, highest(p, pools))
		}
		clear(pools)
		if _, of := f.Balance(t.Context(), pools, least, 0); highest(p, of) > least {
			missed++
		}
	}
	if missed > 0 {
		t.Errorf("missed in %d of 30", missed)
	}
}

// TestBalanceNothing: buffers that use nothing at any time have no section, and stay where they are.
func TestBalanceNothing(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}}
	for _, id := range []string{"a", "b"} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Upper: 2, Size: 4, Gaps: []model.Gap{{Upper: 2}}})
	}
	if _, got := fieldOf(p, model.MeasureMaxHeight).Balance(context.Background(), []int32{1, 0}, 0, 0); !slices.Equal(got, []int32{1, 0}) {
		t.Errorf("pools %v", got)
	}
}

// roomFor returns the greatest height that a pool needs for its load beside its reserved range.
func roomFor(p *model.Problem, pools []int32) (most int64) {
	for q := range p.Rules.Pools {
		load := int64(0)
		for k := range p.Buffers {
			sum := int64(0)
			for i := range p.Buffers {
				if b := &p.Buffers[i]; int(pools[i]) == q && b.Lower <= p.Buffers[k].Lower && p.Buffers[k].Lower < b.Upper {
					sum += b.Size
				}
			}
			load = max(load, sum)
		}
		for _, r := range p.Rules.Pools[q].Reserved {
			if load > r.Lower {
				load += r.Upper - r.Lower
			}
		}
		most = max(most, load)
	}
	return most
}

// TestDivide holds both bounds of the highest pool against all choices: neither is above the least load. Both
// mostly reach it, and one section alone does less often. The first mostly meets a choice with that load, too.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 9))
	divided, single, byParts, met := 0, 0, 0, 0
	for range 300 {
		p := free(r)
		few(r, p)
		if q := &p.Rules.Pools[0]; r.IntN(2) == 0 {
			at := r.Int64N(p.Buffers[0].Size + 1)
			q.Reserved = []model.Range{{Lower: at, Upper: at + p.Buffers[0].Size}}
		}
		best, last := leastOf(p, roomFor)
		f := fieldOf(p, model.MeasureMaxHeight)
		bound, choice := f.divide(t.Context(), 1, best+5)
		if bound > best {
			t.Fatalf("bound %d, least load %d\n%s", bound, best, drawn.DescribeRuled(p))
		}
		if choice != nil {
			load := roomFor(p, choice)
			if load < best || load >= best+5 {
				t.Fatalf("a choice with load %d, below %d, least %d\n%s", load, best+5, best, drawn.DescribeRuled(p))
			} else if load == best {
				met++
			}
		}
		if bound == best {
			divided++
		}
		one := &division{Field: f, most: divideEffort, together: 1}
		if slices.ContainsFunc(f.fullest(), func(t int32) bool {
			refuted, _ := one.refute(t, best-1)
			return refuted
		}) {
			single++
		}
		parts, of := f.highest(t.Context(), last)
		if loads, _ := leastOf(p, highest); parts > loads || highest(p, of) < loads {
			t.Fatalf("bound %d and load %d, least load %d\n%s", parts, highest(p, of), loads, drawn.DescribeRuled(p))
		} else if parts == loads {
			byParts++
		}
	}
	if divided < 290 || single > divided-10 || byParts < 290 || met < 290 {
		t.Errorf("of 300 least loads, %d are reached, %d by one section, and %d by branch and bound; %d are met",
			divided, single, byParts, met)
	}
}
