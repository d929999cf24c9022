package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of operators that cut tensors into parts, join them, repeat and pad them.

func tile(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	out := shape.Open(len(dims))
	if c.Opset < 6 { // tiles along an axis
		tiles, axis := c.ints(1), c.ints(2)
		if len(tiles) == 1 && len(axis) == 1 {
			if at, ok := shape.Axis(axis[0], len(dims)); ok {
				copy(out, dims)
				out[at] = shape.Times(dims[at], tiles[0])
			}
		}
	} else if repeats := c.ints(1); repeats != nil {
		if len(repeats) != len(dims) {
			return "it has " + shape.Text(repeats) + " repeats for its input " + shape.Text(dims)
		}
		for i := range out {
			out[i] = shape.Times(dims[i], repeats[i])
		}
	}
	c.set(0, c.elem(0), out)
	return c.unknown(1, "list of repeats")
}

// joint returns the axis along which a Concat joins.
func (c *Call) joint(rank int) (axis int, ok bool) {
	without := int64(0)
	if c.Opset < 4 {
		without = 1
	}
	return shape.Axis(c.integer("axis", without), rank)
}

func concat(c *Call) string {
	c.set(0, c.elem(0), nil)
	var out []int64
	at := 0
	for k := range c.In {
		dims := c.dims(k)
		if dims == nil {
			return ""
		}
		if k == 0 {
			var ok bool
			if at, ok = c.joint(len(dims)); !ok {
				return "its axis does not exist in its input " + shape.Text(dims)
			}
			out = slices.Clone(dims)
			continue
		}
		if len(dims) != len(out) {
			return "its inputs have different ranks"
		}
		for i, d := range dims {
			switch {
			case i == at:
				out[i] = shape.Sum(out[i], d)
			case out[i] < 0:
				out[i] = d
			case d >= 0 && d != out[i]:
				return "its inputs " + shape.Text(out) + " and " + shape.Text(dims) + " do not match"
			}
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// split divides a dimension into lengths that are given, or as evenly as can be.
func split(c *Call) string {
	dims := c.dims(0)
	for k := range c.Out {
		c.set(k, c.elem(0), nil)
	}
	if dims == nil {
		return ""
	}
	at, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	lengths, given := c.axesOf("split", 1, 13)
	if !given {
		lengths = parts(dims[at], int64(len(c.Out)), c.Opset >= 18)
		if lengths == nil && dims[at] >= 0 {
			return "its input " + shape.Text(dims) + " does not divide evenly"
		}
	} else if lengths != nil && len(lengths) < len(c.Out) {
		return "it has more results than lengths"
	} else if lengths != nil && dims[at] >= 0 && !addUp(lengths, dims[at]) {
		return "its lengths do not add up to its input " + shape.Text(dims)
	}
	for k := range c.Out {
		out := slices.Clone(dims)
		if out[at] = -1; lengths != nil {
			out[at] = shape.Fits(lengths[k])
		}
		c.set(k, c.elem(0), out)
	}
	if given && lengths == nil {
		return c.unknown(1, "list of lengths")
	}
	return ""
}

// addUp reports whether lengths are those of the parts of n.
func addUp(lengths []int64, n int64) bool {
	for _, k := range lengths {
		if k < 0 || k > n {
			return false
		}
		n -= k
	}
	return n == 0
}

// parts divides n evenly; the last part may be smaller if that is allowed.
func parts(n, count int64, ragged bool) []int64 {
	if n < 0 || count < 1 || n%count != 0 && !ragged {
		return nil
	}
	size := ceilDiv(n, count)
	out := make([]int64, count)
	for i := range out {
		out[i] = max(0, min(size, n))
		n -= size
	}
	return out
}

// A cut is what Slice takes along a dimension: count elements from start on.
type cut struct{ start, step, count int64 }

// cuts returns what a Slice takes of each dimension. A count of -1 is open.
func (c *Call) cuts(dims []int64) (out []cut, reason string) {
	var starts, ends, axes, steps []int64
	given := false
	if c.Opset < 10 {
		starts, ends, axes = c.integers("starts"), c.integers("ends"), c.integers("axes")
		given = axes != nil
	} else {
		starts, ends, axes, steps = c.ints(1), c.ints(2), c.ints(3), c.ints(4)
		given = c.given(3)
	}
	out = make([]cut, len(dims))
	for i, d := range dims {
		out[i] = cut{0, 1, d}
	}
	if given && axes == nil {
		for i := range out {
			out[i].count = -1
		}
		return out, c.unknown(3, "list of axes")
	}
	count := len(axes)
	if !given {
		if count = max(len(starts), len(ends)); starts == nil && ends == nil {
			count = len(dims)
			if d := c.dims(1); len(d) == 1 && d[0] >= 0 && d[0] < int64(count) {
				count = int(d[0])
			}
		}
	}
	for k := range count {
		at, ok := k, k < len(dims)
		if given {
			at, ok = shape.Axis(axes[k], len(dims))
		}
		if !ok {
			return nil, "it cuts a dimension that does not exist in its input " + shape.Text(dims)
		}
		step := int64(1)
		if steps == nil && c.given(4) && c.Opset >= 10 {
			step = 0
		} else if steps != nil {
			if k >= len(steps) || steps[k] == 0 {
				return nil, "it has too few steps, or one of 0"
			}
			step = max(-1<<60, steps[k])
		}
		if n := dims[at]; n < 0 || k >= len(starts) || k >= len(ends) || step == 0 {
			out[at] = cut{0, step, -1}
		} else {
			out[at] = cutOf(starts[k], ends[k], step, n)
		}
	}
	reason = c.unknown(1, "beginning") + c.unknown(2, "end")
	if c.Opset < 10 {
		reason = ""
	}
	return out, reason
}

// cutOf clamps a cut to a dimension, as NumPy does.
func cutOf(start, end, step, n int64) cut {
	if n == 0 {
		return cut{0, step, 0}
	}
	if start < 0 {
		start += n
	}
	if end < 0 {
		end += n
	}
	if step > 0 {
		start, end = max(0, min(start, n)), max(0, min(end, n))
	} else {
		start, end = max(0, min(start, n-1)), max(-1, min(end, n-1))
	}
	return cut{start, step, max(0, ceilDiv(end-start, step))}
}

func slice(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	cuts, reason := c.cuts(dims)
	if cuts == nil {
		return reason
	}
	out := make([]int64, len(dims))
	for i := range cuts {
		out[i] = cuts[i].count
	}
	c.set(0, c.elem(0), out)
	return reason
}

func pad(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	var pads, axes []int64
	given := false
	switch {
	case c.Opset < 2:
		pads = c.integers("paddings")
	case c.Opset < 11:
		pads = c.integers("pads")
	default:
		pads, axes, given = c.ints(1), c.ints(3), c.given(3)
	}
	out := slices.Clone(dims)
	if pads == nil || given && axes == nil {
		c.set(0, c.elem(0), shape.Open(len(dims)))
		return c.unknown(1, "padding") + c.unknown(3, "list of axes")
	}
	if !given {
		axes = nil
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	if len(pads) != 2*len(axes) {
		return "its padding does not fit its input " + shape.Text(dims)
	}
	for k, a := range axes {
		at, ok := shape.Axis(a, len(dims))
		if !ok || pads[k] > shape.MaxElements || pads[k] < -shape.MaxElements ||
			pads[len(axes)+k] > shape.MaxElements || pads[len(axes)+k] < -shape.MaxElements {
			return "its padding does not fit its input " + shape.Text(dims)
		}
		if out[at] >= 0 {
			out[at] = shape.Fits(out[at] + pads[k] + pads[len(axes)+k])
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

func cropPad(c *Call) string {
	dims, asked := c.dims(0), c.asked(1)
	c.set(0, c.elem(0), nil)
	if dims == nil || asked == nil {
		return c.unknown(1, "shape")
	}
	axes := c.integers("axes")
	if axes == nil {
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	if len(axes) != len(asked) {
		return "its shape does not fit its axes"
	}
	out := slices.Clone(dims)
	for k, a := range axes {
		at, ok := shape.Axis(a, len(dims))
		if !ok {
			return "it crops a dimension that does not exist in its input " + shape.Text(dims)
		}
		out[at] = asked[k]
	}
	c.set(0, c.elem(0), out)
	return ""
}
