package onnx

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/model"
)

type attributes = map[string]any

func op(name, in, out string, a attributes) made.Node {
	split := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, " ")
	}
	n := made.Node{Op: name, In: split(in), Out: split(out), Attributes: a}
	for i := range n.In {
		n.In[i] = strings.TrimPrefix(n.In[i], "-") // left out
	}
	return n
}

func parse(t *testing.T, m made.Model) *Model {
	t.Helper()
	return must.Get(Parse(m.Bytes(), "test.onnx"))(t)
}

func arena(t *testing.T, m made.Model, o Options) *Arena {
	t.Helper()
	return must.Get(parse(t, m).Arena(o))(t)
}

// chain has an operand left out, a result that nothing reads, a constant computed
// from constants, weights elsewhere and one of four bits.
func chain() made.Model {
	return made.Model{Graph: made.Graph{
		Inputs:  []made.Value{made.Floats("x", "n", 3, 8, 8)},
		Outputs: made.Names("y"),
		Stored: []made.Tensor{
			{Name: "w", Type: made.Float, Dims: []int64{4, 3, 3, 3}, External: true},
			{Name: "half", Type: made.Float, Dims: []int64{1 << 30}, External: true},
		},
		Infos: []made.Value{{Name: "nibbles", Type: made.Int4, Dims: []any{7}}},
		Nodes: []made.Node{
			op("Exp", "half", "constant", nil),
			op("Neg", "constant", "another", nil),
			op("Conv", "x w", "a", attributes{"pads": []int64{1, 1, 1, 1}}),
			op("Clip", "a - half", "b", nil),
			op("MaxPool", "b", "c unread", attributes{"kernel_shape": []int64{2, 2}, "strides": []int64{2, 2}}),
			op("Cast", "c", "d", attributes{"to": 22}),
			{Op: "Own", Domain: "test", Name: "mine", In: []string{"d"}, Out: []string{"nibbles"}},
			op("Add", "d nibbles", "y", nil),
		},
	}}
}

func TestChain(t *testing.T) {
	m := chain()
	m.Graph.Nodes[7] = op("Concat", "nibbles nibbles", "y", attributes{"axis": 0})
	a := arena(t, m, Options{Dims: map[string]int64{"n": 2}, Alignment: 16})
	want := []model.Buffer{
		{ID: "x", Lower: 0, Upper: 2, Size: 2 * 3 * 64 * 4, Alignment: 16},
		{ID: "a", Lower: 1, Upper: 3, Size: 2 * 4 * 64 * 4, Alignment: 16},
		{ID: "b", Lower: 2, Upper: 4, Size: 2 * 4 * 64 * 4, Alignment: 16},
		{ID: "c", Lower: 3, Upper: 5, Size: 2 * 4 * 16 * 4, Alignment: 16},
		{ID: "unread", Lower: 3, Upper: 4, Size: 2 * 4 * 16 * 8, Alignment: 16},
		{ID: "d", Lower: 4, Upper: 6, Size: 2 * 4 * 16 / 2, Alignment: 16},
		{ID: "nibbles", Lower: 5, Upper: 7, Size: 16, Alignment: 16},
		{ID: "y", Lower: 6, Upper: 8, Size: 16, Alignment: 16},
	}
	if !reflect.DeepEqual(a.Problem.Buffers, want) {
		t.Errorf("got %+v", a.Problem.Buffers)
	}
	for _, x := range a.Tensors {
		if constant := x.Name == "constant" || x.Name == "another" || x.Name == "w" ||
			x.Name == "half"; x.Constant != constant || x.Buffer < 0 != constant {
			t.Errorf("%+v", x)
		}
		if x.Name == "nibbles" && x.Bytes != 4 || x.Name == "y" && (x.Bytes != 7 || x.Type.String() != "INT4") {
			t.Errorf("%+v", x)
		}
	}
	// An operand that a node has twice is read once, and the program reads what the model gives.
	reads := map[string]int{"x": 1, "a": 1, "b": 1, "c": 1, "unread": 0, "d": 1, "nibbles": 1, "y": 1}
	for _, x := range a.Tensors {
		if x.Buffer >= 0 && x.Reads != reads[x.Name] {
			t.Errorf("%s is read %d times", x.Name, x.Reads)
		}
	}
	if len(a.Steps) != 6 || a.Steps[0] != (Step{1, "Conv", "2"}) || a.Steps[4] != (Step{5, "test.Own", "mine"}) {
		t.Errorf("steps %+v", a.Steps)
	}
}

