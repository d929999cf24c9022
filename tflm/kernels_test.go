package tflm_test

import (
	"context"
	"math"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// A single is a model of one operator, which only has to be allocated: an operator
// whose options are the defaults may not run.
type single struct {
	code    tfliteschema.BuiltinOperator
	inputs  []tflitemade.Tensor
	outputs []tflitemade.Tensor
	options []int32
}

func floats(shape ...int32) tflitemade.Tensor { return tflitemade.Tensor{Name: "f", Shape: shape} }

func bools(shape ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{Name: "b", Shape: shape, Type: tfliteschema.TensorTypeBOOL}
}

func ints32(shape ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{Name: "i", Shape: shape, Type: tfliteschema.TensorTypeINT32}
}

// scaled has 8-bit integers with one scale.
func scaled(shape ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{
		Name: "q", Shape: shape, Type: tfliteschema.TensorTypeINT8, Scales: []float32{1. / 256}, Zero: -128,
	}
}

func scaled16(shape ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{Name: "q", Shape: shape, Type: tfliteschema.TensorTypeINT16, Scales: []float32{1. / 32768}}
}

// filter has constant 8-bit integers with a scale a channel.
func filter(channels int, shape ...int32) tflitemade.Tensor {
	n := int32(1)
	for _, d := range shape {
		n *= d
	}
	t := tflitemade.Tensor{
		Name: "w", Shape: shape, Type: tfliteschema.TensorTypeINT8, Data: make([]byte, n), Scales: make([]float32, channels),
	}
	for i := range t.Scales {
		t.Scales[i] = 1. / 128
	}
	return t
}

// fixed is a constant list of integers.
func fixed(x ...int32) tflitemade.Tensor {
	return tflitemade.Tensor{
		Name: "c", Shape: []int32{int32(len(x))}, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(x...),
	}
}

// singles are an operator for each kernel of the table that no other model of these
// tests has, and the ways in which kernels keep or ask for more.
func singles() []single {
	type list = []tflitemade.Tensor
	at := []int32{1, 4, 4, 8}
	f, q := floats(at...), scaled(at...)
	var out []single
	add := func(code tfliteschema.BuiltinOperator, inputs, outputs list, options ...int32) {
		out = append(out, single{code, inputs, outputs, options})
	}
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorABS, tfliteschema.BuiltinOperatorCEIL, tfliteschema.BuiltinOperatorCOS,
		tfliteschema.BuiltinOperatorELU, tfliteschema.BuiltinOperatorEXP,
		tfliteschema.BuiltinOperatorFLOOR, tfliteschema.BuiltinOperatorHARD_SWISH,
		tfliteschema.BuiltinOperatorLEAKY_RELU, tfliteschema.BuiltinOperatorLOG,
		tfliteschema.BuiltinOperatorLOGISTIC, tfliteschema.BuiltinOperatorNEG, tfliteschema.BuiltinOperatorRELU,
		tfliteschema.BuiltinOperatorRELU6, tfliteschema.BuiltinOperatorROUND,
		tfliteschema.BuiltinOperatorRSQRT, tfliteschema.BuiltinOperatorSIN, tfliteschema.BuiltinOperatorSQRT,
		tfliteschema.BuiltinOperatorSQUARE, tfliteschema.BuiltinOperatorTANH,
		tfliteschema.BuiltinOperatorL2_NORMALIZATION, tfliteschema.BuiltinOperatorZEROS_LIKE,
		tfliteschema.BuiltinOperatorLOG_SOFTMAX, tfliteschema.BuiltinOperatorSOFTMAX,
	} {
		add(code, list{f}, list{f})
	}
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorADD, tfliteschema.BuiltinOperatorSUB, tfliteschema.BuiltinOperatorMUL,
		tfliteschema.BuiltinOperatorDIV, tfliteschema.BuiltinOperatorMAXIMUM,
		tfliteschema.BuiltinOperatorMINIMUM, tfliteschema.BuiltinOperatorSQUARED_DIFFERENCE,
		tfliteschema.BuiltinOperatorFLOOR_DIV, tfliteschema.BuiltinOperatorFLOOR_MOD, tfliteschema.BuiltinOperatorPRELU,
	} {
		add(code, list{f, f}, list{f})
	}
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorEQUAL, tfliteschema.BuiltinOperatorNOT_EQUAL, tfliteschema.BuiltinOperatorGREATER,
		tfliteschema.BuiltinOperatorGREATER_EQUAL, tfliteschema.BuiltinOperatorLESS, tfliteschema.BuiltinOperatorLESS_EQUAL,
	} {
		add(code, list{f, f}, list{bools(at...)})
	}
	b := bools(at...)
	add(tfliteschema.BuiltinOperatorLOGICAL_AND, list{b, b}, list{b})
	add(tfliteschema.BuiltinOperatorLOGICAL_OR, list{b, b}, list{b})
	add(tfliteschema.BuiltinOperatorLOGICAL_NOT, list{b}, list{b})
	add(tfliteschema.BuiltinOperatorSELECT_V2, list{b, f, f}, list{f})
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorAVERAGE_POOL_2D, tfliteschema.BuiltinOperatorMAX_POOL_2D,
		tfliteschema.BuiltinOperatorL2_POOL_2D,
	} {
		add(code, list{f}, list{f}, 0, 1, 1, 1, 1) // padding, strides, filter
	}
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorSUM, tfliteschema.BuiltinOperatorMEAN, tfliteschema.BuiltinOperatorREDUCE_MAX,
		tfliteschema.BuiltinOperatorREDUCE_MIN,
	} {
		add(code, list{f, fixed(1, 2)}, list{floats(1, 8)})
		add(code, list{q, fixed(1, 2)}, list{scaled(1, 8)})
	}
	add(tfliteschema.BuiltinOperatorREDUCE_ALL, list{b, fixed(1, 2)}, list{bools(1, 8)})
	add(tfliteschema.BuiltinOperatorARG_MAX, list{f, fixed(3)}, list{ints32(1, 4, 4)})
	add(tfliteschema.BuiltinOperatorARG_MIN, list{f, fixed(3)}, list{ints32(1, 4, 4)})
	add(tfliteschema.BuiltinOperatorCONCATENATION, list{f, f, f}, list{floats(3, 4, 4, 8)})
	add(tfliteschema.BuiltinOperatorPACK, list{f, f}, list{floats(2, 1, 4, 4, 8)}, 2)
	add(tfliteschema.BuiltinOperatorUNPACK, list{floats(2, 8)}, list{floats(8), floats(8)}, 2)
	add(tfliteschema.BuiltinOperatorSPLIT, list{fixed(3), f}, list{floats(1, 4, 4, 4), floats(1, 4, 4, 4)}, 2)
	add(tfliteschema.BuiltinOperatorSPLIT_V, list{f, fixed(2, 6), fixed(3)},
		list{floats(1, 4, 4, 2), floats(1, 4, 4, 6)}, 2)
	add(tfliteschema.BuiltinOperatorGATHER, list{floats(5, 8), ints32(3)}, list{floats(3, 8)})
	add(tfliteschema.BuiltinOperatorGATHER_ND, list{floats(5, 8), ints32(3, 1)}, list{floats(3, 8)})
	add(tfliteschema.BuiltinOperatorSLICE, list{f, fixed(0, 0, 0, 0), fixed(1, 2, 2, 8)}, list{floats(1, 2, 2, 8)})
	add(tfliteschema.BuiltinOperatorDYNAMIC_UPDATE_SLICE, list{f, floats(1, 2, 2, 8), ints32(4)}, list{f})
	add(tfliteschema.BuiltinOperatorSTRIDED_SLICE, list{f, fixed(0, 0, 0, 0), fixed(1, 2, 2, 8), fixed(1, 1, 1, 1)},
		list{floats(1, 2, 2, 8)})
	add(tfliteschema.BuiltinOperatorTRANSPOSE, list{f, fixed(0, 3, 1, 2)}, list{floats(1, 8, 4, 4)})
	add(tfliteschema.BuiltinOperatorREVERSE_V2, list{f, fixed(1)}, list{f})
	add(tfliteschema.BuiltinOperatorEXPAND_DIMS, list{floats(4, 8), fixed(0)}, list{floats(1, 4, 8)})
	add(tfliteschema.BuiltinOperatorSQUEEZE, list{floats(1, 4, 8)}, list{floats(4, 8)})
	add(tfliteschema.BuiltinOperatorRESHAPE, list{f, fixed(1, 128)}, list{floats(1, 128)})
	add(tfliteschema.BuiltinOperatorFILL, list{fixed(4, 8), floats()}, list{floats(4, 8)})
	add(tfliteschema.BuiltinOperatorBROADCAST_TO, list{floats(1, 8), fixed(4, 8)}, list{floats(4, 8)})
	add(tfliteschema.BuiltinOperatorBROADCAST_ARGS, list{ints32(2), ints32(2)}, list{ints32(2)})
	add(tfliteschema.BuiltinOperatorSHAPE, list{f}, list{ints32(4)})
	add(tfliteschema.BuiltinOperatorCAST, list{f}, list{ints32(at...)})
	add(tfliteschema.BuiltinOperatorPAD, list{floats(4, 8), pairs(0, 0, 1, 1)}, list{floats(4, 10)})
	add(tfliteschema.BuiltinOperatorPADV2, list{floats(4, 8), pairs(0, 0, 1, 1), floats()}, list{floats(4, 10)})
	add(tfliteschema.BuiltinOperatorMIRROR_PAD, list{floats(4, 8), pairs(0, 0, 1, 1)}, list{floats(4, 10)})
	add(tfliteschema.BuiltinOperatorSPACE_TO_DEPTH, list{f}, list{floats(1, 2, 2, 32)}, 2)
	add(tfliteschema.BuiltinOperatorDEPTH_TO_SPACE, list{f}, list{floats(1, 8, 8, 2)}, 2)
	add(tfliteschema.BuiltinOperatorSPACE_TO_BATCH_ND, list{f, fixed(2, 2), pairs(0, 0, 0, 0)}, list{floats(4, 2, 2, 8)})
	add(tfliteschema.BuiltinOperatorBATCH_TO_SPACE_ND, list{floats(4, 2, 2, 8), fixed(2, 2), pairs(0, 0, 0, 0)}, list{f})
	add(tfliteschema.BuiltinOperatorRESIZE_BILINEAR, list{f, fixed(8, 8)}, list{floats(1, 8, 8, 8)})
	add(tfliteschema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR, list{f, fixed(8, 8)}, list{floats(1, 8, 8, 8)})
	add(tfliteschema.BuiltinOperatorADD_N, list{f, f, f}, list{f})
	add(tfliteschema.BuiltinOperatorADD_N, list{q, q, q}, list{q})
	// Matrices, transposed or not.
	for _, transposed := range [][]int32{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		add(tfliteschema.BuiltinOperatorBATCH_MATMUL, list{floats(2, 8, 8), floats(2, 8, 8)}, list{floats(2, 8, 8)},
			transposed...)
		add(tfliteschema.BuiltinOperatorBATCH_MATMUL, list{scaled(2, 8, 8), scaled(2, 8, 8)}, list{scaled(2, 8, 8)},
			transposed...)
	}
	// Convolutions, in floats and in integers with a scale for each of a number of
	// channels at which the temporaries of Prepare set the arena.
	for _, n := range []int32{8, 600} {
		bias := fixed(make([]int32, n)...)
		bias.Scales = []float32{1. / 32768}
		last := filter(int(n), 1, 1, 1, n)
		last.Dimension = 3
		add(tfliteschema.BuiltinOperatorCONV_2D, list{f, weights(n, 1, 1, 8), weights(n)}, list{floats(1, 4, 4, n)})
		add(tfliteschema.BuiltinOperatorCONV_2D, list{q, filter(int(n), n, 1, 1, 8), bias}, list{scaled(1, 4, 4, n)})
		add(tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, list{floats(1, 2, 2, n), weights(1, 1, 1, n), weights(n)},
			list{floats(1, 2, 2, n)})
		add(tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, list{scaled(1, 2, 2, n), last, bias}, list{scaled(1, 2, 2, n)})
		add(tfliteschema.BuiltinOperatorTRANSPOSE_CONV, list{fixed(1, 4, 4, n), weights(n, 1, 1, 8), f},
			list{floats(1, 4, 4, n)})
		add(tfliteschema.BuiltinOperatorTRANSPOSE_CONV, list{fixed(1, 4, 4, n), filter(int(n), n, 1, 1, 8), q, bias},
			list{scaled(1, 4, 4, n)})
		add(tfliteschema.BuiltinOperatorFULLY_CONNECTED, list{scaled(1, 8), filter(int(n), n, 8), bias}, list{scaled(1, n)})
		add(tfliteschema.BuiltinOperatorFULLY_CONNECTED, list{scaled(1, 8), filter(1, n, 8), bias}, list{scaled(1, n)})
	}
	nibbles := filter(8, 8, 1, 1, 8)
	nibbles.Type, nibbles.Data = tfliteschema.TensorTypeINT4, nibbles.Data[:32]
	add(tfliteschema.BuiltinOperatorCONV_2D, list{q, nibbles}, list{q})
	// Integers.
	one := int32(math.Float32bits(1)) // beta
	add(tfliteschema.BuiltinOperatorSOFTMAX, list{scaled(1, 8)}, list{scaled(1, 8)}, one)
	add(tfliteschema.BuiltinOperatorSOFTMAX, list{scaled16(1, 8)}, list{scaled16(1, 8)}, one)
	log := scaled(1, 8)
	log.Scales, log.Zero = []float32{16. / 256}, 127
	add(tfliteschema.BuiltinOperatorLOG_SOFTMAX, list{scaled(1, 8)}, list{log})
	add(tfliteschema.BuiltinOperatorQUANTIZE, list{f}, list{q})
	add(tfliteschema.BuiltinOperatorDEQUANTIZE, list{q}, list{f})
	return out
}

