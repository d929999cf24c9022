package core

import (
	"context"
	"errors"
	"time"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/sweep/spec"
)

// Idea: an order of a sweep turns a model into a problem: its operators as in the file or reordered, with results
// apart, in place, or as close over operands as kernels permit. It is the problem that `stowage plan` plans with the
// same options, without scratch.
//
// Invariant: no order is worse than one that permits less, as far as the planner that compares them can tell. Sharing a
// buffer makes it live longer, so the lowest plan in place may be higher. Then the problem with results apart is taken.

var errOwnPlan = errors.New("tensors share bytes in the model's own plan, as in Vela's, so its lifespans prove " +
	"nothing: 'stowage plan' has its size")

// arranged returns the problem of a file in an order; nil if its kind has no such order. f is the file as it is.
func arranged(ctx context.Context, path string, f *format.File, options format.Options,
	order spec.Order,
) (*model.Problem, error) {
	if order == (spec.Order{}) {
		return f.Problem, nil
	}
	in, err := format.OpenUntil(path, time.Time{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m, err := models.Open(in, options)
	if err != nil {
		return nil, err
	}
	return m.Arranged(ctx, order)
}
