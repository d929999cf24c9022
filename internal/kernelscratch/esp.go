package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: ESP-NN asks for one buffer for a convolution and one for a softmax. For the ESP32-S3 it holds the operands of
// vector instructions: weights in rows of 16 bytes, the image with its padding, sums of the weights, and some bytes
// for alignment. The kernels in C ask for a softmax only.
//
// The glue requests scratch if the operand is INT8, with any dilation, after the buffer for weights of 4 bits.
//
// Source: espressif/esp-nn at the revisions in set.go: src/convolution/esp_nn_conv_esp32s3.c, esp_nn_conv_esp32p4.c,
// esp_nn_conv_opt.c, esp_nn_depthwise_conv_s8_esp32s3.c, esp_nn_depthwise_conv_esp32p4.c, esp_nn_depthwise_conv_opt.c,
// src/softmax/*.c, and include/*.h for which chip has which. The glue: espressif/esp-tflite-micro at 99f49e1,
// tensorflow/lite/micro/kernels/esp_nn/conv.cc, depthwise_conv.cc, softmax.cc. Its ADD, MUL, FULLY_CONNECTED and pools
// request and keep what the reference kernels do. ESP-NN has a mean, a logistic and a hard swish; the glue calls none.

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
		pointwise := w.filter == [2]int64{1, 1} && !w.padded() && w.stride == [2]int64{1, 1}
		switch {
		case s.Part == InC:
			return 0
		case s.Part == ESP32P4 && s.Version == esp123:
			return espP4(w, pointwise)
		case pointwise && s.Version == esp123:
			return espPointwise(w) + espMargin
		case pointwise:
			return espPointwise(w)
		case s.Part == ESP32P4 || s.Version == esp112 || s.Version == esp120:
			return espMargin + espImage(w) + w.out*w.area()*up(w.in, 16) + 4*w.out
		case s.Version == esp123:
			return espRows(w) + espMargin // the margin has doubled
		}
		return espRows(w)
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

// espRows is a convolution since 27d1f4a. If a row of the filter has less than 16 bytes and the filter has more,
// windows are copied one by one. Otherwise the weights are kept twice, by channels and by rows, and the image is kept
// again, extended to the end of its last windows.
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
		tiles := s.Version == esp121 || s.Version == esp123
		words := 2 * (w.area()*w.in*w.multiplier + w.pixels()*w.in) // weights and image of 16 bits
		gap := int64(32)                                            // between the two
		if s.Version == esp112 {
			gap = 16
		}
		three := w.filter == [2]int64{3, 3}
		switch {
		case w.multiplier == 1 && w.in%16 == 0 && three:
			return espThree(w, tiles)
		case w.multiplier == 1 && w.in%8 == 0 && three && tiles && w.in >= 12:
			return espWidened(w)
		case w.multiplier == 1 && w.in%8 == 0 && (three || tiles && words <= 48<<10):
			return words + gap
		case w.multiplier == 1 && w.in%8 == 0 && tiles: // as many rows of the image as the filter has
			return 2*w.area()*w.in + 2*w.filter[0]*w.image[1]*w.in + gap
		case w.multiplier == 1 && w.in > 3 && tiles:
			return espEights(w)
		case w.multiplier%4 == 0:
			return words + gap
		}
		return espMargin
	})
}

// espThree is a filter of 3×3 for a multiple of 16 channels: the weights, and the image with its padding, or extended
// to the end of its last windows. Since 1.2.1 an image above 40 KiB is taken in strips of three rows.
func espThree(w *window, tiles bool) int64 {
	weights := 9 * w.in
	more := [2]int64{2 * w.before[0], 2 * w.before[1]}
	if !w.padded() {
		more = [2]int64{w.beyond(0), w.beyond(1)}
	}
	if more == [2]int64{} {
		return weights + 16
	}
	row := (w.image[1] + more[1]) * w.in
	image := (w.image[0] + more[0]) * row
	if tiles && image > 40<<10 {
		image = 3 * row
	}
	return weights + image + 16
}

// espWidened is a filter of 3×3 whose channels are filled up to a multiple of 16: weights, image and result.
func espWidened(w *window) int64 {
	wide, pixels := up(w.in, 16), int64(1)
	for d := range 2 {
		pixels *= w.image[d] + 2*w.before[d] + max(0, w.beyond(d))
	}
	return wide*(9+pixels+w.result[0]*w.result[1]) + 64
}

// espEights is one filter a channel, with channels filled up to a multiple of 8: weights and image of 16 bits, the
// result, and bias, shift and multiplier of each channel, each at a multiple of 16.
func espEights(w *window) int64 {
	wide := up(w.in, 8)
	image := up(2*w.area()*wide, 16)
	result := up(image+2*w.pixels()*wide, 16)
	return up(result+w.result[0]*w.result[1]*wide, 16) + 3*4*wide + 16
}

// espP4 is a convolution of the ESP32-P4 since 1.2.3.
func espP4(w *window, pointwise bool) int64 {
	n := espMargin + 4*w.out // with sums of the weights
	all, least := w.area()*w.in, up((16+w.filter[1]-1)/w.filter[1], 16)
	switch {
	case pointwise && w.in < 16:
		return n + 16*w.out + 32
	case pointwise:
		return espPointwise(w)
	case !w.padded() && w.filter[1]*w.in >= 16:
		return n + w.out*w.area()*up(w.in, 16)
	case all >= 16:
		return n + all // a window
	case !w.padded():
		return n + (w.out*w.area()+w.pixels())*least
	case espImage(w)+4*w.out <= espCache:
		return n + espImage(w) + w.out*w.area()*up(w.in, 16)
	}
	return n + espTiles(w, least)
}

// espCache is L1D_BUDGET, the bytes that a tile of the image should stay below.
const espCache = 32 << 10

// espTiles is a padded image above espCache in tiles of as many rows of the result as fit.
func espTiles(w *window, least int64) int64 {
	channels, weights := w.in, int64(0)
	if w.filter[1]*w.in < 16 {
		channels, weights = least, w.area()*least*w.out
	}
	row, rows := (w.image[1]+2*w.before[1])*channels, int64(1)
	if left := espCache - 4*w.out - weights; left > 0 && w.filter[0]*row <= left {
		rows = min((left-w.filter[0]*row)/(w.stride[0]*row)+1, w.result[0])
	}
	return weights + ((rows-1)*w.stride[0]+w.filter[0]+2*w.before[0])*row
}

// espSoftmax is a softmax of INT8 to INT8. The kernel expects the last dimension, but the glue passes the second.
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
