package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: ESP-NN asks for one buffer for a convolution and one for a softmax. For the ESP32-S3 it holds what the vector
// instructions want: weights with rows of 16 bytes, an image with its padding written out, sums of the weights, and
// some bytes to align by. The kernels in C ask for a softmax only.
//
// The glue asks if the operand is INT8, whatever the dilation, and after the buffer for weights of 4 bits.
//
// Source: espressif/esp-nn at v1.1.2 (596b084), v1.2.0 (b859e50), 27d1f4a: src/convolution/esp_nn_conv_esp32s3.c,
// esp_nn_conv_esp32p4.c, esp_nn_conv_opt.c, esp_nn_depthwise_conv_s8_esp32s3.c, esp_nn_depthwise_conv_opt.c,
// src/softmax/esp_nn_softmax_opt.c. The glue: espressif/esp-tflite-micro at 99f49e1,
// tensorflow/lite/micro/kernels/esp_nn/conv.cc, depthwise_conv.cc, softmax.cc. Its ADD, MUL, FULLY_CONNECTED and pools
// request and keep what the reference kernels do.

var espRules = map[string]rule{
	"CONV_2D":           espConvolution,
	"DEPTHWISE_CONV_2D": espDepthwise,
	"SOFTMAX":           espSoftmax,
}

// espWindow answers for a convolution with what a chip's kernel asks for.
func espWindow(op *distance.Operator, kernel func(w *window) int64) ([]int64, Answer) {
	w, ok := newWindow(op)
	if !ok {
		return nil, Unknown
	}
	requests := []int64{}
	if is(operand(op, 1), "INT4") {
		requests = append(requests, w.weights)
	}
	if is(operand(op, 0), "INT8") {
		if n := kernel(w); n > 0 {
			requests = append(requests, n)
		}
	}
	return requests, ByVendor
}

func espConvolution(s Set, op *distance.Operator) ([]int64, Answer) {
	return espWindow(op, func(w *window) int64 {
		switch {
		case s.Part == InC:
			return 0
		case w.filter == [2]int64{1, 1} && !w.padded() && w.stride == [2]int64{1, 1}:
			return espPointwise(w)
		case s.Part == ESP32S3 && s.Version == espColumns:
			return espRows(w)
		}
		return espMargin + espImage(w) + w.out*w.area()*up(w.in, 16) + 4*w.out
	})
}

// espMargin is room to align the buffer.
const espMargin = 32

// espPointwise is a filter of one pixel: weights with rows of 8 channels, an image with such rows unless it has them,
// and eight pixels of 16 bits for two rows.
func espPointwise(w *window) int64 {
	row := up(w.in, 8)
	n := espMargin + w.out*row
	if row != w.in {
		n += w.pixels() * row
	}
	if w.pixels() >= 8 {
		n += 2 * 8 * row
	}
	return n
}

// espImage is the image with padding on all sides, if it has padding before it.
func espImage(w *window) int64 {
	if !w.padded() {
		return 0
	}
	return (w.image[0] + 2*w.before[0]) * (w.image[1] + 2*w.before[1]) * w.in
}

// espRows is a convolution since 27d1f4a. If a row of the filter is below 16 bytes and the filter is not, windows are copied
// one by one; else the weights are kept twice, by channels and by rows, and the image again with what its last windows reach
// beyond it.
func espRows(w *window) int64 {
	row := w.filter[1] * w.in
	if all := row * w.filter[0]; row < 16 && all >= 16 {
		return espMargin + 4*w.out + 16 + w.out*up(all, 16) + 16 + up(all, 16)
	}
	n := espMargin + espImage(w) + 4*w.out
	n += w.out * (w.area()*up(w.in, 16) + w.filter[0]*up(row, 16))
	if below, right := w.beyond(0), w.beyond(1); max(below, right) > 0 {
		n += (w.image[0] + max(below, 0)) * (w.image[1] + max(right, 0)) * w.in
	}
	return n
}

// beyond returns how far the windows reach beyond the image, as ESP-NN counts it, which may be below zero.
func (w *window) beyond(d int) int64 { return w.result[d]*w.stride[d] + w.filter[d] - 1 - w.image[d] }

func espDepthwise(s Set, op *distance.Operator) ([]int64, Answer) {
	return espWindow(op, func(w *window) int64 {
		if s.Part != ESP32S3 {
			return 0
		}
		weights, image := w.area()*w.in*w.multiplier, w.pixels()*w.in
		gap := int64(32) // between weights and image of 16 bits
		if s.Version == espOld {
			gap = 16
		}
		switch {
		case w.multiplier == 1 && w.in%16 == 0 && w.filter == [2]int64{3, 3}:
			more := [2]int64{2 * w.before[0], 2 * w.before[1]}
			if !w.padded() {
				more = [2]int64{w.beyond(0), w.beyond(1)}
			}
			if more == [2]int64{} {
				return weights + 16
			}
			return weights + (w.image[0]+more[0])*(w.image[1]+more[1])*w.in + 16
		case w.multiplier == 1 && w.in%8 == 0 && w.filter == [2]int64{3, 3}, w.multiplier%4 == 0:
			return 2*(weights+image) + gap
		}
		return espMargin
	})
}

// espSoftmax is a softmax of INT8 to INT8. The kernel means the last dimension, and the glue hands it the second.
func espSoftmax(_ Set, op *distance.Operator) ([]int64, Answer) {
	x := operand(op, 0)
	if len(op.Results) == 0 || !is(x, "INT8") || !is(&op.Results[0], "INT8") {
		return []int64{}, ByVendor
	}
	if len(x.Shape) < 2 || x.Elements() < 0 {
		return nil, Unknown // the glue reads a dimension that is not there
	}
	return []int64{4 * int64(x.Shape[1])}, ByVendor
}
