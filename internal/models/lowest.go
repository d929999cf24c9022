package models

import (
	"context"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an option of plan may only help. An order with a lower load may still have a higher plan, and so may values
// that share a buffer in place, since that lives longer than each of them. So the problem with all options is planned
// first. Then come the problems with fewer options, if they may be lower:
//
//	height <= load of the weaker problem  =>  no plan of that problem is lower
//
// Nearly all models end there. The same holds for models of TensorFlow Lite (tflm) and graphs (graph/rest.go).
//
// A timeout is for all runs: half of it goes to the first one and its order, and the rest to those that may be lower.

// A lowest is the lowest plan of an .onnx model, in the order of its nodes or in another.
type lowest struct {
	m      *onnx.Model // in the order that is planned
	a      *onnx.Arena
	found  *onnx.Ordering // nil if no order was looked for; without nodes if the order is kept
	before int64          // the load in the order of the file, with the same options
	result *stowage.Result
}

// A Solver plans a problem: stowage.Solve, or one that shows its progress.
type Solver = graph.Solver

// lowestONNX returns the lowest plan that the options allow. m is in the order of its file.
func lowestONNX(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options,
	solve Solver,
) (*lowest, error) {
	began, limit := time.Now(), o.Timeout
	left := func(part time.Duration) time.Duration {
		if limit == 0 {
			return 0
		}
		return max(limit/part-time.Since(began), 1)
	}
	best, err := arrangedONNX(ctx, m, options, reorder, o)
	if err != nil {
		return nil, err
	}
	if reorder || options.InPlace {
		o.Timeout = left(2)
	}
	if best.result, err = solve(ctx, best.a.Problem, o); err != nil {
		return nil, err
	}
	o.Timeout = left(1)
	try := func(options onnx.Options, reorder bool) error {
		run := o
		run.Timeout = left(1)
		x, err := arrangedONNX(ctx, m, options, reorder, run)
		if err != nil || best.within(loadOf(x.a)) {
			return err
		}
		run.Timeout = left(1)
		if x.result, err = solve(ctx, x.a.Problem, run); err == nil && x.result.Status.HasPlan() &&
			!best.within(x.result.Height) {
			best.become(x)
		}
		return err
	}
	plain := options
	plain.InPlace = false
	// Now with fewer options. A try ends at once if the load of its problem shows that it cannot be lower.
	if reorder && best.m != m {
		err = try(options, false)
	}
	if options.InPlace && err == nil {
		err = try(plain, false)
	}
	if reorder && options.InPlace && err == nil && best.found != nil && !best.within(best.found.Bound) {
		err = try(plain, true)
	}
	// What is left of the time goes on with the best plan, if its run ended early for the others.
	if r := best.result; err == nil && limit > 0 && r.Status.HasPlan() && r.Stopped == plan.StopTimeout &&
		time.Since(began) < limit-limit/50 {
		o.Start, o.Timeout = r.Offsets, left(1)
		best.result, err = solve(ctx, best.a.Problem, o)
	}
	return best, err
}

// arrangedONNX returns a model in the order to plan.
func arrangedONNX(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool,
	o stowage.Options,
) (*lowest, error) {
	a, err := m.Arena(options)
	if err != nil {
		return nil, err
	}
	x := &lowest{m: m, a: a}
	if !reorder {
		return x, nil
	}
	x.before = loadOf(a)
	moved, found, err := reorderONNX(ctx, m, a, options, o)
	if x.found = found; err != nil || moved == nil {
		return x, err
	}
	x.m = moved
	x.a, err = moved.Arena(options)
	return x, err
}

// within reports whether the plan is at or below a height.
func (p *lowest) within(height int64) bool {
	return p.result.Status.HasPlan() && p.result.Height <= height
}

// become adopts the lower plan of fewer options. Its proofs do not hold for all options.
func (p *lowest) become(x *lowest) {
	bound := min(p.result.LowerBound, loadOf(p.a))
	if x.found == nil || x.found.Nodes == nil {
		p.found = kept(p.found)
	} else {
		p.found.Nodes = x.found.Nodes
	}
	p.m, p.a, p.result = x.m, x.a, x.result
	if p.result.LowerBound > bound {
		p.result.LowerBound, p.result.Status = bound, stowage.Feasible
	}
}

// reorderONNX looks for the order of a model's nodes with the lowest load, and returns the model in that order; nil
// if the present order's load is as low. The search gets a quarter of the time.
func reorderONNX(ctx context.Context, m *onnx.Model, a *onnx.Arena, options onnx.Options,
	o stowage.Options,
) (*onnx.Model, *onnx.Ordering, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout/4)
		defer cancel()
	}
	found, err := m.Order(ctx, options)
	if err != nil || found == nil || found.Peak >= found.Given {
		return nil, kept(found), err
	}
	data, err := m.Reordered(found.Nodes)
	if err != nil {
		return nil, nil, err
	}
	moved, err := onnx.Parse(data, m.File)
	if err != nil {
		return nil, nil, err
	}
	// With results over operands the load may be above the one that the order was chosen for.
	b, err := moved.Arena(options)
	if err != nil || loadOf(b) >= loadOf(a) {
		return nil, kept(found), err
	}
	return moved, found, nil
}

// kept returns what was found without the order.
func kept(found *onnx.Ordering) *onnx.Ordering {
	if found != nil {
		found.Nodes = nil
	}
	return found
}

// loadOf returns the most bytes that are live at once.
func loadOf(a *onnx.Arena) int64 { return timeline.New(a.Problem).MaxLoad }
