package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of operators that pick elements by index or by what they are.

func gather(c *Call) string {
	dims, indices := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	at, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	if indices == nil || len(dims)+len(indices) > shape.MaxRank {
		return ""
	}
	c.set(0, c.elem(0), join(dims[:at], indices, dims[at+1:]))
	return ""
}

// join returns dimensions in a row. There may be none: that is a number, not nothing.
func join(parts ...[]int64) []int64 {
	out := []int64{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func gatherElements(c *Call) string {
	c.set(0, c.elem(0), c.dims(1))
	return ""
}

func gatherND(c *Call) string {
	dims, indices := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if len(dims) == 0 || len(indices) == 0 {
		return ""
	}
	batch, last := c.integer("batch_dims", 0), indices[len(indices)-1]
	if last < 0 {
		return ""
	}
	if batch < 0 || batch >= int64(len(dims)) || last > int64(len(dims)) || batch+last > int64(len(dims)) {
		return "its indices have more dimensions than its input " + shape.Text(dims)
	}
	if len(indices)+len(dims) > shape.MaxRank {
		return ""
	}
	c.set(0, c.elem(0), join(indices[:len(indices)-1], dims[batch+last:]))
	return ""
}

// compress, nonZero, unique and nonMaxSuppression pick as many as the data say.
func compress(c *Call) string { return c.someOf() }

// someOf gives the first result some of the input, along an axis or, without one, of all its elements in a row.
func (c *Call) someOf() string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if !c.has("axis") {
		c.set(0, c.elem(0), shape.Open(1))
	} else if at, ok := shape.Axis(c.integer("axis", 0), len(dims)); ok {
		out := slices.Clone(dims)
		out[at] = -1
		c.set(0, c.elem(0), out)
	}
	return counted
}

const counted = "the number of elements that it picks depends on the data"

func nonZero(c *Call) string {
	rank := int64(-1)
	if d := c.dims(0); d != nil {
		rank = int64(len(d))
		// At most every element is picked, with an index for each dimension.
		c.Out[0].Most = max(0, shape.Times(8*rank, shape.Elements(d)))
	}
	c.set(0, shape.TypeInt64, []int64{rank, -1})
	return counted
}

func unique(c *Call) string {
	for k := 1; k < len(c.Out); k++ {
		c.set(k, shape.TypeInt64, shape.Open(1))
	}
	return c.someOf()
}

func nonMaxSuppression(c *Call) string {
	c.set(0, shape.TypeInt64, []int64{-1, 3})
	boxes, scores, most := c.dims(0), c.dims(1), c.ints(2)
	// At most so many for each class of each batch, and no more than there are.
	if len(boxes) == 3 && len(scores) == 3 && len(most) == 1 {
		n := min(shape.Times(max(0, most[0]), 1), boxes[1])
		c.Out[0].Most = max(0, shape.Times(24, shape.Times(shape.Times(scores[0], scores[1]), n)))
	}
	return counted
}

func oneHot(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(2), nil)
	if dims == nil || len(dims) == shape.MaxRank {
		return ""
	}
	at, ok := shape.Axis(c.integer("axis", -1), len(dims)+1)
	if !ok {
		return "its axis does not exist in its result"
	}
	depth := int64(-1)
	if d := c.ints(1); len(d) == 1 {
		depth = shape.Fits(d[0])
	} else if d := c.floats(1); len(d) == 1 && whole(d[0]) {
		depth = shape.Fits(int64(d[0]))
	}
	c.set(0, c.elem(2), slices.Insert(slices.Clone(dims), at, depth))
	return c.unknown(1, "depth")
}

func topK(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	c.set(1, shape.TypeInt64, nil)
	if dims == nil {
		return ""
	}
	at, ok := shape.Axis(c.integer("axis", -1), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	out := slices.Clone(dims)
	out[at] = -1
	if c.Opset < 10 {
		out[at] = shape.Fits(c.integer("k", -1))
	} else if k := c.ints(1); len(k) == 1 {
		out[at] = shape.Fits(k[0])
	}
	c.set(0, c.elem(0), out)
	c.set(1, shape.TypeInt64, out)
	if c.Opset < 10 {
		return ""
	}
	return c.unknown(1, "number of elements")
}

func argument(c *Call) string {
	dims := c.dims(0)
	c.set(0, shape.TypeInt64, nil)
	if dims == nil {
		return ""
	}
	at, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	c.set(0, shape.TypeInt64, reduced(dims, map[int]bool{at: true}, c.integer("keepdims", 1) != 0))
	return ""
}

// reduced returns a shape without some of its dimensions, or with 1 in their place.
func reduced(dims []int64, axes map[int]bool, keep bool) []int64 {
	out := []int64{}
	for i, d := range dims {
		switch {
		case !axes[i]:
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

// reduce has its axes as an input since version 18, ReduceSum since 13.
func reduce(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	keep := c.integer("keepdims", 1) != 0
	axes, reason := c.reducedAxes(len(dims))
	switch {
	case reason != "":
		return reason
	case axes == nil:
		if keep {
			c.set(0, c.elem(0), shape.Open(len(dims)))
		}
		return c.unknown(1, "list of axes")
	}
	c.set(0, c.elem(0), reduced(dims, axes, keep))
	return ""
}

// reducedAxes returns the axes that a reduction goes along, nil if they are not known.
func (c *Call) reducedAxes(rank int) (axes map[int]bool, reason string) {
	since := int64(18)
	if c.Node.Op == "ReduceSum" {
		since = 13
	}
	list, given := c.axesOf("axes", 1, since)
	axes = map[int]bool{}
	if given && list == nil && c.Opset >= since {
		return nil, ""
	}
	if len(list) > shape.MaxRank {
		return nil, "it reduces more dimensions than a tensor can have"
	}
	if len(list) == 0 {
		for i := 0; i < rank && c.integer("noop_with_empty_axes", 0) == 0; i++ {
			axes[i] = true
		}
		return axes, ""
	}
	for _, a := range list {
		at, ok := shape.Axis(a, rank)
		if !ok {
			return nil, "it reduces a dimension that its input does not have"
		}
		axes[at] = true
	}
	return axes, ""
}
