package assign

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/stackdp"
)

// Idea: the loads of an assignment may fit though its bodies do not. The walk through the orders of the buffers that
// live in a pool (internal/ruled/stackdp) knows loads and places. It counts cost as the walk through time does: by the
// excess over the bound of the prices. This file makes its question, and reads its answer.
//
// Invariant: each assignment with a plan and an excess within the limit answers the question. So the bound of the
// answer holds for all plans.
//
// Complexity: O(sections + bodies + covers).

// Orders are a question about a pool.
type Orders struct {
	Question *stackdp.Question
	choices  *Choices
	Pool     int32
	body     []int32 // of each item, counted from the first with a choice
}

// Orders returns the question which bodies go into a pool of this capacity. It returns nil if another pool may be short
// of room, if a body must be in the pool, or if a body is more than a plain buffer.
func (c *Choices) Orders(pool int32, capacity int64) *Orders {
	for q := range c.room {
		if (c.room[q] != nil) != (int32(q) == pool) {
			return nil
		}
	}
	for k := range c.Bodies[:c.Single] {
		if c.Bodies[k].Pools[0] == pool {
			return nil
		}
	}
	o := &Orders{
		&stackdp.Question{Sections: c.Sections, Capacity: capacity, Room: c.room[pool], Price: c.Prices.of[pool]},
		c, pool, nil,
	}
	item := make([]int32, len(c.Prices.Excess)) // of each body with a choice
	for k, all := range c.Prices.Excess {
		b := &c.Bodies[c.Single+k]
		if len(b.Members) > 1 || len(b.Uses) != 1 || b.Uses[0].From != 0 {
			return nil
		}
		at := slices.Index(b.Pools, pool)
		if at < 0 {
			continue
		}
		if b.cells[at][0] != b.size {
			return nil // cells of several bytes
		}
		item[k] = int32(len(o.body))
		o.body = append(o.body, int32(k))
		x := stackdp.Item{
			First: b.Uses[0].First, Last: b.Uses[0].Last, Size: b.size, In: all[at], Out: all[o.elsewhere(int32(k))],
		}
		o.Question.Items = append(o.Question.Items, x)
	}
	for n, y := range c.Prices.covers {
		x := stackdp.Inequality{Section: y.section, Weights: y.weights, Most: y.most, Price: c.Prices.each[n]}
		for _, k := range y.bodies {
			x.Items = append(x.Items, item[k])
		}
		o.Question.Inequalities = append(o.Question.Inequalities, x)
	}
	return o
}

// elsewhere returns the cheapest place of a body outside the pool.
func (o *Orders) elsewhere(k int32) (place int32) {
	least := int64(math.MaxInt64)
	for n, excess := range o.choices.Prices.Excess[k] {
		if q := o.choices.Bodies[o.choices.Single+int(k)].Pools[n]; q != o.Pool && excess < least {
			place, least = int32(n), excess
		}
	}
	return place
}

// Assignment turns a choice into an assignment.
func (o *Orders) Assignment(in []bool) Assignment {
	of := make(Assignment, len(o.choices.Prices.Excess))
	for n, k := range o.body {
		if in[n] {
			of[k] = int32(slices.Index(o.choices.Bodies[o.choices.Single+int(k)].Pools, o.Pool))
		} else {
			of[k] = o.elsewhere(k)
		}
	}
	return of
}

// Offsets returns an offset for each buffer. Those in the pool have the offsets of the choice.
func (o *Orders) Offsets(offsets []int64) []int64 {
	all := make([]int64, len(o.choices.lowering.Problem.Buffers))
	for n, k := range o.body {
		all[o.choices.Bodies[o.choices.Single+int(k)].Members[0]] = offsets[n]
	}
	return all
}
