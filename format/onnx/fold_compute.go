package onnx

import (
	"math"
	"sync"
)

// The folders of operators that compute: in whole numbers of 64 bits, or in fractions
// that are rounded as the type of the result rounds them.

func foldCast(c *call) {
	from, to := c.input(0), c.out[0].elem
	d := &data{}
	if to.float() {
		d.floats = make([]float64, 0, len(from.ints)+len(from.floats))
		for _, x := range from.ints {
			d.floats = append(d.floats, float32Of(to, float64(x)))
		}
		for _, x := range from.floats {
			d.floats = append(d.floats, float32Of(to, x))
		}
		c.out[0].data = d
		return
	}
	d.ints = make([]int64, 0, len(from.ints)+len(from.floats))
	for _, x := range from.ints {
		if to == typeBool && x != 0 {
			x = 1
		}
		d.ints = append(d.ints, x)
	}
	for _, x := range from.floats {
		switch {
		case to == typeBool && x != 0:
			x = 1
		case !whole(x):
			return
		}
		d.ints = append(d.ints, int64(x))
	}
	c.out[0].data = d
}

func foldRange(c *call) {
	n := elements(c.out[0].dims)
	from, step := c.input(0), c.input(2)
	d := &data{}
	if len(from.ints) == 1 && len(step.ints) == 1 {
		d.ints = make([]int64, n)
		for i := range d.ints {
			d.ints[i] = from.ints[0] + int64(i)*step.ints[0]
		}
	} else if len(from.floats) == 1 && len(step.floats) == 1 {
		d.floats = make([]float64, n)
		for i := range d.floats {
			d.floats[i] = float32Of(c.out[0].elem, from.floats[0]+float64(i)*step.floats[0])
		}
	} else {
		return
	}
	c.out[0].data = d
}

func foldReduce(c *call) {
	dims := c.in[0].dims
	axes, reason := c.reducedAxes(len(dims))
	in := c.input(0)
	if reason != "" || axes == nil || in.ints == nil || len(in.ints) == 0 {
		return
	}
	kept := stridesOf(reduced(dims, axes, true))
	for k := range dims {
		if axes[k] {
			kept[k] = 0
		}
	}
	to := at(dims, kept, 0)
	n := elements(c.out[0].dims)
	out, seen := make([]int64, n), make([]bool, n)
	for i, x := range in.ints {
		k := to[i]
		switch {
		case !seen[k]:
			out[k], seen[k] = x, true
		case c.n.op == "ReduceProd":
			out[k] *= x
		case c.n.op == "ReduceSum":
			out[k] += x
		case c.n.op == "ReduceMax":
			out[k] = max(out[k], x)
		default:
			out[k] = min(out[k], x)
		}
	}
	c.out[0].data = &data{ints: out}
}

func foldUnary(c *call) {
	in, d := c.input(0), &data{}
	if in.ints != nil {
		d.ints = make([]int64, len(in.ints))
		for i, x := range in.ints {
			switch c.n.op {
			case "Not":
				x = 1 - x
			case "Neg":
				x = -x
			case "Abs":
				x = max(x, -x)
			case "Sign":
				x = max(-1, min(x, 1))
			case "Relu":
				x = max(0, x)
			default:
				return
			}
			d.ints[i] = x
		}
		c.out[0].data = d
		return
	}
	d.floats = make([]float64, len(in.floats))
	for i, x := range in.floats {
		switch c.n.op {
		case "Neg":
			x = -x
		case "Abs":
			x = math.Abs(x)
		case "Floor":
			x = math.Floor(x)
		case "Ceil":
			x = math.Ceil(x)
		case "Sqrt":
			x = math.Sqrt(x)
		case "Round":
			x = math.RoundToEven(x)
		case "Reciprocal":
			x = 1 / x
		case "Relu":
			x = max(0, x)
		default:
			return
		}
		d.floats[i] = float32Of(c.out[0].elem, x)
	}
	c.out[0].data = d
}

