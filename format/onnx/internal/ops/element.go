package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of operators that work element by element, make tensors from nothing, or convert.

func same(c *Call) string {
	c.set(0, c.elem(0), c.dims(0))
	return ""
}

func identity(c *Call) string {
	if c.given(0) {
		c.Out[0] = c.In[0].Result
	}
	return ""
}

// elementwise broadcasts, as NumPy does; before version 7 the second operand had to fit the first.
func elementwise(c *Call) string { return c.spread(c.elem(0)) }

func comparison(c *Call) string { return c.spread(shape.TypeBool) }

func (c *Call) spread(elem shape.Type) string {
	if legacy := c.Opset < 7; legacy || len(c.In) == 1 {
		c.set(0, elem, c.dims(0))
		return ""
	}
	dims := c.dims(0)
	for k := 1; k < len(c.In); k++ {
		other, ok := c.dims(k), true
		if other != nil && slices.Equal(dims, other) {
			continue
		}
		if dims, ok = shape.Broadcast(dims, other); !ok {
			c.set(0, elem, nil)
			return "its inputs " + shape.Text(c.dims(0)) + " and " + shape.Text(other) + " do not match"
		}
	}
	c.set(0, elem, dims)
	return ""
}

func predicate(c *Call) string {
	c.set(0, shape.TypeBool, c.dims(0))
	return ""
}

func where(c *Call) string {
	dims, ok := shape.Broadcast(c.dims(0), c.dims(1), c.dims(2))
	c.set(0, c.elem(1), dims)
	if !ok {
		return "its inputs' shapes do not match"
	}
	return ""
}

func cast(c *Call) string {
	c.set(0, shape.Type(c.integer("to", 0)), c.dims(0))
	return ""
}

func castLike(c *Call) string {
	c.set(0, c.elem(1), c.dims(0))
	return ""
}

func bitCast(c *Call) string {
	to := shape.Type(c.integer("to", 0))
	if to.Bits() != c.elem(0).Bits() {
		c.set(0, to, nil)
		return "it changes the size of elements"
	}
	c.set(0, to, c.dims(0))
	return ""
}

func dropout(c *Call) string {
	c.set(0, c.elem(0), c.dims(0))
	mask := shape.TypeBool
	if c.Opset < 10 {
		mask = c.elem(0)
	}
	c.set(1, mask, c.dims(0))
	return ""
}

// batchNormalization has further results of one element for each channel.
func batchNormalization(c *Call) string {
	c.set(0, c.elem(0), c.dims(0))
	channel := []int64{-1}
	if d := c.dims(0); len(d) > 1 {
		channel[0] = d[1]
	} else if len(d) == 1 {
		channel[0] = 1
	}
	for k := 1; k < len(c.Out); k++ {
		elem := c.elem(0)
		if c.Opset >= 14 && k < 3 && c.given(k+2) {
			elem = c.elem(k + 2)
		}
		c.set(k, elem, channel)
	}
	return ""
}

// layerNormalization has the mean and the deviation as further results.
func layerNormalization(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), dims)
	var rest []int64
	if axis, ok := shape.Axis(c.integer("axis", -1), len(dims)); ok && dims != nil {
		rest = append(rest, dims...)
		for i := axis; i < len(rest); i++ {
			rest[i] = 1
		}
	}
	for k := 1; k < min(3, len(c.Out)); k++ {
		c.set(k, shape.Type(c.integer("stash_type", int64(shape.TypeFloat))), rest)
	}
	return ""
}

// constant takes its value from one of several attributes.
func constant(c *Call) string {
	for k := range c.Node.Attributes {
		name := c.Node.Attributes[k].Name
		a := c.attribute(name)
		if a == nil {
			continue
		}
		var elem shape.Type
		n := int64(-1)
		switch name {
		case "value", "sparse_value":
			if a.Tensor != nil {
				c.Out[0].Elem, c.Out[0].Dims = a.Tensor.Elem, a.Tensor.Dims
				c.Out[0].Data = decode(c.Budget, a.Tensor)
				return ""
			}
		case "value_int":
			c.Out[0] = shape.Result{Elem: shape.TypeInt64, Dims: []int64{}, Data: &shape.Data{Ints: []int64{a.Int}}}
			return ""
		case "value_float":
			c.Out[0] = shape.Result{Elem: shape.TypeFloat, Dims: []int64{}, Data: &shape.Data{Floats: []float64{a.Float}}}
			return ""
		case "value_string":
			elem, n = shape.TypeString, -1
			c.set(0, elem, []int64{})
			return ""
		case "value_ints":
			elem, n = shape.TypeInt64, int64(len(a.Ints))
			if n <= shape.MaxFold && a.Set&graph.SetLong == 0 && c.Budget.Spare(8*int(n)) {
				c.Out[0].Data = &shape.Data{Ints: append([]int64{}, a.Ints...)}
			}
		case "value_floats":
			elem, n = shape.TypeFloat, int64(len(a.Floats))
			if n <= shape.MaxFoldFloat && a.Set&graph.SetLong == 0 && c.Budget.Spare(8*int(n)) {
				c.Out[0].Data = &shape.Data{Floats: append([]float64{}, a.Floats...)}
			}
		case "value_strings":
			elem, n = shape.TypeString, int64(a.Strings)
		default:
			continue
		}
		if a.Set&graph.SetLong != 0 {
			n = -1
		}
		c.set(0, elem, []int64{n})
		return ""
	}
	return "it has no value"
}

