package onnx

import (
	"math"
	"slices"
)

// The rules of operators that look at shapes or change them.

// shapeOf is known even where its input's elements are not; see fold.go for what is
// in it.
func shapeOf(c *call) string {
	dims := c.dims(0)
	if dims == nil {
		c.set(0, typeInt64, []int64{-1})
		return ""
	}
	from, to := c.extent(len(dims))
	part := dims[from:to]
	c.set(0, typeInt64, []int64{int64(len(part))})
	if !slices.Contains(part, -1) {
		c.out[0].data = &data{ints: slices.Clone(part)}
	}
	return ""
}

// extent returns the range of dimensions that Shape is asked for, since version 15.
func (c *call) extent(rank int) (from, to int) {
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

func sizeOf(c *call) string {
	c.set(0, typeInt64, []int64{})
	if n := elements(c.dims(0)); n >= 0 {
		c.out[0].data = &data{ints: []int64{n}}
	}
	return ""
}

// reshape: 0 keeps a dimension, unless allowzero; -1 is what is left over.
func reshape(c *call) string {
	var asked []int64
	if c.opset < 5 {
		asked = c.integers("shape")
	} else if asked = c.ints(1); asked == nil {
		c.set(0, c.elem(0), c.asked(1))
		return c.unknown(1, "shape")
	}
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if len(asked) > maxRank {
		return "it asks for more than 64 dimensions"
	}
	out := make([]int64, len(asked))
	rest := -1
	// What is left over: the input's elements over those of the other dimensions, of
	// which open ones that are kept are on both sides.
	over, under := int64(1), int64(1)
	kept := make([]bool, len(dims))
	for i, d := range asked {
		switch {
		case d == 0 && c.integer("allowzero", 0) == 0:
			out[i] = -1
			if i < len(dims) {
				out[i], kept[i] = dims[i], true
			} else if dims != nil {
				return "it keeps a dimension that its input " + shapeText(dims) + " has not"
			}
		case d == -1 && rest < 0:
			rest, out[i] = i, -1
		case d < 0:
			return "it asks for the shape " + shapeText(asked)
		default:
			out[i] = fits(d)
			under = times(under, d)
		}
	}
	for i, d := range dims {
		if !kept[i] {
			over = times(over, d)
		}
	}
	if dims == nil {
		over = -1
	}
	if rest >= 0 && over >= 0 && under > 0 {
		if over%under != 0 {
			return "the elements of its input " + shapeText(dims) + " do not go into the shape that it asks for"
		}
		out[rest] = over / under
	}
	if n, want := elements(dims), elements(out); n >= 0 && want >= 0 && n != want {
		return "the elements of its input " + shapeText(dims) + " do not go into " + shapeText(out)
	}
	c.set(0, c.elem(0), out)
	return ""
}

func flatten(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), open(2))
	if dims == nil {
		return ""
	}
	axis := c.integer("axis", 1)
	if axis < 0 {
		axis += int64(len(dims))
	}
	if axis < 0 || axis > int64(len(dims)) {
		return "its axis is not one of its input " + shapeText(dims)
	}
	product := func(dims []int64) int64 {
		n := int64(1)
		for _, d := range dims {
			n = times(n, d)
		}
		return n
	}
	c.set(0, c.elem(0), []int64{product(dims[:axis]), product(dims[axis:])})
	return ""
}