func pairs(x ...int32) tflitemade.Tensor {
	t := fixed(x...)
	t.Shape = []int32{int32(len(x) / 2), 2}
	return t
}

// model makes the model, an operator on inputs of its own.
func (s *single) model() []byte {
	g := tflitemade.Graph{}
	o := tflitemade.Op{Code: s.code, Callees: s.options}
	for _, t := range s.inputs {
		k := int32(len(g.Tensors))
		if g.Tensors = append(g.Tensors, t); t.Data == nil {
			g.Inputs = append(g.Inputs, k)
		}
		o.Inputs = append(o.Inputs, k)
	}
	for _, t := range s.outputs {
		k := int32(len(g.Tensors))
		g.Tensors = append(g.Tensors, t)
		g.Outputs, o.Outputs = append(g.Outputs, k), append(o.Outputs, k)
	}
	g.Ops = []tflitemade.Op{o}
	return tflitemade.Model([]tflitemade.Graph{g})
}

// TestKernels compares the table of kernels with the interpreter, operator by operator: heads, tails and smallest
// arenas.
func TestKernels(t *testing.T) {
	p := start(t)
	limits := map[tflm.Limit]int{}
	for _, s := range singles() {
		m := parsed(t, s.model(), tflite.Code(s.code).String())
		r := must.Get(p.Compare(context.Background(), m, t.TempDir(), 0, options(m)))(t)
		if r.Error != "" || len(r.Unknown) > 0 {
			t.Errorf("%s: %s, unknown %v", r.Model, r.Error, r.Unknown)
			continue
		}
		limits[r.Before.Limit]++
		// Temporaries are taken to come after all that Prepare keeps.
		if d := r.Before.Predicted - r.Before.Smallest; d < 0 || d > 16 || r.Before.PredictedTail != r.Before.Tail ||
			r.Before.Head != r.Before.EmulatedHead {
			t.Errorf("%s %v: %+v", r.Model, s.options, r.Before)
		}
	}
	if limits[tflm.LimitPrepare] == 0 || limits[tflm.LimitPlanning] == 0 || limits[tflm.LimitHead] == 0 {
		t.Errorf("what sets the arenas: %v; each is to be among them", limits)
	}
}

