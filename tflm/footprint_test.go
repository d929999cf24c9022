package tflm_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// TestFootprint compares smallest arenas with those that builds of the runtime were found to need, by bisection to 16
// bytes: tensorflow/tflite-micro 90b983c for 32-bit Arm (armhf, under qemu) and for x86-64, and the package on PyPI.
func TestFootprint(t *testing.T) {
	targets := []*tflm.Target{&tflm.Firmware32, &tflm.Firmware64, &tflm.Interpreter}
	for _, c := range []struct {
		name  string
		data  []byte
		arena [3]int64
	}{
		{"svdf", tflitemade.Model([]tflitemade.Graph{svdf()}), [3]int64{2672, 3088, 3392}},
		{"branches", tflitemade.Model(branches()), [3]int64{2032, 2816, 3072}},
		{"oddities", tflitemade.Model([]tflitemade.Graph{oddities()}), [3]int64{2208, 2576, 2816}},
		{"means", tflitemade.Model([]tflitemade.Graph{means()}), [3]int64{2080, 2832, 3168}},
		{"network", tflitemade.Network(3, 14), [3]int64{6592, 7616, 8016}},
	} {
		m := parsed(t, c.data, c.name)
		plan := must.Get(tflm.Make(context.Background(), m, options(m)))(t)
		for k, target := range targets {
			f := tflm.ReferenceSet.Predict(m, plan.Arena, nil, plan.Before, target)
			if f.Smallest != c.arena[k] {
				t.Errorf("%s, %s: %d, want %d", c.name, target.Name, f.Smallest, c.arena[k])
			}
			// With the tail that it predicts, the measured smallest is the same, unless a kernel that prepares sets it.
			if got := f.Measured(f.Tail, plan.Before); f.Limit != tflm.LimitPrepare && got != f.Smallest {
				t.Errorf("%s, %s: %d with its own tail, want %d", c.name, target.Name, got, f.Smallest)
			}
		}
		if unknown := tflm.Unknown(m); len(unknown) > 0 {
			t.Errorf("%s: unknown operators %v", c.name, unknown)
		}
	}
	// An operator that the table lacks is named once.
	m := parsed(t, tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{
			{Name: "a", Shape: []int32{4}}, {Name: "b", Shape: []int32{4}}, {Name: "c", Shape: []int32{4}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorWHERE, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorWHERE, Inputs: []int32{1}, Outputs: []int32{2}},
		},
		Inputs: []int32{0}, Outputs: []int32{2},
	}}), "where")
	if got := tflm.Unknown(m); len(got) != 1 || got[0] != "WHERE" {
		t.Errorf("unknown operators %v, want WHERE", got)
	}
}
