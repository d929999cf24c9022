package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: CMSIS-NN copies windows of the image into a buffer, some at once, and multiplies the copies by the weights. How
// many it copies, and how they are rounded, depends on the instructions that it is built for:
//
//	operator                 C                       DSP                     MVE
//	convolution, 8 bits      2 windows of 16 bits    2 windows of 16 bits    4 windows, whole vectors of 16
//	convolution, 16 bits     2 windows               2 windows               4 windows, whole vectors of 8
//	 1×1 (8 bits)            0                       0                       0
//	 1×n of one row          as others               as others               an end of the row with its padding
//	depthwise, 8 bits        0                       a filter of 16 bits     4 filters of 124 channels
//	average pool             0                       32 bits a channel       0
//	fully connected, SVDF    0                       0                       sums of weights: kept, or scratch
//
// Here are builds by GCC and Clang. Arm's compiler (armclang) differs in two places: for DSP a convolution 1×1 with
// stride 1 asks for two pixels of 16 bits, and for MVE a depthwise convolution of one channel becomes another only
// above 8 channels.
//
// Source: ARM-software/CMSIS-NN at 99f736a6 (4ab83cc3, which tflite-micro downloads, is the same) and v7.0.0:
// Source/*/*_get_buffer_sizes_*.c, Include/arm_nnsupportfunctions.h. The glue: tensorflow/tflite-micro at the revision
// of distance.Reference, tensorflow/lite/micro/kernels/cmsis_nn, built with KERNELS_OPTIMIZED_FOR_SPEED, as its
// Makefile does. Its ADD, MUL, PAD, PADV2, MAXIMUM, MINIMUM and TRANSPOSE request and keep what the reference kernels
// do.

var cmsisRules = map[string]rule{
	"CONV_2D":                      cmsisConvolution,
	"DEPTHWISE_CONV_2D":            cmsisDepthwise,
	"TRANSPOSE_CONV":               cmsisTransposed,
	"FULLY_CONNECTED":              cmsisConnected,
	"AVERAGE_POOL_2D":              cmsisAverage,
	"MAX_POOL_2D":                  func(Set, *distance.Operator) ([]int64, Answer) { return []int64{}, ByVendor },
	"SOFTMAX":                      func(Set, *distance.Operator) ([]int64, Answer) { return []int64{}, ByVendor },
	"SVDF":                         cmsisSVDF,
	"BATCH_MATMUL":                 cmsisMatrices,
	"UNIDIRECTIONAL_SEQUENCE_LSTM": cmsisLSTM,
}

// asked returns the requests that are not empty: the glue requests only what is above 0.
func asked(n int64) ([]int64, Answer) {
	if n <= 0 {
		return []int64{}, ByVendor
	}
	return []int64{n}, ByVendor
}

// cmsisConvolution goes by the type of the image. 8-bit sizes also serve weights of 4 bits. 16-bit sizes do not
// depend on the bias, because the glue looks for its type among the results.
func cmsisConvolution(s Set, op *distance.Operator) ([]int64, Answer) {
	x := operand(op, 0)
	if !is(x, "INT8") && !is(x, "INT16") {
		return []int64{}, ByVendor
	}
	w, ok := newWindow(op)
	if !ok {
		return nil, Unknown
	}
	if is(x, "INT16") {
		if s.Library == distance.MVE {
			return asked(4 * 2 * up(w.area()*w.in, 8))
		}
		return asked(2 * 2 * w.area() * w.in)
	}
	return asked(cmsisWindows(s, w))
}

// cmsisWindows is a convolution of 8 bits.
func cmsisWindows(s Set, w *window) int64 {
	grouped := w.in != w.filterIn && s.Version != cmsis700 // 7.0.0 does not look
	switch {
	case !w.padded() && w.area() == 1 && !w.dilated() && !grouped:
		return 0
	case s.Library != distance.MVE:
		return 2 * 2 * up(w.area()*w.in, 4)
	case w.image[0] == 1 && w.filter[0] == 1 && w.dilation[1] == 1 && w.stride[1]*w.in%4 == 0 && !grouped:
		return cmsisRow(w)
	}
	return cmsisVectors(w)
}

// cmsisVectors is four windows of 8 bits in whole vectors.
func cmsisVectors(w *window) int64 { return 4 * up(w.area()*w.in, 16) }

