package tflm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: if the runtime cannot run a model, no arena is large enough, and "it fits" is false. The file of the model
// shows some reasons: an operator without a kernel, or types that a kernel refuses when it prepares or runs. This file
// decides which figures of a model are in doubt, for report, header, capacity and page alike.
//
// Invariant: a model that runs has no obstacle. A model without an obstacle may still fail: only the faults in the
// tables below are looked for.
//
// Complexity: O(operators).
//
// Source: tensorflow/tflite-micro 90b983c: micro_mutable_op_resolver.h, and the checks of types in
// kernels/{conv,depthwise_conv,transpose_conv,fully_connected,svdf,unidirectional_sequence_lstm,batch_matmul,
// pooling,softmax,dequantize}*.cc.

// An Obstacle is a reason why a model cannot run in the runtime.
type Obstacle struct {
	Operator int    // the first operator concerned, as an index into the model's operators
	Name     string // that of the operator
	Why      string // in a sentence without its full stop
	Next     string // what to do about it
}

// Doubts are why the arenas of a model are only lower bounds.
type Doubts struct {
	Obstacles []Obstacle // the model cannot run
	Unknown   []string   // operators whose kernels keep an unknown number of bytes
	Scratch   []string   // operators whose scratch is not known with the kernels
}

// DoubtsOf returns the doubts about a model. It should be the model that is written, with folded weights only if the
// written model has them folded.
func DoubtsOf(m *tflite.Model, s Set) Doubts {
	return Doubts{Obstacles(m), Unknown(m), s.UnknownScratch(m)}
}

// AtLeast reports whether the arenas are only lower bounds.
func (d *Doubts) AtLeast() bool { return len(d.Obstacles)+len(d.Unknown)+len(d.Scratch) > 0 }

// Obstacles returns why a model cannot run, each reason once, in the order of the operators.
func Obstacles(m *tflite.Model) (all []Obstacle) {
	float16 := 0 // constants
	for i := range m.Operators {
		o := &m.Operators[i]
		x := Obstacle{Operator: i, Name: o.Name()}
		switch types := refusedTypes(m, o); {
		case o.Custom == "" && !hasKernel(o.Name()):
			x.Why = "TensorFlow Lite Micro has no kernel for " + x.Name
			x.Next = "replace the operator in the model, or make a kernel for it"
		case len(types) == 0:
			continue
		case x.Name == "DEQUANTIZE" && types[0] == "FLOAT16" && m.Tensors[o.Inputs[0]].Constant:
			if float16++; float16 > 1 {
				continue
			}
			x.Why = "weights are float16, which TensorFlow Lite Micro does not expand"
			x.Next = "--fold-float16 converts them to float32"
		default:
			x.Why = fmt.Sprintf("the kernel of %s does not take %s", x.Name, strings.Join(types, " with weights of "))
			x.Next = "convert the model again, with weights and activations of types that go together: all float32, " +
				"or int8 with int8"
		}
		if !slices.ContainsFunc(all, func(y Obstacle) bool { return y.Why == x.Why }) {
			all = append(all, x)
		}
	}
	return all
}

// operandTypes says which input of an operator is its operand, which is its weights, and which of their types go
// together.
type operandTypes struct {
	operand, weights int // inputs; -1 for no weights
	pairs            [][2]string
}

// The types that kernels take: an operand, and weights.
var (
	floats32 = [2]string{"FLOAT32", "FLOAT32"}
	ints8    = [2]string{"INT8", "INT8"}
	nibbles  = [2]string{"INT8", "INT4"}
	mixed16  = [2]string{"INT16", "INT8"}
	words16  = [2]string{"INT16", "INT16"}

	weighted = [][2]string{floats32, ints8, nibbles, mixed16}
	alone    = [][2]string{{"FLOAT32"}, {"INT8"}, {"INT16"}}
)

// typesOf has the kernels whose types are checked.
var typesOf = map[string]operandTypes{
	"CONV_2D":                      {0, 1, weighted},
	"DEPTHWISE_CONV_2D":            {0, 1, weighted},
	"FULLY_CONNECTED":              {0, 1, weighted},
	"TRANSPOSE_CONV":               {2, 1, [][2]string{floats32, ints8, mixed16}},
	"SVDF":                         {0, 1, [][2]string{floats32, ints8}},
	"UNIDIRECTIONAL_SEQUENCE_LSTM": {0, 1, [][2]string{floats32, ints8, mixed16}},
	"BATCH_MATMUL":                 {0, 1, [][2]string{floats32, ints8, words16}},
	"AVERAGE_POOL_2D":              {0, -1, alone},
	"MAX_POOL_2D":                  {0, -1, alone},
	"SOFTMAX":                      {0, -1, alone},
	"DEQUANTIZE":                   {0, -1, [][2]string{{"INT8"}, {"INT16"}, {"UINT8"}}},
}

// refusedTypes returns the types of an operator's operand, and of its weights, if its kernel refuses them.
func refusedTypes(m *tflite.Model, o *tflite.Operator) (types []string) {
	x, known := typesOf[o.Name()]
	if !known || o.Custom != "" {
		return nil
	}
	for _, at := range []int{x.operand, x.weights} {
		if at < 0 {
			continue
		}
		if at >= len(o.Inputs) || o.Inputs[at] < 0 {
			return nil
		}
		types = append(types, m.Tensors[o.Inputs[at]].Type.String())
	}
	for _, p := range x.pairs {
		if types[0] == p[0] && (len(types) == 1 || types[1] == p[1]) {
			return nil
		}
	}
	return types
}

// hasKernel reports whether the runtime has a kernel for a builtin operator. For three of them the bytes that the
// kernel keeps are not known here.
func hasKernel(name string) bool {
	_, known := kernels()[name]
	return known || name == "CUMSUM" || name == "DYNAMIC_UPDATE_SLICE" || name == "EMBEDDING_LOOKUP"
}

// convolves8 reports whether a model has convolutions of 8 bits, for which the kernels of vendors ask for scratch.
func convolves8(m *tflite.Model) bool {
	return slices.ContainsFunc(m.Operators, func(o tflite.Operator) bool {
		name := o.Name()
		return (name == "CONV_2D" || name == "DEPTHWISE_CONV_2D") && len(o.Inputs) > 0 && o.Inputs[0] >= 0 &&
			m.Tensors[o.Inputs[0]].Type.String() == "INT8"
	})
}
