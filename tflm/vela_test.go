package tflm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/pypi"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// TestVela compiles models with Vela of PyPI (ethos-u-vela): two wake words, of whose operators some stay on the CPU, a
// network that is one operator of the NPU afterwards, and one with a tensor that lives on the CPU while the NPU runs.
// Vela's plan is kept: that it comes out byte for byte is in the scripts of the command.
func TestVela(t *testing.T) {
	plantest.Nightly(t)
	python := interpreter.Python()
	if err := exec.Command(python, "-c", "import ethosu.vela").Run(); err != nil {
		t.Skipf("%s needs the Python package ethos-u-vela; set STOWAGE_PYTHON to an interpreter that has it", t.Name())
	}
	dir := t.TempDir()
	files := map[string][]byte{"whole": int8s(false), "around": int8s(true)}
	folder := pypi.WakeWords(t)
	for _, name := range []string{"alexa", "okay_nabu"} {
		data := must.Get(os.ReadFile(filepath.Join(folder, name+".tflite")))(t)
		files[name] = data
	}
	for name, data := range files {
		path := filepath.Join(dir, name+".tflite")
		must.Do(t, os.WriteFile(path, data, 0o600))
		cmd := exec.Command(python, "-m", "ethosu.vela", path, "--accelerator-config", "ethos-u55-128", "--output-dir", dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		data := must.Get(os.ReadFile(filepath.Join(dir, name+"_vela.tflite")))(t)
		m := parsed(t, data, name)
		window := int64(0) // the largest tensor, in which all others lie
		npu := 0
		for i := range m.Tensors {
			if m.Tensors[i].Arena() {
				window = max(window, m.Tensors[i].Bytes)
			}
		}
		for k := range m.Operators {
			if m.Operators[k].Custom == "ethos-u" {
				npu++
			}
		}
		if npu == 0 || npu == len(m.Operators) == (name != "whole") {
			t.Errorf("%s: %d of %d operators are the NPU's, so this tests little", name, npu, len(m.Operators))
		}
		v, err := tflm.Check(m, window)
		if err != nil || !v.OK() || v.Shares == 0 || v.Height != window {
			t.Errorf("%s: %+v, %v; want a head of %d", name, v, err, window)
		}
		for _, inPlace := range []bool{false, true} {
			p, err := tflm.Make(t.Context(), m, tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m), InPlace: inPlace})
			if err != nil || !p.Kept || p.Worth() || p.Before != window || p.Head != window {
				t.Fatalf("%s: %+v, %v; want a head of %d", name, p, err, window)
			}
			if !slices.Equal(p.Offsets, m.Offline.Offsets) {
				t.Errorf("%s: offsets %v, want those of the model: %v", name, p.Offsets, m.Offline.Offsets)
			}
		}
		// Moved apart, as they were once, the NPU would not find its tensors.
		p, err := tflm.Make(t.Context(), m, tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m), Replace: true})
		if err != nil || !p.Worth() || p.Head <= window {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		apart := must.Get(m.WithOffsets(p.Offsets))(t)
		if v, err := tflm.Check(parsed(t, apart, name), 0); err != nil || v.OK() {
			t.Errorf("%s: moved apart it passes: %v", name, err)
		}
	}
}

// int8s is a quantized network. Vela has no kernel for the DIVs that may be in it.
func int8s(divs bool) []byte {
	tensor := func(name string) tflitemade.Tensor {
		return tflitemade.Tensor{
			Name: name, Shape: []int32{1, 8, 8, 16}, Type: tfliteschema.TensorTypeINT8, Scales: []float32{0.1},
		}
	}
	div := tfliteschema.BuiltinOperatorMUL
	if divs {
		div = tfliteschema.BuiltinOperatorDIV
	}
	return tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{
			tensor("in"), tensor("x"), tensor("y"), tensor("z"), tensor("w"), tensor("v"), tensor("out"),
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{0, 0}, Outputs: []int32{1}},
			{Code: div, Inputs: []int32{1, 0}, Outputs: []int32{2}},
			{Code: tfliteschema.BuiltinOperatorMUL, Inputs: []int32{2, 2}, Outputs: []int32{3}},
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{3, 2}, Outputs: []int32{4}},
			{Code: div, Inputs: []int32{1, 4}, Outputs: []int32{5}},
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{5, 5}, Outputs: []int32{6}},
		},
		Inputs: []int32{0}, Outputs: []int32{6},
	}})
}
