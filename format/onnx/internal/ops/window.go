package ops

import "github.com/stowage-go/stowage/format/onnx/internal/shape"

// The rules of operators that slide a window: convolutions and pools.
//
// A window of k elements, d apart, covers w = (k-1)·d+1. Moved by s over n elements with padding p on both sides
// together, it has ⌊(n + p − w)/s⌋ + 1 places, and one more if a remainder counts (ceil_mode). Since version 22 no
// place begins in the padding behind.

// sliding is what the attributes of such an operator say.
type sliding struct {
	kernel, strides, dilations, pads []int64
	same, ceil, pool                 bool
}

// sliding reads the attributes for so many spatial dimensions. A kernel that is not
// an attribute has the shape of the weights.
func (c *Call) sliding(rank, weights int) (s sliding, reason string) {
	s.kernel = c.integers("kernel_shape")
	if s.kernel == nil && weights > 0 {
		if w := c.dims(weights); len(w) == rank+2 {
			s.kernel = w[2:]
		} else if w == nil {
			return s, ""
		}
	}
	s.pool = weights < 0
	ones := make([]int64, rank)
	for i := range ones {
		ones[i] = 1
	}
	s.strides, s.dilations, s.pads = ones, ones, make([]int64, 2*rank)
	if v := c.integers("strides"); v != nil {
		s.strides = v
	}
	if v := c.integers("dilations"); v != nil {
		s.dilations = v
	}
	switch auto := c.text("auto_pad", "NOTSET"); auto {
	case "SAME_UPPER", "SAME_LOWER":
		s.same = true
	case "VALID":
	default:
		if v := c.integers("pads"); v != nil {
			s.pads = v
		}
	}
	s.ceil = c.integer("ceil_mode", 0) != 0
	if len(s.kernel) != rank || len(s.strides) != rank || len(s.dilations) != rank || len(s.pads) != 2*rank {
		return s, "its window and its input have different numbers of dimensions"
	}
	for i := range rank {
		if s.kernel[i] == 0 || s.kernel[i] < -1 || s.strides[i] < 1 || s.dilations[i] < 1 {
			return s, "its window must have a size, a stride and a dilation of at least 1"
		}
	}
	for _, list := range [][]int64{s.kernel, s.strides, s.dilations, s.pads} {
		if !small(list) {
			return s, "its window is too large"
		}
	}
	return s, ""
}

// places returns how many places the window has along a spatial dimension, -1 if it has none or that is not known.
func (s *sliding) places(i int, n int64, opset int64) int64 {
	if n < 0 || s.kernel[i] < 0 && !s.same {
		return -1
	}
	rank := len(s.kernel)
	if s.same {
		return ceilDiv(n, s.strides[i])
	}
	room := n + s.pads[i] + s.pads[rank+i] - ((s.kernel[i]-1)*s.dilations[i] + 1)
	if room < 0 && !s.pool {
		return -1
	}
	// Runtimes divide towards 0, so a pool whose window is larger by less than a stride has a place.
	places := room/s.strides[i] + 1
	if s.ceil {
		places = ceilDiv(room, s.strides[i]) + 1
		if opset >= 22 && (places-1)*s.strides[i] >= n+s.pads[i] {
			places--
		}
	}
	if places < 1 {
		return -1
	}
	return shape.Fits(places)
}

// TooLargeWindow begins the reason for a window that has no place.
const TooLargeWindow = "its window is larger than its input "

// slide returns the spatial dimensions of what a window makes of an input.
func (c *Call) slide(dims []int64, weights int) (spatial []int64, reason string) {
	if len(dims) < 3 {
		return nil, "its input has fewer than three dimensions"
	}
	rank := len(dims) - 2
	s, reason := c.sliding(rank, weights)
	if reason != "" {
		return nil, reason
	}
	spatial = shape.Open(rank)
	if s.strides == nil || len(s.kernel) != rank {
		return spatial, ""
	}
	for i := range spatial {
		spatial[i] = s.places(i, dims[2+i], c.Opset)
		if spatial[i] < 0 && dims[2+i] >= 0 && s.kernel[i] >= 0 {
			reason = TooLargeWindow + shape.Text(dims)
		}
	}
	return spatial, reason
}

func conv(c *Call) string { return c.convolve(0, 1, c.elem(0)) }

func convInteger(c *Call) string { return c.convolve(0, 1, shape.TypeInt32) }

func convQuantized(c *Call) string { return c.convolve(0, 3, c.elem(7)) }

func (c *Call) convolve(input, weights int, elem shape.Type) string {
	dims := c.dims(input)
	c.set(0, elem, nil)
	if dims == nil {
		return ""
	}
	spatial, reason := c.slide(dims, weights)
	if reason != "" {
		return reason
	}
	channels := int64(-1)
	if w := c.dims(weights); len(w) > 0 {
		channels = w[0]
		if groups := c.integer("group", 1); len(w) > 1 && dims[1] >= 0 && w[1] >= 0 && groups > 0 &&
			shape.Times(w[1], groups) != dims[1] {
			return "its weights " + shape.Text(w) + " do not match the channels of its input " + shape.Text(dims)
		}
	}
	c.set(0, elem, append([]int64{dims[0], channels}, spatial...))
	return ""
}

