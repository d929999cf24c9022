package strips_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: each trap is one operator, or a few, with the edge that a plain cut into strips gets wrong. What can be exact
// runs in the interpreter for every number of strips. What cannot is refused, with the operator and the reason.

// An op is an operator on the image that the one before it made. Constants come behind the image.
type op struct {
	code      tfliteschema.BuiltinOperator
	options   map[int]any
	result    []int32
	constants []tflitemade.Tensor
	edit      func(g *tflitemade.Graph, o *tflitemade.Op) // what is odd about it
}

// chainOf makes a model of floats of some operators, one behind the other.
func chainOf(t *testing.T, input []int32, ops ...op) *tflite.Model {
	t.Helper()
	g := tflitemade.Graph{Tensors: []tflitemade.Tensor{{Name: "input", Shape: input}}, Inputs: []int32{0}}
	now := int32(0)
	for _, o := range ops {
		made := tflitemade.Op{Code: o.code, Options: o.options, Inputs: []int32{now}}
		for _, c := range o.constants {
			made.Inputs = append(made.Inputs, int32(len(g.Tensors)))
			g.Tensors = append(g.Tensors, c)
		}
		now = int32(len(g.Tensors))
		g.Tensors = append(g.Tensors, tflitemade.Tensor{Name: fmt.Sprint("made", len(g.Ops)), Shape: o.result})
		made.Outputs = []int32{now}
		if o.edit != nil {
			o.edit(&g, &made)
		}
		g.Ops = append(g.Ops, made)
	}
	g.Outputs = []int32{now}
	return must.Get(tflite.Parse(tflitemade.Model([]tflitemade.Graph{g}), "trap"))(t)
}

// floats is a constant whose elements rise.
func floats(shape ...int32) tflitemade.Tensor {
	x := tflitemade.Tensor{Name: "constant", Shape: shape}
	for i := range tflitemade.Elements(x) {
		x.Data = append(x.Data, tflitemade.Floats(float32(i%7)/3-1)...)
	}
	return x
}

func words(shape []int32, x ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{Shape: shape, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(x...)}
}

const (
	codeConv    = tfliteschema.BuiltinOperatorCONV_2D
	codeAverage = tfliteschema.BuiltinOperatorAVERAGE_POOL_2D
	codeMax     = tfliteschema.BuiltinOperatorMAX_POOL_2D
	codePad     = tfliteschema.BuiltinOperatorPAD
	codeAdd     = tfliteschema.BuiltinOperatorADD
	codeRelu    = tfliteschema.BuiltinOperatorRELU
	codeLinear  = tfliteschema.BuiltinOperatorRESIZE_BILINEAR
	codeUpwards = tfliteschema.BuiltinOperatorTRANSPOSE_CONV
)

// window are the options of a pool, or of a convolution without the filter.
func window(padding int8, stride, filter int32) map[int]any {
	return map[int]any{0: padding, 1: stride, 2: stride, 3: filter, 4: filter}
}

func conv(padding int8, stride int32) map[int]any {
	return map[int]any{0: padding, 1: stride, 2: stride, 4: int32(1), 5: int32(1)}
}

func pads(x ...int32) []tflitemade.Tensor { return []tflitemade.Tensor{words([]int32{4, 2}, x...)} }