// arithmetic has the operators of two operands, on whole numbers and on fractions.
// ok is false where there is no result.
var arithmetic = sync.OnceValue(func() map[string]dyadic {
	return map[string]dyadic{
		"Add": {ints: func(a, b int64) (int64, bool) { return a + b, true }, floats: func(a, b float64) float64 { return a + b }},
		"Sub": {ints: func(a, b int64) (int64, bool) { return a - b, true }, floats: func(a, b float64) float64 { return a - b }},
		"Mul": {ints: func(a, b int64) (int64, bool) { return a * b, true }, floats: func(a, b float64) float64 { return a * b }},
		"Div": {ints: func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a / b, true
		}, floats: func(a, b float64) float64 { return a / b }},
		"Mod": {ints: func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a - b*floorDiv(a, b), true
		}},
		"Pow": {ints: power, floats: math.Pow},
		"Max": {ints: func(a, b int64) (int64, bool) { return max(a, b), true }, floats: math.Max},
		"Min": {ints: func(a, b int64) (int64, bool) { return min(a, b), true }, floats: math.Min},
		"And": {ints: func(a, b int64) (int64, bool) { return a & b, true }},
		"Or":  {ints: func(a, b int64) (int64, bool) { return a | b, true }},
		"Xor": {ints: func(a, b int64) (int64, bool) { return a ^ b, true }},
		"Equal": {
			ints:  func(a, b int64) (int64, bool) { return truth(a == b), true },
			truth: func(a, b float64) bool { return a == b },
		},
		"Less": {
			ints:  func(a, b int64) (int64, bool) { return truth(a < b), true },
			truth: func(a, b float64) bool { return a < b },
		},
		"Greater": {
			ints:  func(a, b int64) (int64, bool) { return truth(a > b), true },
			truth: func(a, b float64) bool { return a > b },
		},
		"LessOrEqual": {
			ints:  func(a, b int64) (int64, bool) { return truth(a <= b), true },
			truth: func(a, b float64) bool { return a <= b },
		},
		"GreaterOrEqual": {
			ints:  func(a, b int64) (int64, bool) { return truth(a >= b), true },
			truth: func(a, b float64) bool { return a >= b },
		},
	}
})

// dyadic is an operator of two operands.
type dyadic struct {
	ints   func(a, b int64) (x int64, ok bool)
	floats func(a, b float64) float64 // nil for none
	truth  func(a, b float64) bool    // of a comparison of fractions
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func power(a, b int64) (int64, bool) {
	x := int64(1)
	for range b {
		if b > 62 || x > math.MaxInt32 || x < math.MinInt32 || a > math.MaxInt32 || a < math.MinInt32 {
			return 0, false
		}
		x *= a
	}
	return x, b >= 0
}

func foldBinary(c *call) {
	if len(c.in) != 2 || c.in[0] == nil || c.in[1] == nil || c.opset < 7 {
		return
	}
	if c.n.op == "Mod" && c.integer("fmod", 0) != 0 {
		return
	}
	f := arithmetic()[c.n.op]
	a, b, d := c.spreadInput(0), c.spreadInput(1), &data{}
	switch {
	case a.ints != nil && b.ints != nil && f.ints != nil:
		d.ints = make([]int64, len(a.ints))
		for i := range a.ints {
			var ok bool
			if d.ints[i], ok = f.ints(a.ints[i], b.ints[i]); !ok {
				return
			}
		}
	case a.floats != nil && b.floats != nil && f.truth != nil:
		d.ints = make([]int64, len(a.floats))
		for i := range a.floats {
			d.ints[i] = truth(f.truth(a.floats[i], b.floats[i]))
		}
	case a.floats != nil && b.floats != nil && f.floats != nil:
		d.floats = make([]float64, len(a.floats))
		for i := range a.floats {
			d.floats[i] = float32Of(c.out[0].elem, f.floats(a.floats[i], b.floats[i]))
		}
	default:
		return
	}
	c.out[0].data = d
}
