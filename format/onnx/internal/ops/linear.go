package ops

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of products, recurrent networks, transforms and attention.

func matMul(c *Call) string { return c.product(0, 1, c.elem(0)) }

func matMulInteger(c *Call) string { return c.product(0, 1, shape.TypeInt32) }

func matMulQuantized(c *Call) string { return c.product(0, 3, c.elem(7)) }

// product is NumPy's matmul: matrices in the last two dimensions, the others
// broadcast, and a vector is a row or a column that is dropped again.
func (c *Call) product(left, right int, elem shape.Type) string {
	a, b := c.dims(left), c.dims(right)
	c.set(0, elem, nil)
	if a == nil || b == nil {
		return ""
	}
	if len(a) == 0 || len(b) == 0 {
		return "it multiplies a number, not a matrix"
	}
	row, column := len(a) == 1, len(b) == 1
	if row {
		a = []int64{1, a[0]}
	}
	if column {
		b = []int64{b[0], 1}
	}
	if k, l := a[len(a)-1], b[len(b)-2]; k >= 0 && l >= 0 && k != l {
		return "the shapes " + shape.Text(c.dims(left)) + " and " + shape.Text(c.dims(right)) + " do not match"
	}
	batch, ok := shape.Broadcast(a[:len(a)-2], b[:len(b)-2])
	if !ok {
		return "the shapes " + shape.Text(c.dims(left)) + " and " + shape.Text(c.dims(right)) + " do not match"
	}
	out := batch
	if !row {
		out = append(out, a[len(a)-2])
	}
	if !column {
		out = append(out, b[len(b)-1])
	}
	c.set(0, elem, out)
	return ""
}

