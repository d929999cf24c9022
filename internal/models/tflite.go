package models

import (
	"context"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// tfliteModel is a model of TensorFlow Lite, which TensorFlow Lite Micro runs.
type tfliteModel struct{ m *tflite.Model }

func openTFLite(in *format.Input, _ format.Options) (Model, error) {
	m, err := tflite.Read(in.Reader, in.Name)
	return &tfliteModel{m}, err
}

// Arranged plans the model, so that the order with the smallest head is known.
func (x *tfliteModel) Arranged(ctx context.Context, order Order) (*model.Problem, error) {
	m, _, err := x.m.Fold()
	if err != nil {
		return nil, err
	}
	made, err := tflm.Make(ctx, m, tflm.Options{
		Reorder: order.Reordered, InPlace: order.InPlace, Kernels: order.Kernels,
		Replace: true, Solve: stowage.Options{NodeLimit: orderNodes, Minimize: true},
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if order.InPlace || order.Kernels != "" {
		return made.United, nil
	}
	l, err := made.Model.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := made.Model.Arena(l, nil)
	if err != nil {
		return nil, err
	}
	return a.Problem, nil
}
