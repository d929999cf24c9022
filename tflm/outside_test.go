package tflm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// recurrent is an LSTM layer of floats with its two states, of equal sizes.
func recurrent() tflitemade.Graph {
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{{Name: "in", Shape: []int32{1, 3, 4}}, {Name: "out", Shape: []int32{1, 3, 4}}},
		Inputs:  []int32{0}, Outputs: []int32{1},
	}
	add := func(t tflitemade.Tensor) int32 {
		g.Tensors = append(g.Tensors, t)
		return int32(len(g.Tensors) - 1)
	}
	in := []int32{0}
	for range 8 {
		in = append(in, add(weights(4, 4)))
	}
	in = append(in, -1, -1, -1)
	for range 4 {
		in = append(in, add(weights(4)))
	}
	in = append(in, -1, -1)
	for _, name := range []string{"output state", "cell state"} {
		in = append(in, add(tflitemade.Tensor{Name: name, Shape: []int32{1, 4}, Variable: true}))
	}
	in = append(in, -1, -1, -1, -1)
	g.Ops = []tflitemade.Op{
		{Code: tfliteschema.BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_LSTM, Inputs: in, Outputs: []int32{1}, Callees: []int32{4}},
	}
	return g
}

// halves splits its input into two, which are added.
func halves() tflitemade.Graph {
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "axis", Shape: []int32{1}, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(1)},
			{Name: "in", Shape: []int32{1, 32}},
			{Name: "first", Shape: []int32{1, 16}},
			{Name: "second", Shape: []int32{1, 16}},
			{Name: "out", Shape: []int32{1, 16}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorSPLIT, Inputs: []int32{0, 1}, Outputs: []int32{2, 3}, Callees: []int32{2}},
			{Code: tfliteschema.BuiltinOperatorSUB, Inputs: []int32{2, 3}, Outputs: []int32{4}},
		},
		Inputs: []int32{1}, Outputs: []int32{4},
	}
}

// remembered is two layers with state. Each asks for scratch while the state of the other is not in use.
func remembered() tflitemade.Graph {
	g := svdf()
	g.Ops = g.Ops[:1]
	g.Tensors = append(g.Tensors[:6], weights(24, 24),
		tflitemade.Tensor{Name: "state", Shape: []int32{1, 240}, Variable: true},
		tflitemade.Tensor{Name: "out", Shape: []int32{1, 24}})
	g.Ops = append(g.Ops, tflitemade.Op{
		Code: tfliteschema.BuiltinOperatorSVDF, Inputs: []int32{5, 6, 2, 3, 7}, Outputs: []int32{8}, Callees: []int32{1},
	})
	g.Outputs = []int32{8}
	return g
}

// TestNeverRight has plans that no kernel can be made for: the interpreter's outputs are
// wrong, and Check says so. The same tensors apart are right.
func TestNeverRight(t *testing.T) {
	p := start(t)
	for _, c := range []struct {
		name    string
		graph   tflitemade.Graph
		offsets map[int]int32
		rule    tflm.Rule // "" for a plan that is right
	}{
		{"two states in one place", recurrent(), map[int]int32{0: 0, 1: 64, 14: 128, 15: 128}, tflm.Variable},
		{"two states apart", recurrent(), map[int]int32{0: 0, 1: 64, 14: 128, 15: 144}, ""},
		{"two results in one place", halves(), map[int]int32{1: 0, 2: 128, 3: 128, 4: 256}, tflm.Overlap},
		{"two results apart", halves(), map[int]int32{1: 0, 2: 128, 3: 192, 4: 256}, ""},
		{"scratch over a state", remembered(), map[int]int32{0: 2048, 4: 0, 5: 2112, 7: 1024, 8: 2304}, tflm.Variable},
		{"scratch below the states", remembered(), map[int]int32{0: 0, 4: 2048, 5: 128, 7: 1024, 8: 256}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := tflitemade.Model([]tflitemade.Graph{c.graph})
			offsets := make([]int32, len(c.graph.Tensors))
			for k := range offsets {
				offsets[k] = tflite.Online
				if at, ok := c.offsets[k]; ok {
					offsets[k] = at
				}
			}
			data := tflitemade.Model([]tflitemade.Graph{c.graph}, entry([2]int32{1, 0}, int32(len(offsets)), offsets))
			path := filepath.Join(t.TempDir(), "m.tflite")
			run := func(data []byte, preserve bool) *interpreter.Answer {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 16, Runs: 3, Preserve: preserve})
				if err != nil || a.Error != "" {
					t.Fatal(err, a)
				}
				return a
			}
			if right := run(plain, true).Outputs == run(data, false).Outputs; right != (c.rule == "") {
				t.Errorf("the interpreter's outputs are right: %v", right)
			}
			v, err := tflm.Check(parsed(t, data, c.name), 0)
			if err != nil || v.OK() != (c.rule == "") || c.rule != "" && v.Findings[0].Rule != c.rule {
				t.Errorf("want rule %q: %+v, %v", c.rule, v, err)
			}
		})
	}
}
