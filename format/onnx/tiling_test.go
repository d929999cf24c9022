package onnx

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/tiling"
)

// TestTiling has a convolution of 3 × 3 and a pool of 2 × 2 on images of 16 × 12, with elements of four bytes.
//
//	input 1 × 16 × 12, 768 bytes   first 2 × 16 × 12, 1536 bytes   result 2 × 8 × 6, 384 bytes
//
// Alone, the convolution needs 2304. In a chain two rows of 96 bytes are kept: 768 + 384 + 192 = 1344. Two columns
// have 256 bytes.
func TestTiling(t *testing.T) {
	g := onnxmade.Graph{
		Inputs: []onnxmade.Value{onnxmade.Floats("x", 1, 1, 16, 12)},
		Stored: []onnxmade.Tensor{{Name: "w", Type: onnxmade.Float, Dims: []int64{2, 1, 3, 3}, Floats: make([]float64, 18)}},
		Nodes: []onnxmade.Node{
			{Op: "Conv", In: []string{"x", "w"}, Out: []string{"y"}, Attributes: map[string]any{"pads": []int64{1, 1, 1, 1}}},
			{
				Op: "MaxPool", In: []string{"y"}, Out: []string{"z"},
				Attributes: map[string]any{"kernel_shape": []int64{2, 2}, "strides": []int64{2, 2}},
			},
		},
		Outputs: onnxmade.Names("z"),
	}
	m := must.Get(Parse(onnxmade.Model{Graph: g}.Bytes(), "test.onnx"))(t)
	got, err := m.Tiling(Options{Alignment: 1})
	if err != nil || got == nil || len(got.Chains) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	c := got.Chains[0]
	if got.Peak != 1344 || !got.Proven || c.Lines != "rows" || c.Kept != 192 || c.Whole != 1536 ||
		c.First.Operator != "Conv" || c.Last.Operator != "MaxPool" {
		t.Errorf("%+v", got)
	}
	g.Outputs = onnxmade.Names("z", "y") // then it is needed whole
	if m, err = Parse(onnxmade.Model{Graph: g}.Bytes(), "test.onnx"); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Tiling(Options{}); got != nil || err != nil {
		t.Errorf("%+v, %v, though the value between is an output", got, err)
	}
}

