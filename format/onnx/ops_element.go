package onnx

import "slices"

// The rules of operators that work element by element, make tensors from nothing, or
// convert.

func same(c *call) string {
	c.set(0, c.elem(0), c.dims(0))
	return ""
}

func identity(c *call) string {
	if c.given(0) {
		c.out[0] = c.in[0].result
	}
	return ""
}

// elementwise broadcasts, as NumPy does; before version 7 the second operand had to
// fit the first.
func elementwise(c *call) string { return c.spread(c.elem(0)) }

func comparison(c *call) string { return c.spread(typeBool) }

func (c *call) spread(elem Type) string {
	if legacy := c.opset < 7; legacy || len(c.in) == 1 {
		c.set(0, elem, c.dims(0))
		return ""
	}
	dims := c.dims(0)
	for k := 1; k < len(c.in); k++ {
		other, ok := c.dims(k), true
		if other != nil && slices.Equal(dims, other) {
			continue
		}
		if dims, ok = broadcast(dims, other); !ok {
			c.set(0, elem, nil)
			return "its inputs " + shapeText(c.dims(0)) + " and " + shapeText(other) + " do not match"
		}
	}
	c.set(0, elem, dims)
	return ""
}

func predicate(c *call) string {
	c.set(0, typeBool, c.dims(0))
	return ""
}

func where(c *call) string {
	dims, ok := broadcast(c.dims(0), c.dims(1), c.dims(2))
	c.set(0, c.elem(1), dims)
	if !ok {
		return "its inputs' shapes do not match"
	}
	return ""
}

func cast(c *call) string {
	c.set(0, Type(c.integer("to", 0)), c.dims(0))
	return ""
}

func castLike(c *call) string {
	c.set(0, c.elem(1), c.dims(0))
	return ""
}

func bitCast(c *call) string {
	to := Type(c.integer("to", 0))
	if to.bits() != c.elem(0).bits() {
		c.set(0, to, nil)
		return "it changes the size of elements"
	}
	c.set(0, to, c.dims(0))
	return ""
}

func dropout(c *call) string {
	c.set(0, c.elem(0), c.dims(0))
	mask := typeBool
	if c.opset < 10 {
		mask = c.elem(0)
	}
	c.set(1, mask, c.dims(0))
	return ""
}

// batchNormalization has further results of one element for each channel.
func batchNormalization(c *call) string {
	c.set(0, c.elem(0), c.dims(0))
	channel := []int64{-1}
	if d := c.dims(0); len(d) > 1 {
		channel[0] = d[1]
	} else if len(d) == 1 {
		channel[0] = 1
	}
	for k := 1; k < len(c.out); k++ {
		elem := c.elem(0)
		if c.opset >= 14 && k < 3 && c.given(k+2) {
			elem = c.elem(k + 2)
		}
		c.set(k, elem, channel)
	}
	return ""
}

// layerNormalization has the mean and the deviation as further results.
func layerNormalization(c *call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), dims)
	var rest []int64
	if axis, ok := axisOf(c.integer("axis", -1), len(dims)); ok && dims != nil {
		rest = append(rest, dims...)
		for i := axis; i < len(rest); i++ {
			rest[i] = 1
		}
	}
	for k := 1; k < min(3, len(c.out)); k++ {
		c.set(k, Type(c.integer("stash_type", int64(typeFloat))), rest)
	}
	return ""
}

// constant takes its value from one of several attributes.
func constant(c *call) string {
	w := c.w
	for k := range c.n.attributes {
		name := c.n.attributes[k].name
		a := w.attribute(c.n, name)
		if a == nil {
			continue
		}
		var elem Type
		n := int64(-1)
		switch name {
		case "value", "sparse_value":
			if a.tensor != nil {
				c.out[0].elem, c.out[0].dims = a.tensor.elem, a.tensor.dims
				c.out[0].data = w.decode(a.tensor)
				return ""
			}
		case "value_int":
			c.out[0] = result{elem: typeInt64, dims: []int64{}, data: &data{ints: []int64{a.i}}}
			return ""
		case "value_float":
			c.out[0] = result{elem: typeFloat, dims: []int64{}, data: &data{floats: []float64{a.f}}}
			return ""
		case "value_string":
			elem, n = typeString, -1
			c.set(0, elem, []int64{})
			return ""
		case "value_ints":
			elem, n = typeInt64, int64(len(a.ints))
			if n <= maxFold && a.set&setLong == 0 && w.foldLeft > 0 {
				w.foldLeft -= 8 * int(n)
				c.out[0].data = &data{ints: append([]int64{}, a.ints...)}
			}
		case "value_floats":
			elem, n = typeFloat, int64(len(a.floats))
			if n <= maxFoldFloat && a.set&setLong == 0 {
				c.out[0].data = &data{floats: append([]float64{}, a.floats...)}
			}
		case "value_strings":
			elem, n = typeString, int64(a.strings)
		default:
			continue
		}
		if a.set&setLong != 0 {
			n = -1
		}
		c.set(0, elem, []int64{n})
		return ""
	}
	return "it has no value"
}

