package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of ONNX Runtime's products, recurrent networks and attention.

// matMulFused may transpose its operands, within matrices or together with the first of the other dimensions.
func matMulFused(c *Call) string {
	inner := *c
	inner.In = slices.Clone(c.In)
	for k, suffix := range []string{"A", "B"} {
		d := c.dims(k)
		if len(d) < 2 {
			continue
		}
		v := *c.In[k]
		v.Dims = slices.Clone(d)
		n := len(d)
		if c.integer("transBatch"+suffix, 0) != 0 {
			v.Dims = slices.Concat(d[1:n-1], d[:1], d[n-1:])
		}
		if c.integer("trans"+suffix, 0) != 0 {
			v.Dims[n-2], v.Dims[n-1] = v.Dims[n-1], v.Dims[n-2]
		}
		inner.In[k] = &v
	}
	return inner.product(0, 1, c.elem(0))
}

// matMulToFloat multiplies integers, and scales the result to the type of a scale.
func matMulToFloat(c *Call) string { return c.product(0, 1, c.elem(2)) }

// matMulPacked has weights in a form of their own; N is how many columns they have.
func matMulPacked(c *Call) string {
	dims := slices.Clone(c.dims(0))
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	columns := c.integer("N", -1)
	if c.Node.Op == "MatMulBnb4" && c.integer("transB", 1) == 0 {
		columns = c.integer("K", -1)
	}
	if len(dims) == 0 || columns < 1 {
		return "it has no number of columns N, or multiplies a number"
	}
	dims[len(dims)-1] = shape.Fits(columns)
	c.set(0, c.elem(0), dims)
	return ""
}

// matMulShaped has the shape of its packed weights as an input.
func matMulShaped(c *Call) string {
	dims, weights := slices.Clone(c.dims(0)), c.ints(2)
	c.set(0, c.elem(0), nil)
	if len(dims) == 0 || len(weights) != 2 {
		return c.unknown(2, "shape")
	}
	dims[len(dims)-1] = shape.Fits(weights[1])
	c.set(0, c.elem(0), dims)
	return ""
}

// gemmQuantized has a scale and a zero point with each operand. Without those of the result that is FLOAT.
func gemmQuantized(c *Call) string {
	inner := *c
	inner.In = []*Operand{nil, nil}
	for k, from := range []int{0, 3} {
		if from < len(c.In) {
			inner.In[k] = c.In[from]
		}
	}
	reason := gemm(&inner)
	c.Out[0].Elem = shape.TypeFloat
	if c.given(8) {
		c.Out[0].Elem = c.elem(8)
	}
	return reason
}

// recurrentQuantized has its weights the other way round: the second dimension of R is what the state has.
func recurrentQuantized(c *Call) string {
	inner := *c
	inner.In = slices.Clone(c.In)
	if d := c.dims(2); len(d) == 3 {
		r := *c.In[2]
		r.Dims = []int64{d[0], d[2], d[1]}
		inner.In[2] = &r
	}
	return recurrent(&inner)
}

// distances is CDist: those between each row of one matrix and each of another.
func distances(c *Call) string {
	a, b := c.dims(0), c.dims(1)
	out := []int64{-1, -1}
	if len(a) == 2 {
		out[0] = a[0]
	}
	if len(b) == 2 {
		out[1] = b[0]
	}
	c.set(0, c.elem(0), out)
	return ""
}

// ratio is an exact quotient of dimensions, -1 if it is not known or there is none.
func ratio(n, by int64) int64 {
	if n < 0 || by <= 0 || n%by != 0 {
		return -1
	}
	return n / by
}

// attentionFused is Attention and QAttention: one matrix makes queries, keys and values. What it keeps of the
// past has keys and values in one tensor.
func attentionFused(c *Call) string {
	elem, past := c.elem(0), 4
	if c.Node.Op == "QAttention" {
		elem, past = c.elem(3), 8
	}
	dims, weights := c.dims(0), c.dims(1)
	c.set(0, elem, nil)
	c.set(1, elem, nil)
	if dims == nil || weights == nil {
		return ""
	}
	if len(dims) != 3 || len(weights) != 2 {
		return "its input must have three dimensions, and its weights two"
	}
	hidden := ratio(weights[1], 3)
	values := hidden
	if sizes := c.integers("qkv_hidden_sizes"); len(sizes) == 3 {
		hidden, values = shape.Fits(sizes[1]), shape.Fits(sizes[2])
	}
	c.set(0, elem, []int64{dims[0], dims[1], values})
	heads := shape.Fits(c.integer("num_heads", -1))
	present := []int64{2, dims[0], heads, dims[1], ratio(hidden, heads)}
	if c.given(past) {
		old := c.dims(past)
		switch {
		case len(old) != 5:
			present[3] = -1
		case c.integer("past_present_share_buffer", 0) != 0:
			present = old
		default:
			present[3] = shape.Sum(present[3], old[3])
		}
	}
	c.set(1, elem, present)
	return ""
}