// cmsisRow is a filter of one row over an image of one row, for MVE: a window at one of the ends of the row, with as
// much padding as it has there. If the ends meet, it is a convolution like others. The remainder has the sign of the
// padding, as in C.
func cmsisRow(w *window) int64 {
	pad, stride, filter, result := w.before[1], w.stride[1], w.filter[1], w.result[1]
	odd := ((result-1)*stride + filter - w.image[1]) % 2
	ends := func(pad int64) int64 {
		if pad == 0 {
			return 0
		}
		return max(1, (pad+stride-1)/stride)
	}
	left, right := ends(pad), ends(pad+odd)
	if left+right > result {
		return cmsisVectors(w)
	}
	after := pad
	if odd != 0 {
		after = right
	}
	return max(filter+pad, filter-1+after) * w.in
}

// blockChannels is CH_IN_BLOCK_MVE.
const blockChannels = 124

func cmsisDepthwise(s Set, op *distance.Operator) ([]int64, Answer) {
	if !is(operand(op, 0), "INT8") {
		return []int64{}, ByVendor
	}
	w, ok := newWindow(op)
	packed := is(operand(op, 1), "INT4")
	if !ok || !packed && !is(operand(op, 1), "INT8") {
		return nil, Unknown
	}
	plain := w.in == w.out && w.batches == 1 && !w.dilated() // one filter a channel
	switch {
	case s.Library == distance.MVE && !packed && w.in == 1 && w.out > 1:
		return cmsisOneChannel(s, w)
	case !plain:
		return asked(0)
	case s.Library == distance.MVE:
		return asked(4 * blockChannels * w.area())
	case packed:
		return asked(2 * w.in * w.area())
	case s.Library == distance.C || w.filter == [2]int64{3, 3} && max(w.before[0], w.before[1]) <= 1:
		return asked(0)
	}
	return asked(2 * w.in * w.area())
}

// cmsisOneChannel is a depthwise convolution of one channel, which is a convolution with its weights transposed. The
// glue sets no stride before it asks, and a row of an image of one row depends on it.
func cmsisOneChannel(s Set, w *window) ([]int64, Answer) {
	as := *w
	as.filterIn = 1
	if w.image[0] == 1 && w.filter[0] == 1 && w.dilation[1] == 1 && (w.padded() || w.dilated() || w.filter[1] > 1) {
		return nil, Unknown
	}
	return asked(cmsisWindows(s, &as) + w.area()*w.out)
}

// cmsisTransposed always makes both requests of 8 bits, even of 0 bytes: the windows, or sums of 32 bits if that is
// slower, and the weights in reverse.
func cmsisTransposed(s Set, op *distance.Operator) ([]int64, Answer) {
	if len(op.Results) == 0 {
		return nil, Unknown
	}
	x, y, bias := operand(op, 2), &op.Results[0], operand(op, 3)
	switch {
	case is(x, "INT16"):
		if y.Elements() < 0 || bias.Elements() < 0 {
			return nil, Unknown
		}
		requests := []int64{8 * y.Elements()}
		if is(bias, "INT16") {
			requests = append(requests, 8*bias.Elements())
		}
		return requests, ByVendor
	case !is(x, "INT8"):
		return []int64{}, ByVendor
	}
	turned := *op
	turned.Operands = []distance.Tensor{*x, *operand(op, 1)}
	w, ok := newWindow(&turned)
	if !ok {
		return nil, Unknown
	}
	const slowChannels = 16 // REVERSE_TCOL_EFFICIENT_THRESHOLD
	if max(w.stride[0], w.stride[1]) <= 2 && w.in > slowChannels {
		windows := 2 * 2 * up(w.area()*w.in, 4)
		if s.Library == distance.MVE {
			windows = cmsisVectors(w)
		}
		return []int64{windows, w.in * w.area() * w.out}, ByVendor
	}
	row := (w.image[1]-1)*w.stride[1] + max(w.filter[1], w.stride[0]) // of the columns, the stride of the rows
	return []int64{4 * row * w.out * max(w.filter[0], w.stride[0]), 0}, ByVendor
}