// TestFolded computes a shape as exporters write it: of x [2, 3, 8, 8] the first dimension, and the rest in one.
func TestFolded(t *testing.T) {
	zero := made.Tensor{Name: "zero", Type: made.Int64, Ints: []int64{0}, Dims: []int64{}}
	m := made.Model{Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", 2, 3, 8, 8)}, Outputs: made.Names("y", "z"),
		Stored: []made.Tensor{
			zero, made.Ints("axes", 0), made.Ints("rest", -1),
			{Name: "two", Type: made.Float, Floats: []float64{2}, Dims: []int64{}},
			{Name: "ones", Type: made.Float, Floats: []float64{1, 1}, Dims: []int64{2}},
		},
		Nodes: []made.Node{
			op("Shape", "x", "shape", nil),
			op("Gather", "shape zero", "n", attributes{"axis": 0}),
			op("Unsqueeze", "n axes", "first", nil),
			op("Concat", "first rest", "wanted", attributes{"axis": 0}),
			op("Reshape", "x wanted", "y", nil),
			// Twice the height and width, by way of fractions.
			op("Slice", "shape two2 four2", "image", nil),
			op("Cast", "image", "fractions", attributes{"to": 1}),
			op("Mul", "fractions two", "twice", nil),
			op("Floor", "twice", "floor", nil),
			op("Cast", "floor", "sizes", attributes{"to": 7}),
			op("Slice", "shape axes two2", "outer", nil),
			op("Concat", "outer sizes", "all", attributes{"axis": 0}),
			op("Resize", "x - - all", "z", nil),
		},
	}}
	m.Graph.Stored = append(m.Graph.Stored, made.Ints("two2", 2), made.Ints("four2", math.MaxInt64))
	a := arena(t, m, Options{})
	if got := a.Problem.Buffers; len(got) != 3 || got[1].ID != "y" || got[2].Size != 2*3*16*16*4 {
		t.Errorf("got %+v", got)
	}
	for _, x := range a.Tensors {
		if x.Name == "y" && !reflect.DeepEqual(x.Shape, []int64{2, 192}) ||
			x.Name == "z" && !reflect.DeepEqual(x.Shape, []int64{2, 3, 16, 16}) {
			t.Errorf("%+v", x)
		}
	}
}

// TestBranches: the two sides of an If share no tick, what both read and nothing after
// has a gap, and a condition that is known leaves one side.
func TestBranches(t *testing.T) {
	branch := func(out string, nodes ...made.Node) made.Graph {
		return made.Graph{Nodes: nodes, Outputs: made.Names(out)}
	}
	m := made.Model{Graph: made.Graph{
		Inputs: []made.Value{{Name: "rate", Type: made.Int64}, made.Floats("x", 100)}, Outputs: made.Names("z"),
		Stored: []made.Tensor{{Name: "known", Type: made.Int64, Ints: []int64{16000}}},
		Nodes: []made.Node{
			op("Equal", "rate known", "c", nil),
			op("Neg", "x", "both", nil),
			op("If", "c", "y", attributes{
				"then_branch": branch("t2", op("Exp", "both", "t1", nil), op("Neg", "t1", "t2", nil)),
				"else_branch": branch("e2", op("Exp", "both", "e1", nil), op("Concat", "e1 e1", "e2", attributes{"axis": 0})),
			}),
			op("Neg", "y", "z", nil),
		},
		Infos: []made.Value{made.Floats("z", 200)},
	}}
	a := arena(t, m, Options{Alignment: 4})
	at := map[string]model.Buffer{}
	for _, b := range a.Problem.Buffers {
		at[b.ID] = b
	}
	// Equal 1, Neg 2, If 3, then 4, 5 and its end 6, else 7, 8 and its end 9, Neg 10.
	for id, want := range map[string]model.Buffer{
		"both": {Lower: 2, Upper: 8, Size: 400, Gaps: []model.Gap{{Lower: 5, Upper: 7}}},
		"t1":   {Lower: 4, Upper: 6, Size: 400}, "t2": {Lower: 5, Upper: 7, Size: 400},
		"e1": {Lower: 7, Upper: 9, Size: 400}, "e2": {Lower: 8, Upper: 10, Size: 800},
		"y": {Lower: 6, Upper: 11, Size: 800, Gaps: []model.Gap{{Lower: 7, Upper: 9}}},
		"z": {Lower: 10, Upper: 12, Size: 800},
	} {
		want.ID, want.Alignment = id, 4
		if !reflect.DeepEqual(at[id], want) {
			t.Errorf("%+v, want %+v", at[id], want)
		}
	}
	a = arena(t, m, Options{Alignment: 4, Values: map[string]int64{"rate": 16000}})
	if n := len(a.Problem.Buffers); n != 6 { // x both t1 t2 y z
		t.Errorf("%d buffers where the condition is known: %+v", n, a.Problem.Buffers)
	}
}

