package onnx

import (
	"math"
	"slices"
	"sync"
)

// Idea: exporters compute shapes in the model: Shape, Gather, arithmetic, Concat, and
// at the end a Reshape. Where all inputs of such a node are small and known, its
// result is computed here, in whole numbers of 64 bits, or in fractions rounded as
// the type rounds them. What is known so is a constant too.
//
// Invariant: elements that are not computed as a runtime would are not given: where
// a type is too narrow for a result, or a division is by zero, nothing is known.
//
// Complexity: O(elements of inputs and result), at most maxFold each.
//
// Source: the definitions of the operators in onnx 1.23.2.

// fold computes the results of a node whose inputs are known. What has been found by
// the rule stays.
func (c *call) fold() {
	if len(c.out) == 0 || !c.given(0) || !standard(c.n.domain) || c.w.foldLeft <= 0 {
		return
	}
	f := folders[c.n.op]
	if f == nil {
		return
	}
	for k := range c.in {
		if c.in[k] != nil && c.w.known(c.in[k]) == nil {
			return
		}
	}
	for k := range c.out {
		if c.out[k].data != nil || c.n.op != "NonZero" && (!foldable(c.out[k].elem, c.out[k].dims)) {
			return
		}
	}
	for k := range c.in {
		if v := c.in[k]; v != nil { // what it costs to go through the elements
			c.w.foldLeft -= (len(v.data.ints) + len(v.data.floats)) * (1 + len(v.dims)/4)
		}
	}
	f(c)
	for k := range c.out {
		r := &c.out[k]
		if r.data == nil {
			continue
		}
		n := elements(r.dims)
		if int64(len(r.data.ints)+len(r.data.floats)) != n || r.elem.integer() != (r.data.ints != nil) || !r.data.fits(r.elem) {
			r.data = nil
			continue
		}
		c.w.foldLeft -= int(n) * (8 + len(r.dims)/4)
	}
}

// fits reports whether every number is one of the type.
func (d *data) fits(elem Type) bool {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	switch elem {
	case typeBool:
		low, high = 0, 1
	case typeUint8:
		low, high = 0, math.MaxUint8
	case 3:
		low, high = math.MinInt8, math.MaxInt8
	case 4:
		low, high = 0, math.MaxUint16
	case 5:
		low, high = math.MinInt16, math.MaxInt16
	case typeInt32:
		low, high = math.MinInt32, math.MaxInt32
	case 12:
		low, high = 0, math.MaxUint32
	case 13:
		low = 0
	}
	for _, x := range d.ints {
		if x < low || x > high {
			return false
		}
	}
	return true
}

var folders map[string]func(c *call)

func makeFolders() {
	folders = map[string]func(c *call){
		"Identity": foldSame, "Reshape": foldSame, "Squeeze": foldSame, "Unsqueeze": foldSame, "Flatten": foldSame,
		"ConstantOfShape": foldFilled, "Cast": foldCast, "Concat": foldConcat, "Gather": foldGather, "Slice": foldSlice,
		"Split": foldSplit, "Transpose": foldTranspose, "Expand": foldExpand, "Tile": foldTile, "Range": foldRange, "Where": foldWhere,
		"NonZero": foldNonZero, "ReduceProd": foldReduce, "ReduceSum": foldReduce, "ReduceMax": foldReduce, "ReduceMin": foldReduce,
		"Not": foldUnary, "Neg": foldUnary, "Abs": foldUnary, "Floor": foldUnary, "Ceil": foldUnary, "Sqrt": foldUnary, "Sign": foldUnary,
		"Round": foldUnary, "Relu": foldUnary, "Reciprocal": foldUnary,
	}
	for op := range arithmetic() {
		folders[op] = foldBinary
	}
}

// input returns the elements of an input that is known.
func (c *call) input(k int) *data { return c.in[k].data }

// pick returns the elements at these indices.
func (d *data) pick(at []int) *data {
	out := &data{}
	if d.ints != nil {
		out.ints = make([]int64, len(at))
		for i, k := range at {
			out.ints[i] = d.ints[k]
		}
		return out
	}
	out.floats = make([]float64, len(at))
	for i, k := range at {
		out.floats[i] = d.floats[k]
	}
	return out
}

// at maps each element of a shape to one of another: its index is the sum of those
// of its coordinates times strides, and a beginning.
func at(dims []int64, strides []int64, begin int64) []int {
	n := elements(dims)
	out := make([]int, n)
	coordinate := make([]int64, len(dims))
	for i := range out {
		index := begin
		for k := range dims {
			index += coordinate[k] * strides[k]
		}
		out[i] = int(index)
		for k := len(dims) - 1; k >= 0; k-- {
			if coordinate[k]++; coordinate[k] < dims[k] {
				break
			}
			coordinate[k] = 0
		}
	}
	return out
}

// stridesOf returns by how much the index grows along each dimension.
func stridesOf(dims []int64) []int64 {
	out := make([]int64, len(dims))
	n := int64(1)
	for k := len(dims) - 1; k >= 0; k-- {
		out[k] = n
		n *= dims[k]
	}
	return out
}

// spreadStrides are those of a shape that is broadcast to another: 0 where it is
// repeated.
func spreadStrides(dims, to []int64) []int64 {
	out := make([]int64, len(to))
	own := stridesOf(dims)
	for k := range dims {
		if dims[k] != 1 {
			out[len(to)-len(dims)+k] = own[k]
		}
	}
	return out
}

// spreadInput returns the elements of an input broadcast to the shape of the result.
func (c *call) spreadInput(k int) *data {
	to := c.out[0].dims
	return c.input(k).pick(at(to, spreadStrides(c.in[k].dims, to), 0))
}

