package tflm

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: several models run from one arena, one at a time, if their interpreters have the same MicroAllocator. The heads
// then lie over each other at the arena's beginning, so the highest counts. What the runtime keeps for each model, its
// tail, adds up. The allocator's own objects are there once.
//
//	|<-- the highest head -->|      tail of model 2 | tail of model 1 | allocator |
//
// While a model is planned, its records take the place of the heads, beside the tails of those before it. So the order
// in which the models are loaded counts: those first that need more room for planning.
//
// A smaller head is worth a larger tail only for the models with the highest head. So if a model has several plans, as
// those of its strips, each limit of the heads is tried: each model has the plan with the least tail that keeps it.
//
// Invariant: one model has the arena of Predict.
//
// Complexity: O(plans² · operators).
//
// Source: tensorflow/tflite-micro 90b983c, micro_allocator.cc (max_head_buffer_usage_).

// A Tenancy is an arena that models share. Only one of them runs at a time.
type Tenancy struct {
	// Order is the order in which the models are loaded, as indices.
	Order []int
	// Head is the highest head of a model.
	Head int64
	// Arenas are the smallest arenas that work, by target: firmware of 32 and of 64 bit, and the interpreter of PyPI,
	// if that could share one. Given are those in the order of the models, if Order is another.
	Arenas, Given []Footprint
}

// tenancyTargets are the targets of a Tenancy, in its order.
var tenancyTargets = []*Target{&Firmware32, &Firmware64, &Interpreter}

// NewTenancy returns the arena that models with these plans share.
func NewTenancy(plans []*Plan, t *Target) *Tenancy {
	given := make([]int, len(plans))
	more := make([]int64, len(plans)) // what planning takes beside the tail that stays
	x := &Tenancy{}
	for i, p := range plans {
		f := p.footprintOn(t)
		given[i], more[i], x.Head = i, f.Room-(f.Tail-f.planning), max(x.Head, p.WrittenHead())
	}
	x.Order = slices.Clone(given)
	slices.SortStableFunc(x.Order, func(i, j int) int { return cmp.Compare(more[j], more[i]) })
	if together(plans, given, t).Smallest <= together(plans, x.Order, t).Smallest {
		x.Order = given
	}
	for _, t := range tenancyTargets {
		x.Arenas = append(x.Arenas, together(plans, x.Order, t))
		x.Given = append(x.Given, together(plans, given, t))
	}
	return x
}

// together returns the footprint of models that are loaded in an order.
func together(plans []*Plan, order []int, t *Target) Footprint {
	f := newArena(t)
	out := Footprint{}
	for _, i := range order {
		p := plans[i]
		room, planning := f.load(p.Set, p.Model, p.Arena, p.writtenOffsets(), p.WrittenHead(), perBuffer)
		out.Room, out.planning = max(out.Room, room), planning
	}
	out.Tail, out.Smallest, out.Limit, out.Front = f.tail, tflite.RoundUp(f.smallest), f.limit, tflite.RoundUp(f.front)
	return out
}

// footprintOn returns the footprint of the model that is written.
func (p *Plan) footprintOn(t *Target) Footprint {
	return p.Set.Predict(p.Model, p.Arena, p.writtenOffsets(), p.WrittenHead(), t)
}

// Among returns one plan of each model, so that the arena that they share is the smallest on a target. The first plan
// of a model is taken if others are no better.
func Among(models [][]*Plan, t *Target) []int {
	var limits []int64
	tails := make([][]int64, len(models))
	for i, plans := range models {
		for _, p := range plans {
			limits, tails[i] = append(limits, p.WrittenHead()), append(tails[i], p.footprintOn(t).Tail)
		}
	}
	slices.Sort(limits)
	var best []int
	least := int64(-1)
	for _, limit := range slices.Backward(slices.Compact(limits)) {
		chosen := make([]int, len(models))
		plans := make([]*Plan, len(models))
		for i := range models {
			at := -1
			for k, p := range models[i] {
				if p.WrittenHead() <= limit && (at < 0 || tails[i][k] < tails[i][at]) {
					at = k
				}
			}
			if at < 0 {
				return best // lower limits are no better
			}
			chosen[i], plans[i] = at, models[i][at]
		}
		if n := smallestOn(NewTenancy(plans, t), t); least < 0 || n < least {
			best, least = chosen, n
		}
	}
	return best
}

func smallestOn(x *Tenancy, t *Target) int64 {
	return x.Arenas[slices.Index(tenancyTargets, t)].Smallest
}

// Plans returns the plans of Front.
func (x *Split) Plans() (all []*Plan) {
	for k := range x.Front {
		all = append(all, x.Front[k].plan)
	}
	return all
}

// Take returns the split with a choice of Front in place of the one with the smallest arena.
func (x *Split) Take(k int) (*Split, error) {
	c := x.Front[k]
	plan := *c.plan
	m, err := plan.Model.Written()
	if err != nil {
		return nil, err
	}
	out := *x
	plan.Model, plan.InStrips = m, &out
	c.plan, out.Plan, out.Added = &plan, &plan, added(plan.original().Model, m)
	out.Choice, out.Larger = c, c.larger
	return &out, nil
}
