package tflm_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/tflm"
)

// TestReorderedOutputs runs made models with their operators in random orders: the outputs are
// those of the order that they had.
func TestReorderedOutputs(t *testing.T) {
	p := start(t)
	rng := rand.New(rand.NewPCG(11, 12))
	moved := 0
	for seed := range uint64(24) {
		data := tflitemade.Network(seed, 12)
		switch {
		case seed == 23:
			data = tflitemade.Model([]tflitemade.Graph{svdf()}) // with state
		case seed%2 == 1:
			data = tflitemade.Images(seed, 8)
		}
		m := parsed(t, data, "network")
		want := run(t, p, m.Bytes())
		for range 3 {
			prior := m.Prior()
			var order []int
			for len(order) < len(prior) {
				k := rng.IntN(len(prior))
				waits := slices.ContainsFunc(prior[k], func(b int) bool { return !slices.Contains(order, b) })
				if !waits && !slices.Contains(order, k) {
					order = append(order, k)
				}
			}
			if !slices.IsSorted(order) {
				moved++
			}
			data := must.Get(m.Reordered(order))(t)
			if got := run(t, p, data); got != want {
				t.Errorf("seed %d: the order %v gives other outputs", seed, order)
			}
		}
	}
	if moved < 24 {
		t.Errorf("%d models have another order", moved)
	}
}

// run returns the outputs of a model, as the runtime plans it.
func run(t *testing.T, p *interpreter.Process, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.tflite")
	must.Do(t, os.WriteFile(path, data, 0o600))
	a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 20, Runs: 3})
	if err != nil || a.Error != "" {
		t.Fatal(err, a)
	}
	return a.Outputs
}

// TestReorderedPlans runs made models with the order and the plan that Make finds: heads are those
// emulated, outputs the same, in the smallest arena too.
func TestReorderedPlans(t *testing.T) {
	p := start(t)
	moved := 0
	for seed := range uint64(24) {
		m := parsed(t, tflitemade.Network(seed, 14), "network")
		o := options(m)
		o.Reorder, o.InPlace = true, seed%3 == 1
		if seed%3 == 2 {
			m, o.Kernels = parsed(t, tflitemade.Images(seed, 10), "network"), tflm.ReferenceKernels
			o.Scratch = tflm.ReferenceSet.Scratch(m)
		}
		r := must.Get(p.Compare(context.Background(), m, t.TempDir(), 3, o))(t)
		for _, f := range r.Faults() {
			t.Errorf("seed %d: %s", seed, f)
		}
		if made, err := tflm.Make(context.Background(), m, o); err != nil || made.Order != nil {
			moved++
		}
	}
	if moved < 6 {
		t.Errorf("%d models are reordered: these models test little", moved)
	}
}

// TestPoseLandmark reorders the one model of MediaPipe whose order can be better: the head is 2.1% smaller, and no
// order has a smaller one. The outputs are the same.
func TestPoseLandmark(t *testing.T) {
	plantest.Nightly(t)
	path := filepath.Join(os.Getenv("STOWAGE_MODELS"), "@mediapipe", "pose", "pose_landmark_lite.tflite")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skip("needs the npm package @mediapipe/pose unpacked in the folder STOWAGE_MODELS")
	}
	m, weights := must.Two(parsed(t, data, "pose").Fold())(t)
	given := must.Get(tflm.Make(t.Context(), m, tflm.Options{}))(t)
	made := must.Get(tflm.Make(t.Context(), m, tflm.Options{Reorder: true}))(t)
	if !made.OrderProven() || made.Head > 6_817_024 {
		t.Errorf("head %d, in the order given %d, bound %d", made.Head, given.Head, made.OrderBound)
	}
	// The model before its weights were folded takes the same order.
	whole := parsed(t, data, "pose")
	written := must.Get(made.Written(whole))(t)
	again, folded, err := parsed(t, written, "pose").Fold()
	if err != nil || folded != weights || !slices.EqualFunc(again.Operators, made.Model.Operators, sameOperator) {
		t.Errorf("%d weights folded, %d before: %v", folded, weights, err)
	}
	if testing.Short() {
		return
	}
	r := must.Get(start(t).Compare(t.Context(), m, t.TempDir(), 1,
		tflm.Options{Reorder: true, Scratch: tflm.ReferenceSet.Scratch(m)}))(t)
	for _, f := range r.Faults() {
		t.Error(f)
	}
}

func sameOperator(a, b tflite.Operator) bool {
	return a.Code == b.Code && slices.Equal(a.Inputs, b.Inputs) && slices.Equal(a.Outputs, b.Outputs)
}