// TestTraps runs what is easily wrong, for every number of strips and both axes.
func TestTraps(t *testing.T) {
	r := micro(t)
	shape := func(n ...int32) []int32 { return n }
	relu := func(s []int32) op { return op{code: codeRelu, result: s} }
	for name, m := range map[string]*tflite.Model{
		"an average at the edge counts what is inside": chainOf(t, shape(1, 11, 9, 2),
			op{code: codeAverage, options: window(0, 1, 3), result: shape(1, 11, 9, 2)}, relu(shape(1, 11, 9, 2))),
		"an average with a stride": chainOf(t, shape(1, 13, 10, 1),
			op{code: codeAverage, options: window(0, 2, 3), result: shape(1, 7, 5, 1)}),
		"a maximum must not see padding": chainOf(t, shape(1, 9, 8, 1),
			op{code: codeMax, options: window(0, 2, 2), result: shape(1, 5, 4, 1)}, relu(shape(1, 5, 4, 1))),
		"a maximum with a wide window": chainOf(t, shape(1, 8, 8, 1),
			op{code: codeMax, options: window(0, 3, 5), result: shape(1, 3, 3, 1)}),
		"a resize is cut": chainOf(t, shape(1, 5, 6, 2),
			op{
				code: codeLinear, options: map[int]any{2: false, 3: true}, result: shape(1, 10, 12, 2),
				constants: []tflitemade.Tensor{words([]int32{2}, 10, 12)},
			}, relu(shape(1, 10, 12, 2))),
		"a resize by 3 across": chainOf(t, shape(1, 6, 2, 1),
			op{
				code: codeLinear, options: map[int]any{2: false, 3: false}, result: shape(1, 12, 6, 1),
				constants: []tflitemade.Tensor{words([]int32{2}, 12, 6)},
			}),
		"more strips than a CONCATENATION takes": chainOf(t, shape(1, 40, 37, 1),
			op{
				code: codeConv, options: conv(0, 1), result: shape(1, 40, 37, 2),
				constants: []tflitemade.Tensor{floats(2, 3, 3, 1), floats(2)},
			}),
		"a stride that skips lines": chainOf(t, shape(1, 12, 12, 1),
			op{
				code: codeConv, options: conv(0, 3), result: shape(1, 4, 4, 2),
				constants: []tflitemade.Tensor{floats(2, 1, 1, 1), floats(2)},
			}),
		"strips of padding alone": chainOf(t, shape(1, 3, 4, 2),
			op{code: codePad, result: shape(1, 14, 9, 2), constants: pads(0, 0, 7, 4, 0, 5, 0, 0)},
			relu(shape(1, 14, 9, 2)),
			op{
				code: codeConv, options: map[int]any{0: int8(0), 1: int32(1), 2: int32(1), 4: int32(1), 5: int32(20)},
				result: shape(1, 14, 9, 1), constants: []tflitemade.Tensor{floats(1, 2, 2, 2), floats(1)},
			}),
		"both of its operands are the image": chainOf(t, shape(1, 8, 8, 1),
			op{
				code: codeConv, options: conv(0, 1), result: shape(1, 8, 8, 1),
				constants: []tflitemade.Tensor{floats(1, 3, 3, 1), floats(1)},
			},
			op{code: codeAdd, result: shape(1, 8, 8, 1), edit: func(_ *tflitemade.Graph, o *tflitemade.Op) {
				o.Inputs = append(o.Inputs, o.Inputs[0])
			}}),
	} {
		t.Run(name, func(t *testing.T) {
			want, s, split := must.Get(r.outputs(m))(t), strips.Of(m), 0
			for n := 2; n <= 40; n++ {
				for k := range 8 {
					c := strips.Chain{
						Last: len(m.Operators) - 1, Axis: strips.Axis(k % 2), Strips: n, Ring: k/2%2 > 0, Crop: k/4 > 0,
					}
					got, err := s.Split([]strips.Chain{c})
					if err != nil {
						continue // more strips than lines, or along the resize by 3
					}
					split++
					if out, err := r.outputs(got.Model); err != nil || out != want {
						t.Errorf("%+v: outputs differ, %v", c, err)
					}
					for k := range got.Model.Operators {
						if o := &got.Model.Operators[k]; o.Name() == "CONCATENATION" && len(o.Inputs) > 10 {
							t.Errorf("%+v: a CONCATENATION of %d operands", c, len(o.Inputs))
						}
					}
				}
			}
			if split < 4 {
				t.Errorf("%d splits", split)
			}
		})
	}
}