func foldSame(c *call) { c.out[0].data = c.input(0) }

func foldFilled(c *call) {
	n := int(elements(c.out[0].dims))
	d := &data{ints: []int64{0}}
	if c.out[0].elem.float() {
		d = &data{floats: []float64{0}}
	}
	if a := c.w.attribute(c.n, "value"); a != nil && a.tensor != nil {
		if d = c.w.decode(a.tensor); d == nil || len(d.ints)+len(d.floats) != 1 {
			return
		}
	}
	c.out[0].data = d.pick(make([]int, n))
}

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

func foldConcat(c *call) {
	r := &c.out[0]
	axis, ok := c.joint(len(r.dims))
	if !ok {
		return
	}
	d := &data{}
	if r.elem.integer() {
		d.ints = []int64{}
	} else {
		d.floats = []float64{}
	}
	outer := elements(r.dims[:axis])
	for i := range outer {
		for k := range c.in {
			in := c.input(k)
			n := elements(c.in[k].dims[axis:])
			if in.ints != nil && d.ints != nil && (i+1)*n <= int64(len(in.ints)) {
				d.ints = append(d.ints, in.ints[i*n:(i+1)*n]...)
			} else if in.floats != nil && d.floats != nil && (i+1)*n <= int64(len(in.floats)) {
				d.floats = append(d.floats, in.floats[i*n:(i+1)*n]...)
			}
		}
	}
	r.data = d
}

func foldGather(c *call) {
	dims, indices := c.in[0].dims, c.input(1).ints
	axis, ok := axisOf(c.integer("axis", 0), len(dims))
	if !ok || indices == nil {
		return
	}
	inner := elements(dims[axis+1:])
	pick := make([]int, 0, elements(c.out[0].dims))
	for i := range elements(dims[:axis]) {
		for _, index := range indices {
			a, ok := axisOf(index, int(dims[axis]))
			if !ok {
				return
			}
			for k := range inner {
				pick = append(pick, int((i*dims[axis]+int64(a))*inner+k))
			}
		}
	}
	c.out[0].data = c.input(0).pick(pick)
}

func foldSlice(c *call) {
	dims := c.in[0].dims
	cuts, reason := c.cuts(dims)
	if cuts == nil || reason != "" {
		return
	}
	strides, begin := stridesOf(dims), int64(0)
	for k := range cuts {
		if cuts[k].count < 0 {
			return
		}
		if cuts[k].count > 0 {
			begin += cuts[k].start * strides[k]
		}
		if cuts[k].count > 1 {
			strides[k] *= cuts[k].step
		} else {
			strides[k] = 0
		}
	}
	c.out[0].data = c.input(0).pick(at(c.out[0].dims, strides, begin))
}

func foldSplit(c *call) {
	dims := c.in[0].dims
	axis, ok := axisOf(c.integer("axis", 0), len(dims))
	if !ok {
		return
	}
	strides, begin := stridesOf(dims), int64(0)
	for k := range c.out {
		out := c.out[k].dims
		if begin+out[axis] > dims[axis] {
			return
		}
		c.out[k].data = c.input(0).pick(at(out, strides, begin*strides[axis]))
		begin += out[axis]
	}
}

func foldTranspose(c *call) {
	own := stridesOf(c.in[0].dims)
	strides := make([]int64, len(own))
	for i, a := range c.order(len(own)) {
		strides[i] = own[a]
	}
	c.out[0].data = c.input(0).pick(at(c.out[0].dims, strides, 0))
}

func foldExpand(c *call) { c.out[0].data = c.spreadInput(0) }

func foldTile(c *call) {
	in, out := c.in[0].dims, c.out[0].dims
	if c.opset < 6 || len(in) != len(out) || elements(in) == 0 {
		return
	}
	pick := at(out, stridesOf(out), 0)
	from, to := stridesOf(in), stridesOf(out)
	for i := range pick {
		index, rest := int64(0), int64(i)
		for k := range out {
			index += rest / to[k] % in[k] * from[k]
			rest %= to[k]
		}
		pick[i] = int(index)
	}
	c.out[0].data = c.input(0).pick(pick)
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

func foldWhere(c *call) {
	which, a, b := c.spreadInput(0), c.spreadInput(1), c.spreadInput(2)
	d := &data{}
	switch {
	case which.ints == nil:
		return
	case a.ints != nil && b.ints != nil:
		d.ints = slices.Clone(b.ints)
		for i, x := range which.ints {
			if x != 0 {
				d.ints[i] = a.ints[i]
			}
		}
	case a.floats != nil && b.floats != nil:
		d.floats = slices.Clone(b.floats)
		for i, x := range which.ints {
			if x != 0 {
				d.floats[i] = a.floats[i]
			}
		}
	default:
		return
	}
	c.out[0].data = d
}

// foldNonZero settles the shape as well: as many columns as elements that are not 0.
func foldNonZero(c *call) {
	dims, in := c.in[0].dims, c.input(0)
	rank := int64(len(dims))
	var where []int64
	for i, x := range in.ints {
		if x != 0 {
			where = append(where, int64(i))
		}
	}
	for i, x := range in.floats {
		if x != 0 {
			where = append(where, int64(i))
		}
	}
	n := int64(len(where))
	c.out[0].dims = []int64{rank, n}
	if rank*n > maxFold {
		return
	}
	out := make([]int64, rank*n)
	strides := stridesOf(dims)
	for i, index := range where {
		for k := range strides {
			out[int64(k)*n+int64(i)] = index / strides[k]
			index %= strides[k]
		}
	}
	c.out[0].data = &data{ints: out}
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
