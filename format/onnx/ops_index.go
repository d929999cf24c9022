package onnx

import "slices"

// The rules of operators that pick elements by index or by what they are.

func gather(c *call) string {
	dims, indices := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	at, ok := axisOf(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shapeText(dims)
	}
	if indices == nil || len(dims)+len(indices) > maxRank {
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

func gatherElements(c *call) string {
	c.set(0, c.elem(0), c.dims(1))
	return ""
}

func gatherND(c *call) string {
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
		return "its indices have more dimensions than its input " + shapeText(dims)
	}
	if len(indices)+len(dims) > maxRank {
		return ""
	}
	c.set(0, c.elem(0), join(indices[:len(indices)-1], dims[batch+last:]))
	return ""
}

// compress, nonZero, unique and nonMaxSuppression pick as many as the data say.
func compress(c *call) string { return c.someOf() }

// someOf gives the first result some of the input, along an axis or, without one, of all
// its elements in a row.
func (c *call) someOf() string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if !c.has("axis") {
		c.set(0, c.elem(0), open(1))
	} else if at, ok := axisOf(c.integer("axis", 0), len(dims)); ok {
		out := slices.Clone(dims)
		out[at] = -1
		c.set(0, c.elem(0), out)
	}
	return counted
}

const counted = "the number of elements that it picks depends on the data"

func nonZero(c *call) string {
	rank := int64(-1)
	if d := c.dims(0); d != nil {
		rank = int64(len(d))
		// At most every element is picked, with an index for each dimension.
		c.out[0].most = max(0, times(8*rank, elements(d)))
	}
	c.set(0, typeInt64, []int64{rank, -1})
	return counted
}

func unique(c *call) string {
	for k := 1; k < len(c.out); k++ {
		c.set(k, typeInt64, open(1))
	}
	return c.someOf()
}

func nonMaxSuppression(c *call) string {
	c.set(0, typeInt64, []int64{-1, 3})
	boxes, scores, most := c.dims(0), c.dims(1), c.ints(2)
	// At most so many for each class of each batch, and no more than there are.
	if len(boxes) == 3 && len(scores) == 3 && len(most) == 1 {
		n := min(times(max(0, most[0]), 1), boxes[1])
		c.out[0].most = max(0, times(24, times(times(scores[0], scores[1]), n)))
	}
	return counted
}

func oneHot(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(2), nil)
	if dims == nil || len(dims) == maxRank {
		return ""
	}
	at, ok := axisOf(c.integer("axis", -1), len(dims)+1)
	if !ok {
		return "its axis does not exist in its result"
	}
	depth := int64(-1)
	if d := c.ints(1); len(d) == 1 {
		depth = fits(d[0])
	} else if d := c.floats(1); len(d) == 1 && whole(d[0]) {
		depth = fits(int64(d[0]))
	}
	c.set(0, c.elem(2), slices.Insert(slices.Clone(dims), at, depth))
	return c.unknown(1, "depth")
}

func topK(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	c.set(1, typeInt64, nil)
	if dims == nil {
		return ""
	}
	at, ok := axisOf(c.integer("axis", -1), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shapeText(dims)
	}
	out := slices.Clone(dims)
	out[at] = -1
	if c.opset < 10 {
		out[at] = fits(c.integer("k", -1))
	} else if k := c.ints(1); len(k) == 1 {
		out[at] = fits(k[0])
	}
	c.set(0, c.elem(0), out)
	c.set(1, typeInt64, out)
	if c.opset < 10 {
		return ""
	}
	return c.unknown(1, "number of elements")
}

func argument(c *call) string {
	dims := c.dims(0)
	c.set(0, typeInt64, nil)
	if dims == nil {
		return ""
	}
	at, ok := axisOf(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shapeText(dims)
	}
	c.set(0, typeInt64, reduced(dims, map[int]bool{at: true}, c.integer("keepdims", 1) != 0))
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
func reduce(c *call) string {
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
			c.set(0, c.elem(0), open(len(dims)))
		}
		return c.unknown(1, "list of axes")
	}
	c.set(0, c.elem(0), reduced(dims, axes, keep))
	return ""
}

// reducedAxes returns the axes that a reduction goes along, nil where they are not
// known.
func (c *call) reducedAxes(rank int) (axes map[int]bool, reason string) {
	since := int64(18)
	if c.n.op == "ReduceSum" {
		since = 13
	}
	list, given := c.axesOf("axes", 1, since)
	axes = map[int]bool{}
	if given && list == nil && c.opset >= since {
		return nil, ""
	}
	if len(list) > maxRank {
		return nil, "it reduces more dimensions than a tensor can have"
	}
	if len(list) == 0 {
		for i := 0; i < rank && c.integer("noop_with_empty_axes", 0) == 0; i++ {
			axes[i] = true
		}
		return axes, ""
	}
	for _, a := range list {
		at, ok := axisOf(a, rank)
		if !ok {
			return nil, "it reduces a dimension that its input does not have"
		}
		axes[at] = true
	}
	return axes, ""
}
