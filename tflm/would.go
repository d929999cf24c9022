package tflm

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
)

// Idea: a user who sees a head wants to know what would make it smaller. So the model is planned again with each
// option that was not given, and with several together, and the heads are compared. This must cost little beside the
// plan itself, and give the same answer each time. So each of these plans has a limit of nodes, and each search for
// an order a limit of states. Bounds rule some of them out:
//
//	in place   not planned if the load with results over operands is no smaller than the head
//	order      not planned if no order can have a smaller head (Plan.OrderBound)
//
// A plan in another order starts where the plan in the order of the file ended.
//
// A plan in strips is compared with plans of the same strips, not in another order.
//
// Invariant: each head that is named is the head of a plan. With the option and more time it may be smaller, never
// larger.

// An Alternative is a plan of the same model with other options.
type Alternative struct {
	// What is beyond the options that the plan had:
	InPlace bool    // results lie over operands
	Kernels Kernels // as closely as this library permits; empty if its order is not assumed
	Reorder bool    // the operators may stand in another order
	Plan    *Plan   // the plan with these options
}

// Saved returns how many bytes smaller the head is than with a plan; 0 if it is not.
func (x *Alternative) Saved(p *Plan) int64 { return max(0, p.WrittenHead()-x.Plan.WrittenHead()) }

// The limits of one alternative: nodes of its plan, and states of its search for an order.
const (
	AlternativeNodes  = 4_000
	AlternativeStates = 2_000
)

// Alternatives plans the same model with options that o does not have: in place, with the distances of its kernels, if
// their order is known, in another order, and with these distances in another order. The plan must be one that Make
// returned for o. There are none if it is kept or none was found, or for a model of an NPU. The same plan has the same
// alternatives: limits count nodes, and those of o that are lower hold. If the context ends, each is the best so far.
func (p *Plan) Alternatives(ctx context.Context, o Options) (all []Alternative, err error) {
	if p.Kept || p.Offsets == nil || p.NPU() {
		return nil, nil
	}
	if p.InStrips != nil {
		o.Rows, o.rowsAlone, o.alone, o.Reorder, o.Scratch = true, true, true, false, p.InStrips.scratch
	}
	lib, ordered := o.Set.Order()
	ordered = ordered && o.Kernels == ""
	if o.Kernels == "" && !o.InPlace {
		all = append(all, Alternative{InPlace: true})
	}
	if ordered {
		all = append(all, Alternative{Kernels: lib})
	}
	if !o.Reorder && p.InStrips == nil {
		all = append(all, Alternative{Reorder: true})
		if ordered {
			all = append(all, Alternative{Kernels: lib, Reorder: true})
		}
	}
	nodes := int64(AlternativeNodes)
	if o.Solve.NodeLimit > 0 {
		nodes = min(nodes, o.Solve.NodeLimit)
	}
	o.Solve, o.States = stowage.Options{NodeLimit: nodes, Seed: o.Solve.Seed}, AlternativeStates
	for k := range all {
		x, next, from := &all[k], o, p
		next.InPlace, next.Reorder = o.InPlace || x.InPlace, o.Reorder || x.Reorder
		if x.Kernels != "" {
			next.Kernels = x.Kernels
		}
		switch {
		case x.Reorder:
			if x.Kernels != "" { // what is planned just so, but in the order of the file
				from = all[slices.IndexFunc(all, func(y Alternative) bool { return y.Kernels == x.Kernels })].Plan
			}
			x.Plan, err = from.alsoReordered(ctx, next)
		case p.InStrips != nil:
			if x.Plan, err = Make(ctx, p.Model, next); err == nil {
				x.Plan.was, x.Plan.Before, x.Plan.InStrips = p.was, p.Before, p.InStrips
			}
		case x.InPlace && !o.Reorder && InPlaceLoad(p.Model, p.Life, p.Arena) >= p.WrittenHead():
			x.Plan = p
		default:
			x.Plan, err = Make(ctx, p.Given(), next)
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(x Alternative) bool { return x.Plan.Offsets == nil }), nil
}

// alsoReordered returns the plan in the order with the smallest head, under the same options.
func (p *Plan) alsoReordered(ctx context.Context, o Options) (*Plan, error) {
	orders, bound, err := ordersOf(ctx, p.Model, &o)
	if err != nil || p.Offsets == nil {
		return p, err
	}
	from := *p
	from.OrderBound = bound
	return from.inOrders(ctx, &from, orders, o, func(int) time.Duration { return 0 })
}