func pool(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	c.set(1, shape.TypeInt64, nil)
	if dims == nil {
		return ""
	}
	if len(c.integers("kernel_shape")) == 0 {
		return "it has no kernel_shape"
	}
	spatial, reason := c.slide(dims, -1)
	if reason != "" {
		return reason
	}
	out := append([]int64{dims[0], dims[1]}, spatial...)
	c.set(0, c.elem(0), out)
	c.set(1, shape.TypeInt64, out)
	return ""
}

func globalPool(c *Call) string {
	dims := c.dims(0)
	if len(dims) < 2 {
		c.set(0, c.elem(0), nil)
		return ""
	}
	out := make([]int64, len(dims))
	for i := range out {
		out[i] = 1
	}
	out[0], out[1] = dims[0], dims[1]
	c.set(0, c.elem(0), out)
	return ""
}

func convTranspose(c *Call) string { return c.transposed(nil) }

// transposed is a transposed convolution; padding may be given beside the attributes.
func (c *Call) transposed(pads []int64) string {
	dims, weights := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	if len(dims) < 3 {
		return "its input has fewer than three dimensions"
	}
	rank := len(dims) - 2
	s, reason := c.sliding(rank, 1)
	if reason != "" {
		return reason
	}
	if pads != nil {
		if len(pads) != 2*rank || !small(pads) {
			return "its padding does not fit its input"
		}
		s.pads = pads
	}
	out := append([]int64{dims[0], -1}, shape.Open(rank)...)
	groups := c.integer("group", 1)
	if len(weights) > 1 && groups > 0 && groups <= 1<<20 {
		out[1] = shape.Times(weights[1], groups)
	}
	asked, extra := c.integers("output_shape"), c.integers("output_padding")
	if extra != nil && (len(extra) != rank || !small(extra)) {
		return "its output_padding does not fit its input"
	}
	if len(s.kernel) == rank && s.strides != nil {
		for i := range rank {
			n := dims[2+i]
			switch {
			case len(asked) == rank:
				out[2+i] = shape.Fits(asked[i])
			case len(asked) == rank+2:
				out[2+i] = shape.Fits(asked[2+i])
			case n < 0 || s.kernel[i] < 0 || n > 1<<40:
			default:
				more := int64(0)
				if extra != nil {
					more = extra[i]
				}
				whole := (n-1)*s.strides[i] + more + (s.kernel[i]-1)*s.dilations[i] + 1
				if s.same { // padding is never negative
					out[2+i] = shape.Fits(min(n*s.strides[i], whole))
				} else {
					out[2+i] = shape.Fits(whole - s.pads[i] - s.pads[rank+i])
				}
			}
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

func unpool(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if c.given(2) {
		c.set(0, c.elem(0), c.asked(2))
		return c.unknown(2, "shape")
	}
	if len(dims) < 3 {
		return ""
	}
	s, reason := c.sliding(len(dims)-2, -1)
	if reason != "" {
		return reason
	}
	out := append([]int64{dims[0], dims[1]}, shape.Open(len(dims)-2)...)
	for i := range s.kernel {
		if n := dims[2+i]; n >= 0 && n <= 1<<40 {
			out[2+i] = shape.Fits((n-1)*s.strides[i] + s.kernel[i] - s.pads[i] - s.pads[len(s.kernel)+i])
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// regions returns the first two dimensions of what is cut out of an image.
func (c *Call) regions(height, width int64) string {
	out := []int64{-1, -1, shape.Fits(height), shape.Fits(width)}
	if d := c.dims(1); len(d) > 0 {
		out[0] = d[0]
	}
	if d := c.dims(0); len(d) > 1 {
		out[1] = d[1]
	}
	c.set(0, c.elem(0), out)
	return ""
}

func maxRoiPool(c *Call) string {
	size := c.integers("pooled_shape")
	if len(size) != 2 {
		return "it has no pooled_shape"
	}
	return c.regions(size[0], size[1])
}

func roiAlign(c *Call) string {
	return c.regions(c.integer("output_height", 1), c.integer("output_width", 1))
}

// columns is Col2Im: blocks put together to an image.
func columns(c *Call) string {
	c.set(0, c.elem(0), nil)
	image, block, dims := c.asked(1), c.ints(2), c.dims(0)
	if image == nil || len(image)+2 > shape.MaxRank {
		return c.unknown(1, "shape")
	}
	out := append([]int64{-1, -1}, image...)
	if len(dims) > 1 {
		out[0] = dims[0]
		size := int64(1)
		for _, b := range block {
			size = shape.Times(size, b)
		}
		if block != nil && size > 0 && dims[1] >= 0 {
			out[1] = dims[1] / size
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}
