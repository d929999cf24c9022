package distance

import (
	"fmt"
	"maps"
	"sync"
)

// Idea: CMSIS-NN computes what the reference kernels compute, in another order. A rule here is the reference's
// distance plus what the other order adds:
//
//	kernel                                            C, DSP                            MVE
//	general convolution, depthwise, average pool,     reference                         reference
//	fully connected, element-wise
//	convolution 1×1 by 1×1, stride 1                  refused, unless it is one pixel   reference + 3 pixels
//	convolution 1×1, other strides                    reference + a row less a pixel    reference + 3 pixels
//	convolution 1×n of an image of one row            reference                         reference + 3 pixels, or refused
//	convolution in groups                             refused                           refused
//	depthwise with more than 124 channels             reference                         refused
//	depthwise of one channel to several               reference                         as the convolution it becomes
//	max pool                                          a copy apart, then the rest read  the rest read after a copy
//
// Pixels and rows are those of the result.
//
// Why the reference's distance is enough for most: the kernels go through the pixels of the result in the same order.
// They read a block of two or four windows (of four, three or sixteen channels) whole, then write the block. All that
// such a block writes, the reference has written at its end too, and all that is read later, the reference reads
// later too. So the writes before each read are among those before that read in the reference's order.
//
// Invariant: the distance is not below that of any of the paths that compilers choose among: GCC and Arm's
// compiler differ in which convolution a depthwise convolution becomes.
//
// Source: ARM-software/CMSIS-NN at the revision of Library.Source, Source/; the choice of the kernel is that of
// tensorflow/lite/micro/kernels/cmsis_nn in tensorflow/tflite-micro, at the revision of Reference. Operators that
// this glue does not hand to CMSIS-NN run the reference kernel, so the reference's rule holds.
//
// Trials: docs/lab/tflm.md (measured on three kinds of cores; the exact distance of blocks holds for one width only).

// ahead is all but the first of the pixels that the kernels for MVE compute at once.
const ahead = 4 - 1

// blockChannels is CH_IN_BLOCK_MVE and S4_CH_IN_BLOCK_MVE of Include/arm_nnsupportfunctions.h: depthwise
// kernels for MVE go through the image once for each block of so many channels.
const blockChannels = 124

// The tables are made once for each kind of core.
var (
	mve = sync.OnceValue(func() map[string]rule { return cmsis(MVE) })
	dsp = sync.OnceValue(func() map[string]rule { return cmsis(DSP) })
	inC = sync.OnceValue(func() map[string]rule { return cmsis(C) })
)

// cmsis returns the rules of CMSIS-NN on a kind of core.
func cmsis(l Library) map[string]rule {
	reference := reference()
	table := maps.Clone(reference)
	for kind, r := range map[string]func(l Library, op *Operator, reference rule) ([]Permit, string){
		"CONV_2D":           cmsisConvolution,
		"DEPTHWISE_CONV_2D": cmsisDepthwise,
		"FULLY_CONNECTED":   cmsisConnected,
		"MAX_POOL_2D":       cmsisMaxPool,
		"ADD":               cmsisBinary,
		"MUL":               cmsisBinary,
		"MAXIMUM":           cmsisExtreme,
		"MINIMUM":           cmsisExtreme,
		"PAD":               cmsisPad,
		"PADV2":             cmsisPad,
	} {
		table[kind] = func(op *Operator) ([]Permit, string) { return r(l, op, reference[kind]) }
	}
	for _, kind := range []string{"SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BATCH_MATMUL", "TRANSPOSE"} {
		table[kind] = refuse("CMSIS-NN's order has not been worked out")
	}
	return table
}

// taken reports whether the glue hands an operator to CMSIS-NN: integers of 8 or 16 bits.
func taken(op *Operator) bool {
	return len(op.Operands) > 0 && (op.Operands[0].Type.Name == "INT8" || op.Operands[0].Type.Name == "INT16")
}

// further returns permits with each distance longer by some bytes.
func further(permits []Permit, bytes int64) []Permit {
	for i := range permits {
		permits[i].Distance += bytes
	}
	return permits
}

// cmsisConvolution is arm_convolve_wrapper_s8, _s4 and _s16.
func cmsisConvolution(l Library, op *Operator, reference rule) ([]Permit, string) {
	permits, refused := reference(op)
	if refused != "" || !taken(op) {
		return permits, refused
	}
	f := op.Operands[1]
	if f.Shape[3] != op.Operands[0].Shape[3] {
		// arm_convolve_s8.c:142: the loop over groups is outside of that over pixels; the other paths know no groups.
		return nil, "CMSIS-NN goes through the image once for each group"
	}
	if op.Operands[0].Type.Name == "INT16" {
		return permits, "" // arm_convolve_s16.c:105: by two or four windows
	}
	return cmsisWindows(l, op, [2]int{f.Shape[1], f.Shape[2]}, f.Type.Name == "INT4", permits)
}