// sums reports whether a fully connected operator on MVE needs the sums of its weights, and whether the glue keeps
// them.
func sums(s Set, op *distance.Operator) (bytes int64, kept bool) {
	w, y, bias := operand(op, 1), &op.Results[0], operand(op, 2)
	if s.Library != distance.MVE || is(w, "INT4") || asPointwise(op) {
		return 0, false
	}
	return 4 * int64(y.Shape[len(y.Shape)-1]), w.Constant && (bias.Type.Name == "" || bias.Constant)
}

// asPointwise reports whether a fully connected operator of 8 bits runs as a convolution of 1×1.
func asPointwise(op *distance.Operator) bool {
	w := operand(op, 1)
	return len(op.Results[0].Shape) > 2 && w.Shape[len(w.Shape)-1]%4 == 0
}

// connected reports whether a fully connected operator has the shapes that are looked at.
func connected(op *distance.Operator) bool {
	w := operand(op, 1)
	return len(op.Results) > 0 && len(op.Results[0].Shape) > 0 && op.Results[0].Elements() > 0 &&
		len(w.Shape) > 0 && w.Elements() > 0
}

func cmsisConnected(s Set, op *distance.Operator) ([]int64, Answer) {
	if !is(operand(op, 0), "INT8") || is(operand(op, 1), "INT4") {
		return []int64{}, ByVendor
	}
	if !connected(op) {
		return nil, Unknown
	}
	if asPointwise(op) {
		if op.PerChannel {
			return []int64{}, ByVendor
		}
		y := op.Results[0].Shape
		return asked(2 * 4 * int64(y[len(y)-1])) // a multiplier and a shift for each channel, all equal
	}
	if bytes, kept := sums(s, op); !kept {
		return asked(bytes)
	}
	return []int64{}, ByVendor
}

func cmsisAverage(s Set, op *distance.Operator) ([]int64, Answer) {
	x := operand(op, 0)
	if s.Library != distance.DSP || !is(x, "INT8") && !is(x, "INT16") {
		return []int64{}, ByVendor
	}
	if len(x.Shape) != 4 {
		return nil, Unknown
	}
	return asked(4 * int64(x.Shape[3]))
}

// cmsisSVDF has a row of filters and a row of units for each batch, of 32 bits.
func cmsisSVDF(s Set, op *distance.Operator) ([]int64, Answer) {
	if len(op.Results) == 0 {
		return nil, Unknown
	}
	x, f, y := operand(op, 0), operand(op, 1), &op.Results[0]
	for _, t := range []*distance.Tensor{x, f, y} {
		if len(t.Shape) != 2 || t.Elements() < 0 {
			return nil, Unknown
		}
	}
	filters := 4 * int64(x.Shape[0]) * int64(f.Shape[0])
	switch {
	case !is(x, "INT8"):
		return []int64{filters}, ByVendor
	case s.Library == distance.MVE && !f.Constant:
		return nil, Unknown // the kernel refuses it
	}
	return []int64{filters, 4 * y.Elements()}, ByVendor
}

// cmsisMatrices is as a fully connected operator whose weights are not constant.
func cmsisMatrices(s Set, op *distance.Operator) ([]int64, Answer) {
	if len(op.Results) == 0 {
		return nil, Unknown
	}
	y := op.Results[0].Shape
	switch {
	case s.Library != distance.MVE || !is(operand(op, 0), "INT8"):
		return []int64{}, ByVendor
	case len(y) < 2 || len(y) > 4:
		return nil, Unknown
	}
	return asked(4 * int64(y[len(y)-1]))
}

// The operands of an LSTM that its scratch depends on: the hidden state and the state of the cells.
const lstmHidden, lstmCell = 18, 19

// cmsisLSTM has three states of 16 bits; the reference kernel, which computes others, has four.
func cmsisLSTM(_ Set, op *distance.Operator) ([]int64, Answer) {
	n, cell := operand(op, lstmHidden).Elements(), operand(op, lstmCell)
	switch {
	case n <= 0 || len(op.Operands) <= lstmCell:
		return nil, Unknown
	case is(cell, "FLOAT32"):
		return []int64{4 * n, 4 * n, 4 * n, 4 * n}, ByVendor
	case is(cell, "INT16") && (is(operand(op, 0), "INT8") || is(operand(op, 0), "INT16")):
		return []int64{2 * n, 2 * n, 2 * n}, ByVendor
	}
	return nil, Unknown
}
