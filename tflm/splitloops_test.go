package tflm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/tflm"
)

// TestSplitLoops splits networks that are lower with a loop, and without loops. With them the arena is smaller and so
// are the operators, and the file's plan is without fault. In the interpreter the outputs are those of the network as
// it is, in the predicted arena, and 16 bytes less are refused.
func TestSplitLoops(t *testing.T) {
	p, err := interpreter.Start(interpreter.Python())
	if err != nil && !errors.Is(err, interpreter.ErrMissing) {
		t.Fatal(err)
	}
	if p != nil {
		t.Cleanup(func() { p.Close() })
	}
	for name, data := range map[string][]byte{
		"halo": tflitemade.Convolutions(64, [3]int32{3, 1, 32}, [3]int32{3, 2, 8}),
		"deep": tflitemade.Convolutions(96, [3]int32{3, 1, 24}, [3]int32{1, 1, 24}, [3]int32{3, 4, 8}),
	} {
		for _, kernels := range []tflm.Kernels{"", tflm.ReferenceKernels} {
			m := parsed(t, data, name)
			o := options(m)
			o.Kernels, o.Named = kernels, true
			made := must.Get(tflm.Make(context.Background(), m, o))(t)
			x := tflm.SplitOptions{Target: &tflm.Interpreter, MaxMACs: 0.2}
			s := must.Get(made.Split(context.Background(), o, x))(t)
			x.NoLoops = true
			without := must.Get(made.Split(context.Background(), o, x))(t)
			looped := 0
			for _, c := range s.Choice.Chains {
				looped += c.Looped
			}
			if s.Plan == nil || looped == 0 || s.Choice.Arena >= without.Choice.Arena {
				t.Errorf("%s: an arena of %d with %d strips in a loop, %d without", name, s.Choice.Arena, looped,
					without.Choice.Arena)
				continue
			}
			t.Logf("%s: an arena of %d with %d strips in a loop, %d without", name, s.Choice.Arena, looped, without.Choice.Arena)
			written := must.Get(s.Plan.Written(m))(t)
			w := must.Get(tflite.Parse(written, name))(t)
			if v := must.Get(tflm.CheckFor(w, tflm.CheckOptions{Kernels: kernels}))(t); !v.OK() || v.Online > 0 {
				t.Errorf("%s: %v", name, v.Findings)
			}
			if n := tflm.MACs(w) - tflm.MACs(m); n != s.Choice.MACs {
				t.Errorf("%s: the file has %d more multiply-accumulates, the choice %d", name, n, s.Choice.MACs)
			}
			at := map[int64]int64{} // the peak names the image and the result of a loop once
			for _, i := range s.Plan.Peak().Buffers {
				if b := &s.Plan.Arena.Problem.Buffers[i]; b.Size > 4096 && at[s.Plan.Placed[i]] == b.Size {
					t.Errorf("%s: two of %d bytes at %d in the peak", name, b.Size, s.Plan.Placed[i])
				} else {
					at[s.Plan.Placed[i]] = b.Size
				}
			}
			if p == nil {
				continue
			}
			file := filepath.Join(t.TempDir(), "model.tflite")
			run := func(data []byte, arena int64) *interpreter.Answer {
				must.Do(t, os.WriteFile(file, data, 0o600))
				return must.Get(p.Run(interpreter.Request{Model: file, Arena: arena, Runs: 3}))(t)
			}
			want, got := run(data, 1<<22), run(written, s.Choice.Arena)
			if want.Error != "" || got.Error != "" || got.Outputs != want.Outputs {
				t.Errorf("%s: outputs differ, %s %s", name, want.Error, got.Error)
			}
			if less := run(written, s.Choice.Arena-16); less.Error == "" {
				t.Errorf("%s: 16 bytes less are enough", name)
			}
		}
	}
}

// TestLoopPlans lays tensors of a loop where they must not lie, and others where they may.
func TestLoopPlans(t *testing.T) {
	data := tflitemade.Convolutions(64, [3]int32{3, 1, 32}, [3]int32{3, 2, 8})
	m := parsed(t, data, "halo")
	o := options(m)
	o.Kernels, o.Named = tflm.ReferenceKernels, true
	made := must.Get(tflm.Make(context.Background(), m, o))(t)
	s := must.Get(made.Split(context.Background(), o, tflm.SplitOptions{Target: &tflm.Interpreter, MaxMACs: 0.2}))(t)
	w := must.Get(tflite.Parse(must.Get(s.Plan.Written(m))(t), "loop"))(t)
	if len(w.Subgraphs) != 3 {
		t.Fatalf("%d subgraphs", len(w.Subgraphs))
	}
	good := w.Offline.Offsets
	faulty := func(change func(offsets []int32)) bool {
		offsets := append([]int32{}, good...)
		change(offsets)
		pinned := *w
		pinned.Offline = &tflite.Offline{Count: w.Offline.Count, Offsets: offsets, Entries: 1}
		return !must.Get(tflm.CheckFor(&pinned, tflm.CheckOptions{Kernels: tflm.ReferenceKernels}))(t).OK()
	}
	if faulty(func([]int32) {}) {
		t.Error("the plan is faulty")
	}
	body := w.Subgraphs[2]
	part, result := -1, -1
	for k := body.FirstOperator; k < body.FirstOperator+body.OperatorCount; k++ {
		if w.Operators[k].Name() == "DYNAMIC_UPDATE_SLICE" {
			part, result = int(w.Operators[k].Inputs[1]), int(w.Operators[k].Inputs[0])
		}
	}
	if good[part] == good[result] || !faulty(func(x []int32) { x[part] = x[result] }) {
		t.Error("a part over the result that a loop puts together is no fault")
	}
	if !faulty(func(x []int32) { x[result] += 16 }) {
		t.Error("a variable of a loop that lies over itself, 16 bytes further, is no fault")
	}
	high := int32(1 << 20)
	if faulty(func(x []int32) { x[result] = high }) {
		t.Error("a variable of a body that lies apart is a fault")
	}
	image := int(body.Inputs[len(body.Inputs)-2])
	for _, t := range body.Inputs {
		if w.Tensors[t].Bytes > w.Tensors[image].Bytes {
			image = int(t)
		}
	}
	if faulty(func(x []int32) { x[image] = high }) || !faulty(func(x []int32) { x[image] += 32 }) {
		t.Error("an image of a body: apart it is no fault, over itself it is")
	}
}
