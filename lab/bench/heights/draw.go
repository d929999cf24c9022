package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// equal returns so many pools without a capacity.
func equal(pools int) (all []model.Pool) {
	for q := range pools {
		all = append(all, model.Pool{ID: fmt.Sprintf("p%d", q)})
	}
	return all
}

// A drawing says how a problem is drawn.
type drawing struct {
	buffers int
	some    bool // a buffer may be in about half of the pools, else in all
	goal    model.Measure
}

// draw draws a problem: 2, 4 or 8 pools, lives of up to a quarter of the time, sizes below 1,000.
func (d *drawing) draw(seed, index uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, index))
	p := &model.Problem{Rules: &model.Rules{Pools: equal(2 << r.IntN(3)), Objective: []model.Measure{d.goal}}}
	p.Name = fmt.Sprintf("%d of seed %d", index, seed)
	for k := range d.buffers {
		lower := r.Int64N(int64(d.buffers))
		b := model.Buffer{ID: fmt.Sprintf("b%d", k), Lower: lower, Size: 1 + r.Int64N(999)}
		b.Upper = lower + 1 + r.Int64N(int64(max(1, d.buffers/4-1)))
		if d.some {
			var list []int32
			for q := range p.Rules.Pools {
				if r.IntN(2) == 0 {
					list = append(list, int32(q))
				}
			}
			if len(list) > 0 {
				b.Extra = &model.Extra{Pools: list}
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// greedy is what one writes without a planner: the largest buffer first, into the pool in which it ends lowest. It
// returns the greatest height and the sum of all.
func greedy(p *model.Problem) (highest, sum int64) {
	type placed struct {
		b  *model.Buffer
		at int64
	}
	pools, height := make([][]placed, len(p.Rules.Pools)), make([]int64, len(p.Rules.Pools)) // by offset
	order := make([]*model.Buffer, len(p.Buffers))
	for k := range order {
		order[k] = &p.Buffers[k]
	}
	slices.SortStableFunc(order, func(a, b *model.Buffer) int { return cmp.Compare(b.Size, a.Size) })
	for _, b := range order {
		best, low := -1, int64(0)
		for q := range pools {
			at := int64(0)
			for _, o := range pools[q] {
				if o.b.Lower < b.Upper && b.Lower < o.b.Upper {
					if o.at-at >= b.Size {
						break
					}
					at = max(at, o.at+o.b.Size)
				}
			}
			if b.MayUse(int32(q)) && (best < 0 || at < low) {
				best, low = q, at
			}
		}
		n, _ := slices.BinarySearchFunc(pools[best], low, func(o placed, at int64) int { return cmp.Compare(o.at, at) })
		pools[best] = slices.Insert(pools[best], n, placed{b, low})
		height[best] = max(height[best], low+b.Size)
	}
	for _, h := range height {
		highest, sum = max(highest, h), sum+h
	}
	return highest, sum
}
