package tflm

import (
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// TestKeptForKernels plans a model for kernels, and plans the result again: it is kept for the same
// kernels, kept with a warning without any, and replaced for kernels that do not permit it.
func TestKeptForKernels(t *testing.T) {
	plan := func(m *tflite.Model, lib Kernels) *Plan {
		t.Helper()
		p, err := Make(t.Context(), m, Options{Kernels: lib})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	m := planned(t, tflitemade.Points())
	made := plan(m, CMSISMVE)
	if made.Kernels != CMSISMVE || made.Head >= 1024 || len(made.Overlays) != 2 {
		t.Fatalf("head %d for %q, overlays %v", made.Head, made.Kernels, made.Overlays)
	}
	if why := made.WhyApart(CMSISDSP); !strings.Contains(why, "operator 0, CONV_2D: CMSIS-NN goes through") {
		t.Errorf("for DSP nothing is permitted: %q", why)
	}
	if why := made.WhyApart(CMSISMVE); why != "" {
		t.Errorf("each operator at the peak permits an overlap: %q", why)
	}
	data, err := m.WithOffsets(made.Offsets)
	if err != nil {
		t.Fatal(err)
	}
	m = parse(t, data)
	p := plan(m, CMSISMVE)
	if !p.Kept || p.Kernels != CMSISMVE || !slices.Equal(p.Overlays, made.Overlays) || p.Unchecked != 0 {
		t.Errorf("for the same kernels: kept %v, for %q, overlays %v", p.Kept, p.Kernels, p.Overlays)
	}
	if p := plan(m, ""); !p.Kept || p.Kernels != "" || p.Unchecked != 2 {
		t.Errorf("without kernels: kept %v, for %q, %d overlaps unchecked", p.Kept, p.Kernels, p.Unchecked)
	}
	p = plan(m, CMSISDSP)
	if p.Kept || !p.Faulty || !p.Worth() || p.Kernels != "" || p.Head != 1024 {
		t.Errorf("for kernels that permit none: kept %v, faulty %v, head %d for %q", p.Kept, p.Faulty, p.Head, p.Kernels)
	}
	if data, err = p.Written(m); err != nil {
		t.Fatal(err)
	}
	if v, err := CheckFor(parse(t, data), CheckOptions{Kernels: CMSISDSP}); err != nil || !v.OK() {
		t.Errorf("what takes its place is faulty: %+v, %v", v, err)
	}
}

// TestWhyApart has an operator that reads all of its operand until its last result: what it permits is
// no overlap at multiples of 16.
func TestWhyApart(t *testing.T) {
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "in", Shape: []int32{1, 16}},
			{Name: "weights", Shape: []int32{4, 16}, Data: make([]byte, 256)},
			{Name: "out", Shape: []int32{1, 4}},
		},
		Ops: []tflitemade.Op{{
			Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{0, 1, -1}, Outputs: []int32{2},
		}},
		Inputs: []int32{0}, Outputs: []int32{2},
	}
	p, err := Make(t.Context(), planned(t, g), Options{Kernels: ReferenceKernels})
	if err != nil || p.Kernels != "" {
		t.Fatalf("for %q: %v", p.Kernels, err)
	}
	why, want := p.WhyApart(ReferenceKernels), "operator 0, FULLY_CONNECTED: its operand has to begin "
	if !strings.HasPrefix(why, want) || !strings.HasSuffix(why, " above its result, which has 16") {
		t.Errorf("%q, want %q…", why, want)
	}
}

// TestVelaForKernels has a plan of Vela's in which an operator on the CPU writes closer than its kernel
// permits: it is not kept, and nobody else can plan the model.
func TestVelaForKernels(t *testing.T) {
	m := planned(t, around(), -1, -1, 0, 64, 0, 80, -1, 192, 64, 256)
	if p, err := Make(t.Context(), m, Options{}); err != nil || !p.Kept || p.Unchecked != 1 {
		t.Fatalf("without kernels: %+v, %v", p, err)
	}
	_, err := Make(t.Context(), m, Options{Kernels: ReferenceKernels})
	for _, want := range []string{"at operator 2, DIV", `tensor 3 "in"`, `tensor 5 "y"`, "only Vela can plan the model"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error has no %q: %v", want, err)
		}
	}
}
