package ops

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// alone is the scope of a node that is in no function.
type alone struct{}

func (alone) Attribute(n *graph.Node, name string) *graph.Attribute {
	for k := range n.Attributes {
		if n.Attributes[k].Name == name {
			return &n.Attributes[k]
		}
	}
	return nil
}

func (alone) Quote(name int32) string { return strconv.Itoa(int(name)) }
func (alone) Spend(int) bool          { return true }

// Padded has blocks of 16 channels.
func (alone) Padded(_ *graph.Node, channels int64) int64 { return (channels + 15) / 16 * 16 }

// of gives the node of a call a domain.
func of(domain string, c *Call) *Call {
	c.Node.Domain = domain
	return c
}

func budget() *source.Budget {
	b := source.BudgetOf(0)
	return &b
}

// call makes a call of an operator in its newest version, with results that are not known.
func call(op string, results int, operands ...shape.Result) *Call {
	c := &Call{Node: &graph.Node{Op: op}, Opset: 28, Out: make([]shape.Result, results), Scope: alone{}, Budget: budget()}
	for k, o := range operands {
		c.In = append(c.In, &Operand{Result: o})
		c.Node.In = append(c.Node.In, int32(k+1))
	}
	return c
}

func tensor(dims ...int64) shape.Result { return shape.Result{Elem: shape.TypeFloat, Dims: dims} }

func ints(list ...int64) shape.Result {
	return shape.Result{Elem: shape.TypeInt64, Dims: []int64{int64(len(list))}, Data: &shape.Data{Ints: list}}
}

// TestInfer has one operator of each file. Package onnx has the tests of all operators, which need the onnx package.
func TestInfer(t *testing.T) {
	for _, c := range []struct {
		name string
		call *Call
		want []int64
	}{
		{"element.go", call("Add", 1, tensor(2, 1), tensor(3)), []int64{2, 3}},
		{"reshape.go", call("Reshape", 1, tensor(2, 6), ints(3, -1)), []int64{3, 4}},
		{"cut.go", call("Concat", 1, tensor(2, 6), tensor(3, 6)), []int64{5, 6}},
		{"index.go", call("Gather", 1, tensor(5, 4), ints(1, 2, 2)), []int64{3, 4}},
		{
			"resize.go", call("Resize", 1, tensor(1, 1, 4, 4), shape.Result{}, shape.Result{}, ints(1, 1, 8, 6)),
			[]int64{1, 1, 8, 6},
		},
		{"linear.go", call("MatMul", 1, tensor(7, 2, 3), tensor(3, 4)), []int64{7, 2, 4}},
		{"blocked.go", of(domainBlocked, call("ReorderInput", 1, tensor(1, 20, 8, 8))), []int64{1, 32, 8, 8}},
		{"fused.go", of(domainFused, call("CDist", 1, tensor(7, 2), tensor(3, 2))), []int64{7, 3}},
		{"contrib.go", of(domainFused, call("BiasSplitGelu", 1, tensor(2, 8))), []int64{2, 4}},
		{"window.go", call("Conv", 1, tensor(1, 3, 8, 8), tensor(4, 3, 3, 3)), []int64{1, 4, 6, 6}},
	} {
		if c.call.Node.Op == "Concat" {
			c.call.Node.Attributes = []graph.Attribute{{Name: "axis", Set: graph.SetInt}}
		}
		if c.call.Node.Op == "Resize" {
			c.call.In[1], c.call.In[2] = nil, nil
		}
		reason := c.call.Infer()
		if got := c.call.Out[0]; reason != "" || got.Elem != shape.TypeFloat || !slices.Equal(got.Dims, c.want) {
			t.Errorf("%s: %s gives %s, not %s; %s", c.name, c.call.Node.Op, shape.Text(got.Dims), shape.Text(c.want), reason)
		}
	}
	list := call("SequenceConstruct", 1, tensor(2), tensor(3))
	if list.Infer(); list.Out[0].Bytes() != 20 {
		t.Errorf("sequence.go: %+v", list.Out[0])
	}
}

// TestFold checks results that are computed, and that none is known if it does not fit its
// type or half of the budget is spent.
func TestFold(t *testing.T) {
	fold := func(c *Call) *shape.Data {
		c.Infer()
		c.Fold()
		return c.Out[0].Data
	}
	if d := fold(call("Mul", 1, ints(2, 3), ints(10))); d == nil || !slices.Equal(d.Ints, []int64{20, 30}) {
		t.Errorf("a product: %+v", d)
	}
	if d := fold(call("Transpose", 1, shape.Result{
		Elem: shape.TypeInt64, Dims: []int64{2, 2}, Data: &shape.Data{Ints: []int64{1, 2, 3, 4}},
	})); d == nil || !slices.Equal(d.Ints, []int64{1, 3, 2, 4}) {
		t.Errorf("a transposed matrix: %+v", d)
	}
	if d := fold(call("Div", 1, ints(1), ints(0))); d != nil {
		t.Errorf("a division by zero: %+v", d)
	}
	byte200 := ints(200)
	byte200.Elem = shape.TypeUint8
	if d := fold(call("Add", 1, byte200, byte200)); d != nil {
		t.Errorf("more than a byte: %+v", d)
	}
	spent := call("Mul", 1, ints(2, 3), ints(10))
	if spent.Budget.Spend(source.Floor/2 + 1); fold(spent) != nil {
		t.Error("nothing was left to spend")
	}
}

// TestDeterministic checks which nodes are constant if their operands are.
func TestDeterministic(t *testing.T) {
	for op, want := range map[string]bool{
		"Add": true, "RandomNormal": false, "Bernoulli": false, "Dropout": true, "NoSuch": false,
	} {
		if Deterministic(&graph.Node{Op: op, In: []int32{1}}) != want {
			t.Errorf("%s is not taken as it is", op)
		}
	}
	if Deterministic(&graph.Node{Op: "Dropout", In: []int32{1, 2, 3}}) {
		t.Error("Dropout may train")
	}
	if reason := call("NoSuch", 1, tensor(1)).Infer(); reason == "" {
		t.Error("an operator that is not known has a shape")
	}
}