func constantOfShape(c *call) string {
	elem := typeFloat
	if a := c.w.attribute(c.n, "value"); a != nil && a.tensor != nil {
		elem = a.tensor.elem
	}
	c.set(0, elem, c.asked(0))
	return c.unknown(0, "shape")
}

// asked returns the shape that an input of numbers asks for, open as far as that is
// not known.
func (c *call) asked(k int) []int64 {
	if list := c.ints(k); list != nil {
		if len(list) > maxRank {
			return nil
		}
		dims := make([]int64, len(list))
		for i, d := range list {
			dims[i] = fits(d)
		}
		return dims
	}
	if d := c.dims(k); len(d) == 1 && d[0] >= 0 && d[0] <= maxRank {
		return open(int(d[0]))
	}
	return nil
}

// unknown says that the elements of an input are not known, if they are not.
func (c *call) unknown(k int, what string) string {
	if !c.given(k) || c.w.known(c.in[k]) != nil {
		return ""
	}
	return "the " + what + " that its input " + c.w.quote(c.n.in[k]) + " gives is computed when the model runs"
}

// random fills a shape that is an attribute.
func random(c *call) string {
	dims := []int64{}
	for _, d := range c.integers("shape") {
		dims = append(dims, fits(d))
	}
	if len(dims) > maxRank {
		dims = nil
	}
	c.set(0, Type(c.integer("dtype", int64(typeFloat))), dims)
	return ""
}

// like gives the shape of the input, and its type where no other is asked for.
func like(c *call) string {
	c.set(0, Type(c.integer("dtype", int64(c.elem(0)))), c.dims(0))
	return ""
}

func multinomial(c *call) string {
	dims := []int64{-1, fits(c.integer("sample_size", 1))}
	if d := c.dims(0); len(d) > 0 {
		dims[0] = d[0]
	}
	c.set(0, Type(c.integer("dtype", int64(typeInt32))), dims)
	return ""
}

// span is Range: its length follows from the elements of its inputs.
func span(c *call) string {
	n := int64(-1)
	if from, to, step := c.ints(0), c.ints(1), c.ints(2); len(from) == 1 && len(to) == 1 && len(step) == 1 {
		if s := step[0]; s != 0 && small([]int64{from[0] >> 20, to[0] >> 20, s >> 20}) {
			n = max(0, ceilDiv(to[0]-from[0], s))
		}
	} else if from, to, step := c.floats(0), c.floats(1), c.floats(2); len(from) == 1 && len(to) == 1 && len(step) == 1 && step[0] != 0 {
		if x := (to[0] - from[0]) / step[0]; whole(x) {
			n = int64(x)
			if float64(n) < x {
				n++
			}
			n = max(0, n)
		}
	}
	c.set(0, c.elem(0), []int64{fits(n)})
	return c.unknown(0, "range") + c.unknown(1, "range")
}

// ceilDiv and floorDiv round towards plus and minus infinity.
func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func window(c *call) string {
	n := int64(-1)
	if size := c.ints(0); len(size) == 1 {
		n = fits(size[0])
	}
	c.set(0, Type(c.integer("output_datatype", int64(typeFloat))), []int64{n})
	return c.unknown(0, "size")
}

func melWeights(c *call) string {
	dims := []int64{-1, -1}
	if n := c.ints(1); len(n) == 1 && n[0] >= 0 {
		dims[0] = fits(n[0]/2 + 1)
	}
	if n := c.ints(0); len(n) == 1 {
		dims[1] = fits(n[0])
	}
	c.set(0, Type(c.integer("output_datatype", int64(typeFloat))), dims)
	return c.unknown(1, "length") + c.unknown(0, "number of bins")
}

func quantize(c *call) string {
	elem := typeUint8
	if t := Type(c.integer("output_dtype", 0)); t != 0 {
		elem = t
	} else if c.given(2) {
		elem = c.elem(2)
	}
	c.set(0, elem, c.dims(0))
	return ""
}

func dequantize(c *call) string {
	elem := typeFloat
	if t := Type(c.integer("output_dtype", 0)); t != 0 {
		elem = t
	} else if c.opset >= 19 || !standard(c.n.domain) {
		elem = c.elem(1)
	}
	c.set(0, elem, c.dims(0))
	return ""
}

func dynamicQuantize(c *call) string {
	c.set(0, typeUint8, c.dims(0))
	c.set(1, typeFloat, []int64{})
	c.set(2, typeUint8, []int64{})
	return ""
}

// loss is that of a classification: one for each label, or one in all.
func loss(c *call) string {
	dims := []int64{}
	if c.text("reduction", "mean") == "none" {
		dims = c.dims(1)
	}
	c.set(0, c.elem(0), dims)
	c.set(1, c.elem(0), c.dims(0))
	return ""
}

func determinant(c *call) string {
	dims := c.dims(0)
	if len(dims) >= 2 {
		dims = dims[:len(dims)-2]
	} else {
		dims = nil
	}
	c.set(0, c.elem(0), dims)
	return ""
}