// TestLoops: how often a loop runs is known or not, and so is what it makes.
func TestLoops(t *testing.T) {
	body := made.Graph{
		Inputs:  []made.Value{{Name: "i", Type: made.Int64}, {Name: "go", Type: made.Bool}, {Name: "s"}},
		Nodes:   []made.Node{op("Neg", "s", "t", nil), op("Add", "t x", "u", nil)},
		Outputs: made.Names("go", "u", "t"),
	}
	m := made.Model{Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", 10), {Name: "m", Type: made.Int64}}, Outputs: made.Names("last", "all"),
		Stored: []made.Tensor{{Name: "five", Type: made.Int64, Ints: []int64{5}}},
		Nodes:  []made.Node{op("Loop", "five - x", "last all", attributes{"body": body})},
	}}
	a := arena(t, m, Options{Alignment: 1})
	for _, x := range a.Tensors {
		if x.Name == "all" && !reflect.DeepEqual(x.Shape, []int64{5, 10}) ||
			x.Name == "last" && !reflect.DeepEqual(x.Shape, []int64{10}) {
			t.Errorf("%+v", x)
		}
	}
	m.Graph.Nodes[0].In[0] = "m"
	_, err := parse(t, m).Arena(Options{})
	if err == nil || !strings.Contains(err.Error(),
		`the size of "all" is not known: the number of iterations, or the shape of their results, is not known`) {
		t.Errorf("rounds not known: %v", err)
	}
	if a = arena(t, m, Options{Sizes: map[string]int64{"all": 400}}); len(a.Problem.Buffers) != 8 {
		t.Errorf("%+v", a.Problem.Buffers)
	}
	// A state that grows has no size, unless the user gives it.
	body.Nodes[1] = op("Concat", "t x", "u", attributes{"axis": 0})
	m.Graph.Nodes[0].Attributes["body"] = body
	if _, err = parse(t, m).Arena(Options{}); err == nil ||
		!strings.Contains(err.Error(), "changes from iteration to iteration") {
		t.Errorf("a state that grows: %v", err)
	}
	// A Scan has as many rounds as what it goes through.
	scan := made.Graph{
		Inputs: made.Names("state", "row"), Outputs: made.Names("next", "rows"),
		Nodes: []made.Node{op("Add", "state row", "next", nil), op("Neg", "row", "rows", nil)},
	}
	m = made.Model{Graph: made.Graph{
		Inputs: []made.Value{made.Floats("zero", 4), made.Floats("x", 6, 4)}, Outputs: made.Names("sum", "out"),
		Nodes: []made.Node{op("Scan", "zero x", "sum out", attributes{"body": scan, "num_scan_inputs": 1})},
	}}
	for _, x := range arena(t, m, Options{}).Tensors {
		if x.Name == "out" && !reflect.DeepEqual(x.Shape, []int64{6, 4}) ||
			x.Name == "row" && !reflect.DeepEqual(x.Shape, []int64{4}) {
			t.Errorf("%+v", x)
		}
	}
}

// TestFunctions: a function is walked where it is called, with its own names and the attributes of the call.
func TestFunctions(t *testing.T) {
	m := made.Model{
		Domains: []string{"own"},
		Functions: []made.Function{{
			Domain: "own", Name: "Halve", Inputs: []string{"x"}, Outputs: []string{"y"},
			Nodes: []made.Node{
				{
					Op: "MaxPool", In: []string{"x"}, Out: []string{"a"},
					Attributes: attributes{"kernel_shape": made.Reference("by"), "strides": made.Reference("by")},
				},
				op("Neg", "a", "y", nil),
			},
		}},
		Graph: made.Graph{
			Inputs: []made.Value{made.Floats("x", 1, 1, 16)}, Outputs: made.Names("z"),
			Nodes: []made.Node{
				{Op: "Halve", Domain: "own", In: []string{"x"}, Out: []string{"a"}, Attributes: attributes{"by": []int64{2}}},
				{Op: "Halve", Domain: "own", In: []string{"a"}, Out: []string{"z"}, Attributes: attributes{"by": []int64{4}}},
			},
		},
	}
	a := arena(t, m, Options{Alignment: 1})
	ids := ""
	for _, b := range a.Problem.Buffers {
		ids += b.ID + " "
	}
	if ids != "x a#1 a a#3 z " && ids != "x a a#2 a#3 z " {
		t.Errorf("buffers %s", ids)
	}
	if last := a.Problem.Buffers[4]; last.Size != 8 {
		t.Errorf("%+v", last)
	}
	inner := m.Functions[0]
	m.Functions[0].Nodes = []made.Node{{Op: "Neg", In: []string{"z"}, Out: []string{"y"}}}
	if _, err := parse(t, m).Arena(Options{}); err == nil ||
		!strings.Contains(err.Error(), `reads "z", which no node before it makes`) {
		t.Errorf("a function that reads a name of its caller: %v", err)
	}
	inner.Nodes = []made.Node{{Op: "Halve", Domain: "own", In: []string{"x"}, Out: []string{"y"}}}
	m.Functions[0] = inner
	if _, err := parse(t, m).Arena(Options{}); err == nil ||
		!strings.Contains(err.Error(), "calls functions more than 64 deep") {
		t.Errorf("a function that calls itself: %v", err)
	}
}

// TestInputs: initialisers among the inputs are stored, and since the fourth version of the format only defaults.
func TestInputs(t *testing.T) {
	m := made.Model{IR: 3, Opset: 8, Graph: made.Graph{
		Inputs: []made.Value{
			made.Floats("x", 6),
			{Name: "to", Type: made.Int64, Dims: []any{2}},
		}, Outputs: made.Names("y"),
		Stored: []made.Tensor{made.Ints("to", 2, 3)}, Nodes: []made.Node{op("Reshape", "x to", "y", nil)},
	}}
	if a := arena(t, m, Options{}); len(a.Problem.Buffers) != 2 || len(a.Notes) != 0 {
		t.Errorf("%+v", a)
	}
	m.IR = 4
	if _, err := parse(t, m).Arena(Options{}); err == nil ||
		!strings.Contains(err.Error(), `the shape that its input "to" gives is computed when the model runs`) {
		t.Errorf("a default is taken for known: %v", err)
	}
	m.Graph.Infos = []made.Value{made.Floats("y", 3, 2)}
	if a := arena(t, m, Options{}); len(a.Problem.Buffers) != 2 || len(a.Notes) != 1 {
		t.Errorf("%+v", a)
	}
}