// slid returns a node on images that is drawn, of one of eleven kinds, and what it needs.
func slid(rng *rand.Rand, kind int) onnxmade.Graph {
	upTo := func(n int) int64 { return int64(1 + rng.IntN(n)) }
	images := func(name string, channels, rows, columns int64) onnxmade.Value {
		return onnxmade.Floats(name, 1, int(channels), int(rows), int(columns))
	}
	rows, columns := 4+upTo(8), 4+upTo(8)
	g := onnxmade.Graph{
		Inputs:  []onnxmade.Value{images("x", 4, rows, columns)},
		Outputs: []onnxmade.Value{onnxmade.Floats("y", "", "", "", "")},
	}
	weights := func(dims ...int64) string {
		w := onnxmade.Tensor{Name: fmt.Sprint("w", len(g.Stored)), Type: onnxmade.Float, Dims: dims}
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		for range n {
			w.Floats = append(w.Floats, 0.5+rng.Float64())
		}
		g.Stored = append(g.Stored, w)
		return w.Name
	}
	list := func(name string, x ...int64) string {
		g.Stored = append(g.Stored, onnxmade.Ints(name, x...))
		return name
	}
	n := onnxmade.Node{In: []string{"x"}, Out: []string{"y"}, Attributes: map[string]any{}}
	kernel := []int64{upTo(3), upTo(3)}
	window := func() {
		n.Attributes["strides"] = []int64{upTo(3), upTo(3)}
		switch rng.IntN(3) {
		case 0:
			n.Attributes["auto_pad"] = []string{"SAME_UPPER", "SAME_LOWER", "VALID"}[rng.IntN(3)]
			// onnx's evaluator cuts the image if the strides are larger. Runtimes do not.
			n.Attributes["strides"] = []int64{upTo(int(kernel[0])), upTo(int(kernel[1]))}
		case 1:
			var pads []int64
			for k := range 4 {
				pads = append(pads, upTo(int(kernel[k%2]))-1)
			}
			n.Attributes["pads"] = pads
		}
	}
	switch kind % 11 {
	case 0, 1:
		n.Op, n.In = "Conv", append(n.In, weights(3, 4, kernel[0], kernel[1]))
		window()
		if n.Attributes["auto_pad"] == nil {
			n.Attributes["dilations"] = []int64{upTo(2), upTo(2)}
		}
	case 2:
		n.Op = []string{"MaxPool", "AveragePool"}[kind/11%2]
		window()
		n.Attributes["kernel_shape"] = kernel
		delete(n.Attributes, "auto_pad") // the evaluator's lines are far away then
	case 3:
		n.Op, n.In = "ConvTranspose", append(n.In, weights(4, 3, kernel[0], kernel[1]))
		window()
		delete(n.Attributes, "auto_pad")
	case 4:
		g.Inputs = append(g.Inputs, images("z", 4, rows, columns))
		n.Op, n.In, n.Attributes["axis"] = "Concat", append(n.In, "z"), rng.IntN(4)
	case 5:
		g.Inputs = append(g.Inputs, images("z", 1, max(1, rows*int64(rng.IntN(2))), columns))
		if rng.IntN(2) == 0 {
			g.Inputs[1] = onnxmade.Floats("z", 4, 1, 1)
		}
		n.Op, n.In = []string{"Add", "Mul"}[kind/11%2], append(n.In, "z")
	case 6:
		n.Op, n.In = "Pad", append(n.In, list("p", 0, 0, upTo(3)-1, upTo(3), 0, 0, upTo(3), upTo(3)-1))
	case 7:
		n.Op, n.In = "Resize", append(n.In, "", "", list("s", 1, 4, rows*2/upTo(4), columns*upTo(5)/2))
		n.Attributes["mode"] = []string{"nearest", "linear"}[rng.IntN(2)]
		modes := []string{"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}
		n.Attributes["coordinate_transformation_mode"] = modes[rng.IntN(4)]
	case 8:
		n.Op = []string{"GlobalAveragePool", "Relu", "LRN", "Sigmoid"}[kind/11%4]
		if n.Op == "LRN" {
			n.Attributes["size"] = 3
		}
	case 9:
		n.Op, n.Attributes["axis"] = "Softmax", 1+rng.IntN(3)
	case 10:
		g.Inputs[0] = images("x", 4, rows*2, columns*2)
		n.Op, n.Attributes["blocksize"] = []string{"SpaceToDepth", "DepthToSpace"}[kind/11%2], 2
	}
	g.Nodes = []onnxmade.Node{n}
	return g
}

// TestLines has onnx compute nodes whose inputs differ in one line: only lines of the result may change that are
// computed from it.
func TestLines(t *testing.T) {
	python := onnxPython(t)
	rng := rand.New(rand.NewPCG(8, 9))
	folder := t.TempDir()
	type claim struct {
		File, Input, Op string
		Axis            int
		Spans           []tiling.Span
	}
	var claims []claim
	known, misfits := map[string]int{}, 0
	for k := range 66 {
		g := slid(rng, k)
		data := onnxmade.Model{Graph: g, Opset: 17}.Bytes()
		m := must.Get(Parse(data, "test.onnx"))(t)
		w, err := walk(m.file, Options{Alignment: 1})
		if err != nil {
			misfits++ // a window that is larger than the image
			continue
		}
		file := filepath.Join(folder, fmt.Sprint(k, ".onnx"))
		must.Do(t, os.WriteFile(file, data, 0o600))
		p := w.tiled()
		for _, r := range p.Operators[1].Reads {
			for axis, spans := range r.Spans {
				if spans != nil {
					known[g.Nodes[0].Op]++
					claims = append(claims, claim{file, g.Inputs[r.Value].Name, g.Nodes[0].Op, axis, spans})
				}
			}
		}
	}
	text := must.Get(json.Marshal(claims))(t)
	file := filepath.Join(folder, "claims.json")
	must.Do(t, os.WriteFile(file, text, 0o600))
	said, err := exec.Command(python, filepath.Join("testdata", "lines.py"), file).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(said), fmt.Sprintf("%d hold\n", len(claims))) {
		t.Errorf("%v: %s", err, said)
	}
	for _, op := range strings.Fields(`Conv MaxPool AveragePool ConvTranspose Concat Add Mul Pad Resize GlobalAveragePool
		Relu LRN Softmax SpaceToDepth DepthToSpace`) {
		if known[op] == 0 {
			t.Errorf("no lines of %s are known", op)
		}
	}
	if slices.ContainsFunc(claims, func(c claim) bool { return len(c.Spans) == 0 }) {
		t.Error("a result without lines")
	}
	if misfits > 20 {
		t.Errorf("%d models cannot be read", misfits)
	}
}
