// Package models has what all models of frameworks have in common, whatever the format of their files: values,
// operators that read and write them, permits of results to lie over operands, and orders of the operators. Who plans
// models asks the interface Model, and never compares formats.
package models

import (
	"context"
	"fmt"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// A Model is a model that was read.
type Model interface {
	// Arranged returns the problem of the model as it runs in an order, without scratch. It is the one with the lower
	// plan if results may lie over operands or apart. Its limits are numbers of nodes, so the problem is the same on
	// every machine. It is nil if models of this kind have no such order.
	Arranged(ctx context.Context, order Order) (*model.Problem, error)
}

// An Order is how a model runs: an order of its operators, and what their results may lie over.
type Order struct {
	Reordered bool         // the order with the lowest peak that is found
	InPlace   bool         // results lie over operands of element-wise operators
	Kernels   tflm.Kernels // or as closely over operands as this library permits; empty for none
}

// A row of the table of models.
type row struct {
	kind format.Kind
	open func(in *format.Input, o format.Options) (Model, error)
}

// rows has the kinds of models. A new kind is a row here.
var rows = []row{
	{format.TFLite, openTFLite},
	{format.ONNX, openONNX},
}

// Open reads a model. The options must be those that its kind takes.
func Open(in *format.Input, o format.Options) (Model, error) {
	for _, r := range rows {
		if r.kind == in.Kind {
			return r.open(in, o)
		}
	}
	return nil, fmt.Errorf("%s: is no model", in.Name)
}

// orderNodes limits the planner that compares orders and permits. The search for the order has limits of its own.
const orderNodes = 20_000

// lower returns the problem with the lower plan; the first if the plans are equal.
func lower(ctx context.Context, a, b *model.Problem) (*model.Problem, error) {
	o := stowage.Options{NodeLimit: orderNodes, Minimize: true}
	of, err := stowage.Solve(ctx, a, o)
	if err != nil {
		return nil, err
	}
	other, err := stowage.Solve(ctx, b, o)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && other.Status.HasPlan() && (!of.Status.HasPlan() || other.Height < of.Height) {
		return b, nil
	}
	return a, err
}
