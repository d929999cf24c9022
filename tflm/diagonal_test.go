package tflm_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
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
		r := must.Get(p.Compare(context.Background(), m, t.TempDir(), 3, o))(t)
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
		made := must.Get(tflm.MakeCloser(context.Background(), m, o, 16))(t)
		same := must.Get(p.Same(made, t.TempDir(), 3))(t)
		if !same {
			differ++
		}
	}
	if differ < 3 {
		t.Errorf("outputs of %d models differ", differ)
	}
}

// What is planned for a library passes its check, and fails one byte closer.
func TestCheckFor(t *testing.T) {
	seen := 0
	for seed := range uint64(12) {
		m := parsed(t, tflitemade.Images(seed, 8), "network")
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		made := must.Get(tflm.Make(context.Background(), m, o))(t)
		if made.Kernels == "" {
			continue
		}
		seen++
		planned := *m
		planned.Offline = &tflite.Offline{Count: int32(len(m.Tensors)), Offsets: made.Offsets, Entries: 1}
		if v := check(t, &planned, o.Kernels); !v.OK() {
			t.Errorf("seed %d: %v", seed, v.Findings)
		}
		for _, x := range made.Overlays {
			closer := slices.Clone(made.Offsets)
			closer[x.Result] = closer[x.Operand] - int32(x.Least) + 1 // one byte closer than the kernel permits
			planned.Offline.Offsets = closer
			if v := check(t, &planned, o.Kernels); !x.Equal && closer[x.Result] >= 0 && !tooClose(v, x) {
				t.Errorf("seed %d, operator %d: one byte closer than %d is accepted: %v", seed, x.Operator, x.Least, v.Findings)
			}
		}
		planned.Offline.Offsets = made.Offsets
		if v := check(t, &planned, ""); !v.OK() || v.Shares == 0 {
			t.Errorf("seed %d: without kernels %v", seed, v.Findings)
		}
	}
	if seen == 0 {
		t.Error("no model has a result over an operand")
	}
}

// tooClose reports whether a verdict finds fault with a pair.
func tooClose(v *tflm.Verdict, x tflm.Overlay) bool {
	return slices.ContainsFunc(v.Findings, func(f tflm.Finding) bool {
		return f.Severity == tflm.Fault && f.Rule == tflm.Overlap && f.Tensor == x.Result && f.Other == x.Operand
	})
}

func check(t *testing.T, m *tflite.Model, kernels tflm.Kernels) *tflm.Verdict {
	t.Helper()
	return must.Get(tflm.CheckFor(m, tflm.CheckOptions{Kernels: kernels}))(t)
}

// TestDiagonalModels plans the models in STOWAGE_MODELS with distances as they are and with some that
// are 16 bytes too small: the outputs stay, and then some differ.
func TestDiagonalModels(t *testing.T) {
	plantest.Nightly(t)
	folder := os.Getenv("STOWAGE_MODELS")
	if folder == "" {
		t.Skip("needs packages of npm unpacked in the folder STOWAGE_MODELS, such as @mediapipe/hands")
	}
	p := start(t)
	overlaid, differ := 0, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".tflite" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, _, err := parsed(t, data, strings.TrimSuffix(d.Name(), ".tflite")).Fold()
		if err != nil {
			return err
		}
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil || made.Kernels == "" {
			return err
		}
		same, err := p.Same(made, t.TempDir(), 1)
		if err != nil {
			t.Logf("%s does not run: %v", d.Name(), err)
			return nil
		}
		if overlaid++; !same {
			t.Errorf("%s: outputs differ", d.Name())
		}
		closer, err := tflm.MakeCloser(context.Background(), m, o, 16)
		if err != nil || closer.Kernels == "" {
			return err
		}
		if same, err := p.Same(closer, t.TempDir(), 1); err == nil && !same {
			differ++
		}
		return err
	})
	t.Logf("%d models have results over operands; outputs of %d differ if distances are 16 too small", overlaid, differ)
	if err != nil || overlaid == 0 || differ == 0 {
		t.Errorf("%d models have results over operands, outputs of %d differ if distances are too small; %v", overlaid,
			differ, err)
	}
}
