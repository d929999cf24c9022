package forms

import (
	"math"
	"slices"
)

// Idea: room in pool q costs λ[q][s] for each byte in section s, and what is paid for all of its room is given back. Then
// each list takes its cheapest form, and each buffer its cheapest pool, for itself:
//
//	cost >= Σ lists min over forms and pools of (cost + Σ s λ[q][s] · bytes)  +  the same of the other buffers
//	        - Σ q, s λ[q][s] · room of q
//
// This holds for all λ >= 0. Those of the first branch are found by subgradients: a section that is too full gets dearer, one
// with room to spare cheaper. All branches keep them, so a form costs the same in each.
//
// Invariant: the bound is rounded up from the sum less slack, which is more than the sum's error.
//
// Complexity: O(priceRounds · buffers · sections · pools) once, then O(lists) for a branch.
//
// Source: Lagrangian relaxation (Fisher 1981), steps of Polyak.

const (
	priceRounds = 300
	slack       = 1e-9
)

// prices are what forms cost if room has no price, and if it has the best ones.
type prices [2]tariff

// A tariff is what forms cost with some prices of room.
type tariff struct {
	priced [][]float64 // of each form
	rest   []float64   // of the lists from this one on, the cheapest forms
	base   float64     // of the buffers of no list, less what the room costs
	size   float64     // the sum of all terms without their signs
}

// price finds the prices of room, and what forms cost with them.
func (x *prices) price(b *bounds) {
	k := len(b.pools)
	lambda, over := make([][]float64, k), make([][]float64, k)
	for q := range k {
		lambda[q], over[q] = make([]float64, b.sections), make([]float64, b.sections)
	}
	// cheapest returns the pool in which a buffer is cheapest, and its price there.
	cheapest := func(i int, lambda [][]float64) (pool int, price float64) {
		price = math.Inf(1)
		for q := range b.pools {
			if !b.p.Buffers[i].MayUse(int32(q)) {
				continue
			}
			cost := float64(b.p.Buffers[i].CostIn(b.pools, int32(q)))
			for _, u := range b.use[i] {
				cost += lambda[q][u.section] * float64(u.bytes)
			}
			if cost < price {
				pool, price = q, cost
			}
		}
		return pool, price
	}
	round := func(lambda [][]float64, take func(i, pool int)) (sum float64) {
		for _, i := range b.common {
			pool, price := cheapest(i, lambda)
			take(i, pool)
			sum += price
		}
		for _, list := range b.lists {
			form, best, at := 0, math.Inf(1), 0
			for _, i := range list {
				if pool, price := cheapest(int(i), lambda); price < best {
					form, best, at = int(i), price, pool
				}
			}
			take(form, at)
			sum += best
		}
		for q := range lambda {
			for _, v := range lambda[q] {
				if v > 0 {
					sum -= v * float64(b.room[q])
				}
			}
		}
		return sum
	}
	var best [][]float64
	at := math.Inf(-1)
	step, stale := 2.0, 0
	worst := x.worst(b)
	for range priceRounds {
		for q := range over {
			for s := range over[q] {
				over[q][s] = -float64(b.room[q])
			}
		}
		sum := round(lambda, func(i, pool int) {
			for _, u := range b.use[i] {
				over[pool][u.section] += float64(u.bytes)
			}
		})
		if sum > at {
			best, at, stale = nil, sum, 0
			for q := range lambda {
				best = append(best, slices.Clone(lambda[q]))
			}
		} else if stale++; stale == 10 {
			step, stale = step/2, 0
		}
		norm := 0.0
		for q := range over {
			for s, v := range over[q] {
				if b.room[q] != math.MaxInt64 && (v > 0 || lambda[q][s] > 0) {
					norm += v * v
				}
			}
		}
		if norm == 0 || worst <= sum {
			break
		}
		for q := range over {
			for s, v := range over[q] {
				if b.room[q] != math.MaxInt64 {
					lambda[q][s] = max(0, lambda[q][s]+step*(worst-sum)/norm*v)
				}
			}
		}
	}
	for k := range lambda {
		clear(lambda[k])
	}
	for n, lambda := range [][][]float64{lambda, best} {
		x[n].settle(b, lambda, func(i int) float64 { _, price := cheapest(i, lambda); return price })
	}
}

// worst returns what the smallest forms cost, each in its dearest pool: a guess at what plans cost.
func (x *prices) worst(b *bounds) (sum float64) {
	dearest := func(i int) (most float64) {
		for q := range b.pools {
			if b.p.Buffers[i].MayUse(int32(q)) {
				most = max(most, float64(b.p.Buffers[i].CostIn(b.pools, int32(q))))
			}
		}
		return most
	}
	for _, i := range b.common {
		sum += dearest(i)
	}
	for n, list := range b.lists {
		small := 0
		for k := range list {
			if b.areas[n][k] < b.areas[n][small] {
				small = k
			}
		}
		sum += dearest(int(list[small]))
	}
	return sum
}

// settle keeps what forms cost with prices of room.
func (x *tariff) settle(b *bounds, lambda [][]float64, price func(i int) float64) {
	put := func(v float64) float64 { x.size += math.Abs(v); return v }
	for _, i := range b.common {
		x.base += put(price(i))
	}
	for q := range lambda {
		for _, v := range lambda[q] {
			if v > 0 {
				x.base -= put(v * float64(b.room[q]))
			}
		}
	}
	for _, list := range b.lists {
		var all []float64
		for _, i := range list {
			all = append(all, put(price(int(i))))
		}
		x.priced = append(x.priced, all)
	}
	x.rest = make([]float64, len(b.lists)+1)
	for n := len(b.lists) - 1; n >= 0; n-- {
		x.rest[n] = x.rest[n+1] + slices.Min(x.priced[n])
	}
}

// cost returns what each plan of a branch costs at least.
func (x *prices) cost(forms []int) (least int64) {
	for k := range x {
		t := &x[k]
		sum := t.base + t.rest[len(forms)]
		for n, form := range forms {
			sum += t.priced[n][form]
		}
		least = max(least, int64(math.Ceil(sum-slack*(1+t.size))))
	}
	return least
}
