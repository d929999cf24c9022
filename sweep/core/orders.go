package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/sweep/spec"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: an order of a sweep is a model as a problem: its operators as the file has them or reordered, with results
// apart, in place, or as close over operands as kernels permit. The problem is the one that `stowage plan` plans with
// the same options, without scratch.
//
// Invariant: no order is worse than one that permits less, as far as the planner that compares them can tell. What
// shares a buffer lives longer, so the lowest plan in place may be higher. The problem with results apart is then taken.
//
// Its limits are numbers of nodes, so the problem is the same on every machine.

// orderNodes limits the planner that compares orders and permits. The search for the order has limits of its own.
const orderNodes = 20_000

var errOwnPlan = errors.New("tensors share bytes in the model's own plan, as in Vela's, so its lifespans prove nothing: 'stowage plan' has its size")

// arranged returns the problem of a file in an order, and how its times were read; nil if its kind has no such order.
func arranged(ctx context.Context, path string, kind format.Kind, options format.Options, order spec.Order, read *times.Read) (*model.Problem, error) {
	switch {
	case order.Kernels != "" && kind != format.TFLite:
		return nil, nil
	case order == spec.Order{} || kind == format.TFLite:
		f, err := format.ReadFileWith(path, options)
		if err == nil {
			*read = f.Times
		}
		if err == nil && f.Shares {
			err = fmt.Errorf("%s: %w", path, errOwnPlan)
		}
		if err != nil || order == (spec.Order{}) {
			return problemOf(f), err
		}
	}
	in, err := format.OpenUntil(path, time.Time{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if kind == format.ONNX {
		m, err := onnx.Read(in.Reader, in.Name)
		if err != nil {
			return nil, err
		}
		return arrangedONNX(ctx, m, options.ONNX(), order)
	}
	m, err := tflite.Read(in.Reader, in.Name)
	if err != nil {
		return nil, err
	}
	return arrangedTFLite(ctx, m, order)
}

func problemOf(f *format.File) *model.Problem {
	if f == nil {
		return nil
	}
	return f.Problem
}

// arrangedONNX keeps the order that the model has if none with a lower peak is found.
func arrangedONNX(ctx context.Context, m *onnx.Model, o onnx.Options, order spec.Order) (*model.Problem, error) {
	apart := o
	o.InPlace = order.InPlace
	if order.Reordered {
		found, err := m.Order(ctx, o)
		if err == nil && ctx.Err() != nil {
			err = ctx.Err() // what was found by then depends on the time
		}
		if err == nil && found != nil && found.Peak < found.Given {
			var data []byte
			if data, err = m.Reordered(found.Nodes); err == nil {
				m, err = onnx.Parse(data, m.File)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	a, err := m.Arena(o)
	if err != nil || !o.InPlace {
		return problemOfArena(a), err
	}
	b, err := m.Arena(apart)
	if err != nil {
		return nil, err
	}
	return lower(ctx, a.Problem, b.Problem)
}

func problemOfArena(a *onnx.Arena) *model.Problem {
	if a == nil {
		return nil
	}
	return a.Problem
}

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

func arrangedTFLite(ctx context.Context, m *tflite.Model, order spec.Order) (*model.Problem, error) {
	m, _, err := m.Fold()
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
