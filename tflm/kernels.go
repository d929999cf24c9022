package tflm

import (
	"sync"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the kernel of an operator decides how much of an arena's tail the operator takes: the options that the runtime
// parses, the bytes that Init keeps, the bytes that Prepare keeps for each channel, and the scratch. This file has
// these bytes for each reference kernel. So a tail is known before anything runs.
//
// A vendor's kernels keep and request other amounts. The amounts of CMSIS-NN and ESP-NN are in set.go. A log of the
// target shows those of others (stowage_probe.h).
//
// Source: tensorflow/tflite-micro 90b983c, reference kernels under tensorflow/lite/micro/kernels and
// flatbuffer_conversions.cc. The sizes of structures are those of g++ 12.2 for x86-64 and for 32-bit Arm (armhf),
// whose 64-bit integers are aligned to 8 as on Cortex-M. The column interpreter is for PyPI's package: a later
// revision, in which the options of FULLY_CONNECTED are larger, built with USE_TFLM_COMPRESSION. TestSmallest
// compares the sums with it.

// A kernel is the bytes that a reference kernel keeps and requests.
type kernel struct {
	options     options // what its options are parsed into
	data        data    // what Init keeps
	temporaries string  // tensors that Prepare looks at: digits are inputs, * is all of them, o and p are outputs
	kept        func(c call) []int64
	scratch     func(c call) []int64
}

// options are the bytes of a structure and its alignment.
type options struct{ size, align data }

// data are the bytes of a structure on 64 bit, 32 bit, and in the interpreter of PyPI.
type data [3]int64

func words(size int64) options { return options{same(size), same(4)} }
func flags(size int64) options { return options{same(size), same(1)} }
func same(size int64) data     { return data{size, size, size} }

// A call is an operator whose kernel's bytes are computed.
type call struct {
	m *tflite.Model
	o *tflite.Operator
	t *Target
}

// in returns an input; an empty tensor for one that is left out.
func (c call) in(k int) *tflite.Tensor {
	if k < len(c.o.Inputs) && c.o.Inputs[k] >= 0 {
		return &c.m.Tensors[c.o.Inputs[k]]
	}
	return &tflite.Tensor{}
}

func (c call) out() *tflite.Tensor {
	if len(c.o.Outputs) > 0 {
		return &c.m.Tensors[c.o.Outputs[0]]
	}
	return &tflite.Tensor{}
}

func dim(t *tflite.Tensor, k int) int64 {
	if k < len(t.Shape) {
		return int64(t.Shape[k])
	}
	return 0
}

func elements(t *tflite.Tensor) int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= int64(d)
	}
	return n
}

func is(t *tflite.Tensor, types ...tfliteschema.TensorType) bool {
	for _, x := range types {
		if t.Type == tflite.Type(x) {
			return true
		}
	}
	return false
}

// quantised reports whether a tensor has 8 or 16 bit integers.
func quantised(t *tflite.Tensor) bool {
	return is(t, tfliteschema.TensorTypeINT8, tfliteschema.TensorTypeINT16)
}

// integers are the bytes of a list of integers with its length.
func integers(n int) int64 { return 4 + 4*int64(n) }

// multipliers are a multiplier and a shift for each channel.
func multipliers(channels int64) []int64 { return []int64{4 * channels, 4 * channels} }

// unpacked is the scratch into which 4-bit weights are unpacked.
func unpacked(c call) []int64 {
	if w := c.in(1); is(w, tfliteschema.TensorTypeINT4) {
		return []int64{elements(w)}
	}
	return nil
}

// ownShape is the shape of the output, which Prepare copies to write to it.
func ownShape(c call) []int64 { return []int64{integers(len(c.out().Shape))} }

// axes is the scratch of a reduction: an index for each dimension, and the axes.
func axes(c call) []int64 { return []int64{4 * int64(len(c.in(0).Shape)), 4 * elements(c.in(1))} }

// sums is the scratch of a reduction that adds up integers in 32 bits.
func sums(c call) []int64 {
	if quantised(c.in(0)) {
		return append([]int64{4 * elements(c.out())}, axes(c)...)
	}
	return axes(c)
}

