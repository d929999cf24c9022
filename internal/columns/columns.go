// Package columns makes the rules of a problem from lists of numbers, as C and JavaScript give them.
package columns

import (
	"iter"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// The lists, and what is in their rows. Buffers and pools are numbers.
const (
	Reserved       = iota // pool, lower, upper
	Allowed               // buffer, pool
	Costs                 // buffer, pool, cost
	Together              // first, second and, if there is one, the distance of second above first
	Apart                 // first, second
	MayOverlap            // first, second
	Distances             // first, second, distance
	Penalties             // first, second, cost
	Evictions             // buffer, lower, upper, cost
	DifferentPools        // list, buffer; the rows of a list follow one another
	SamePool              // likewise
	Objects               // pool
	Lockstep              // as DifferentPools
	Borders               // pool, the byte at which a bank ends
	Sizes                 // pool, bytes, price
	Spans                 // buffer
	Granularity           // pool, bytes of a page
	Kinds                 // as DifferentPools
	Groups                // group, first, second; the rows of a group follow one another
	GroupCosts            // for each group, its cost and its place in model.Paid
	Alternatives          // as DifferentPools
	Extents               // buffer, width, height and depth; a depth of 0 is none
	Count
)

// Widths are the numbers in a row of each list.
var Widths = [Count]int{3, 2, 3, 3, 2, 2, 3, 3, 4, 2, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 2, 4}

// Lists are the rows of each list, or nil. A row is valid until the next one.
type Lists [Count]iter.Seq[[]int64]

// Fill adds the rules of the lists to a problem, which has its pools already. In rows of Reserved, Allowed, Costs,
// Evictions, Objects, Borders, Sizes, Spans, Granularity and Extents, the first number must name an existing pool or
// buffer. Other indices must fit 32 bits. model.Validate reports all other faults: a group without a cost gets one of
// -1.
func (l *Lists) Fill(p *model.Problem) {
	r := p.Rules
	each := func(list int, row func(x []int64)) {
		if l[list] != nil {
			l[list](func(x []int64) bool { row(x); return true })
		}
	}
	extra := func(i int64) *model.Extra {
		b := &p.Buffers[i]
		if b.Extra == nil {
			b.Extra = &model.Extra{}
		}
		return b.Extra
	}
	pair := func(x []int64) model.Pair { return model.Pair{int32(x[0]), int32(x[1])} }
	each(Reserved, func(x []int64) {
		r.Pools[x[0]].Reserved = append(r.Pools[x[0]].Reserved, model.Range{Lower: x[1], Upper: x[2]})
	})
	each(Allowed, func(x []int64) { extra(x[0]).Pools = append(extra(x[0]).Pools, int32(x[1])) })
	each(Costs, func(x []int64) {
		extra(x[0]).Costs = append(extra(x[0]).Costs, model.PoolCost{Pool: int32(x[1]), Cost: x[2]})
	})
	each(Together, func(x []int64) {
		tie := model.Together{Buffers: []int32{int32(x[0]), int32(x[1])}}
		if len(x) > 2 {
			tie.At = []int64{0, x[2]}
		}
		r.Together = append(r.Together, tie)
	})
	each(Apart, func(x []int64) { r.Apart = append(r.Apart, pair(x)) })
	each(MayOverlap, func(x []int64) { r.MayOverlap = append(r.MayOverlap, pair(x)) })
	each(Distances, func(x []int64) {
		r.Distances = append(r.Distances, model.Distance{Buffers: pair(x), Distance: x[2]})
	})
	each(Penalties, func(x []int64) {
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: pair(x), Cost: x[2]})
	})
	each(Evictions, func(x []int64) {
		extra(x[0]).Evictions = append(extra(x[0]).Evictions, model.Eviction{Lower: x[1], Upper: x[2], Cost: x[3]})
	})
	of := func(list int) (all [][]int32) {
		last := int64(-1)
		each(list, func(x []int64) {
			if len(all) == 0 || x[0] != last {
				all = append(all, nil)
			}
			last = x[0]
			all[len(all)-1] = append(all[len(all)-1], int32(x[1]))
		})
		return all
	}
	r.DifferentPools, r.SamePool, r.Lockstep = of(DifferentPools), of(SamePool), of(Lockstep)
	r.Kinds, r.Alternatives = of(Kinds), of(Alternatives)
	last := int64(-1)
	each(Groups, func(x []int64) {
		if len(r.Groups) == 0 || x[0] != last {
			r.Groups = append(r.Groups, model.Group{Cost: -1})
		}
		g := &r.Groups[len(r.Groups)-1]
		last, g.Pairs = x[0], append(g.Pairs, pair(x[1:]))
	})
	k := 0
	each(GroupCosts, func(x []int64) {
		if k == len(r.Groups) {
			r.Groups = append(r.Groups, model.Group{})
		}
		if r.Groups[k].Cost = x[0]; x[1] < 0 || x[1] >= int64(len(model.Paid)) {
			r.Groups[k].Cost = -1
		}
		r.Groups[k].SetWhen(int(x[1] & 3))
		k++
	})
	each(Granularity, func(x []int64) { r.Pools[x[0]].Granularity = x[1] })
	each(Objects, func(x []int64) { r.Pools[x[0]].Objects = true })
	each(Borders, func(x []int64) { r.Pools[x[0]].Borders = append(r.Pools[x[0]].Borders, x[1]) })
	each(Sizes, func(x []int64) {
		r.Pools[x[0]].Sizes = append(r.Pools[x[0]].Sizes, model.Size{Bytes: x[1], Price: x[2]})
	})
	each(Spans, func(x []int64) { extra(x[0]).Spans = true })
	each(Extents, func(x []int64) {
		extents := slices.Clone(x[1:])
		if len(extents) == model.MostExtents && extents[2] == 0 {
			extents = extents[:2]
		}
		p.Buffers[x[0]].SetExtents(extents)
	})
	for k := range r.Pools {
		r.Pools[k].Fill()
	}
}

// Clocks gives the buffers of a problem their lifespans by several clocks: threads numbers for each.
func Clocks(p *model.Problem, threads int, lower, upper []int64) {
	p.Rules.Threads = threads
	for i := range p.Buffers {
		if from, to := i*threads, (i+1)*threads; threads > 0 {
			p.Buffers[i].SetClocks(lower[from:to:to], upper[from:to:to])
		}
	}
}