// TestRefused has chains that cannot be exact.
func TestRefused(t *testing.T) {
	image, wide := []int32{1, 8, 8, 2}, []int32{1, 24, 8, 2}
	relu := op{code: codeRelu, result: image}
	typed := func(kind tfliteschema.TensorType) func(*tflitemade.Graph, *tflitemade.Op) {
		return func(g *tflitemade.Graph, _ *tflitemade.Op) { g.Tensors[0].Type = kind }
	}
	weights := func(change func(x *tflitemade.Tensor)) op {
		x := floats(2, 3, 3, 2)
		change(&x)
		return op{code: codeConv, options: conv(0, 1), result: image, constants: []tflitemade.Tensor{x, floats(2)}}
	}
	for _, tc := range []struct {
		want string
		ops  []op
	}{
		{"its constant operand 1 differs from row to row", []op{
			{code: codeAdd, result: image, constants: []tflitemade.Tensor{floats(1, 8, 1, 2)}},
		}},
		{"others than operators 0 to 1 need its result and that of operator 0", []op{
			relu, {code: codeRelu, result: image, edit: func(g *tflitemade.Graph, _ *tflitemade.Op) {
				g.Ops = append(g.Ops, tflitemade.Op{Code: codeRelu, Inputs: []int32{0}, Outputs: []int32{1}})
				g.Ops = g.Ops[:len(g.Ops)-1]
			}}, {code: codeAdd, result: image, edit: func(_ *tflitemade.Graph, o *tflitemade.Op) {
				o.Inputs = append(o.Inputs, 1)
			}},
		}},
		{"nobody reads one of its results", []op{relu, {
			code: codeRelu, result: image,
			edit: func(_ *tflitemade.Graph, o *tflitemade.Op) { o.Inputs[0] = 0 },
		}}},
		{"it makes 24 lines of 8: exact are powers of two", []op{{
			code: codeLinear, options: map[int]any{2: false, 3: false},
			result: wide, constants: []tflitemade.Tensor{words([]int32{2}, 24, 8)},
		}}},
		{"it aligns corners", []op{{
			code: codeLinear, options: map[int]any{2: true, 3: false},
			result: []int32{1, 16, 8, 2}, constants: []tflitemade.Tensor{words([]int32{2}, 16, 8)},
		}}},
		{"its kernel may need all rows at once", []op{{
			code: tfliteschema.BuiltinOperatorMEAN, options: map[int]any{0: true},
			result: []int32{1, 1, 1, 2}, constants: []tflitemade.Tensor{words([]int32{2}, 1, 2)},
		}}},
		{"its operand 0 has type UINT8", []op{
			{code: codeRelu, result: image, edit: typed(tfliteschema.TensorTypeUINT8)},
		}},
		{"which rows it reads of operand 0 is not known", []op{{
			code: codeRelu, result: image,
			edit: func(g *tflitemade.Graph, _ *tflitemade.Op) {
				for i := range g.Tensors {
					g.Tensors[i].Shape = []int32{2, 8, 8, 2}
				}
			},
		}}},
		{"its weights are INT8, so a kernel may quantise its whole operand", []op{weights(func(x *tflitemade.Tensor) {
			x.Type, x.Data = tfliteschema.TensorTypeINT8, x.Data[:len(x.Data)/4]
		})}},
		{"its filter has elements that are no finite numbers", []op{weights(func(x *tflitemade.Tensor) {
			copy(x.Data[8:], tflitemade.Floats(float32(math.Inf(1))))
		})}},
		{"its operand 1 is computed", []op{weights(func(x *tflitemade.Tensor) { x.Data, x.Variable = nil, true })}},
		{"it puts its operands one behind the other along the axis", []op{{
			code:    tfliteschema.BuiltinOperatorCONCATENATION,
			options: map[int]any{0: int32(1)}, result: []int32{1, 16, 8, 2},
			edit: func(_ *tflitemade.Graph, o *tflitemade.Op) { o.Inputs = append(o.Inputs, o.Inputs[0]) },
		}}},
		{"it mirrors at the ends of the axis", []op{{
			code: tfliteschema.BuiltinOperatorMIRROR_PAD, result: []int32{1, 10, 8, 2},
			constants: pads(0, 0, 1, 1, 0, 0, 0, 0),
		}}},
		{"its result has 15 lines for 8 with stride 2", []op{{
			code:    codeUpwards,
			options: map[int]any{0: int8(0), 1: int32(2), 2: int32(2)}, result: []int32{1, 15, 16, 2},
			edit: func(g *tflitemade.Graph, o *tflitemade.Op) {
				n := int32(len(g.Tensors))
				g.Tensors = append(g.Tensors, words([]int32{4}, 1, 15, 16, 2), floats(2, 3, 3, 2))
				o.Inputs = []int32{n, n + 1, 0}
			},
		}}},
		{"its result has one row, so there is nothing to cut", []op{
			{code: codeMax, options: window(1, 1, 8), result: []int32{1, 1, 1, 2}},
		}},
		{"too few for 4 strips", []op{{code: codeMax, options: window(1, 4, 3), result: []int32{1, 2, 2, 2}}}},
	} {
		m := chainOf(t, image, tc.ops...)
		last := len(m.Operators) - 1
		if len(tc.ops) == 3 {
			last = 1
		}
		_, err := strips.Of(m).Split([]strips.Chain{{Last: last, Strips: 4}})
		if refusal := (*strips.Refusal)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v", tc.want, err)
		}
	}
}

// TestChains has chains that no model can have, and two chains at once.
func TestChains(t *testing.T) {
	image := []int32{1, 8, 8, 2}
	relu := op{code: codeRelu, result: image}
	m := chainOf(t, image, relu, relu, relu, relu)
	s := strips.Of(m)
	for _, tc := range []struct {
		chains []strips.Chain
		want   string
	}{
		{[]strips.Chain{{First: 2, Last: 3, Strips: 2}, {Last: 1, Strips: 3}}, ""},
		{[]strips.Chain{{Last: 1, Strips: 2}, {First: 1, Last: 2, Strips: 2}}, "operator 1 is in two chains"},
		{[]strips.Chain{{First: 1, Last: 4, Strips: 2}}, "there is no chain from operator 1 to 4"},
		{[]strips.Chain{{First: 2, Last: 1, Strips: 2}}, "there is no chain from operator 2 to 1"},
		{[]strips.Chain{{First: -1, Last: 1, Strips: 2}}, "there is no chain from operator -1"},
		{[]strips.Chain{{Last: 1, Strips: 2, Axis: 2}}, "along axis 2"},
		{[]strips.Chain{{Last: 1, Strips: 1}}, "two strips are the fewest"},
	} {
		got, err := s.Split(tc.chains)
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q: %v", tc.want, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var order []int // chain and strip
		for _, o := range got.Origins {
			order = append(order, 10*o.Chain+o.Strip)
		}
		if want := []int{10, 10, 10, 11, 11, 11, 12, 12, 12, 9, 0, 0, 0, 1, 1, 1, -1}; !slices.Equal(order, want) {
			t.Errorf("strips %v, want %v", order, want)
		}
		w := must.Get(got.Model.Written())(t)
		was, is := m.Subgraphs[0], w.Subgraphs[0]
		if !slices.Equal(is.Inputs, was.Inputs) || !slices.Equal(is.Outputs, was.Outputs) {
			t.Errorf("inputs %v, outputs %v", is.Inputs, is.Outputs)
		}
	}
}
