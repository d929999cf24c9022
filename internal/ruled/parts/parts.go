// Package parts applies evictions to a problem. The result is a problem without evictions, whose buffers are parts of
// lives.
package parts

import (
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: if a set of evictions is taken, a problem without evictions is left. Its buffers are parts: the stretches of
// each life between these evictions. A rule about a buffer holds for each of its parts:
//
//	apart, may_overlap, penalties   each part of the one buffer is paired with each part of the other
//	together, distances             never name a buffer with evictions, so nothing changes
//	period                          a part that begins after the end of the step moves back by one period
//
// No rule is about two parts of one buffer. They never live at the same time, so they may share bytes.
//
// Invariant: a plan of the parts is a plan of the problem that takes just these evictions. All measures are the same,
// except the measure eviction.
//
// Complexity: O(parts + pairs of parts that a rule names).

// A Partition is a problem of parts.
type Partition struct {
	Problem *model.Problem
	Of      []int32 // of each part, its buffer
	first   []int32 // of each buffer, its first part; one more for the end
	from    []int64 // of each part, where it begins in the life of its buffer
}

// All takes every eviction. If the parts have no plan, the problem has none.
func All(p *model.Problem) *Partition { return take(p, func(int) bool { return true }, nil) }

// Take applies the evictions n with taken[n], counted in the order of the buffers. The objective of the result is o.
func Take(p *model.Problem, taken []bool, o []model.Measure) *Partition {
	return take(p, func(n int) bool { return taken[n] }, o)
}

func take(p *model.Problem, taken func(n int) bool, o []model.Measure) *Partition {
	q := empty(p)
	n := 0
	for i := range p.Buffers {
		b := &p.Buffers[i]
		q.first = append(q.first, int32(len(q.Problem.Buffers)))
		lower := b.Lower
		for _, e := range evictionsOf(b) {
			if taken(n) {
				q.add(p, i, lower, e.Lower)
				lower = e.Upper
			}
			n++
		}
		q.add(p, i, lower, b.Upper)
	}
	q.first = append(q.first, int32(len(q.Problem.Buffers)))
	q.Problem.Rules.Objective = o
	q.rules(q.Problem.Rules)
	return q
}

// empty returns a problem without buffers and with a copy of p's rules.
func empty(p *model.Problem) *Partition {
	r := *p.Rules
	return &Partition{Problem: &model.Problem{Name: p.Name, Capacity: p.Capacity, Rules: &r}}
}

// add adds the part [lower, upper) of buffer i.
func (q *Partition) add(p *model.Problem, i int, lower, upper int64) {
	b := &p.Buffers[i]
	x := b.Within(lower, upper)
	if b.Extra != nil {
		extra := *b.Extra
		extra.Evictions = nil
		x.Extra = &extra
	}
	if back := q.Problem.Rules.Period; back > 0 && x.Lower >= back {
		x.Lower, x.Upper = x.Lower-back, x.Upper-back
		for k := range x.Gaps {
			x.Gaps[k].Lower, x.Gaps[k].Upper = x.Gaps[k].Lower-back, x.Gaps[k].Upper-back
		}
	}
	q.Problem.Buffers, q.Of, q.from = append(q.Problem.Buffers, x), append(q.Of, int32(i)), append(q.from, lower)
}

// evictionsOf returns the evictions of a buffer.
func evictionsOf(b *model.Buffer) []model.Eviction {
	if b.Extra == nil {
		return nil
	}
	return b.Extra.Evictions
}

// rules replaces buffers in rules by their parts.
func (q *Partition) rules(r *model.Rules) {
	each := func(x model.Pair, yield func(model.Pair)) {
		for a := q.first[x[0]]; a < q.first[x[0]+1]; a++ {
			for b := q.first[x[1]]; b < q.first[x[1]+1]; b++ {
				yield(model.Pair{a, b})
			}
		}
	}
	pairs := func(list []model.Pair) (out []model.Pair) {
		for _, x := range list {
			each(x, func(y model.Pair) { out = append(out, y) })
		}
		return out
	}
	var penalties []model.Penalty
	for _, x := range r.Penalties {
		each(x.Buffers, func(y model.Pair) { penalties = append(penalties, model.Penalty{Buffers: y, Cost: x.Cost}) })
	}
	r.Apart, r.MayOverlap, r.Penalties = pairs(r.Apart), pairs(r.MayOverlap), penalties
	q.lists(r)
	var ties []model.Together
	for _, t := range r.Together {
		x := model.Together{At: t.At}
		for _, i := range t.Buffers {
			x.Buffers = append(x.Buffers, q.first[i])
		}
		ties = append(ties, x)
	}
	var distances []model.Distance
	for _, d := range r.Distances {
		d.Buffers = model.Pair{q.first[d.Buffers[0]], q.first[d.Buffers[1]]}
		distances = append(distances, d)
	}
	r.Together, r.Distances = ties, distances
}

// lists replaces buffers in lists of pools by their parts. Parts of one buffer may be in one pool or in several, so
// a list of different pools with such a buffer becomes a list for each two parts of different buffers.
func (q *Partition) lists(r *model.Rules) {
	var different [][]int32
	all := func(list []int32) (parts []int32) {
		for _, i := range list {
			for k := q.first[i]; k < q.first[i+1]; k++ {
				parts = append(parts, k)
			}
		}
		return parts
	}
	for _, list := range r.DifferentPools {
		parts := all(list)
		if len(parts) == len(list) {
			different = append(different, parts)
			continue
		}
		for n, a := range parts {
			for _, b := range parts[:n] {
				if q.Of[a] != q.Of[b] {
					different = append(different, []int32{b, a})
				}
			}
		}
	}
	for _, x := range r.Listings() {
		var lists [][]int32
		for _, list := range *x.Lists {
			lists = append(lists, all(list))
		}
		*x.Lists = lists
	}
	r.DifferentPools = different
}

// Lift makes the plan of the parts a plan of p. Its measures are counted anew; its bounds stay those of the parts.
func (q *Partition) Lift(p *model.Problem, r plan.Result) plan.Result {
	if !r.Status.HasPlan() {
		return r
	}
	offsets, pools := make([]int64, len(p.Buffers)), []int32(nil)
	if r.Pools != nil {
		pools = make([]int32, len(p.Buffers))
	}
	r.Parts = nil
	for i := range p.Buffers {
		a, end := q.first[i], q.first[i+1]
		offsets[i] = r.Offsets[a]
		if pools != nil {
			pools[i] = r.Pools[a]
		}
		if end-a < 2 {
			continue
		}
		x := model.Parts{Buffer: int32(i)}
		for k := a; k < end; k++ {
			b := &q.Problem.Buffers[k]
			x.Parts = append(x.Parts, model.Part{
				Lower: q.from[k], Upper: q.from[k] + b.Upper - b.Lower, Pool: r.PoolOf(int(k)), Offset: r.Offsets[k],
			})
		}
		r.Parts = append(r.Parts, x)
	}
	r.Offsets, r.Pools = offsets, pools
	r.Measures = model.MeasuresOf(p, &r.Plan)
	return r
}
