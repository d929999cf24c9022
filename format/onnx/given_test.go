package onnx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// TestParseShape checks how shapes are read, and that what String writes is read again.
func TestParseShape(t *testing.T) {
	for text, want := range map[string]Shape{
		"20x1x1x32:float32": {Type: 1, Dims: []int64{20, 1, 1, 32}},
		"20,1,1,32:FLOAT":   {Type: 1, Dims: []int64{20, 1, 1, 32}},
		"3:int4":            {Type: 22, Dims: []int64{3}},
		"4x0:float64":       {Type: 11, Dims: []int64{4, 0}},
		"2x3":               {Dims: []int64{2, 3}},
		":bool":             {Type: 9, Dims: []int64{}},
	} {
		got, err := ParseShape(text)
		if err != nil || got.Type != want.Type || !slices.Equal(got.Dims, want.Dims) || got.Dims == nil {
			t.Errorf("%q is %v, %v", text, got, err)
		}
		if again, err := ParseShape(got.String()); err != nil || again.String() != got.String() {
			t.Errorf("%q is written as %q: %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "must be DIMS:TYPE", "x": "must be DIMS:TYPE", "2xx3": "must be DIMS:TYPE", "-1": "must be DIMS:TYPE",
		"1.5": "must be DIMS:TYPE", "3:f32": `no type "f32"`, "3:string": `no type "string"`, "3:": `no type ""`,
		"99999999999999": "must be DIMS:TYPE", strings.Repeat("1x", 64) + "1": "must be DIMS:TYPE",
	} {
		if got, err := ParseShape(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

// TestShapes checks that the walk goes on from a shape that is given, and what is said if it does not fit.
func TestShapes(t *testing.T) {
	m := must.Get(Parse(made.Open(), "open.onnx"))(t)
	dims := map[string]int64{"N": 1, "x:2": 48, "x:3": 192}
	shapes := func(pairs ...string) map[string]Shape {
		out := map[string]Shape{}
		for k := 0; k < len(pairs); k += 2 {
			s := must.Get(ParseShape(pairs[k+1]))(t)
			out[pairs[k]] = s
		}
		return out
	}
	for _, c := range []struct {
		dims   map[string]int64
		shapes map[string]Shape
		want   string // of the error; empty if z is 20 times 10
	}{
		{dims, shapes("y", "20x32:float32"), ""},
		{nil, shapes("x", "1x3x48x192", "y", "20x32:float32"), ""},
		{
			dims, nil,
			`open.onnx: node 1 "twist" (com.example.Twist): the size of "y" is not known: the operator com.example.Twist is ` +
				`not supported: its result sizes cannot be derived; 1 other value depends on it; give its shape and type, as ` +
				`--shape y=DIMS:TYPE, or its size in bytes alone (--size)`,
		},
		{dims, shapes("y", "20x32"), `shape of y "20x32": needs a type too, as in 20x32:float32`},
		{dims, shapes("y", "20x31:float32"), `the shapes [20,31] and [32,10] do not match`},
		{dims, shapes("y", "20x32:float32", "z",
			"20x11"), `shape of z "20x11": does not fit what the model says: it is FLOAT [20,10]`},
		{dims, shapes("y", "20x32:float32", "z", "20x10:int8"), `shape of z "20x10:int8": does not fit`},
		{dims, shapes("y", "20x32:float32", "a",
			"3"), `shape of a "3": does not fit what the model says: it is FLOAT [1,3,48,192]`},
		{dims, shapes("y", "20x32:float32", "b",
			"3"), `shape of b "3": the model has no input and no result of a node of this name`},
		{dims, shapes("y", "17592186044416x32:float32"), `shape of y "17592186044416x32:float32": is too large`},
		{dims, map[string]Shape{"y": {Type: 1, Dims: []int64{-1}}}, `shape of y "-1:float32": must have dimensions from 0 to`},
	} {
		a, err := m.Arena(Options{Dims: c.dims, Shapes: c.shapes})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: got %v, want %s", c.shapes, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if z := a.Tensors[len(a.Tensors)-1]; z.Name != "z" || z.Type != 1 || !slices.Equal(z.Shape, []int64{20, 10}) {
			t.Errorf("%v: %+v", c.shapes, z)
		}
	}
	// A size settles one value, and nothing that follows from it.
	if _, err := m.Arena(Options{Dims: dims, Sizes: map[string]int64{"y": 2560}}); err == nil ||
		!strings.Contains(err.Error(), `--shape z=DIMS:TYPE`) {
		t.Error(err)
	}
}

// TestUnnamed checks that dimensions without a name of their own are distinct, and those with one are not.
func TestUnnamed(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join("testdata", "question-dims.onnx")))(t)
	two := func(name string) []byte {
		return made.Model{Graph: made.Graph{
			Inputs:  []made.Value{made.Floats("x", "N", 3, name, name), made.Floats("z", "N", name)},
			Nodes:   []made.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}},
			Outputs: made.Names("y", "z"),
		}}.Bytes()
	}
	for _, c := range []struct {
		name string
		raw  []byte
		dims map[string]int64
		want string // of the error; empty if y is 1, 3, 48, 192
	}{
		{"found", raw, nil, "N, x:2, x:3; 2 other values depend on it; give them, as with --dim N=1 --dim x:2=1 --dim x:3=1"},
		{"found", raw, map[string]int64{"N": 1, "x:2": 48, "x:3": 192}, ""},
		{"found", raw, map[string]int64{"N": 1, "?": 48}, `dimension "?": is not open in the model`},
		{"?", two("?"), nil, "--dim N=1 --dim x:2=1 --dim x:3=1"},
		{"?", two("?"), map[string]int64{"N": 1, "x:2": 48, "x:3": 192, "z:1": 7}, ""},
		{"none", two(""), nil, "--dim N=1 --dim x:2=1 --dim x:3=1"},
		{"none", two("None"), nil, "--dim N=1 --dim x:2=1 --dim x:3=1"},
		{"-1", two("-1"), nil, "--dim N=1 --dim x:2=1 --dim x:3=1"},
		{"a name", two("width"), nil, "open dimensions: N, width, width; 1 other value depends on it; give them, as with --dim N=1 --dim width=1"},
		// By one of its places a symbol is known in all, unless the places are given several sizes.
		{"a place", two("width"), map[string]int64{"x:0": 1, "z:1": 5}, "is 1, 3, 5, 5"},
		{"places", two("width"), map[string]int64{"z:0": 1, "x:2": 48, "x:3": 192, "z:1": 3}, ""},
		{"both", two("width"), map[string]int64{"N": 1, "width": 5, "x:2": 5}, "is 1, 3, 5, 5"},
		{"both, not equal", two("width"), map[string]int64{"N": 1, "width": 5, "x:2": 6}, `dimension "x:2": is not open in the model`},
	} {
		m := must.Get(Parse(c.raw, "dims.onnx"))(t)
		a, err := m.Arena(Options{Dims: c.dims})
		want := []int64{1, 3, 48, 192}
		switch {
		case c.want == "is 1, 3, 5, 5":
			want = []int64{1, 3, 5, 5}
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if y := a.Tensors[len(a.Tensors)-1]; !slices.Equal(y.Shape, want) {
			t.Errorf("%s: %+v", c.name, y)
		}
	}
}

// TestOptimized checks which models ONNX Runtime saved.
func TestOptimized(t *testing.T) {
	for file, want := range map[string]bool{"ort-default-nchwc.onnx": true, "dynamic-quantize-lstm.onnx": false} {
		raw := must.Get(os.ReadFile(filepath.Join("testdata", file)))(t)
		if m, err := Parse(raw, file); err != nil || m.Optimized != want {
			t.Errorf("%s: %v, %v", file, m.Optimized, err)
		}
	}
}
