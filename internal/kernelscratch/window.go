package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: convolutions and pools have a window that slides over an image. All formulas look at the same sizes, so
// they are read once.
//
// Source: tensorflow/tflite-micro at the revision of distance.Reference, tensorflow/lite/kernels/padding.h: the rows
// before the image come from the length that the result should have by the padding, not from the one that it has.

// most bounds a dimension: ESP-NN reads dimensions into 16 bits, and no product of four may overflow.
const most = 1<<16 - 1

// A window has the sizes of a convolution, rows before columns.
type window struct {
	batches                int64
	image, result, filter  [2]int64
	stride, dilation       [2]int64
	before                 [2]int64 // how far the first window begins before the image
	in, out, filterIn      int64    // channels of image and result, and of the filter
	multiplier             int64    // of a depthwise convolution
	filterBatches, weights int64    // the filter's first dimension, and its elements
}

// pixels returns the pixels of the image of one batch.
func (w *window) pixels() int64 { return w.image[0] * w.image[1] }

// area returns the pixels of the filter.
func (w *window) area() int64 { return w.filter[0] * w.filter[1] }

// padded reports whether a window begins before the image.
func (w *window) padded() bool { return w.before != [2]int64{} }

// dilated reports whether the filter has holes.
func (w *window) dilated() bool { return w.dilation != [2]int64{1, 1} }

// newWindow reads the sizes of a convolution, depthwise or not. It is false if a shape has not four dimensions, or one
// that is too large or not positive.
func newWindow(op *distance.Operator) (*window, bool) {
	if len(op.Results) == 0 {
		return nil, false
	}
	x, f, y := operand(op, 0), operand(op, 1), &op.Results[0]
	for _, t := range []*distance.Tensor{x, f, y} {
		if len(t.Shape) != 4 || t.Elements() < 0 {
			return nil, false
		}
		for _, d := range t.Shape {
			if d > most {
				return nil, false
			}
		}
	}
	w := &window{
		batches: int64(x.Shape[0]), in: int64(x.Shape[3]), out: int64(y.Shape[3]),
		filterBatches: int64(f.Shape[0]), filterIn: int64(f.Shape[3]), weights: f.Elements(),
	}
	for d := range 2 {
		w.image[d], w.result[d], w.filter[d] = int64(x.Shape[1+d]), int64(y.Shape[1+d]), int64(f.Shape[1+d])
		w.stride[d], w.dilation[d] = max(int64(op.Stride[d]), 1), max(int64(op.Dilation[d]), 1)
		if op.Stride[d] < 0 || op.Dilation[d] < 0 || w.stride[d] > most || w.dilation[d] > most {
			return nil, false
		}
		w.before[d] = before(w.image[d], w.filter[d], w.stride[d], w.dilation[d], op.Padding)
	}
	if w.multiplier = int64(op.DepthMultiplier); w.multiplier == 0 {
		w.multiplier = max(w.out/w.in, 1)
	}
	return w, w.multiplier > 0 && w.multiplier <= most
}

// before returns how far the first window begins before an image of one dimension.
func before(image, filter, stride, dilation int64, padding distance.Padding) int64 {
	if padding != distance.Same {
		return 0
	}
	reach := (filter-1)*dilation + 1
	result := (image + stride - 1) / stride
	return max(0, (result-1)*stride+reach-image) / 2
}
