package tflm_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/tflm"
)

// TestDiagonal runs made models in the interpreter with results over operands: heads are those
// emulated, outputs the same, in the smallest arena too.
func TestDiagonal(t *testing.T) {
	p := start(t)
	overlaid := 0
	for seed := range uint64(24) {
		m := parsed(t, tflitemade.Images(seed, 4+int(seed)/2), "network")
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		r, err := p.Compare(context.Background(), m, t.TempDir(), 3, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Faults() {
			t.Errorf("seed %d: %s", seed, f)
		}
		if made, err := tflm.Make(context.Background(), m, o); err != nil || made.Kernels != "" {
			overlaid++
		}
	}
	if overlaid < 12 {
		t.Errorf("%d models have results over operands: these models test little", overlaid)
	}
}

// TestDiagonalTooClose plans with distances that are 16 bytes too small. The outputs must differ on
// some models, or TestDiagonal would find nothing.
func TestDiagonalTooClose(t *testing.T) {
	p := start(t)
	differ := 0
	for seed := range uint64(24) {
		m := parsed(t, tflitemade.Images(seed, 4+int(seed)/2), "network")
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		made, err := tflm.MakeCloser(context.Background(), m, o, 16)
		if err != nil {
			t.Fatal(err)
		}
		same, err := p.Same(made, t.TempDir(), 3)
		if err != nil {
			t.Fatal(err)
		}
		if !same {
			differ++
		}
	}
	if differ < 3 {
		t.Errorf("outputs of %d models differ", differ)
	}
}

// What is planned for a library passes its check, and fails one byte closer, and for a library that
// permits nothing.
func TestCheckFor(t *testing.T) {
	seen := 0
	for seed := range uint64(12) {
		m := parsed(t, tflitemade.Images(seed, 8), "network")
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if made.Kernels == "" {
			continue
		}
		seen++
		planned := *m
		planned.Offline = &tflite.Offline{Count: int32(len(m.Tensors)), Offsets: made.Offsets, Entries: 1}
		if v := check(t, &planned, o.Kernels); !v.OK() {
			t.Errorf("seed %d: %v", seed, v.Findings)
		}
		if v := check(t, &planned, ""); !v.OK() || v.Shares == 0 {
			t.Errorf("seed %d: without kernels %v", seed, v.Findings)
		}
	}
	if seen == 0 {
		t.Error("no model has a result over an operand")
	}
}

func check(t *testing.T, m *tflite.Model, kernels tflm.Kernels) *tflm.Verdict {
	t.Helper()
	v, err := tflm.CheckFor(m, 0, kernels)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