func constantOfShape(c *Call) string {
	elem := shape.TypeFloat
	if a := c.attribute("value"); a != nil && a.Tensor != nil {
		elem = a.Tensor.Elem
	}
	c.set(0, elem, c.asked(0))
	return c.unknown(0, "shape")
}

// asked returns the shape that an input of numbers asks for. Dimensions that are not known are open.
func (c *Call) asked(k int) []int64 {
	if list := c.ints(k); list != nil {
		if len(list) > shape.MaxRank {
			return nil
		}
		dims := make([]int64, len(list))
		for i, d := range list {
			dims[i] = shape.Fits(d)
		}
		return dims
	}
	if d := c.dims(k); len(d) == 1 && d[0] >= 0 && d[0] <= shape.MaxRank {
		return shape.Open(int(d[0]))
	}
	return nil
}

// unknown says that the elements of an input are not known, if they are not.
func (c *Call) unknown(k int, what string) string {
	if !c.given(k) || c.In[k].Known(c.Budget) != nil {
		return ""
	}
	return "the " + what + " that its input " + c.Scope.Quote(c.Node.In[k]) + " gives is computed when the model runs"
}

// random fills a shape that is an attribute.
func random(c *Call) string {
	dims := []int64{}
	for _, d := range c.integers("shape") {
		dims = append(dims, shape.Fits(d))
	}
	if len(dims) > shape.MaxRank {
		dims = nil
	}
	c.set(0, shape.Type(c.integer("dtype", int64(shape.TypeFloat))), dims)
	return ""
}

// like gives the shape of the input, and its type if no other is asked for.
func like(c *Call) string {
	c.set(0, shape.Type(c.integer("dtype", int64(c.elem(0)))), c.dims(0))
	return ""
}

func multinomial(c *Call) string {
	dims := []int64{-1, shape.Fits(c.integer("sample_size", 1))}
	if d := c.dims(0); len(d) > 0 {
		dims[0] = d[0]
	}
	c.set(0, shape.Type(c.integer("dtype", int64(shape.TypeInt32))), dims)
	return ""
}

// span is Range: its length follows from the elements of its inputs. ONNX Runtime's Range may have no step.
func span(c *Call) string {
	n := int64(-1)
	steps, parts := c.ints(2), c.floats(2)
	if !c.given(2) && !graph.Standard(c.Node.Domain) {
		steps, parts = []int64{1}, []float64{1}
	}
	if from, to, step := c.ints(0), c.ints(1), steps; len(from) == 1 && len(to) == 1 && len(step) == 1 {
		if s := step[0]; s != 0 && small([]int64{from[0] >> 20, to[0] >> 20, s >> 20}) {
			n = max(0, ceilDiv(to[0]-from[0], s))
		}
	} else if from, to, step := c.floats(0), c.floats(1), parts; len(from) == 1 && len(to) == 1 &&
		len(step) == 1 && step[0] != 0 {
		if x := (to[0] - from[0]) / step[0]; whole(x) {
			n = int64(x)
			if float64(n) < x {
				n++
			}
			n = max(0, n)
		}
	}
	c.set(0, c.elem(0), []int64{shape.Fits(n)})
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

func window(c *Call) string {
	n := int64(-1)
	if size := c.ints(0); len(size) == 1 {
		n = shape.Fits(size[0])
	}
	c.set(0, shape.Type(c.integer("output_datatype", int64(shape.TypeFloat))), []int64{n})
	return c.unknown(0, "size")
}

func melWeights(c *Call) string {
	dims := []int64{-1, -1}
	if n := c.ints(1); len(n) == 1 && n[0] >= 0 {
		dims[0] = shape.Fits(n[0]/2 + 1)
	}
	if n := c.ints(0); len(n) == 1 {
		dims[1] = shape.Fits(n[0])
	}
	c.set(0, shape.Type(c.integer("output_datatype", int64(shape.TypeFloat))), dims)
	return c.unknown(1, "length") + c.unknown(0, "number of bins")
}

func quantize(c *Call) string {
	elem := shape.TypeUint8
	if t := shape.Type(c.integer("output_dtype", 0)); t != 0 {
		elem = t
	} else if c.given(2) {
		elem = c.elem(2)
	}
	c.set(0, elem, c.dims(0))
	return ""
}

func dequantize(c *Call) string {
	elem := shape.TypeFloat
	if t := shape.Type(c.integer("output_dtype", 0)); t != 0 {
		elem = t
	} else if c.Opset >= 19 || !graph.Standard(c.Node.Domain) {
		elem = c.elem(1)
	}
	c.set(0, elem, c.dims(0))
	return ""
}

func dynamicQuantize(c *Call) string {
	c.set(0, shape.TypeUint8, c.dims(0))
	c.set(1, shape.TypeFloat, []int64{})
	c.set(2, shape.TypeUint8, []int64{})
	return ""
}

// loss is that of a classification: one for each label, or one in all.
func loss(c *Call) string {
	dims := []int64{}
	if c.text("reduction", "mean") == "none" {
		dims = c.dims(1)
	}
	c.set(0, c.elem(0), dims)
	c.set(1, c.elem(0), c.dims(0))
	return ""
}

func determinant(c *Call) string {
	dims := c.dims(0)
	if len(dims) >= 2 {
		dims = dims[:len(dims)-2]
	} else {
		dims = nil
	}
	c.set(0, c.elem(0), dims)
	return ""
}
