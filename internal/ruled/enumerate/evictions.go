package enumerate

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: most measures do not change with one more eviction. If evictions were chosen together with the pools, the
// search would try to save evictions for each choice of pools that is as good so far. So if there are few evictions,
// the search goes through the sets of evictions one by one.
//
// The set of all evictions comes first, for a good plan. Then sets follow in ascending order of price. If no eviction
// makes the measures before it worse (grows), the largest sets come first instead: if a set is not good enough, none of
// its subsets is.
//
// Invariant: a set that is left out has no better plan.
//
// Complexity: at most 2^mostEvictions sets.

// mostEvictions is the most evictions whose sets are gone through one by one.
const mostEvictions = 10

// each goes through the sets of evictions. If there are too many evictions, each buffer's evictions are chosen with its
// pools instead.
func (x *search) each() {
	var prices []int64
	units, rest := make([]int, len(x.units)), int64(0)
	for k := range x.units {
		units[k], rest = k, rest+x.units[k].least
		prices = append(prices, x.units[k].prices...)
	}
	look := func() {
		if least := x.least(rest); x.best == nil || slices.Compare(least, x.best) < 0 {
			x.choose(units)
		}
	}
	if len(prices) == 0 || len(prices) > mostEvictions {
		look()
		return
	}
	try := func(set int) {
		x.taken, x.evicted = make([]bool, len(prices)), price(prices, set)
		for n := range prices {
			x.taken[n] = set>>n&1 == 1
		}
		look()
	}
	sets := make([]int, 1<<len(prices))
	for n := range sets {
		sets[n] = n
	}
	all := len(sets) - 1
	if try(all); x.cut {
		return
	}
	if x.grows() {
		x.fewer(sets, prices, try)
		return
	}
	slices.SortStableFunc(sets, func(a, b int) int { return cmp.Compare(price(prices, a), price(prices, b)) })
	for _, set := range sets {
		if try(set); x.cut {
			return
		}
	}
}

// price returns what a set of evictions costs.
func price(prices []int64, set int) (sum int64) {
	for n, y := range prices {
		if set>>n&1 == 1 {
			sum += y
		}
	}
	return sum
}

// grows reports whether eviction is the last measure, and one more eviction never makes the measures before it worse.
//
// Parts stay where the buffer was, so heights stay. Each part has a cost and may pay, so a cost or a penalty stays only
// if it is 0. One exception remains: two buffers that are in use at the same time pay no penalty, and parts of them
// that are not in use at the same time do, if they share bytes. Buffers with gaps, and pairs that may overlap, can
// share bytes though they are in use at the same time.
func (x *search) grows() bool {
	last := len(x.gauges) - 1
	if x.gauges[last].measure != model.MeasureEviction {
		return false
	}
	for k := range x.best[:min(last, len(x.best))] {
		switch x.gauges[k].measure {
		case model.MeasurePenalty:
			if x.best[k] > 0 || x.shares() {
				return false
			}
		case model.MeasureCost:
			if x.best[k] > 0 {
				return false
			}
		}
	}
	return true
}

// shares reports whether two buffers that are in use at the same time may share bytes.
func (x *search) shares() bool {
	return len(x.p.Rules.MayOverlap) > 0 || len(x.p.Rules.Distances) > 0 ||
		slices.ContainsFunc(x.p.Buffers, func(b model.Buffer) bool { return len(b.Gaps) > 0 })
}

// fewer looks for the cheapest set that is as good as the set of all evictions in the measures before eviction. No
// set is better than the set of all evictions, so its values are floors. If a set is not as good, no subset is. So
// the largest sets come first.
func (x *search) fewer(sets []int, prices []int64, try func(set int)) {
	if x.best == nil {
		return // no set has a plan
	}
	last := len(x.gauges) - 1
	copy(x.floors[:last], x.best)
	slices.SortStableFunc(sets, func(a, b int) int {
		return cmp.Or(bits.OnesCount(uint(b))-bits.OnesCount(uint(a)), cmp.Compare(price(prices, a), price(prices, b)))
	})
	var worse []int
	for _, set := range sets {
		if price(prices, set) >= x.best[last] || slices.ContainsFunc(worse, func(s int) bool { return s&set == set }) {
			continue
		}
		if try(set); x.cut {
			return
		}
		if x.best[last] > price(prices, set) {
			worse = append(worse, set)
		}
	}
}

// ends reports whether the part of the kth unit that begins after eviction begin may end before eviction end, and what
// that eviction costs.
func (x *search) ends(k, begin, end int) (ok bool, price int64) {
	u := &x.units[k]
	if x.taken == nil {
		if end < len(u.prices) {
			price = u.prices[end]
		}
		return true, price
	}
	taken := x.taken[u.first : u.first+len(u.prices)]
	next := slices.Index(taken[begin:], true)
	if next < 0 {
		return end == len(u.prices), 0
	}
	return end == begin+next, 0 // the price of the set is counted already
}
