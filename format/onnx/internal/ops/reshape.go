package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of operators that look at shapes or change them.

// shapeOf is known even if its input's elements are not; see fold.go for what is in it.
func shapeOf(c *Call) string {
	dims := c.dims(0)
	if dims == nil {
		c.set(0, shape.TypeInt64, []int64{-1})
		return ""
	}
	from, to := c.extent(len(dims))
	part := dims[from:to]
	c.set(0, shape.TypeInt64, []int64{int64(len(part))})
	if !slices.Contains(part, -1) {
		c.Out[0].Data = &shape.Data{Ints: slices.Clone(part)}
	}
	return ""
}

// extent returns the range of dimensions that Shape is asked for, since version 15.
func (c *Call) extent(rank int) (from, to int) {
	r := int64(rank)
	clip := func(x int64) int64 {
		if x < 0 {
			x += r
		}
		return max(0, min(x, r))
	}
	a, b := clip(c.integer("start", 0)), clip(c.integer("end", r))
	return int(a), int(max(a, b))
}

func sizeOf(c *Call) string {
	c.set(0, shape.TypeInt64, []int64{})
	if n := shape.Elements(c.dims(0)); n >= 0 {
		c.Out[0].Data = &shape.Data{Ints: []int64{n}}
	}
	return ""
}

// reshape: 0 keeps a dimension, unless allowzero; -1 is what is left over.
func reshape(c *Call) string {
	var asked []int64
	if c.Opset < 5 {
		asked = c.integers("shape")
	} else if asked = c.ints(1); asked == nil {
		c.set(0, c.elem(0), c.asked(1))
		return c.unknown(1, "shape")
	}
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if len(asked) > shape.MaxRank {
		return "it asks for more than 64 dimensions"
	}
	out := make([]int64, len(asked))
	rest := -1
	// The dimension -1 is the number of elements of the input over the product of the other dimensions. Open
	// dimensions that are kept are in both and cancel out.
	over, under := int64(1), int64(1)
	kept := make([]bool, len(dims))
	for i, d := range asked {
		switch {
		case d == 0 && c.integer("allowzero", 0) == 0:
			out[i] = -1
			if i < len(dims) {
				out[i], kept[i] = dims[i], true
			} else if dims != nil {
				return "it keeps a dimension that does not exist in its input " + shape.Text(dims)
			}
		case d == -1 && rest < 0:
			rest, out[i] = i, -1
		case d < 0:
			return "it asks for the shape " + shape.Text(asked)
		default:
			out[i] = shape.Fits(d)
			under = shape.Times(under, d)
		}
	}
	for i, d := range dims {
		if !kept[i] {
			over = shape.Times(over, d)
		}
	}
	if dims == nil {
		over = -1
	}
	if rest >= 0 && over >= 0 && under > 0 {
		if over%under != 0 {
			return "the elements of its input " + shape.Text(dims) +
				" do not match the number in the shape that it asks for"
		}
		out[rest] = over / under
	}
	if n, want := shape.Elements(dims), shape.Elements(out); n >= 0 && want >= 0 && n != want {
		return "the elements of its input " + shape.Text(dims) + " do not match the number in " + shape.Text(out)
	}
	c.set(0, c.elem(0), out)
	return ""
}

func flatten(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), shape.Open(2))
	if dims == nil {
		return ""
	}
	axis := c.integer("axis", 1)
	if axis < 0 {
		axis += int64(len(dims))
	}
	if axis < 0 || axis > int64(len(dims)) {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	product := func(dims []int64) int64 {
		n := int64(1)
		for _, d := range dims {
			n = shape.Times(n, d)
		}
		return n
	}
	c.set(0, c.elem(0), []int64{product(dims[:axis]), product(dims[axis:])})
	return ""
}

func squeeze(c *Call) string {
	dims := c.dims(0)
	axes, given := c.axesOf("axes", 1, 13)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	if given && axes == nil {
		return c.unknown(1, "list of axes")
	}
	drop := make([]bool, len(dims))
	for _, a := range axes {
		at, ok := shape.Axis(a, len(dims))
		if !ok || dims[at] > 1 || dims[at] == 0 {
			return "it drops a dimension that its input " + shape.Text(dims) + " does not have, or one that is not 1"
		}
		drop[at] = true
	}
	out := []int64{}
	for i, d := range dims {
		if !given && d < 0 {
			return "" // 1 or not, which decides the rank
		}
		if !drop[i] && (given || d != 1) {
			out = append(out, d)
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

func unsqueeze(c *Call) string {
	dims := c.dims(0)
	axes, given := c.axesOf("axes", 1, 13)
	c.set(0, c.elem(0), nil)
	if given && axes == nil {
		return c.unknown(1, "list of axes")
	}
	if dims == nil {
		return ""
	}
	rank := len(dims) + len(axes)
	if rank > shape.MaxRank {
		return "it asks for more than 64 dimensions"
	}
	out := shape.Open(rank)
	added := make([]bool, rank)
	for _, a := range axes {
		at, ok := shape.Axis(a, rank)
		if !ok || added[at] {
			return "it adds a dimension twice, or one that its result does not have"
		}
		added[at], out[at] = true, 1
	}
	k := 0
	for i := range out {
		if !added[i] {
			out[i] = dims[k]
			k++
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// order returns the permutation of a Transpose, nil if it is none.
func (c *Call) order(rank int) []int {
	perm := c.integers("perm")
	out := make([]int, rank)
	for i := range out {
		out[i] = rank - 1 - i
	}
	if perm == nil {
		return out
	}
	if len(perm) != rank {
		return nil
	}
	seen := make([]bool, rank)
	for i, p := range perm {
		at, ok := shape.Axis(p, rank)
		if !ok || seen[at] {
			return nil
		}
		seen[at], out[i] = true, at
	}
	return out
}

func transpose(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		if perm := c.integers("perm"); perm != nil && len(perm) <= shape.MaxRank {
			c.set(0, c.elem(0), shape.Open(len(perm)))
		}
		return ""
	}
	order := c.order(len(dims))
	if order == nil {
		return "its perm is not a permutation of the dimensions of its input " + shape.Text(dims)
	}
	out := make([]int64, len(dims))
	for i, at := range order {
		out[i] = dims[at]
	}
	c.set(0, c.elem(0), out)
	return ""
}

func expand(c *Call) string {
	dims, ok := shape.Broadcast(c.dims(0), c.asked(1))
	c.set(0, c.elem(0), dims)
	if !ok {
		return "its input " + shape.Text(c.dims(0)) + " does not match the shape that it asks for"
	}
	return c.unknown(1, "shape")
}
