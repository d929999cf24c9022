package evictbound

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: the sizes of evictions seldom add up to exactly the excess. The linear program takes evictions in part, so its
// bound is below the price of whole evictions. Here one section t takes evictions whole, and only the others are priced
// (flow.go):
//
//	price of a set  >=  sum over s != t of π(s) · excess(s)
//	                      + least sum of c(e) over sets of evictions that free the excess of t,
//	                        c(e) = cost - sum over its s != t of π(s) · min(bytes, excess(s))
//
// An eviction with c(e) < 0 is taken in any case. The rest is a knapsack: least[j] is the least sum that frees at least
// j units. A unit is the common divisor of the bytes, or more if the table would be too large; bytes are then rounded
// up. The sections with the largest π · excess are tried.
//
// Invariant: the bound is never false, since units and numbers are rounded to the safe side. Up to rounding, it is
// never below the bound of the same prices without the knapsack.
//
// Complexity: rowEffort steps for each of mostRows sections.

const (
	rowEffort = 100_000_000
	mostRows  = 4
	mostUnits = 4_000_000 // 32 MB
)

// LeastOfWhole is Least, but in one section of each family evictions are taken whole. It tries fewer sections if over
// reports a limit.
func (l *Loads) LeastOfWhole(over func() bool) int64 {
	var apart, together int64
	for k, f := range l.families {
		prices, scale := l.flows[k].prices(), l.flows[k].scale
		best := f.dual(l.all, prices, scale)
		order := make([]int, len(f.excess))
		for t := range order {
			order[t] = t
		}
		weight := func(t int) float64 { return float64(prices[t]) * float64(f.excess[t]) }
		slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(weight(t), weight(s)) })
		for _, t := range order[:min(mostRows, len(order))] {
			if !over() {
				best = max(best, f.row(l.all, prices, scale, t, over))
			}
		}
		if f.one {
			apart += best
		} else {
			together = max(together, best)
		}
	}
	return max(apart, together)
}

// An item is an eviction that frees bytes in the section whose evictions are taken whole.
type item struct {
	bytes int64
	cost  *big.Int // c(e) times 2^b
}

// row returns the bound if the evictions of section t are taken whole, or 0 if over reports a limit.
func (f *family) row(all []Eviction, prices []int64, scale, t int, over func() bool) int64 {
	sum, items, step, b := f.itemsOf(all, prices, scale, t)
	unit, magnitude := int64(0), new(big.Int)
	for _, x := range items {
		unit = bound.GCD(unit, x.bytes)
		magnitude.Add(magnitude, new(big.Int).Abs(x.cost))
	}
	if step == 0 || unit == 0 {
		return 0
	}
	if most := int64(min(rowEffort/len(items), mostUnits)); f.excess[t]/unit > most {
		unit = f.excess[t]/most + 1
	}
	shift := uint(max(0, magnitude.BitLen()-60)) // sums of costs then fit into 62 bits
	least, ok := fillRow(items, f.excess[t], unit, shift, over)
	if !ok {
		return 0
	}
	sum.Add(sum, new(big.Int).Lsh(big.NewInt(least), shift))
	return upTo(sum, step, b)
}

// itemsOf returns the evictions of section t with their c(e), and the rest of the formula as sum: the priced excess of
// the other sections, and each c(e) < 0 of an eviction that frees nothing in t. Both are in units of 2^-b. All costs
// are multiples of step.
func (f *family) itemsOf(all []Eviction, prices []int64, scale, t int) (sum *big.Int, items []item,
	step int64, b uint,
) {
	a, b := uint(max(0, -scale)), uint(max(0, scale))
	var total wide
	for s, x := range f.excess {
		if s != t {
			total.add(prices[s], x)
		}
	}
	sum = total.big(a)
	for n, column := range f.columns {
		if len(column) == 0 {
			continue
		}
		step = bound.GCD(step, all[n].Cost)
		var gain wide
		bytes := int64(0)
		for _, r := range column {
			for s := r.from; s < r.to; s++ {
				if int(s) == t {
					bytes += r.bytes
				} else {
					gain.add(prices[s], min(r.bytes, f.excess[s]))
				}
			}
		}
		cost := new(big.Int).Lsh(big.NewInt(all[n].Cost), b)
		cost.Sub(cost, gain.big(a))
		switch {
		case bytes == 0 && cost.Sign() < 0:
			sum.Add(sum, cost)
		case bytes > 0:
			items = append(items, item{bytes, cost})
		}
	}
	return sum, items, step, b
}

// fillRow returns the least sum of costs, in units of 2^shift, of items that free at least so many bytes. It counts
// bytes in units. It returns false if all items together free less, so that no set frees enough, or if over reports a
// limit.
func fillRow(items []item, bytes, unit int64, shift uint, over func() bool) (int64, bool) {
	const never = int64(math.MaxInt64 / 2)
	need := up(bytes, unit)
	least := make([]int64, need+1)
	for j := range least[1:] {
		least[j+1] = never
	}
	taken := int64(0) // the sum of the negative costs
	for _, x := range items {
		if over() {
			return 0, false
		}
		cost, units := new(big.Int).Rsh(x.cost, shift).Int64(), int(min(up(x.bytes, unit), need))
		if cost < 0 {
			// This item is taken in any case. What freed j units before frees j + units with it.
			taken += cost
			copy(least[units:], least[:len(least)-units])
			for j := range units {
				least[j] = least[0]
			}
			continue
		}
		for j := len(least) - 1; j > 0; j-- {
			least[j] = min(least[j], least[max(0, j-units)]+cost)
		}
	}
	return least[need] + taken, least[need] < never
}

// up divides and rounds up.
func up(x, by int64) int64 { return (x + by - 1) / by }

// upTo returns a sum in units of 2^-b, rounded up to a multiple of step, or 0 if it is negative.
func upTo(sum *big.Int, step int64, b uint) int64 {
	if sum.Sign() <= 0 {
		return 0
	}
	unit := new(big.Int).Lsh(big.NewInt(step), b)
	sum.Add(sum, unit).Sub(sum, big.NewInt(1)).Div(sum, unit)
	return sum.Mul(sum, big.NewInt(step)).Int64()
}