// TestDeclared: the file's declaration of a value fills in what its node leaves open. If the node contradicts it, the
// node counts.
func TestDeclared(t *testing.T) {
	m := made.Model{Domains: []string{"own"}, Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", 6)}, Outputs: []made.Value{
			made.Floats("y", "rows", 3),
			made.Floats("z", 7),
		},
		Nodes: []made.Node{{Op: "Own", Domain: "own", In: []string{"x"}, Out: []string{"y"}}, op("Neg", "x", "z", nil)},
	}}
	a := arena(t, m, Options{Dims: map[string]int64{"rows": 5}, Alignment: 1})
	if b := a.Problem.Buffers; len(b) != 3 || b[1].Size != 60 || b[2].Size != 24 || len(a.Notes) != 1 ||
		!strings.Contains(a.Notes[0], `"z" has the shape [6] by its node; the file says [7]`) {
		t.Errorf("%+v", a)
	}
}

// TestRefused has one fault a model, each told by its place.
func TestRefused(t *testing.T) {
	own := made.Node{Op: "Own", Domain: "test", In: []string{"x"}, Out: []string{"t"}}
	undecided := made.Graph{
		Inputs: []made.Value{{Name: "rate", Type: made.Int64}, made.Floats("x", 4)},
		Nodes: []made.Node{
			op("Cast", "rate", "c", attributes{"to": 9}),
			op("If", "c", "y", attributes{
				"then_branch": made.Graph{Nodes: []made.Node{own}, Outputs: made.Names("t")},
				"else_branch": made.Graph{Nodes: []made.Node{own}, Outputs: made.Names("t")},
			}),
		},
	}
	deep := made.Graph{Outputs: made.Names("x")}
	for range graph.MaxDepth + 2 {
		deep = made.Graph{Nodes: []made.Node{op("If", "x", "y",
			attributes{"then_branch": deep, "else_branch": made.Graph{}})}, Outputs: made.Names("y")}
	}
	good := chain().Bytes()
	graph := func(g made.Graph) []byte { return made.Model{Graph: g}.Bytes() }
	x := []made.Value{made.Floats("x", 4)}
	for _, c := range []struct {
		name string
		data []byte
		o    Options
		want string
	}{
		{"empty", nil, Options{}, "there is no graph"},
		{"text", []byte("id,lower,upper,size\n"), Options{}, "is truncated or damaged"},
		{"truncated", good[:len(good)/2], Options{}, "truncated or damaged"},
		{"open", good, Options{}, `input "x": its shape has open dimensions: n; ` +
			`6 other values depend on it; give them, as with --dim n=1`},
		{
			"open, twice", graph(made.Graph{Inputs: []made.Value{made.Floats("x", "n", 4, "m")}}),
			Options{},
			`its shape has open dimensions: n, m; give them, as with --dim n=1 --dim m=1`,
		},
		{
			"open, and odd", graph(made.Graph{Inputs: []made.Value{made.Floats("x", "a*2 + 'b'")}}),
			Options{},
			`its shape has open dimensions: a*2 + 'b'; give them, as with --dim 'a*2 + '\''b'\''=1'`,
		},
		{
			"unknown", graph(made.Graph{
				Inputs: x,
				Nodes: []made.Node{
					{Op: "Own", Name: "mine", Domain: "test", In: []string{"x"}, Out: []string{"y"}},
					op("Neg", "y", "z", nil),
				},
			}),
			Options{},
			`node 0 "mine" (test.Own): the size of "y" is not known: the operator test.Own is not supported: ` +
				`its result sizes cannot be derived; 1 other value depends on it; give its shape and type, as --shape y=DIMS:TYPE, or its size in bytes alone (--size)`,
		},
		{"depth", graph(deep), Options{}, "is nested more than 24 graphs deep"},
		{
			"order", graph(made.Graph{Inputs: x, Nodes: []made.Node{op("Neg", "y", "z", nil)}}),
			Options{},
			`node 0 (Neg): reads "y", which no node before it makes`,
		},
		{"output", graph(made.Graph{Inputs: x, Outputs: made.Names("z")}), Options{}, `output "z": no node makes it`},
		{"kernel", graph(made.Graph{
			Inputs: []made.Value{made.Floats("x", 1, 1, 4)},
			Nodes:  []made.Node{op("MaxPool", "x", "y", attributes{"kernel_shape": []int64{9}})},
		}), Options{}, "its window is larger than its input [1,1,4]"},
		{
			"huge", graph(made.Graph{Inputs: []made.Value{made.Floats("x", 1<<40, 1<<40)}}),
			Options{},
			`input "x": its shape [1099511627776,1099511627776] is too large`,
		},
		{
			"string", graph(made.Graph{Inputs: []made.Value{{Name: "x", Type: made.String, Dims: []any{1}}}}),
			Options{},
			"strings have no fixed size",
		},
		{
			"branch", graph(made.Graph{
				Inputs: x,
				Nodes:  []made.Node{op("If", "x", "y", attributes{"then_branch": made.Graph{}})},
			}),
			Options{},
			"must have a condition, a then_branch and an else_branch",
		},
		{
			"graph", graph(made.Graph{
				Inputs: x,
				Nodes:  []made.Node{op("SequenceMap", "x", "y", attributes{"body": made.Graph{}})},
			}),
			Options{Sizes: map[string]int64{"y": 9}},
			"node 0 (SequenceMap): runs a graph in a way that Stowage does not support",
		},
		{"dimension", good, Options{Dims: map[string]int64{"n": 1, "k": 2}}, `dimension "k": is not open in the model`},
		{
			"dimension, and what is open", good,
			Options{Dims: map[string]int64{"k": 2}},
			`dimension "k": is not open in the model; give what is, as with --dim n=1`,
		},
		{
			"size", graph(made.Graph{Inputs: x}),
			Options{Sizes: map[string]int64{"x": 2}},
			`size "x": the model has no value of this name whose size is unknown`,
		},
		{"alignment", good, Options{Alignment: -1}, "alignment"},
		{
			"twice", graph(made.Graph{Inputs: x, Nodes: []made.Node{op("Neg", "x", "a", nil), op("Exp", "a", "a", nil)}}),
			Options{},
			`graph, node 1: makes "a", a name that is already taken`,
		},
		{
			"twice at once", graph(made.Graph{Inputs: x, Nodes: []made.Node{op("Split", "x", "a a", nil)}}),
			Options{},
			`graph, node 0: makes "a", a name that is already taken`,
		},
		{
			"an input again", graph(made.Graph{Inputs: x, Nodes: []made.Node{op("Neg", "x", "x", nil)}}),
			Options{},
			`graph, node 0: makes "x", a name that is already taken`,
		},
		{
			"two inputs", graph(made.Graph{Inputs: []made.Value{x[0], made.Floats("x", 8)}}),
			Options{},
			`graph, input 1: makes "x", a name that is already taken`,
		},
		{"a weight again", graph(made.Graph{
			Inputs: x, Stored: []made.Tensor{made.Ints("w", 1)}, Nodes: []made.Node{op("Neg", "x", "w", nil)},
		}), Options{}, `graph, node 0: makes "w", a name that is already taken`},
		{"two functions", twoFunctions(), Options{}, `function 1: has the same name as another: "F"`},
		{"no graph", []byte{1 << 3, 8, 7 << 3, 5}, Options{}, "there is no graph"},
		{
			"dimension too large", graph(made.Graph{Inputs: []made.Value{made.Floats("x", 1<<60)}}),
			Options{},
			"graph, input 0: has a dimension of 1152921504606846976",
		},
		{
			"version", made.Model{Opset: -1, Graph: made.Graph{Inputs: x}}.Bytes(),
			Options{},
			"opset_import: has the version -1",
		},
		{
			"type", graph(made.Graph{Inputs: []made.Value{{Name: "x", Type: 99, Dims: []any{3}}}}),
			Options{},
			`input "x": its element type is not known`,
		},
		{"left out", graph(made.Graph{
			Inputs: x, Nodes: []made.Node{op("Neg", "-", "y", nil)}, Outputs: made.Names("y"),
		}), Options{}, `the size of "y" is not known`},
		{"default", graph(made.Graph{
			Inputs: []made.Value{x[0], made.Floats("w", 8, 4)},
			Stored: []made.Tensor{{Name: "w", Type: made.Float, Dims: []int64{4}, External: true}},
		}), Options{}, `input "w": has the shape [8,4], and its default [4]`},
		{
			"scan", graph(made.Graph{Inputs: x, Nodes: []made.Node{op("Scan", "x", "y",
				attributes{
					"num_scan_inputs": 1 << 40,
					"body":            made.Graph{Inputs: made.Names("e"), Outputs: made.Names("e")},
				})}}),
			Options{},
			"has a body whose inputs and outputs do not match its own",
		},
		{"split", graph(made.Graph{
			Inputs: x, Stored: []made.Tensor{made.Ints("s", 3, 3)}, Nodes: []made.Node{op("Split", "x s", "a b", nil)},
		}), Options{}, "its lengths do not add up to its input [4]"},
		{
			"channels", slidingModel("Conv", []any{1, 3, 8}, []any{4, 5, 3}, nil),
			Options{},
			"its weights [4,5,3] do not match the channels of its input [1,3,8]",
		},
		{
			"window", slidingModel("Conv", []any{1, 3, 2}, []any{4, 3, 3}, attributes{"strides": []int64{2}}),
			Options{},
			"its window is larger than its input [1,3,2]",
		},
		{
			"no place", slidingModel("MaxPool", []any{1, 3, 2}, nil, attributes{"kernel_shape": []int64{3}}),
			Options{},
			"its window is larger than its input [1,3,2]",
		},
		{
			"window, by --dim", slidingModel("Conv", []any{1, 3, "n"}, []any{4, 3, 3}, nil),
			Options{Dims: map[string]int64{"n": 1}},
			"its window is larger than its input [1,3,1]; the dimensions that are given may be too small (--dim)",
		},
		{
			"branch, undecided", graph(undecided),
			Options{},
			`then_branch, node 0 (test.Own): the size of "t" is not known: the operator test.Own is not supported: ` +
				`its result sizes cannot be derived; give the input that may decide the branch, ` +
				`as with --value rate=1, or its shape and type, as --shape t=DIMS:TYPE, or its size in bytes alone (--size)`,
		},
		{
			"branch, decided", graph(undecided),
			Options{Values: map[string]int64{"rate": 0}},
			"its result sizes cannot be derived; give its shape and type, as --shape t=DIMS:TYPE, or its size in bytes alone (--size)",
		},
	} {
		m, err := Parse(c.data, "test.onnx")
		if err == nil {
			_, err = m.Arena(c.o)
		}
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "test.onnx: ") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	// An input without names for its dimensions, and one that is text.
	m := made.Model{Graph: made.Graph{Inputs: []made.Value{made.Floats("x", "", 3)}}}
	if a := arena(t, m, Options{Dims: map[string]int64{"x:0": 2}, Alignment: 1}); a.Problem.Buffers[0].Size != 24 {
		t.Errorf("%+v", a.Problem)
	}
	m.Graph.Inputs = []made.Value{{Name: "x", Type: made.String, Dims: []any{1}}}
	if a := arena(t, m, Options{Sizes: map[string]int64{"x": 100}, Alignment: 1}); a.Problem.Buffers[0].Size != 100 {
		t.Errorf("%+v", a.Problem)
	}
}