// cmsisWindows is a convolution of 8 bits, whose permits by the reference's order are given.
func cmsisWindows(l Library, op *Operator, filter [2]int, packed bool, permits []Permit) ([]Permit, string) {
	x, y := op.Operands[0].Shape, op.Results[0].Shape
	var edges [2]edge
	for d := range edges {
		var refused string
		if edges[d], refused = newEdge(int64(x[1+d]), int64(y[1+d]), filter[d], op.Stride[d], op.Dilation[d],
			op.Padding); refused != "" {
			return nil, refused
		}
	}
	rows, columns, pixel := edges[0], edges[1], int64(y[3])
	switch {
	case filter == [2]int{1, 1} && rows.before == 0 && columns.before == 0 && rows.dilation == 1 && columns.dilation == 1:
		// arm_nnsupportfunctions.h:125. One call of arm_nn_mat_mult_nt_t has the whole of a batch, and of all
		// batches, if both strides are 1 (arm_convolve_1x1_s8_fast.c:72), else a row (arm_convolve_1x1_s8.c:70).
		unit := rows.stride == 1 && columns.stride == 1
		pixels := columns.result
		if unit {
			pixels *= rows.result * int64(x[0])
		}
		if l == MVE {
			return cmsisQuads(permits, pixels, pixel), ""
		}
		// arm_nn_mat_mult_nt_t_s8.c:230 and 626, _s4.c:506 and 1567: the loop over the result's channels is outside.
		if unit && pixels > 1 {
			return nil, "CMSIS-NN goes through the image once for each pair of channels, if both strides are 1"
		}
		return further(permits, (pixels-1)*pixel), ""
	case l == MVE && rows.image == 1 && filter[0] == 1 && columns.dilation == 1 && columns.stride*int64(x[3])%4 == 0:
		return cmsisRow(columns, pixel, packed, permits) // arm_nnsupportfunctions.h:153
	}
	return permits, "" // arm_convolve_s8.c:145, arm_convolve_s4.c, arm_convolve_even_s4.c: by two or four windows
}

// cmsisQuads adds to the reference's distance what arm_nn_mat_mult_nt_t adds on MVE. It takes four rows of its left
// operand, which are pixels, and computes a channel of all four at a time. So up to three pixels
// lie ahead of the one that is read again (arm_nn_mat_mult_nt_t_s8.c:67, _s4.c:71, 179 and 277).
func cmsisQuads(permits []Permit, pixels, bytes int64) []Permit {
	return further(permits, max(0, min(ahead, pixels-1))*bytes)
}

// cmsisRow is arm_convolve_1_x_n_s8 on MVE: an edge on the left by a copy, the middle in place, an edge on the
// right by a copy.
//
// The copy on the right has one pixel less than the filter, wherever the image ends (arm_convolve_1_x_n_s8.c:116 and
// 188), and as much padding as there are windows over the edge, if the padding is odd (:93). With a stride either can
// be too little or too much: the kernel then reads past the image or past the copy, and its result depends on what lies
// there. That is a fault of the kernel also without any overlap, so nothing is promised.
func cmsisRow(e edge, pixel int64, packed bool, permits []Permit) ([]Permit, string) {
	total := (e.result-1)*e.stride + e.filter - e.image
	odd := total % 2
	if e.before*2+odd != total {
		return nil, fmt.Sprintf("arm_convolve_1_x_n rejects %d pixels of padding", total) // :83
	}
	var left, right int64
	if e.before > 0 {
		left = max(1, (e.before+e.stride-1)/e.stride)
	}
	if e.before+odd != 0 {
		right = max(1, (e.before+odd+e.stride-1)/e.stride)
	}
	middle := max(0, e.result-left-right)
	padding := e.before // of the copy on the right
	if odd != 0 {
		padding = right
	}
	switch {
	case packed:
		return nil, "the order of arm_convolve_1_x_n_s4 has not been worked out"
	case left+middle+right != e.result:
		return permits, "" // :99: arm_convolve_s8
	case right > 0 && e.image-(e.stride*(left+middle)-e.before) != e.filter-1:
		return nil, "arm_convolve_1_x_n_s8 reads past the image at its right edge"
	case right > 0 && padding < (right-1)*e.stride+1:
		return nil, "arm_convolve_1_x_n_s8 reads past its copy of the image's right edge"
	}
	return cmsisQuads(permits, middle, pixel), ""
}

// cmsisDepthwise is arm_depthwise_conv_wrapper_s8 and _s4, and arm_depthwise_conv_s16.
func cmsisDepthwise(l Library, op *Operator, reference rule) ([]Permit, string) {
	permits, refused := reference(op)
	if refused != "" || l != MVE || !taken(op) || op.Operands[0].Type.Name == "INT16" {
		return permits, refused // arm_depthwise_conv_s16.c:160, _s8.c:78 and 188, _3x3_s8.c:95, _s8_opt.c:220, _s4.c
	}
	x, f := op.Operands[0], op.Operands[1]
	in, out, packed := x.Shape[3], op.Results[0].Shape[3], f.Type.Name == "INT4"
	switch {
	case in == 1 && out > 1 && !packed:
		// arm_depthwise_conv_wrapper_s8.c:110: a convolution, by GCC from 2 channels on, by Arm's compiler from 9 on
		// (arm_nnsupportfunctions.h:83). As a depthwise convolution it keeps the reference's distance, which is less.
		return cmsisWindows(l, op, [2]int{f.Shape[1], f.Shape[2]}, false, permits)
	case in > blockChannels && in == out && x.Shape[0] == 1 && max(op.Dilation[0], 1) == 1 && max(op.Dilation[1], 1) == 1:
		// arm_depthwise_conv_s8_opt.c:108, arm_depthwise_conv_s4_opt.c: the loop over blocks is outside.
		return nil, fmt.Sprintf("CMSIS-NN goes through the image once for each %d of its %d channels", blockChannels, in)
	}
	return permits, ""
}