// matrices are what BATCH_MATMUL keeps: multipliers, and a transposed copy of an operand that has another order.
func matrices(c call) []int64 {
	var out []int64
	if quantised(c.in(0)) {
		out = append(out, 28)
	}
	transposed := func(t *tflite.Tensor) {
		out = append(out, c.t.evalTensor, integers(len(t.Shape)), t.Bytes)
	}
	if c.o.TransposedX {
		transposed(c.in(0))
	}
	if !c.o.TransposedY {
		transposed(c.in(1))
	}
	return append(out, ownShape(c)...)
}

// last is the last dimension, of a scalar 1.
func last(t *tflite.Tensor) int64 {
	if len(t.Shape) == 0 {
		return 1
	}
	return int64(t.Shape[len(t.Shape)-1])
}

// transform is what a Fourier transform of real numbers keeps. The output has one complex number more than half of
// the input. kissfft v130 keeps three pointers, 66 numbers, and two and a half complex numbers for each number of the
// output except the last.
func transform(c call) []int64 {
	length, width := last(c.out())-2, c.out().Bytes/max(elements(c.out()), 1)
	n := length / 2
	return []int64{3*c.t.word + 264 + 2*width*(n+n*3/2)}
}

// transformed is the scratch of a Fourier transform: a copy of the input.
func transformed(c call) []int64 {
	return []int64{(last(c.out()) - 2) * c.out().Bytes / max(elements(c.out()), 1)}
}

func reduction(scratch func(call) []int64) kernel {
	return kernel{options: flags(1), data: same(44), temporaries: "0o101o", scratch: scratch}
}

// twoInputs is a kernel that looks at two inputs and its output.
func twoInputs(o options, d data) kernel { return kernel{options: o, data: d, temporaries: "01o"} }

// oneInput is a kernel that looks at an input and its output.
func oneInput(o options, d data) kernel { return kernel{options: o, data: d, temporaries: "0o"} }

var none = options{}