func squeeze(c *call) string {
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
		at, ok := axisOf(a, len(dims))
		if !ok || dims[at] > 1 || dims[at] == 0 {
			return "it drops a dimension that its input " + shapeText(dims) + " has not, or that is not 1"
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

func unsqueeze(c *call) string {
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
	if rank > maxRank {
		return "it asks for more than 64 dimensions"
	}
	out := open(rank)
	added := make([]bool, rank)
	for _, a := range axes {
		at, ok := axisOf(a, rank)
		if !ok || added[at] {
			return "it adds a dimension twice, or one that is not there"
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

// order returns the permutation of a Transpose, nil where it is none.
func (c *call) order(rank int) []int {
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
		at, ok := axisOf(p, rank)
		if !ok || seen[at] {
			return nil
		}
		seen[at], out[i] = true, at
	}
	return out
}

func transpose(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		if perm := c.integers("perm"); perm != nil && len(perm) <= maxRank {
			c.set(0, c.elem(0), open(len(perm)))
		}
		return ""
	}
	order := c.order(len(dims))
	if order == nil {
		return "its perm is no order of the dimensions of its input " + shapeText(dims)
	}
	out := make([]int64, len(dims))
	for i, at := range order {
		out[i] = dims[at]
	}
	c.set(0, c.elem(0), out)
	return ""
}

func expand(c *call) string {
	dims, ok := broadcast(c.dims(0), c.asked(1))
	c.set(0, c.elem(0), dims)
	if !ok {
		return "its input " + shapeText(c.dims(0)) + " does not go into the shape that it asks for"
	}
	return c.unknown(1, "shape")
}

func tile(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	out := open(len(dims))
	if c.opset < 6 { // tiles along an axis
		tiles, axis := c.ints(1), c.ints(2)
		if len(tiles) == 1 && len(axis) == 1 {
			if at, ok := axisOf(axis[0], len(dims)); ok {
				copy(out, dims)
				out[at] = times(dims[at], tiles[0])
			}
		}
	} else if repeats := c.ints(1); repeats != nil {
		if len(repeats) != len(dims) {
			return "it has " + shapeText(repeats) + " repeats for its input " + shapeText(dims)
		}
		for i := range out {
			out[i] = times(dims[i], repeats[i])
		}
	}
	c.set(0, c.elem(0), out)
	return c.unknown(1, "list of repeats")
}

// joint returns the axis along which a Concat joins.
func (c *call) joint(rank int) (axis int, ok bool) {
	without := int64(0)
	if c.opset < 4 {
		without = 1
	}
	return axisOf(c.integer("axis", without), rank)
}

func concat(c *call) string {
	c.set(0, c.elem(0), nil)
	var out []int64
	at := 0
	for k := range c.in {
		dims := c.dims(k)
		if dims == nil {
			return ""
		}
		if k == 0 {
			var ok bool
			if at, ok = c.joint(len(dims)); !ok {
				return "its axis is not one of its input " + shapeText(dims)
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
				out[i] = sum(out[i], d)
			case out[i] < 0:
				out[i] = d
			case d >= 0 && d != out[i]:
				return "its inputs " + shapeText(out) + " and " + shapeText(dims) + " do not go together"
			}
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// split divides a dimension into lengths that are given, or as evenly as can be.
func split(c *call) string {
	dims := c.dims(0)
	for k := range c.out {
		c.set(k, c.elem(0), nil)
	}
	if dims == nil {
		return ""
	}
	at, ok := axisOf(c.integer("axis", 0), len(dims))
	if !ok {
		return "its axis is not one of its input " + shapeText(dims)
	}
	lengths, given := c.axesOf("split", 1, 13)
	if !given {
		lengths = parts(dims[at], int64(len(c.out)), c.opset >= 18)
		if lengths == nil && dims[at] >= 0 {
			return "its input " + shapeText(dims) + " does not divide evenly"
		}
	} else if lengths != nil && len(lengths) < len(c.out) {
		return "it has more results than lengths"
	} else if lengths != nil && dims[at] >= 0 && !addUp(lengths, dims[at]) {
		return "its lengths do not add up to its input " + shapeText(dims)
	}
	for k := range c.out {
		out := slices.Clone(dims)
		if out[at] = -1; lengths != nil {
			out[at] = fits(lengths[k])
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

// parts divides n evenly; the last part may be smaller where that is allowed.
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
func (c *call) cuts(dims []int64) (out []cut, reason string) {
	var starts, ends, axes, steps []int64
	given := false
	if c.opset < 10 {
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
			at, ok = axisOf(axes[k], len(dims))
		}
		if !ok {
			return nil, "it cuts a dimension that its input " + shapeText(dims) + " has not"
		}
		step := int64(1)
		if steps == nil && c.given(4) && c.opset >= 10 {
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
	if c.opset < 10 {
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

func slice(c *call) string {
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

func pad(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	var pads, axes []int64
	given := false
	switch {
	case c.opset < 2:
		pads = c.integers("paddings")
	case c.opset < 11:
		pads = c.integers("pads")
	default:
		pads, axes, given = c.ints(1), c.ints(3), c.given(3)
	}
	out := slices.Clone(dims)
	if pads == nil || given && axes == nil {
		c.set(0, c.elem(0), open(len(dims)))
		return c.unknown(1, "padding") + c.unknown(3, "list of axes")
	}
	if !given {
		axes = nil
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	if len(pads) != 2*len(axes) {
		return "its padding does not fit its input " + shapeText(dims)
	}
	for k, a := range axes {
		at, ok := axisOf(a, len(dims))
		if !ok || pads[k] > maxElements || pads[k] < -maxElements || pads[len(axes)+k] > maxElements || pads[len(axes)+k] < -maxElements {
			return "its padding does not fit its input " + shapeText(dims)
		}
		if out[at] >= 0 {
			out[at] = fits(out[at] + pads[k] + pads[len(axes)+k])
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// depthToSpace and spaceToDepth move blocks between channels and an image.
func depthToSpace(c *call) string {
	return c.blocks(func(dims []int64, b int64) []int64 {
		out := []int64{dims[0], -1, times(dims[2], b), times(dims[3], b)}
		if dims[1] >= 0 {
			out[1] = dims[1] / (b * b)
		}
		return out
	})
}

func spaceToDepth(c *call) string {
	return c.blocks(func(dims []int64, b int64) []int64 {
		out := []int64{dims[0], times(dims[1], b*b), -1, -1}
		for i := 2; i < 4; i++ {
			if dims[i] >= 0 {
				out[i] = dims[i] / b
			}
		}
		return out
	})
}

func (c *call) blocks(shape func(dims []int64, b int64) []int64) string {
	dims, b := c.dims(0), c.integer("blocksize", 0)
	c.set(0, c.elem(0), open(4))
	switch {
	case dims == nil:
		return ""
	case len(dims) != 4 || b < 1 || b > 1<<20:
		return "its input must have four dimensions and its blocksize be at least 1"
	}
	c.set(0, c.elem(0), shape(dims, b))
	return ""
}

// resize has scales, or sizes since version 11.
func resize(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	scales, sizes := c.scales(1), []int64(nil)
	if c.opset >= 11 {
		scales, sizes = c.scales(2), c.ints(3)
	}
	axes := c.integers("axes")
	if axes == nil {
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	if len(sizes) == 0 && len(scales) == 0 {
		c.set(0, c.elem(0), open(len(dims)))
		return c.unknown(3, "size") + c.unknown(2, "scale") + c.unknown(1, "scale")
	}
	if len(sizes) > 0 && len(sizes) != len(axes) || len(sizes) == 0 && len(scales) != len(axes) {
		return "its sizes or scales do not fit its input " + shapeText(dims)
	}
	out := slices.Clone(dims)
	policy := c.text("keep_aspect_ratio_policy", "stretch")
	scale := 0.0
	if len(sizes) > 0 && policy != "stretch" {
		for k, a := range axes {
			at, ok := axisOf(a, len(dims))
			if !ok || dims[at] <= 0 {
				c.set(0, c.elem(0), open(len(dims)))
				return ""
			}
			s := float64(sizes[k]) / float64(dims[at])
			if k == 0 || policy == "not_larger" && s < scale || policy == "not_smaller" && s > scale {
				scale = s
			}
		}
	}
	for k, a := range axes {
		at, ok := axisOf(a, len(dims))
		if !ok {
			return "it resizes a dimension that its input " + shapeText(dims) + " has not"
		}
		switch {
		case len(sizes) > 0 && policy == "stretch":
			out[at] = fits(sizes[k])
		case len(sizes) > 0:
			out[at] = fits(int64(math.Floor(scale*float64(dims[at]) + 0.5)))
		default:
			out[at] = scaled(dims[at], scales[k])
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// scales returns the elements of an input that are FLOAT, nil for none.
func (c *call) scales(k int) []float64 { return c.floats(k) }

// scaled returns a dimension times a scale, as arithmetic in FLOAT rounds it.
func scaled(d int64, scale float64) int64 {
	if d < 0 || !whole(scale) || scale < 0 || scale > 1<<20 {
		return -1
	}
	return fits(int64(math.Floor(float64(float32(d) * float32(scale)))))
}

func upsample(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	var scales []float64
	if c.opset < 9 {
		if a := c.w.attribute(c.n, "scales"); a != nil {
			scales = a.floats
		}
	} else {
		scales = c.scales(1)
	}
	if len(scales) != len(dims) {
		c.set(0, c.elem(0), open(len(dims)))
		return c.unknown(1, "scale")
	}
	out := make([]int64, len(dims))
	for i := range out {
		out[i] = scaled(dims[i], scales[i])
	}
	c.set(0, c.elem(0), out)
	return ""
}

func cropPad(c *call) string {
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
		at, ok := axisOf(a, len(dims))
		if !ok {
			return "it crops a dimension that its input " + shapeText(dims) + " has not"
		}
		out[at] = asked[k]
	}
	c.set(0, c.elem(0), out)
	return ""
}

func gridSample(c *call) string {
	dims, grid := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if len(dims) < 2 || len(grid) != len(dims) {
		return ""
	}
	c.set(0, c.elem(0), append([]int64{dims[0], dims[1]}, grid[1:len(grid)-1]...))
	return ""
}

func affineGrid(c *call) string {
	size := c.asked(1)
	c.set(0, c.elem(0), nil)
	if len(size) < 4 || len(size) > 5 {
		return c.unknown(1, "size")
	}
	c.set(0, c.elem(0), append(append([]int64{size[0]}, size[2:]...), int64(len(size)-2)))
	return ""
}