// TestInPlaceKernels runs each operator between two others, in place where its
// result may lie over an operand: with as many bytes, and not the others.
func TestInPlaceKernels(t *testing.T) {
	p := start(t)
	may := map[tfliteschema.BuiltinOperator]bool{}
	for _, code := range []tfliteschema.BuiltinOperator{
		tfliteschema.BuiltinOperatorRESHAPE, tfliteschema.BuiltinOperatorSQUEEZE,
		tfliteschema.BuiltinOperatorEXPAND_DIMS, tfliteschema.BuiltinOperatorABS,
		tfliteschema.BuiltinOperatorCEIL, tfliteschema.BuiltinOperatorCOS, tfliteschema.BuiltinOperatorELU,
		tfliteschema.BuiltinOperatorEXP, tfliteschema.BuiltinOperatorFLOOR,
		tfliteschema.BuiltinOperatorHARD_SWISH, tfliteschema.BuiltinOperatorLEAKY_RELU,
		tfliteschema.BuiltinOperatorLOG, tfliteschema.BuiltinOperatorLOGISTIC,
		tfliteschema.BuiltinOperatorNEG, tfliteschema.BuiltinOperatorRELU, tfliteschema.BuiltinOperatorRELU6,
		tfliteschema.BuiltinOperatorROUND, tfliteschema.BuiltinOperatorRSQRT,
		tfliteschema.BuiltinOperatorSIN, tfliteschema.BuiltinOperatorSQRT, tfliteschema.BuiltinOperatorSQUARE,
		tfliteschema.BuiltinOperatorTANH, tfliteschema.BuiltinOperatorADD,
		tfliteschema.BuiltinOperatorSUB, tfliteschema.BuiltinOperatorMUL, tfliteschema.BuiltinOperatorDIV,
		tfliteschema.BuiltinOperatorMAXIMUM, tfliteschema.BuiltinOperatorMINIMUM,
		tfliteschema.BuiltinOperatorSQUARED_DIFFERENCE, tfliteschema.BuiltinOperatorPRELU,
	} {
		may[code] = true
	}
	ran := map[tfliteschema.BuiltinOperator]bool{}
	for _, s := range singles() {
		in, out := s.inputs[0], s.outputs[0]
		if in.Type != tfliteschema.TensorTypeFLOAT32 || out.Type != in.Type || len(s.outputs) > 1 ||
			tflitemade.Elements(in) != tflitemade.Elements(out) || ran[s.code] {
			continue
		}
		// in, TANH, first operand, the operator, result, TANH, out. What else it reads is the model's input or
		// constant.
		g := tflitemade.Graph{Tensors: []tflitemade.Tensor{in, in, out, out}, Inputs: []int32{0}, Outputs: []int32{3}}
		o := tflitemade.Op{Code: s.code, Inputs: []int32{1}, Outputs: []int32{2}, Callees: s.options}
		for _, t := range s.inputs[1:] {
			k := int32(len(g.Tensors))
			if g.Tensors = append(g.Tensors, t); t.Data == nil {
				g.Inputs = append(g.Inputs, k)
			}
			o.Inputs = append(o.Inputs, k)
		}
		g.Ops = []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{0}, Outputs: []int32{1}},
			o,
			{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{2}, Outputs: []int32{3}},
		}
		m := parsed(t, tflitemade.Model([]tflitemade.Graph{g}), tflite.Code(s.code).String())
		opts := options(m)
		opts.InPlace = true
		plan := must.Get(tflm.Make(context.Background(), m, opts))(t)
		if over := plan.Offsets[1] == plan.Offsets[2]; over != may[s.code] {
			t.Errorf("%s: in place %v, want %v", tflite.Code(s.code), over, may[s.code])
		}
		if !may[s.code] {
			continue // defaults of options may not run
		}
		ran[s.code] = true
		r := must.Get(p.Compare(context.Background(), m, t.TempDir(), 3, opts))(t)
		if r.Error != "" || len(r.Faults()) > 0 {
			t.Errorf("%s: %s %v", tflite.Code(s.code), r.Error, r.Faults())
		}
	}
	for code := range may {
		if !ran[code] {
			t.Errorf("%s was not run", tflite.Code(code))
		}
	}
}
