package ops

import (
	"math"
	"sync"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The folders of operators that compute: in whole numbers of 64 bits, or in fractions
// that are rounded as the type of the result rounds them.

func foldCast(c *Call) {
	from, to := c.input(0), c.Out[0].Elem
	d := &shape.Data{}
	if to.Float() {
		d.Floats = make([]float64, 0, len(from.Ints)+len(from.Floats))
		for _, x := range from.Ints {
			d.Floats = append(d.Floats, float32Of(to, float64(x)))
		}
		for _, x := range from.Floats {
			d.Floats = append(d.Floats, float32Of(to, x))
		}
		c.Out[0].Data = d
		return
	}
	d.Ints = make([]int64, 0, len(from.Ints)+len(from.Floats))
	for _, x := range from.Ints {
		if to == shape.TypeBool && x != 0 {
			x = 1
		}
		d.Ints = append(d.Ints, x)
	}
	for _, x := range from.Floats {
		switch {
		case to == shape.TypeBool && x != 0:
			x = 1
		case !whole(x):
			return
		}
		d.Ints = append(d.Ints, int64(x))
	}
	c.Out[0].Data = d
}

func foldRange(c *Call) {
	n := shape.Elements(c.Out[0].Dims)
	from, step := c.input(0), c.input(2)
	d := &shape.Data{}
	if len(from.Ints) == 1 && len(step.Ints) == 1 {
		d.Ints = make([]int64, n)
		for i := range d.Ints {
			d.Ints[i] = from.Ints[0] + int64(i)*step.Ints[0]
		}
	} else if len(from.Floats) == 1 && len(step.Floats) == 1 {
		d.Floats = make([]float64, n)
		for i := range d.Floats {
			d.Floats[i] = float32Of(c.Out[0].Elem, from.Floats[0]+float64(i)*step.Floats[0])
		}
	} else {
		return
	}
	c.Out[0].Data = d
}

func foldReduce(c *Call) {
	dims := c.In[0].Dims
	axes, reason := c.reducedAxes(len(dims))
	in := c.input(0)
	if reason != "" || axes == nil || in.Ints == nil || len(in.Ints) == 0 {
		return
	}
	kept := stridesOf(reduced(dims, axes, true))
	for k := range dims {
		if axes[k] {
			kept[k] = 0
		}
	}
	to := at(dims, kept, 0)
	n := shape.Elements(c.Out[0].Dims)
	out, seen := make([]int64, n), make([]bool, n)
	for i, x := range in.Ints {
		k := to[i]
		switch {
		case !seen[k]:
			out[k], seen[k] = x, true
		case c.Node.Op == "ReduceProd":
			out[k] *= x
		case c.Node.Op == "ReduceSum":
			out[k] += x
		case c.Node.Op == "ReduceMax":
			out[k] = max(out[k], x)
		default:
			out[k] = min(out[k], x)
		}
	}
	c.Out[0].Data = &shape.Data{Ints: out}
}

func foldUnary(c *Call) {
	in, d := c.input(0), &shape.Data{}
	if in.Ints != nil {
		d.Ints = make([]int64, len(in.Ints))
		for i, x := range in.Ints {
			switch c.Node.Op {
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
			d.Ints[i] = x
		}
		c.Out[0].Data = d
		return
	}
	d.Floats = make([]float64, len(in.Floats))
	for i, x := range in.Floats {
		switch c.Node.Op {
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
		d.Floats[i] = float32Of(c.Out[0].Elem, x)
	}
	c.Out[0].Data = d
}

// arithmetic has the operators of two operands, on whole numbers and on fractions. ok is false if there is no result.
var arithmetic = sync.OnceValue(func() map[string]dyadic {
	return map[string]dyadic{
		"Add": {
			ints:   func(a, b int64) (int64, bool) { return a + b, true },
			floats: func(a, b float64) float64 { return a + b },
		},
		"Sub": {
			ints:   func(a, b int64) (int64, bool) { return a - b, true },
			floats: func(a, b float64) float64 { return a - b },
		},
		"Mul": {
			ints:   func(a, b int64) (int64, bool) { return a * b, true },
			floats: func(a, b float64) float64 { return a * b },
		},
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

func foldBinary(c *Call) {
	if len(c.In) != 2 || c.In[0] == nil || c.In[1] == nil || c.Opset < 7 {
		return
	}
	if c.Node.Op == "Mod" && c.integer("fmod", 0) != 0 {
		return
	}
	f := arithmetic()[c.Node.Op]
	a, b, d := c.spreadInput(0), c.spreadInput(1), &shape.Data{}
	switch {
	case a.Ints != nil && b.Ints != nil && f.ints != nil:
		d.Ints = make([]int64, len(a.Ints))
		for i := range a.Ints {
			var ok bool
			if d.Ints[i], ok = f.ints(a.Ints[i], b.Ints[i]); !ok {
				return
			}
		}
	case a.Floats != nil && b.Floats != nil && f.truth != nil:
		d.Ints = make([]int64, len(a.Floats))
		for i := range a.Floats {
			d.Ints[i] = truth(f.truth(a.Floats[i], b.Floats[i]))
		}
	case a.Floats != nil && b.Floats != nil && f.floats != nil:
		d.Floats = make([]float64, len(a.Floats))
		for i := range a.Floats {
			d.Floats[i] = float32Of(c.Out[0].Elem, f.floats(a.Floats[i], b.Floats[i]))
		}
	default:
		return
	}
	c.Out[0].Data = d
}
