package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// TestParse reads a small model: names are numbers, and one name is one number.
func TestParse(t *testing.T) {
	g := made.Graph{
		Inputs: []made.Value{{Name: "x", Type: made.Float, Dims: []any{"n", 3}}},
		Stored: []made.Tensor{made.Ints("to", 3, -1)},
		Nodes: []made.Node{{
			Op: "Reshape", In: []string{"x", "to"}, Out: []string{"y"}, Attributes: map[string]any{"allowzero": int64(1)},
		}},
	}
	data := made.Model{Opset: 14, Graph: g}.Bytes()
	m := must.Get(Parse(data, "small.onnx", source.BudgetOf(len(data))))(t)
	if m.Count != 1 || m.Opsets[""] != 14 || len(m.Graph.Inputs) != 1 || len(m.Graph.Stored) != 1 {
		t.Fatalf("%+v", m)
	}
	n := &m.Graph.Nodes[0]
	if m.Graph.Inputs[0].Name != n.In[0] || m.Graph.Stored[0].Name != n.In[1] || m.Names[n.Out[0]] != "y" {
		t.Errorf("the values of %+v", n)
	}
	if n.Label(0) != "node 0 (Reshape)" || n.Attributes[0].Integer(0) != 1 || n.Attributes[0].Integers() != nil {
		t.Errorf("%s %+v", n.Label(0), n.Attributes)
	}
	if d := m.Graph.Inputs[0].Type.Dims; len(d) != 2 || d[0].Name != "n" || d[0].Value != -1 || d[1].Value != 3 {
		t.Errorf("the input is %+v", d)
	}
	tensor := &m.Graph.Stored[0].Tensor
	if d := tensor.Decode(); tensor.Elem != shape.TypeInt64 || d == nil || !slices.Equal(d.Ints, []int64{3, -1}) {
		t.Errorf("the initialiser is %+v", d)
	}
	tensor.Dims = []int64{3}
	if d := tensor.Decode(); d != nil {
		t.Errorf("two elements fill three: %+v", d)
	}
}

// TestParseRefused checks that a fault names its place.
func TestParseRefused(t *testing.T) {
	twice := made.Graph{Nodes: []made.Node{{Op: "Add", Out: []string{"y"}}, {Op: "Mul", Out: []string{"y"}}}}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "there is no graph in it"},
		{[]byte{0xff}, "truncated or damaged"},
		{made.Model{Graph: twice}.Bytes(), `graph, node 1: makes "y", a name that is already taken`},
	} {
		if _, err := Parse(c.data, "f", source.BudgetOf(len(c.data))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is not in %v", c.want, err)
		}
	}
}