func gemm(c *Call) string {
	a, b := c.dims(0), c.dims(1)
	out := []int64{-1, -1}
	if a != nil && len(a) != 2 || b != nil && len(b) != 2 {
		return "it multiplies a tensor that is not a matrix"
	}
	if a != nil {
		out[0] = a[0]
		if c.integer("transA", 0) != 0 {
			out[0] = a[1]
		}
	}
	if b != nil {
		out[1] = b[1]
		if c.integer("transB", 0) != 0 {
			out[1] = b[0]
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// An equation is what the inputs of an Einsum say about its letters.
type equation struct {
	sizes map[rune]int64
	count map[rune]int
	rest  []int64 // the dimensions that have no letters
}

// einsum follows the letters of its equation; an ellipsis stands for the dimensions that have none.
func einsum(c *Call) string {
	c.set(0, c.elem(0), nil)
	left, right, explicit := strings.Cut(strings.ReplaceAll(c.text("equation", ""), " ", ""), "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(c.In) {
		return "its equation does not fit its inputs"
	}
	e := equation{map[rune]int64{}, map[rune]int{}, []int64{}}
	for k, term := range terms {
		dims := c.dims(k)
		if dims == nil {
			return ""
		}
		if fault := e.term(term, dims); fault != "" {
			return fault
		}
	}
	if !explicit {
		right = e.implied(strings.Contains(left, "..."))
	}
	out, ok := e.result(right)
	if !ok {
		return "its equation has a result dimension that no input has"
	}
	if len(out) <= shape.MaxRank {
		c.set(0, c.elem(0), out)
	}
	return ""
}

// term adds the letters of an input; what it returns is why they do not fit.
func (e *equation) term(term string, dims []int64) string {
	before, after, ellipsis := strings.Cut(term, "...")
	hidden := len(dims) - len(before) - len(after)
	if hidden < 0 || hidden > 0 && !ellipsis || strings.Contains(after, ".") {
		return "its equation does not fit its input " + shape.Text(dims)
	}
	if strings.IndexFunc(before+after, func(r rune) bool { return r > 'z' || r < 'A' }) >= 0 {
		return "its equation has characters that are not letters"
	}
	e.set(before, dims)
	e.set(after, dims[len(dims)-len(after):])
	if ellipsis {
		var ok bool
		if e.rest, ok = shape.Broadcast(e.rest, dims[len(before):len(before)+hidden]); !ok {
			return "its inputs do not match"
		}
	}
	return ""
}

// set gives letters their sizes: one that is known and not 1, if any is.
func (e *equation) set(letters string, dims []int64) {
	for i, r := range letters {
		e.count[r]++
		if old, ok := e.sizes[r]; !ok || old == 1 || old < 0 {
			e.sizes[r] = dims[i]
		}
	}
}

// implied returns the right side of an equation that has none: the letters that stand once,
// in the order of the alphabet, after what an ellipsis stands for.
func (e *equation) implied(ellipsis bool) string {
	var letters []rune
	for r, n := range e.count {
		if n == 1 {
			letters = append(letters, r)
		}
	}
	slices.Sort(letters)
	if ellipsis {
		return "..." + string(letters)
	}
	return string(letters)
}

// result returns the dimensions of a right side. If there are more than a tensor may have, it returns only the first.
// ok is false if a letter is on no left side.
func (e *equation) result(right string) (out []int64, ok bool) {
	out = []int64{}
	for len(right) > 0 && len(out) <= shape.MaxRank {
		if tail, ok := strings.CutPrefix(right, "..."); ok {
			out, right = append(out, e.rest...), tail
			continue
		}
		n, ok := e.sizes[rune(right[0])]
		if !ok {
			return nil, false
		}
		out, right = append(out, n), right[1:]
	}
	return out, true
}

// recurrent is RNN, GRU and LSTM: all states, the last one and the last cell.
func recurrent(c *Call) string {
	x, r := c.dims(0), c.dims(2)
	directions := int64(1)
	if c.text("direction", "forward") == "bidirectional" {
		directions = 2
	}
	hidden := shape.Fits(c.integer("hidden_size", -1))
	if hidden < 0 && len(r) == 3 {
		hidden = r[2]
	}
	sequence, batch := int64(-1), int64(-1)
	layout := c.integer("layout", 0)
	if len(x) == 3 {
		sequence, batch = x[0], x[1]
		if layout == 1 {
			sequence, batch = x[1], x[0]
		}
	} else if x != nil {
		return "its input " + shape.Text(x) + " does not have three dimensions"
	}
	all, last := []int64{sequence, directions, batch, hidden}, []int64{directions, batch, hidden}
	if layout == 1 {
		all, last = []int64{batch, sequence, directions, hidden}, []int64{batch, directions, hidden}
	}
	c.set(0, c.elem(0), all)
	c.set(1, c.elem(0), last)
	c.set(2, c.elem(0), last)
	return ""
}

// fourier is DFT: complex numbers are pairs in the last dimension.
func fourier(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	axis := c.integer("axis", 1)
	if c.Opset >= 20 {
		if axis = -2; c.given(2) {
			a := c.ints(2)
			if len(a) != 1 {
				c.set(0, c.elem(0), shape.Open(len(dims)))
				return c.unknown(2, "axis")
			}
			axis = a[0]
		}
	}
	at, ok := shape.Axis(axis, len(dims))
	if !ok || len(dims) < 2 {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	out := slices.Clone(dims)
	if c.given(1) {
		if out[at] = -1; len(c.ints(1)) == 1 {
			out[at] = shape.Fits(c.ints(1)[0])
		}
	}
	inverse := c.integer("inverse", 0) != 0
	out[len(out)-1] = 2
	if c.integer("onesided", 0) != 0 {
		if inverse {
			out[len(out)-1] = 1
			if !c.given(1) && out[at] > 0 {
				out[at] = shape.Times(out[at]-1, 2)
			}
		} else if out[at] >= 0 {
			out[at] = out[at]/2 + 1
		}
	}
	c.set(0, c.elem(0), out)
	return c.unknown(1, "length")
}

// shortFourier is STFT: a transform of each frame.
func shortFourier(c *Call) string {
	dims := c.dims(0)
	out := shape.Open(4)
	out[3] = 2
	if len(dims) > 0 {
		out[0] = dims[0]
	}
	step, length := c.ints(1), int64(-1)
	if l := c.ints(3); len(l) == 1 {
		length = shape.Fits(l[0])
	} else if w := c.dims(2); len(w) == 1 {
		length = w[0]
	}
	if length > 0 {
		out[2] = length
		if c.integer("onesided", 1) != 0 {
			out[2] = length/2 + 1
		}
		if len(step) == 1 && step[0] > 0 && len(dims) > 1 && dims[1] >= length {
			out[1] = (dims[1]-length)/step[0] + 1
		}
	}
	c.set(0, c.elem(0), out)
	return c.unknown(1, "step") + c.unknown(3, "length")
}

// attention has queries, keys and values with their heads apart, or one after the
// other in the last dimension. What it keeps of the past comes in front.
func attention(c *Call) string {
	q, k, v := c.dims(0), c.dims(1), c.dims(2)
	if q == nil || k == nil || v == nil {
		c.set(0, c.elem(0), nil)
		return ""
	}
	if len(q) != len(k) || len(k) != len(v) || len(q) != 3 && len(q) != 4 {
		return "its inputs must have three or four dimensions"
	}
	heads, keyHeads := shape.Fits(c.integer("q_num_heads", -1)), shape.Fits(c.integer("kv_num_heads", -1))
	out := slices.Clone(q)
	per := func(n, heads int64) int64 {
		if n < 0 || heads <= 0 {
			return -1
		}
		return n / heads
	}
	var key, value []int64
	if len(q) == 4 {
		heads = q[1]
		out[3] = v[3]
		key, value = slices.Clone(k), slices.Clone(v)
	} else {
		width := per(v[2], keyHeads)
		out[2] = shape.Times(heads, width)
		key, value = []int64{k[0], keyHeads, k[1], per(k[2], keyHeads)}, []int64{v[0], keyHeads, v[1], width}
	}
	c.set(0, c.elem(0), out)
	total := key[2]
	for i, cache := range [][]int64{key, value} {
		if c.given(4 + i) {
			if past := c.dims(4 + i); len(past) == 4 {
				cache[2] = shape.Sum(cache[2], past[2])
			} else {
				cache[2] = -1
			}
		}
		c.set(1+i, c.elem(4+i), cache)
		if !c.given(4 + i) {
			c.set(1+i, c.elem(1+i), cache)
		}
	}
	if c.given(4) {
		total = key[2]
	}
	c.set(3, c.elem(0), []int64{q[0], heads, out[len(out)-2], total})
	return ""
}
