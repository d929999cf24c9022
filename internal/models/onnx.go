package models

import (
	"context"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an option of plan may only help. An order with a lower load may still have a higher plan, and so may values
// that share a buffer in place, since that lives longer than each of them. So what the options allow is planned first,
// and then what a part of them allows, if that may be lower:
//
//	height <= load of the weaker problem  =>  no plan of that problem is lower
//
// Nearly all models end there. The same holds for models of TensorFlow Lite (tflm) and graphs (graph/rest.go).
//
// A timeout is for all runs: half of it goes to the first one and its order, and the rest to those that may be lower.

// An ONNXPlan is a plan of an .onnx model, in the order of its nodes or in another.
type ONNXPlan struct {
	Model  *onnx.Model // in the order that is planned
	Arena  *onnx.Arena
	Found  *onnx.Ordering // nil if no order was looked for; without nodes if the order is kept
	Before int64          // the load in the order of the file, with the same options
	Result *stowage.Result
}

// A Solver plans a problem: stowage.Solve, or one that shows its progress.
type Solver func(context.Context, *stowage.Problem, stowage.Options) (*stowage.Result, error)

// LowestONNX returns the lowest plan that the options allow. m is in the order of its file.
func LowestONNX(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options, solve Solver) (*ONNXPlan, error) {
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
	if best.Result, err = solve(ctx, best.Arena.Problem, o); err != nil {
		return nil, err
	}
	o.Timeout = left(1)
	try := func(options onnx.Options, reorder bool) error {
		run := o
		run.Timeout = left(1)
		x, err := arrangedONNX(ctx, m, options, reorder, run)
		if err != nil || best.lowest(loadOf(x.Arena)) {
			return err
		}
		run.Timeout = left(1)
		if x.Result, err = solve(ctx, x.Arena.Problem, run); err == nil && x.Result.Status.HasPlan() && !best.lowest(x.Result.Height) {
			best.become(x)
		}
		return err
	}
	plain := options
	plain.InPlace = false
	if reorder && best.Model != m {
		err = try(options, false)
	}
	if options.InPlace && err == nil {
		err = try(plain, false)
	}
	if reorder && options.InPlace && err == nil && best.Found != nil && !best.lowest(best.Found.Bound) {
		err = try(plain, true)
	}
	if r := best.Result; err == nil && limit > 0 && r.Status.HasPlan() && r.Stopped == plan.StopTimeout && time.Since(began) < limit-limit/50 {
		o.Start, o.Timeout = r.Offsets, left(1)
		best.Result, err = solve(ctx, best.Arena.Problem, o)
	}
	return best, err
}

// arrangedONNX returns a model in the order to plan.
func arrangedONNX(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options) (*ONNXPlan, error) {
	a, err := m.Arena(options)
	if err != nil {
		return nil, err
	}
	x := &ONNXPlan{Model: m, Arena: a}
	if !reorder {
		return x, nil
	}
	x.Before = loadOf(a)
	moved, found, err := reorderONNX(ctx, m, a, options, o)
	if x.Found = found; err != nil || moved == nil {
		return x, err
	}
	x.Model = moved
	x.Arena, err = moved.Arena(options)
	return x, err
}

// lowest reports whether the plan is at or below a height.
func (p *ONNXPlan) lowest(height int64) bool {
	return p.Result.Status.HasPlan() && p.Result.Height <= height
}

// become takes the lower plan of fewer options. What is proven for these is not proven for all.
func (p *ONNXPlan) become(x *ONNXPlan) {
	bound := min(p.Result.LowerBound, loadOf(p.Arena))
	if x.Found == nil || x.Found.Nodes == nil {
		p.Found = kept(p.Found)
	} else {
		p.Found.Nodes = x.Found.Nodes
	}
	p.Model, p.Arena, p.Result = x.Model, x.Arena, x.Result
	if p.Result.LowerBound > bound {
		p.Result.LowerBound, p.Result.Status = bound, stowage.Feasible
	}
}

// reorderONNX looks for the order of a model's nodes with the lowest load, and returns the model in
// it; nil if the load of the order that it has is as low. The search gets a quarter of the time.
func reorderONNX(ctx context.Context, m *onnx.Model, a *onnx.Arena, options onnx.Options, o stowage.Options) (*onnx.Model, *onnx.Ordering, error) {
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
	// With results over operands the load may be above what the order was chosen for.
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

// onnxModel is an .onnx model with the options that it is planned with.
type onnxModel struct {
	m *onnx.Model
	o onnx.Options
}

func openONNX(in *format.Input, o format.Options) (Model, error) {
	m, err := onnx.Read(in.Reader, in.Name)
	return &onnxModel{m, o.ONNX()}, err
}

// Arranged keeps the order that the model has if none with a lower load is found.
func (x *onnxModel) Arranged(ctx context.Context, order Order) (*model.Problem, error) {
	if order.Kernels != "" {
		return nil, nil
	}
	o := x.o
	o.InPlace = order.InPlace
	best, err := arrangedONNX(ctx, x.m, o, order.Reordered, stowage.Options{})
	if err == nil {
		err = ctx.Err() // what was found by then depends on the time
	}
	if err != nil {
		return nil, err
	}
	if !o.InPlace {
		return best.Arena.Problem, nil
	}
	apart, err := best.Model.Arena(x.o)
	if err != nil {
		return nil, err
	}
	return lower(ctx, best.Arena.Problem, apart.Problem)
}
