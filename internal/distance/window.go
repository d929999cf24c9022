package distance

import "fmt"

// Idea: a window slides over the image by rows, in a row by columns. At each place it reads what of the image it
// covers, and writes a pixel. The reference kernels of CONV_2D, DEPTHWISE_CONV_2D and the pools all do so:
//
//	for each batch, row, column, channel of the result: read its window, then write the element
//
// A channel of a convolution reads all channels of its group; one of a depthwise convolution or a pool reads its own.
//
// The first byte that a place reads is where the first row and the first column of the window inside the image meet. So
// the rows of the result differ only by fixed moves, and the cost is rows plus columns of the result.
//
// Source: tensorflow/lite/kernels/internal/reference: conv.h, depthwiseconv_float.h, pooling.h, and
// integer_ops; micro/kernels/conv.cc, depthwise_conv.cc and pooling.cc, which unpack 4-bit weights to scratch
// and change neither image nor result; kernels/padding.h.

// An edge is one dimension of a sliding window.
type edge struct {
	image, result            int64 // length of the image and of the result
	filter, stride, dilation int64
	before                   int64 // how far the first window begins before the image
}

// newEdge returns an edge whose padding is as TensorFlow Lite has it, or what is wrong with it.
func newEdge(image, result int64, filter, stride, dilation int, padding Padding) (edge, string) {
	const far = 1 << 31
	if filter < 1 || stride < 0 || dilation < 0 || filter >= far || stride >= far || dilation >= far {
		return edge{}, fmt.Sprintf("its filter is %d, its stride %d, its dilation %d", filter, stride, dilation)
	}
	e := edge{
		image: image, result: result, filter: int64(filter), stride: max(int64(stride), 1), dilation: max(int64(dilation), 1),
	}
	reach := (e.filter-1)*e.dilation + 1
	var want int64
	switch padding {
	case Same:
		want = (image + e.stride - 1) / e.stride
		e.before = max(0, (result-1)*e.stride+reach-image) / 2
	case Valid:
		want = (image + e.stride - reach) / e.stride
	default:
		return e, "its padding is neither SAME nor VALID"
	}
	if want != result {
		return e, fmt.Sprintf("its result has %d rows or columns instead of %d", result, want)
	}
	return e, ""
}

// first returns the first row of the image that the window at place i covers, false if it covers none.
func (e edge) first(i int64) (int64, bool) {
	at := i*e.stride - e.before
	k := int64(0)
	if at < 0 {
		k = (-at + e.dilation - 1) / e.dilation
	}
	at += k * e.dilation
	return at, k < e.filter && at < e.image
}

// places returns the first row of the image that the window covers at each place.
func (e edge) places() []run {
	out := make([]run, e.result)
	for i := range out {
		at, ok := e.first(int64(i))
		out[i] = run{count: 1, first: at, blind: !ok}
	}
	return out
}

// A window has the image and the result, and where it is at each row and column.
type window struct {
	in, out       []int64 // shapes: batches, rows, columns, channels
	rows, columns []run
	read, written int64 // bytes of an element
}

// slide returns the whole run, with what is done at each place.
func (w *window) slide(pixel steps) steps {
	in, out := strides(w.in, w.read), strides(w.out, w.written)
	return nest(pixel, every(w.in[0], out[0], in[0]), loop{w.rows, out[1], in[1]}, loop{w.columns, out[2], in[2]})
}

// rowsMost bounds the rows and the columns that are looked at one by one.
const rowsMost = 1 << 24

// newWindow returns the window of an operator whose first operand and first result are images, or what is
// wrong with it.
func newWindow(op *Operator, filter [2]int) (w *window, refused string) {
	x, y := op.Operands[0], op.Results[0]
	if len(x.Shape) != 4 || len(y.Shape) != 4 {
		return nil, "its image or its result has not four dimensions"
	}
	in, _ := x.dims(4)
	out, _ := y.dims(4)
	if in[0] != out[0] {
		return nil, fmt.Sprintf("its image has %d batches, its result %d", in[0], out[0])
	}
	if out[1] > rowsMost || out[2] > rowsMost {
		return nil, fmt.Sprintf("its result has shape %v", y.Shape)
	}
	w = &window{in: in, out: out, read: x.size(), written: y.size()}
	for i, places := range []*[]run{&w.rows, &w.columns} {
		e, refused := newEdge(in[1+i], out[1+i], filter[i], op.Stride[i], op.Dilation[i], op.Padding)
		if refused != "" {
			return nil, refused
		}
		*places = e.places()
	}
	return w, ""
}

// channels is what a kernel does at a place: for each group of channels of the image it computes
// some channels of the result, one by one.
func channels(groups, read, written, in, out int64) steps {
	return element(out).times(written, out, 0).times(groups, written*out, read*in)
}

// filtered returns the filter of a convolution, its second operand, and the window that it moves.
func filtered(op *Operator) (filter *Tensor, w *window, refused string) {
	if why := op.has(2, 1); why != "" {
		return nil, nil, why
	}
	filter = &op.Operands[1]
	if len(filter.Shape) != 4 || filter.Elements() < 0 {
		return nil, nil, fmt.Sprintf("its filter has shape %v", filter.Shape)
	}
	w, refused = newWindow(op, [2]int{filter.Shape[1], filter.Shape[2]})
	return filter, w, refused
}

// convolution is CONV_2D, in groups if the filter has fewer channels than the image.
func convolution(op *Operator) ([]Permit, string) {
	f, w, refused := filtered(op)
	if refused != "" {
		return nil, refused
	}
	in, out := op.Operands[0].Shape[3], op.Results[0].Shape[3]
	if f.Shape[0] != out || in%f.Shape[3] != 0 || out%(in/f.Shape[3]) != 0 {
		return nil, fmt.Sprintf("its filter has shape %v, for %d channels to %d", f.Shape, in, out)
	}
	groups := in / f.Shape[3]
	pixel := channels(int64(groups), int64(f.Shape[3]), int64(out/groups), op.Operands[0].size(), op.Results[0].size())
	return []Permit{w.slide(pixel).permit(0, 0)}, ""
}

// depthwise is DEPTHWISE_CONV_2D.
func depthwise(op *Operator) ([]Permit, string) {
	f, w, refused := filtered(op)
	if refused != "" {
		return nil, refused
	}
	in, out := op.Operands[0].Shape[3], op.Results[0].Shape[3]
	if f.Shape[3] != out || out%in != 0 || op.DepthMultiplier != 0 && op.DepthMultiplier != out/in {
		return nil, fmt.Sprintf("its filter has shape %v and its multiplier is %d, for %d channels to %d", f.Shape,
			op.DepthMultiplier, in, out)
	}
	pixel := channels(int64(in), 1, int64(out/in), op.Operands[0].size(), op.Results[0].size())
	return []Permit{w.slide(pixel).permit(0, 0)}, ""
}

// pool is MAX_POOL_2D, AVERAGE_POOL_2D and L2_POOL_2D.
func pool(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	w, refused := newWindow(op, op.Filter)
	if refused != "" {
		return nil, refused
	}
	if in, out := op.Operands[0].Shape[3], op.Results[0].Shape[3]; in != out {
		return nil, fmt.Sprintf("it has %d channels to %d", in, out)
	}
	pixel := channels(int64(op.Operands[0].Shape[3]), 1, 1, op.Operands[0].size(), op.Results[0].size())
	return []Permit{w.slide(pixel).permit(0, 0)}, ""
}