// twoFunctions has two functions of one name.
func twoFunctions() []byte {
	f := made.Function{
		Domain: "own", Name: "F", Inputs: []string{"x"}, Outputs: []string{"y"},
		Nodes: []made.Node{op("Neg", "x", "y", nil)},
	}
	return made.Model{Domains: []string{"own"}, Functions: []made.Function{f, f}}.Bytes()
}

// slidingModel is a model of one operator that slides a window.
func slidingModel(name string, input, weights []any, a attributes) []byte {
	g := made.Graph{
		Inputs: []made.Value{made.Floats("x", input...)}, Outputs: made.Names("y"),
		Nodes: []made.Node{op(name, "x", "y", a)},
	}
	if weights != nil {
		g.Inputs = append(g.Inputs, made.Floats("w", weights...))
		g.Nodes[0].In = []string{"x", "w"}
	}
	return made.Model{Opset: 18, Graph: g}.Bytes()
}

// TestWindows has shapes as ONNX Runtime 1.31.1 and onnx.shape_inference 1.23.2 have
// them, if a window and a stride do not match.
func TestWindows(t *testing.T) {
	same := attributes{"auto_pad": "SAME_UPPER", "strides": []int64{4}}
	for _, c := range []struct {
		name string
		data []byte
		want int64 // elements of y
	}{
		{
			"a pool with a window larger by less than a stride",
			slidingModel("MaxPool", []any{1, 1, 2}, nil, attributes{"kernel_shape": []int64{3}, "strides": []int64{2}}), 1,
		},
		{
			"transposed, a stride larger than the window",
			slidingModel("ConvTranspose", []any{1, 1, 4}, []any{1, 1, 1}, same), 13,
		},
		{
			"transposed, a stride smaller than the window",
			slidingModel("ConvTranspose", []any{1, 1, 4}, []any{1, 1, 6}, same), 16,
		},
	} {
		m := must.Get(Parse(c.data, c.name))(t)
		a := must.Get(m.Arena(Options{Alignment: 1}))(t)
		if y := a.Problem.Buffers[len(a.Problem.Buffers)-1]; y.ID != "y" || y.Size != 4*c.want {
			t.Errorf("%s: %+v, want %d elements", c.name, y, c.want)
		}
	}
}