// multiHead has queries, keys and values apart, or packed into one or two inputs. What it keeps of the past
// comes in front, or is overwritten in the past's own buffer.
func multiHead(c *Call) string {
	query, key, value := c.dims(0), c.dims(1), c.dims(2)
	masked := c.Node.Op != "MultiHeadAttention"
	past := 6
	if masked {
		past = 5
	}
	for k := range c.Out {
		c.set(k, c.elem(0), nil)
	}
	if query == nil || c.given(1) && key == nil || c.given(2) && value == nil {
		return ""
	}
	heads := shape.Fits(c.integer("num_heads", -1))
	width, values, length := int64(-1), int64(-1), int64(-1) // of a head of keys, of all of values; keys that are new
	switch {
	case len(query) == 5:
		width, length = query[4], query[1]
		values = shape.Times(query[2], query[4])
	case len(query) == 3 && masked && !c.given(1):
		values, length = ratio(query[2], 3), query[1]
		width = ratio(values, heads)
	case len(query) == 3 && len(key) == 5:
		values, width, length = query[2], key[4], key[1]
	case len(query) == 3 && len(key) == 3 && len(value) == 3:
		values, width, length = value[2], ratio(query[2], heads), key[1]
	case len(query) == 3 && len(key) == 4 && len(value) == 4:
		values, width, length = shape.Times(value[1], value[3]), key[3], key[2]
	default:
		return "its inputs do not have the dimensions of queries, keys and values"
	}
	c.set(0, c.elem(0), []int64{query[0], query[1], values})
	keys := []int64{query[0], heads, length, width}
	kept := []int64{query[0], heads, length, ratio(values, heads)}
	shared := masked && c.integer("past_present_share_buffer", 0) != 0 || !masked && c.given(past) && c.given(8)
	for k, present := range [][]int64{keys, kept} {
		if c.given(past + k) {
			old := c.dims(past + k)
			switch {
			case len(old) != 4:
				present[2] = -1
			case shared, len(key) == 4 && masked:
				present[2] = old[2]
			default:
				present[2] = shape.Sum(present[2], old[2])
			}
		}
		c.set(1+k, c.elem(0), present)
	}
	c.set(3, c.elem(0), []int64{query[0], heads, query[1], keys[2]})
	return ""
}

// groupQuery is attention with fewer heads of keys than of queries. Its past has room for all that follows, or
// grows to the length that an input gives.
func groupQuery(c *Call) string {
	sparse := c.Node.Op == "SparseAttention"
	query := c.dims(0)
	past, total := c.dims(3), []int64(nil)
	elem := c.elem(0)
	if c.given(3) {
		elem = c.elem(3)
	}
	c.set(0, c.elem(0), nil)
	c.set(1, elem, nil)
	c.set(2, elem, nil)
	c.set(3, c.elem(0), nil)
	if query == nil {
		return ""
	}
	if len(query) != 3 {
		return "its input must have three dimensions"
	}
	heads, keyHeads := shape.Fits(c.integer("num_heads", -1)), shape.Fits(c.integer("kv_num_heads", -1))
	width := ratio(query[2], heads)
	if !c.given(1) {
		width = ratio(query[2], shape.Sum(heads, shape.Times(2, keyHeads)))
	}
	c.set(0, c.elem(0), []int64{query[0], query[1], shape.Times(heads, width)})
	present := []int64{query[0], keyHeads, -1, width}
	reason := ""
	switch {
	case sparse || c.integer("sliding_window_cache", 0) == 1:
		if len(past) == 4 {
			present = past
		}
	default:
		if total = c.ints(6); len(total) != 1 {
			reason = c.unknown(6, "length of all keys")
		} else if present[2] = shape.Fits(total[0]); len(past) == 4 {
			if present[3] = past[3]; past[2] < 0 {
				present[2] = -1
			}
			present[2] = max(present[2], past[2])
		} else if c.given(3) {
			present[2] = -1
		}
	}
	c.set(1, elem, present)
	c.set(2, elem, present)
	if len(total) == 1 {
		c.set(3, c.elem(0), []int64{query[0], heads, query[1], shape.Fits(total[0])})
	}
	if len(c.Out) < 2 {
		return ""
	}
	return reason
}

// relativeBias has a value for each head and each pair of places.
func relativeBias(c *Call) string {
	out := []int64{1, -1, -1, -1}
	if d := c.dims(0); len(d) == 2 {
		out[1] = d[1]
	}
	for k := 1; k < 3; k++ {
		if n := c.ints(k); len(n) == 1 {
			out[1+k] = shape.Fits(n[0])
		}
	}
	c.set(0, c.elem(0), out)
	return c.unknown(1, "length") + c.unknown(2, "length")
}