// cmsisConnected is arm_fully_connected_wrapper_s8, _s4 and _s16, batch by batch, and arm_convolve_1x1_s8_fast, all
// batches at once, which the glue takes if the result has more than two dimensions and the operand's are
// multiples of four (cmsis_nn/fully_connected.cc, is_conv_1x1_possible).
func cmsisConnected(l Library, op *Operator, reference rule) ([]Permit, string) {
	permits, refused := reference(op)
	if refused != "" || !taken(op) {
		return permits, refused
	}
	x, f, y := op.Operands[0], op.Operands[1], op.Results[0]
	channels := int64(y.Shape[len(y.Shape)-1])
	batches := y.Elements() / channels
	if x.Type.Name == "INT16" || f.Type.Name == "INT4" || len(y.Shape) <= 2 || f.Shape[len(f.Shape)-1]%4 != 0 {
		return permits, "" // arm_fully_connected_s8.c:75, _per_channel_s8.c:74, _s16.c:69, _s4.c:68
	}
	if l == MVE {
		return cmsisQuads(permits, batches, channels), ""
	}
	if batches > 1 {
		return nil, "CMSIS-NN goes through all batches once for each pair of channels"
	}
	return permits, ""
}

// cmsisMaxPool is arm_max_pool_s8 and _s16: the first pixel of each window is copied to the result, then the others
// are compared with it there (arm_max_pool_s8.c:216, _s16.c:202). So the result is written before the
// window has been read. The copy is memcpy but for 8 bits on MVE, where it goes forward by sixteen bytes
// (arm_memcpy_s8 in arm_nnsupportfunctions.h).
func cmsisMaxPool(l Library, op *Operator, reference rule) ([]Permit, string) {
	permits, refused := reference(op)
	if refused != "" || !taken(op) {
		return permits, refused
	}
	w, refused := newWindow(op, op.Filter)
	if refused != "" {
		return nil, refused
	}
	y := &op.Results[0]
	size, bytes := y.size(), int64(y.Shape[3])*y.size()
	first := copies(bytes)
	if l == MVE && y.Type.Name == "INT8" {
		first = element(size).times(bytes/size, size, size)
	}
	return []Permit{w.slide(first.then(reads(bytes)).then(writes(bytes))).permit(0, 0)}, ""
}

// cmsisBinary is arm_elementwise_add and _mul; operands that are broadcast run the reference's loops, which may
// read an operand's element again for each of the result.
func cmsisBinary(_ Library, op *Operator, reference rule) ([]Permit, string) {
	if !taken(op) {
		return reference(op)
	}
	return broadcast(op, false)
}

// cmsisExtreme is arm_maximum_s8 and arm_minimum_s8: the operand that has the result's shape is read from first
// to last.
func cmsisExtreme(_ Library, op *Operator, reference rule) ([]Permit, string) {
	permits, refused := reference(op)
	if refused != "" || !taken(op) || op.Operands[0].Type.Name == "INT16" {
		return permits, refused
	}
	kept := permits[:0]
	for _, p := range permits {
		if op.Operands[p.Operand].Elements() == op.Results[0].Elements() {
			kept = append(kept, p)
		}
	}
	return kept, ""
}

// cmsisPad is arm_pad_s8: a row of the image is one copy if no channels are padded, else a pixel is (arm_pad_s8.c:80).
func cmsisPad(_ Library, op *Operator, reference rule) ([]Permit, string) {
	if !taken(op) || op.Operands[0].Type.Name == "INT16" {
		return reference(op)
	}
	all, refused := margins(op)
	if refused != "" {
		return nil, refused
	}
	if len(all) > 4 {
		return nil, fmt.Sprintf("it has %d dimensions", len(all))
	}
	for len(all) < 4 {
		all = append([]margin{{n: 1}}, all...)
	}
	x, _ := op.Operands[0].dims(4)
	y, _ := op.Results[0].dims(4)
	read, written := strides(x, 1), strides(y, 1)
	inner, dims := copies(all[3].n).moved(all[3].before, 0).then(writes(y[3])), 3
	if all[3].before == 0 && all[3].after == 0 {
		inner, dims = copies(all[2].n*all[3].n).moved(all[2].before*all[3].n, 0).then(writes(y[2]*y[3])), 2
	}
	var nested []loop
	for d, m := range all[:dims] {
		nested = append(nested, loop{inUse(blindEdges(m)), written[d], read[d]})
	}
	return []Permit{nest(inner, nested...).permit(0, 0)}, ""
}