// kernels has the known operators, by name. The table is made at its first use, not at the start of every program that
// has it.
var kernels = sync.OnceValue(func() map[string]kernel {
	return map[string]kernel{
		"ABS":                     oneInput(none, same(28)),
		"ADD":                     twoInputs(words(8), same(60)),
		"ARG_MAX":                 {options: words(4)},
		"ARG_MIN":                 {options: words(4)},
		"AVERAGE_POOL_2D":         oneInput(words(40), same(32)),
		"BATCH_TO_SPACE_ND":       oneInput(none, data{}),
		"BROADCAST_ARGS":          twoInputs(none, data{}),
		"BROADCAST_TO":            twoInputs(none, data{}),
		"CALL_ONCE":               {options: words(4), data: same(8)},
		"CAST":                    oneInput(words(8), data{}),
		"CEIL":                    oneInput(none, data{}),
		"CONCATENATION":           {options: words(8), data: data{40, 24, 80}, temporaries: "0o*"},
		"COS":                     oneInput(none, data{}),
		"DEPTH_TO_SPACE":          {options: words(4), temporaries: "0o", kept: ownShape},
		"DEQUANTIZE":              oneInput(none, same(32)),
		"DIV":                     twoInputs(words(4), same(28)),
		"DYNAMIC_UPDATE_SLICE":    {temporaries: "012o"},
		"ELU":                     oneInput(none, same(256)),
		"EQUAL":                   {data: same(32), temporaries: "01"},
		"EXP":                     oneInput(none, data{}),
		"EXPAND_DIMS":             twoInputs(none, data{}),
		"FILL":                    twoInputs(none, data{}),
		"FLOOR":                   {},
		"FLOOR_DIV":               twoInputs(none, data{}),
		"FLOOR_MOD":               twoInputs(none, data{}),
		"GATHER":                  {options: words(8), temporaries: "01o", kept: ownShape},
		"GATHER_ND":               {temporaries: "01o", kept: ownShape},
		"GREATER":                 {data: same(32), temporaries: "01"},
		"GREATER_EQUAL":           {data: same(32), temporaries: "01"},
		"HARD_SWISH":              oneInput(none, same(20)),
		"IF":                      {options: words(8), data: same(8), temporaries: "0"},
		"L2_NORMALIZATION":        oneInput(words(4), same(4)),
		"L2_POOL_2D":              {options: words(40), temporaries: "o0", kept: ownShape},
		"LEAKY_RELU":              oneInput(words(4), same(24)),
		"LESS":                    {data: same(32), temporaries: "01"},
		"LESS_EQUAL":              {data: same(32), temporaries: "01"},
		"LOG":                     oneInput(none, data{}),
		"LOGICAL_AND":             {},
		"LOGICAL_NOT":             oneInput(none, data{}),
		"LOGICAL_OR":              {},
		"LOGISTIC":                oneInput(none, same(16)),
		"MAXIMUM":                 {},
		"MAX_POOL_2D":             oneInput(words(40), same(32)),
		"MEAN":                    reduction(sums),
		"MINIMUM":                 {},
		"MUL":                     twoInputs(words(4), same(36)),
		"NEG":                     {},
		"NOT_EQUAL":               {data: same(32), temporaries: "01"},
		"PACK":                    {options: words(8)},
		"PAD":                     twoInputs(none, same(56)),
		"PADV2":                   {data: same(56), temporaries: "012o"},
		"PRELU":                   twoInputs(none, same(28)),
		"QUANTIZE":                oneInput(none, same(32)),
		"REDUCE_ALL":              reduction(axes),
		"REDUCE_MAX":              reduction(axes),
		"REDUCE_MIN":              reduction(axes),
		"RELU":                    oneInput(none, same(28)),
		"RELU6":                   {data: same(8), temporaries: "0"},
		"RESHAPE":                 oneInput(words(36), data{}),
		"RESIZE_BILINEAR":         twoInputs(flags(2), data{}),
		"RESIZE_NEAREST_NEIGHBOR": twoInputs(flags(2), data{}),
		"REVERSE_V2":              twoInputs(none, data{}),
		"ROUND":                   oneInput(none, data{}),
		"RSQRT":                   oneInput(none, same(28)),
		"SELECT_V2":               {data: same(1), temporaries: "012o"},
		"SHAPE":                   {options: words(4)},
		"SIN":                     oneInput(none, data{}),
		"SLICE":                   {temporaries: "012o"},
		"SPACE_TO_BATCH_ND":       oneInput(none, same(4)),
		"SPACE_TO_DEPTH":          {options: words(4), temporaries: "0o", kept: ownShape},
		"SPLIT":                   {options: words(4), temporaries: "0"},
		"SPLIT_V":                 {options: words(4), temporaries: "2"},
		"SQRT":                    oneInput(none, data{}),
		"SQUARE":                  oneInput(none, data{}),
		"SQUARED_DIFFERENCE":      twoInputs(none, same(112)),
		"SQUEEZE":                 oneInput(words(36), data{}),
		"STRIDED_SLICE":           {options: words(24), data: same(84), temporaries: "0123o"},
		"SUB":                     twoInputs(words(8), same(52)),
		"SUM":                     reduction(sums),
		"TANH":                    {data: same(16), temporaries: "00o"},
		"TRANSPOSE":               twoInputs(none, data{}),
		"UNPACK":                  {options: words(8)},
		"WHILE":                   {options: words(8), data: same(8)},
		"ZEROS_LIKE":              oneInput(none, data{}),

		// The audio front end, custom operators under signal/micro/kernels. Their options are not read: the shape of
		// the output says all that matters.
		"SignalEnergy":               oneInput(none, same(8)),
		"SignalFftAutoScale":         {temporaries: "0op"},
		"SignalFilterBank":           {data: data{64, 36, 64}, temporaries: "012345o", kept: func(c call) []int64 { return []int64{8 * (last(c.out()) + 1)} }},
		"SignalFilterBankLog":        oneInput(none, same(8)),
		"SignalFilterBankSquareRoot": twoInputs(none, data{}),
		"SignalFilterBankSpectralSubtraction": {
			data: data{56, 44, 56}, temporaries: "0op", kept: func(c call) []int64 { return []int64{4 * last(c.out())} },
		},
		"SignalPCAN":   {data: same(4), temporaries: "012o"},
		"SignalRfft":   {data: data{48, 32, 48}, temporaries: "0o", kept: transform, scratch: transformed},
		"SignalWindow": twoInputs(none, same(8)),

		// footprint.go counts the bytes of a variable: it is kept once for all operators.
		"ASSIGN_VARIABLE": {data: data{0, 0, 4}, temporaries: "1"},
		"READ_VARIABLE":   {temporaries: "0"},
		"VAR_HANDLE":      {options: options{data{16, 8, 16}, data{8, 4, 8}}, data: same(4)},

		"ADD_N": {
			temporaries: "0o*",
			kept: func(c call) []int64 {
				if is(c.out(), tfliteschema.TensorTypeINT8) {
					return []int64{40}
				}
				return nil
			},
			scratch: func(c call) []int64 { return []int64{c.t.word * int64(len(c.o.Inputs))} },
		},
		"BATCH_MATMUL": {options: flags(3), data: data{32, 16, 32}, temporaries: "01o", kept: matrices},
		"CONV_2D": {
			options: words(28), data: data{72, 56, 80}, temporaries: "o01012o", scratch: unpacked,
			kept: func(c call) []int64 { return multipliers(dim(c.in(1), 0)) },
		},
		"DEPTHWISE_CONV_2D": {
			options: words(28), data: data{72, 56, 80}, temporaries: "o01012o", scratch: unpacked,
			kept: func(c call) []int64 { return multipliers(dim(c.in(1), 3)) },
		},
		"FULLY_CONNECTED": {
			options: options{data{16, 16, 32}, data{4, 4, 8}}, data: data{64, 48, 72}, temporaries: "012o", scratch: unpacked,
			kept: func(c call) []int64 {
				if w := c.in(1); quantised(c.in(0)) && w.Channels > 1 {
					return multipliers(int64(w.Channels))
				}
				return nil
			},
		},
		"LOG_SOFTMAX": {
			temporaries: "0o",
			kept: func(c call) []int64 {
				if is(c.in(0), tfliteschema.TensorTypeINT8) {
					return []int64{data{40, 28, 40}.on(c.t)}
				}
				return nil
			},
		},
		"MIRROR_PAD": {
			options: words(4), data: same(20), temporaries: "01o",
			scratch: func(c call) []int64 { n := 4 * int64(len(c.in(0).Shape)); return []int64{n, n} },
		},
		"SOFTMAX": {
			options: words(4), data: data{80, 56, 80}, temporaries: "0o",
			kept: func(c call) []int64 {
				if is(c.in(0), tfliteschema.TensorTypeINT16) {
					return []int64{2 * 513, 2 * 513} // tables of exp and of 1/(1+x)
				}
				return nil
			},
		},
		"SVDF": {
			options: words(12), data: same(36), temporaries: "01234o",
			scratch: func(c call) []int64 {
				batch := dim(c.in(0), 0)
				out := []int64{4 * batch * dim(c.in(1), 0)}
				if quantised(c.in(0)) {
					out = append(out, 4*batch*dim(c.out(), 1))
				}
				return out
			},
		},
		"TRANSPOSE_CONV": {
			options: words(20), data: data{80, 72, 88}, temporaries: "o21213o",
			kept: func(c call) []int64 { return multipliers(dim(c.in(1), 0)) },
			scratch: func(c call) []int64 {
				var out []int64
				switch bias := c.in(3); {
				case is(c.in(2), tfliteschema.TensorTypeINT8):
					out = append(out, 4*elements(c.out()))
				case is(c.in(2), tfliteschema.TensorTypeINT16):
					out = append(out, 8*elements(c.out()))
					if is(bias, tfliteschema.TensorTypeINT16) {
						out = append(out, 8*elements(bias))
					}
				}
				return out
			},
		},
		"UNIDIRECTIONAL_SEQUENCE_LSTM": {
			options: words(16), data: same(688), temporaries: "*o",
			scratch: func(c call) []int64 {
				const hidden, cell = 18, 19
				n := elements(c.in(hidden)) * 4
				if quantised(c.in(cell)) {
					n /= 2
				}
				return []int64{n, n, n, n}
			},
		},
	}
})

func (d data) on(t *Target) int64 { return d[t.column] }
