package onnx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// strided has two windows of stride 2, a view, and matrices in which one dimension stands twice.
func strided() []byte {
	return made.Model{Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", "n", 4, "h", "w")},
		Stored: []made.Tensor{
			{Name: "k", Type: made.Float, Dims: []int64{8, 4, 3, 3}, External: true},
			{Name: "l", Type: made.Float, Dims: []int64{8, 8, 3, 3}, External: true},
			made.Ints("flat", 0, 8, -1),
		},
		Nodes: []made.Node{
			{Op: "Conv", In: []string{"x", "k"}, Out: []string{"a"}, Attributes: map[string]any{
				"strides": []int64{2, 2}, "pads": []int64{1, 1, 1, 1},
			}},
			{Op: "Conv", In: []string{"a", "l"}, Out: []string{"b"}, Attributes: map[string]any{"strides": []int64{2, 2}}},
			{Op: "Relu", In: []string{"b"}, Out: []string{"c"}},
			{Op: "Reshape", In: []string{"c", "flat"}, Out: []string{"d"}},
			{Op: "Transpose", In: []string{"d"}, Out: []string{"e"}, Attributes: map[string]any{"perm": []int64{0, 2, 1}}},
			{Op: "MatMul", In: []string{"e", "d"}, Out: []string{"y"}},
		},
		Outputs: made.Names("y"),
	}}.Bytes()
}

// TestFamily: at each point, the family has the sizes and lifespans that the walk derives for these dimensions.
func TestFamily(t *testing.T) {
	m := must.Get(Parse(strided(), "strided.onnx"))(t)
	for _, c := range []struct {
		dims   map[string]int64
		ranges map[string]Range
		points int64
	}{
		{map[string]int64{"n": 1, "w": 33}, map[string]Range{"h": {Low: 8, High: 70}}, 63},
		{map[string]int64{"n": 2}, map[string]Range{"h": {Low: 8, High: 40}, "w": {Low: 9, High: 39, Step: 3}}, 33 * 11},
		{nil, map[string]Range{"n": {Low: 1, High: 3}, "h": {Low: 16, High: 64, Step: 16}, "w": {As: "h"}}, 12},
	} {
		o := Options{Dims: c.dims, Ranges: c.ranges, Alignment: 32}
		f, notes, err := m.Family(o)
		if err != nil || f.Points() != c.points || len(f.Symbols) == 0 || len(notes) == 0 {
			t.Fatalf("%v: %v: %+v", c.ranges, err, f)
		}
		for point := range c.points {
			at := Options{Dims: map[string]int64{}, Alignment: 32}
			for key, n := range c.dims {
				at.Dims[key] = n
			}
			for k, v := range f.Values(point) {
				at.Dims[f.Symbols[k].Name] = v
			}
			if c.ranges["w"].As == "h" {
				at.Dims["w"] = at.Dims["h"]
			}
			want := must.Get(m.Arena(at))(t).Problem
			got := f.At(point)
			for i := range want.Buffers {
				if fmt.Sprint(want.Buffers[i]) != fmt.Sprint(got.Buffers[i]) {
					t.Fatalf("%s: buffer %v is %v", f.Name(point), want.Buffers[i], got.Buffers[i])
				}
			}
		}
	}
}

// TestFamilyFaults names what is wrong with ranges, and the values at which a model does not go.
func TestFamilyFaults(t *testing.T) {
	m := must.Get(Parse(strided(), "strided.onnx"))(t)
	rest := map[string]int64{"n": 1, "w": 33}
	for _, c := range []struct {
		dims   map[string]int64
		ranges map[string]Range
		want   string
	}{
		{rest, map[string]Range{"h": {Low: 9, High: 8}}, `strided.onnx: dimension h "9..8/1": must be a range within 0 and`},
		{rest, map[string]Range{"h": {Low: -1, High: 8}}, `"-1..8/1": must be a range`},
		{rest, map[string]Range{"w": {Low: 1, High: 8}}, "dimension w: has both a value and a range"},
		{rest, map[string]Range{"h": {As: "k"}}, `dimension h "k": is no dimension with a range`},
		{nil, map[string]Range{"h": {Low: 8, High: 9}}, "open dimensions: n, w"},
		{rest, map[string]Range{"h": {Low: 1, High: 90}}, "at h=1: "},
		{rest, map[string]Range{"h": {Low: 1, High: 90}}, "a range with steps, as in 64..960/32, leaves out values"},
		{rest, map[string]Range{"h": {Low: 8, High: 90}, "z": {Low: 1, High: 2}}, `dimension "z": is not open in the model`},
	} {
		if _, _, err := m.Family(Options{Dims: c.dims, Ranges: c.ranges}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: the error is %v, want %s", c.ranges, err, c.want)
		}
	}
}

// TestFamilyLives: a branch that depends on a dimension gives buffers other lifespans, and no order is made of that.
// Within the values of one branch there is a family.
func TestFamilyLives(t *testing.T) {
	branch := func(out string, nodes ...made.Node) made.Graph {
		return made.Graph{Nodes: nodes, Outputs: made.Names(out)}
	}
	m := must.Get(Parse(made.Model{Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", "n", 4)}, Outputs: made.Names("z"),
		Stored: []made.Tensor{made.Ints("first", 0), made.Ints("ten", 10)},
		Nodes: []made.Node{
			op("Shape", "x", "s", nil),
			op("Gather", "s first", "d", nil),
			op("Greater", "d ten", "c", nil),
			op("If", "c", "y", attributes{
				"then_branch": branch("t2", op("Exp", "x", "t1", nil), op("Neg", "t1", "t2", nil)),
				"else_branch": branch("e1", op("Neg", "x", "e1", nil)),
			}),
			op("Neg", "y", "z", nil),
		},
	}}.Bytes(), "branch.onnx"))(t)
	const want = "lives at other times than at the highest values, or is not there; one order cannot serve both"
	if _, _, err := m.Family(Options{Ranges: map[string]Range{"n": {Low: 1, High: 20}}}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %s", err, want)
	}
	for _, r := range []Range{{Low: 1, High: 10}, {Low: 11, High: 20}} {
		if f, _, err := m.Family(Options{Ranges: map[string]Range{"n": r}}); err != nil || f.Points() != 10 {
			t.Errorf("%v: %v", r, err)
		}
	}
}
