package tflm

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/format/tflite"
)

// MakeCloser is Make with distances that are too small by so many bytes: such plans are wrong.
func MakeCloser(ctx context.Context, m *tflite.Model, o Options, bytes int64) (*Plan, error) {
	kernels := o.Kernels
	o.Kernels = ""
	p, err := Make(ctx, m, o)
	if err != nil {
		return nil, err
	}
	o.Kernels = kernels
	o.Solve.Minimize = true
	all, _ := permits(m, p.Life, kernels)
	for i := range all {
		if all[i].equal {
			continue
		}
		all[i].distance -= bytes
	}
	return p, p.diagonal(ctx, &o, all, time.Now())
}