// TestTolerated has oddities that other readers accept, too.
func TestTolerated(t *testing.T) {
	x := []made.Value{made.Floats("x", 4)}
	plain := made.Model{Graph: made.Graph{
		Inputs: x, Nodes: []made.Node{op("Neg", "x", "y", nil)}, Outputs: made.Names("y"),
	}}
	shadow := func(op1 made.Node) made.Graph { return made.Graph{Nodes: []made.Node{op1}, Outputs: made.Names("a")} }
	for _, c := range []struct {
		name    string
		data    []byte
		buffers int
		note    string
	}{
		{"a field that is not known", append(plain.Bytes(), 0xa2, 0x06, 3, 'a', 'b', 'c'), 2, ""},
		{"a group", append(plain.Bytes(), 0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06), 2, ""},
		{"two initialisers of a name", made.Model{Graph: made.Graph{
			Inputs: x, Stored: []made.Tensor{
				made.Ints("s", 2, 2),
				made.Ints("s", 4, 1),
			}, Nodes: []made.Node{op("Reshape", "x s", "y", nil)},
		}}.Bytes(), 2, `initializer "s" appears more than once; the last one counts`},
		{
			"a newer version", made.Model{Opset: 99, Graph: plain.Graph}.Bytes(), 2,
			"uses version 99 of ONNX's operators; sizes are derived as for version 28",
		},
		{"a type that differs", made.Model{Graph: made.Graph{
			Inputs: x, Nodes: plain.Graph.Nodes, Outputs: []made.Value{{Name: "y", Type: made.Int64, Dims: []any{4}}},
		}}.Bytes(), 2, `"y" is of FLOAT by its node; the file says INT64`},
		{"names of branches", made.Model{Graph: made.Graph{
			Inputs: []made.Value{x[0], {Name: "c", Type: made.Bool}},
			Nodes: []made.Node{
				op("If", "c", "a", attributes{
					"then_branch": shadow(op("Neg", "x", "a", nil)),
					"else_branch": shadow(op("Exp", "x", "a", nil)),
				}),
			},
		}}.Bytes(), 5, ""},
	} {
		m, err := Parse(c.data, c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		a, err := m.Arena(Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if notes := strings.Join(a.Notes, "; "); len(a.Problem.Buffers) != c.buffers ||
			(c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: %d buffers, notes %q", c.name, len(a.Problem.Buffers), notes)
		}
	}
}

// hostile are small files that ask for far more than their size.
func hostile() map[string][]byte {
	double := []made.Function{{
		Domain: "own", Name: "f0", Inputs: []string{"x"}, Outputs: []string{"y"},
		Nodes: []made.Node{op("Neg", "x", "y", nil)},
	}}
	for k := range 40 {
		call := func(in, out string) made.Node {
			return made.Node{Op: "f" + string(rune('0'+k)), Domain: "own", In: []string{in}, Out: []string{out}}
		}
		double = append(double, made.Function{
			Domain: "own", Name: "f" + string(rune('0'+k+1)), Inputs: []string{"x"}, Outputs: []string{"y"},
			Nodes: []made.Node{call("x", "a"), call("a", "y")},
		})
	}
	loops := made.Graph{Inputs: made.Names("i", "c", "s"), Outputs: made.Names("c", "s")}
	for range graph.MaxDepth - 1 {
		inner := loops
		loops = made.Graph{
			Inputs: made.Names("i", "c", "s"), Outputs: made.Names("c", "t"),
			Nodes: []made.Node{
				op("Loop", "i c s", "t", attributes{"body": inner}),
				op("Loop", "i c t", "u", attributes{"body": inner}),
			},
		}
		if len(loops.Nodes) > 0 && len(made.Model{Graph: loops}.Bytes()) > 1<<20 {
			break
		}
	}
	lists := made.Graph{
		Inputs: []made.Value{made.Floats("x", 1024)},
		Nodes:  []made.Node{op("Shape", "x", "a", nil), op("Expand", "one a", "v", nil)},
	}
	lists.Stored = []made.Tensor{{Name: "one", Type: made.Int64, Ints: []int64{1}}}
	for i := range 50000 {
		lists.Nodes = append(lists.Nodes, op("Neg", "v", "v"+strconv.Itoa(i), nil))
	}
	ranks := made.Graph{Inputs: []made.Value{{Name: "x", Type: made.Float, Dims: make([]any, 60)}}}
	for i := range ranks.Inputs[0].Dims {
		ranks.Inputs[0].Dims[i] = 1
	}
	for i := range 100000 {
		ranks.Nodes = append(ranks.Nodes, op("Abs", "x", "x"+strconv.Itoa(i), nil))
	}
	sequences := made.Graph{
		Inputs: []made.Value{made.Floats("x", 1)},
		Nodes:  []made.Node{op("SequenceEmpty", "", "s", nil)},
	}
	for i, s := 0, "s"; i < 50000; i++ {
		next := "s" + strconv.Itoa(i)
		sequences.Nodes = append(sequences.Nodes, op("SequenceInsert", s+" x", next, nil))
		s = next
	}
	// A small function that takes long, called again and again.
	often := func(n made.Node, inputs ...string) made.Model {
		g := made.Graph{Inputs: []made.Value{made.Floats("x", 4, 4, 4)}}
		call := made.Node{Op: "F", Domain: "own", In: append([]string{"x"}, inputs...), Out: []string{"y"}}
		twice := func(name, of string) made.Function {
			f := made.Function{Domain: "own", Name: name, Inputs: []string{"x"}, Outputs: []string{"x"}}
			for i := range 16 {
				f.Nodes = append(f.Nodes, made.Node{
					Op: of, Domain: "own", In: []string{"x"}, Out: []string{"y" + strconv.Itoa(i)},
				})
			}
			return f
		}
		g.Nodes = []made.Node{call}
		return made.Model{Domains: []string{"own"}, Graph: g, Functions: []made.Function{
			twice("F", "G"), twice("G", "H"), twice("H", "I"), twice("I", "J"), twice("J", "K"),
			{Domain: "own", Name: "K", Inputs: []string{"x"}, Outputs: []string{"x"}, Nodes: []made.Node{n}},
		}}
	}
	axes := make([]int64, 4096)
	many := op("ReduceMax", "x", "y", attributes{"axes": axes, "keepdims": 0})
	wide := op("Sum", strings.Repeat("x ", 100000)+"x", "y", nil)
	letters := op("Einsum", "x", "y", attributes{"equation": strings.Repeat(",", 4000)})
	long := made.Ints("", 1)
	long.Name = strings.Repeat("long", 1<<18)
	domains := made.Model{Graph: made.Graph{Inputs: []made.Value{made.Floats("x", 1)}}}
	for i := range 30000 {
		domains.Domains = append(domains.Domains, strings.Repeat("d", i%3)+string(rune(i)))
		domains.Graph.Nodes = append(domains.Graph.Nodes, op("Neg", "x", "x"+strconv.Itoa(i), nil))
	}
	attributed := op("Neg", "x", "y", attributes{})
	for i := range 5000 {
		attributed.Attributes[string(rune(i+100))] = 1
	}
	empty := []byte{1 << 3, 8, 7<<3 | 2}
	nodes := bytes.Repeat([]byte{1<<3 | 2, 0}, 1<<20)
	empty = append(empty, 0x80, 0x80, 0x80, 0x01)
	empty = append(empty, nodes...)
	return map[string][]byte{
		"functions": made.Model{
			Domains: []string{"own"}, Functions: double,
			Graph: made.Graph{
				Inputs: []made.Value{made.Floats("x", 1)},
				Nodes:  []made.Node{{Op: "f" + string(rune('0'+40)), Domain: "own", In: []string{"x"}, Out: []string{"y"}}},
			},
		}.Bytes(),
		"loops": made.Model{Graph: made.Graph{Inputs: []made.Value{
			{Name: "i", Type: made.Int64},
			{Name: "c", Type: made.Bool},
			made.Floats("s", 1),
		}, Nodes: []made.Node{op("Loop", "i c s", "t", attributes{"body": loops})}}}.Bytes(),
		"lists":      made.Model{Graph: lists}.Bytes(),
		"ranks":      made.Model{Graph: ranks}.Bytes(),
		"sequences":  made.Model{Graph: sequences}.Bytes(),
		"empty":      empty,
		"axes":       often(many).Bytes(),
		"wide":       often(wide).Bytes(),
		"letters":    often(letters).Bytes(),
		"long":       often(op("Constant", "", "y", attributes{"value": long})).Bytes(),
		"domains":    domains.Bytes(),
		"attributes": often(attributed).Bytes(),
		"two bytes":  bytes.Repeat([]byte{7<<3 | 2, 0}, 1<<20),
		"dimensions": made.Model{Graph: made.Graph{Inputs: []made.Value{{
			Name: "x", Type: made.Float, Dims: make([]any, 1<<16),
		}}}}.Bytes(),
	}
}

// TestHostile compares what hostile files take with the limits of package mutate.
func TestHostile(t *testing.T) {
	for name, data := range hostile() {
		t.Run(name, func(t *testing.T) { _ = mutate.Hold(t, data, func(data []byte) error { return try(t, data) }) })
	}
}

// try takes a file as far as it goes.
func try(t *testing.T, data []byte) error {
	t.Helper()
	m, err := Parse(data, "damaged")
	if err == nil {
		var a *Arena
		if a, err = m.Arena(Options{InPlace: len(data)%2 == 0}); err == nil {
			must.Do(t, model.Validate(a.Problem), "not a problem")
		}
	}
	var input *model.InputError
	if err != nil && !errors.As(err, &input) {
		t.Fatalf("the error is %v", err)
	}
	return err
}

// seeds are files to damage.
func seeds() [][]byte {
	loop := made.Graph{
		Inputs: made.Names("i", "c", "s"), Outputs: made.Names("c", "s2", "s"),
		Nodes: []made.Node{op("Neg", "s", "s2", nil)},
	}
	control := made.Model{Domains: []string{"own"}, Functions: []made.Function{{
		Domain: "own", Name: "F", Inputs: []string{"x"}, Outputs: []string{"y"}, Nodes: []made.Node{op("Neg", "x", "y",
			nil)},
	}}, Graph: made.Graph{
		Inputs: []made.Value{made.Floats("x", 2, 12), {Name: "c", Type: made.Bool}}, Outputs: made.Names("y", "all"),
		Stored: []made.Tensor{
			made.Ints("m", 3), made.Ints("to", 0, -1), made.Ints("cut", 1), made.Ints("end", 9),
			{Name: "scale", Type: made.Float, Floats: []float64{1, 2}, Dims: []int64{2}},
		},
		Nodes: []made.Node{
			op("If", "c", "a", attributes{"then_branch": made.Graph{
				Outputs: made.Names("p"),
				Nodes:   []made.Node{op("Neg", "x", "p", nil)},
			}, "else_branch": made.Graph{Outputs: made.Names("x")}}),
			op("Loop", "m c a", "b all", attributes{"body": loop}),
			op("Reshape", "b to", "r", nil), op("Slice", "r cut end cut", "s", nil), op("Shape", "s", "shape", nil),
			op("Gather", "shape cut", "g", nil), op("Add", "g cut", "h", nil), op("ConstantOfShape", "h", "ones", nil),
			op("Resize", "r - scale", "big", nil), op("Concat", "big big", "cat", attributes{"axis": 1}),
			op("Split", "cat", "u v", attributes{"axis": 1}), op("Einsum", "u v", "dot", attributes{"equation": "ij,kj->ik"}),
			op("Transpose", "dot", "tr", nil), op("ReduceSum", "tr cut", "red", nil), op("SequenceConstruct", "tr tr",
				"seq", nil),
			op("SequenceAt", "seq cut", "y0", nil),
			{Op: "F", Domain: "own", In: []string{"y0"}, Out: []string{"y"}},
			op("NonZero", "ones", "nz", nil), op("Range", "m cut end", "range", nil), op("TopK", "tr cut", "tk ti", nil),
		},
	}}
	network := chain()
	network.Graph.Inputs = []made.Value{made.Floats("x", 1, 3, 8, 8)}
	network.Graph.Nodes[7] = op("Concat", "nibbles nibbles", "y", attributes{"axis": 0})
	return [][]byte{control.Bytes(), network.Bytes()}
}

// TestMutated reads damaged files: each gives an error or a problem, within the limits of package mutate.
func TestMutated(t *testing.T) {
	all := seeds()
	for i, data := range all {
		must.Do(t, try(t, data), "seed %d is not planned", i)
	}
	mutate.Read(t, 3000, all, func(data []byte) error { return try(t, data) })
}

// FuzzParse never panics.
func FuzzParse(f *testing.F) {
	for _, data := range seeds() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = try(t, data) })
}

// TestExample compares the model among the examples with how it is made.
func TestExample(t *testing.T) {
	golden.File(t, "../../examples/tiny.onnx", made.Network(9, 8))
}
