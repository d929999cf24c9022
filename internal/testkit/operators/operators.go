// Package operators draws operators at random, for tests of distances.
package operators

import (
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: a distance is right if it holds for shapes that nobody thought of. So each kind of operator has a
// function that draws one: small enough that a kernel's accesses can be recorded, and wide enough that every path
// comes up (batches, groups, dilations larger than the image, one row, one channel, axes from the end). What
// the reference kernels of TensorFlow Lite Micro would refuse is not drawn.

// A draw is a source of random choices.
type draw struct{ *rand.Rand }

func (d draw) upTo(n int) int    { return 1 + d.IntN(n) }
func (d draw) coin() bool        { return d.IntN(2) == 0 }
func (d draw) axis(rank int) int { return d.IntN(2*rank) - rank }

// Kinds returns the kinds that can be drawn, in order.
func Kinds() []string {
	var all []string
	for kind := range table() {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// Draw returns an operator of a kind, or nil if the kind is not known.
func Draw(r *rand.Rand, kind string) *distance.Operator {
	f, ok := table()[kind]
	if !ok {
		return nil
	}
	for {
		if op := f(draw{r}); op != nil {
			op.Kind = kind
			return op
		}
	}
}

// table has a function for each kind, which returns nil if what it drew does not fit together.
func table() map[string]func(d draw) *distance.Operator {
	unary := func(types ...string) func(d draw) *distance.Operator {
		return func(d draw) *distance.Operator {
			t := distance.TypeOf(types[d.IntN(len(types))])
			x := distance.Tensor{Shape: d.shape(4), Type: t}
			return &distance.Operator{Operands: tensors(x), Results: tensors(x)}
		}
	}
	convert := func(pairs ...[2]string) func(d draw) *distance.Operator {
		return func(d draw) *distance.Operator {
			p, s := pairs[d.IntN(len(pairs))], d.shape(4)
			return &distance.Operator{Operands: tensors(of(p[0], s...)), Results: tensors(of(p[1], s...))}
		}
	}
	binary := func(result string, types ...string) func(d draw) *distance.Operator {
		return func(d draw) *distance.Operator { return d.binary(result, types) }
	}
	compare := binary("BOOL", "INT8", "INT8", "FLOAT32")
	return map[string]func(d draw) *distance.Operator{
		"ABS": unary("FLOAT32", "INT8", "INT16"), "CEIL": unary("FLOAT32"), "COS": unary("FLOAT32"),
		"ELU": unary("FLOAT32", "INT8"),
		"EXP": unary("FLOAT32"), "FLOOR": unary("FLOAT32"), "HARD_SWISH": unary("FLOAT32", "INT8"),
		"LEAKY_RELU": unary("FLOAT32", "INT8", "INT16"),
		"LOG":        unary("FLOAT32"), "LOGICAL_NOT": unary("BOOL"), "LOGISTIC": unary("FLOAT32", "INT8", "INT16"),
		"NEG":  unary("FLOAT32"),
		"RELU": unary("FLOAT32", "INT8", "INT16"), "RELU6": unary("FLOAT32", "INT8", "INT16"), "ROUND": unary("FLOAT32"),
		"RSQRT": unary("FLOAT32", "INT8"),
		"SIN":   unary("FLOAT32"), "SQRT": unary("FLOAT32"), "SQUARE": unary("FLOAT32"),
		"TANH":        unary("FLOAT32", "INT8", "INT16"),
		"EXPAND_DIMS": draw.expandDims, "RESHAPE": unary("FLOAT32", "INT8"), "SQUEEZE": draw.squeeze,
		"QUANTIZE": convert([2]string{"FLOAT32", "INT8"}, [2]string{"INT8", "INT8"}, [2]string{"INT8", "INT16"},
			[2]string{"INT16", "INT8"}, [2]string{"INT8", "INT32"}, [2]string{"UINT8", "INT8"}, [2]string{"INT8", "UINT8"},
			[2]string{"INT32", "INT8"}),
		"DEQUANTIZE": convert([2]string{"INT8", "FLOAT32"}, [2]string{"UINT8", "FLOAT32"}),
		"CAST": convert([2]string{"INT8", "FLOAT32"}, [2]string{"FLOAT32", "INT8"}, [2]string{"INT8", "INT16"},
			[2]string{"INT32", "INT8"}, [2]string{"FLOAT32", "FLOAT32"}),

		"ADD": binary("", "INT8", "INT16", "FLOAT32", "INT32"), "SUB": binary("", "INT8", "INT16", "FLOAT32"),
		"MUL": binary("", "INT8", "INT16", "FLOAT32", "INT32"),
		"DIV": binary("", "FLOAT32"), "MAXIMUM": binary("", "INT8", "INT16", "FLOAT32"),
		"MINIMUM":            binary("", "INT8", "INT16", "FLOAT32"),
		"SQUARED_DIFFERENCE": binary("", "INT8", "FLOAT32", "INT32"), "FLOOR_DIV": binary("", "FLOAT32"),
		"FLOOR_MOD":   binary("", "FLOAT32"),
		"LOGICAL_AND": binary("", "BOOL"), "LOGICAL_OR": binary("", "BOOL"),
		"EQUAL": compare, "NOT_EQUAL": compare, "LESS": compare, "LESS_EQUAL": compare, "GREATER": compare,
		"GREATER_EQUAL": compare,
		"ADD_N":         draw.addN, "PRELU": draw.prelu,

		"CONV_2D": draw.convolution, "DEPTHWISE_CONV_2D": draw.depthwise,
		"MAX_POOL_2D":     func(d draw) *distance.Operator { return d.pool("INT8", "INT16", "FLOAT32") },
		"AVERAGE_POOL_2D": func(d draw) *distance.Operator { return d.pool("INT8", "INT16", "FLOAT32") },
		"L2_POOL_2D":      func(d draw) *distance.Operator { return d.pool("FLOAT32") },
		"FULLY_CONNECTED": draw.connected, "SOFTMAX": draw.softmax,
		"LOG_SOFTMAX": unary("FLOAT32", "INT8"), "L2_NORMALIZATION": unary("FLOAT32", "INT8"),

		"PAD": draw.pad, "PADV2": draw.padValue, "MIRROR_PAD": draw.mirror, "CONCATENATION": draw.concatenation,
		"PACK": draw.pack, "UNPACK": draw.unpack, "SPLIT": draw.split, "SPLIT_V": draw.splitV, "SLICE": draw.slice,
		"STRIDED_SLICE":           draw.stridedSlice,
		"RESIZE_BILINEAR":         func(d draw) *distance.Operator { return d.resize("FLOAT32", "INT8") },
		"RESIZE_NEAREST_NEIGHBOR": func(d draw) *distance.Operator { return d.resize("FLOAT32", "INT8", "INT16") },
		"SPACE_TO_DEPTH":          draw.spaceToDepth, "DEPTH_TO_SPACE": draw.depthToSpace,
		"SPACE_TO_BATCH_ND": draw.spaceToBatch, "BATCH_TO_SPACE_ND": draw.batchToSpace,
	}
}

func tensors(t ...distance.Tensor) []distance.Tensor { return t }

// of is a tensor in the arena.
func of(name string, shape ...int) distance.Tensor {
	return distance.Tensor{Shape: slices.Clone(shape), Type: distance.TypeOf(name)}
}

// list is a constant list of 32-bit integers.
func list(x ...int) distance.Tensor {
	t := of("INT32", len(x))
	t.Constant = true
	for _, v := range x {
		t.Data = append(t.Data, int64(v))
	}
	return t
}

// constant is a constant tensor, whose elements no distance depends on.
func constant(name string, shape ...int) distance.Tensor {
	t := of(name, shape...)
	t.Constant = true
	return t
}

// shape draws up to so many dimensions, not all of them long.
func (d draw) shape(rank int) []int {
	out := make([]int, d.upTo(rank))
	for i := range out {
		if out[i] = d.upTo(6); d.IntN(4) == 0 {
			out[i] = 1
		}
	}
	return out
}

func (d draw) pick(names ...string) string { return names[d.IntN(len(names))] }

func (d draw) expandDims() *distance.Operator {
	s, t := d.shape(3), d.pick("FLOAT32", "INT8", "INT16")
	at := d.IntN(len(s) + 1)
	return &distance.Operator{
		Operands: tensors(of(t, s...), list(at)), Results: tensors(of(t, slices.Insert(slices.Clone(s), at, 1)...)),
	}
}

// squeeze drops all dimensions of one element.
func (d draw) squeeze() *distance.Operator {
	x := of(d.pick("FLOAT32", "INT8"), d.shape(4)...)
	y := of(x.Type.Name, slices.DeleteFunc(slices.Clone(x.Shape), func(n int) bool { return n == 1 })...)
	return &distance.Operator{Operands: tensors(x), Results: tensors(y)}
}

// binary draws two operands that may be broadcast to the result.
func (d draw) binary(result string, types []string) *distance.Operator {
	t, y := d.pick(types...), d.shape(4)
	if result == "" {
		result = t
	}
	a, b := slices.Clone(y), slices.Clone(y)
	for i := range y {
		switch d.IntN(5) {
		case 0:
			a[i] = 1
		case 1:
			b[i] = 1
		}
	}
	for d.IntN(3) == 0 && len(b) > 1 && b[0] == 1 {
		b = b[1:]
	}
	for i := range y { // both may have become shorter
		j := i - (len(y) - len(b))
		y[i] = a[i]
		if j >= 0 {
			y[i] = max(a[i], b[j])
		}
	}
	if d.IntN(3) == 0 {
		a, b = slices.Clone(y), slices.Clone(y)
	}
	if d.coin() {
		a, b = b, a
	}
	return &distance.Operator{Operands: tensors(of(t, a...), of(t, b...)), Results: tensors(of(result, y...))}
}

func (d draw) addN() *distance.Operator {
	x, op := of(d.pick("FLOAT32", "INT8"), d.shape(4)...), &distance.Operator{}
	for range 1 + d.upTo(3) {
		op.Operands = append(op.Operands, x)
	}
	op.Results = tensors(x)
	return op
}

func (d draw) prelu() *distance.Operator {
	t := d.pick("FLOAT32", "INT8", "INT16")
	op := d.binary("", []string{t})
	op.Operands[0].Shape = slices.Clone(op.Results[0].Shape) // only the slopes are broadcast
	if t == "INT16" {
		op.Operands[1].Type = distance.TypeOf("INT8")
	}
	return op
}

// image draws an image.
func (d draw) image(channels int) []int { return []int{d.upTo(3), d.upTo(9), d.upTo(9), channels} }

// slide draws how a filter goes over an image, and returns the rows and columns of the result.
func (d draw) slide(op *distance.Operator, image []int, filter [2]int, dilated bool) (rows, columns int) {
	op.Padding = distance.Padding(d.IntN(2))
	var out [2]int
	for i := range out {
		op.Stride[i], op.Dilation[i] = d.upTo(3), 1
		if dilated && d.IntN(3) == 0 {
			op.Dilation[i] = d.upTo(3)
		}
		if op.Padding == distance.Same {
			out[i] = (image[1+i] + op.Stride[i] - 1) / op.Stride[i]
		} else if reach := (filter[i]-1)*op.Dilation[i] + 1; reach <= image[1+i] {
			out[i] = (image[1+i]-reach)/op.Stride[i] + 1
		}
	}
	return out[0], out[1]
}

// weights are types of an image, of its filter and of its bias.
func (d draw) weights() (image, filter, bias string) {
	w := [][3]string{
		{"INT8", "INT8", "INT32"}, {"FLOAT32", "FLOAT32", "FLOAT32"}, {"INT16", "INT8", "INT32"}, {"INT8", "INT4", "INT32"},
	}[d.IntN(4)]
	return w[0], w[1], w[2]
}

func (d draw) convolution() *distance.Operator {
	t, f, b := d.weights()
	groups, op := 1, &distance.Operator{}
	if f != "INT4" && d.IntN(3) == 0 {
		groups = d.upTo(4)
	}
	deep, out, k := d.upTo(4), groups*d.upTo(4), [2]int{d.upTo(4), d.upTo(4)}
	if d.IntN(3) == 0 {
		k = [2]int{1, 1}
	}
	x := d.image(groups * deep)
	rows, columns := d.slide(op, x, k, true)
	if rows < 1 || columns < 1 {
		return nil
	}
	op.PerChannel = t != "FLOAT32"
	op.Operands = tensors(of(t, x...), constant(f, out, k[0], k[1], deep), constant(b, out))
	op.Results = tensors(of(t, x[0], rows, columns, out))
	return op
}

func (d draw) depthwise() *distance.Operator {
	t, f, b := d.weights()
	op, k := &distance.Operator{DepthMultiplier: d.upTo(3)}, [2]int{d.upTo(4), d.upTo(4)}
	x := d.image(d.upTo(6))
	out := x[3] * op.DepthMultiplier
	rows, columns := d.slide(op, x, k, true)
	if rows < 1 || columns < 1 {
		return nil
	}
	if op.PerChannel = t != "FLOAT32"; t == "INT16" {
		b = "INT64"
	}
	op.Operands = tensors(of(t, x...), constant(f, 1, k[0], k[1], out), constant(b, out))
	op.Results = tensors(of(t, x[0], rows, columns, out))
	return op
}

func (d draw) pool(types ...string) *distance.Operator {
	t, op := d.pick(types...), &distance.Operator{Filter: [2]int{d.upTo(4), d.upTo(4)}}
	x := d.image(d.upTo(6))
	rows, columns := d.slide(op, x, op.Filter, false)
	if rows < 1 || columns < 1 {
		return nil
	}
	op.Operands, op.Results = tensors(of(t, x...)), tensors(of(t, x[0], rows, columns, x[3]))
	return op
}

func (d draw) connected() *distance.Operator {
	t, f, b := d.weights()
	batches, in, out := d.upTo(6), d.upTo(12), d.upTo(12)
	return &distance.Operator{
		Operands: tensors(of(t, batches, in), constant(f, out, in), constant(b, out)), Results: tensors(of(t, batches, out)),
		PerChannel: f == "INT8" && d.coin(),
	}
}

func (d draw) softmax() *distance.Operator {
	p, s := [][2]string{{"FLOAT32", "FLOAT32"}, {"INT8", "INT8"}, {"INT8", "INT16"}, {"INT16", "INT16"}}[d.IntN(4)],
		d.shape(4)
	return &distance.Operator{Operands: tensors(of(p[0], s...)), Results: tensors(of(p[1], s...))}
}

func (d draw) pad() *distance.Operator {
	t, x, edges := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(4), []int{}
	y := slices.Clone(x)
	for i := range x {
		a, b := max(0, d.IntN(5)-1), max(0, d.IntN(5)-1)
		edges, y[i] = append(edges, a, b), a+x[i]+b
	}
	p := list(edges...)
	p.Shape = []int{len(x), 2}
	return &distance.Operator{Operands: tensors(of(t, x...), p), Results: tensors(of(t, y...))}
}

func (d draw) padValue() *distance.Operator {
	op := d.pad()
	op.Operands = append(op.Operands, constant(op.Results[0].Type.Name, 1))
	return op
}

func (d draw) mirror() *distance.Operator {
	op := d.pad()
	t := distance.TypeOf(d.pick("FLOAT32", "INT8"))
	op.Symmetric, op.Operands[0].Type, op.Results[0].Type = d.coin(), t, t
	for i, n := range op.Operands[0].Shape {
		if !op.Symmetric {
			n--
		}
		for k := range 2 {
			op.Results[0].Shape[i] -= max(0, int(op.Operands[1].Data[2*i+k])-n)
			op.Operands[1].Data[2*i+k] = min(op.Operands[1].Data[2*i+k], int64(n))
		}
	}
	return op
}

// cut draws the lengths of some parts.
func (d draw) cut() (parts []int, sum int) {
	for range d.upTo(4) {
		parts = append(parts, d.upTo(4))
		sum += parts[len(parts)-1]
	}
	return parts, sum
}

func (d draw) concatenation() *distance.Operator {
	t, s := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(4)
	op := &distance.Operator{Axis: d.axis(len(s))}
	at, sum := (op.Axis+len(s))%len(s), 0
	parts, sum := d.cut()
	for _, n := range parts {
		s[at] = n
		op.Operands = append(op.Operands, of(t, s...))
	}
	s[at] = sum
	op.Results = tensors(of(t, s...))
	return op
}

func (d draw) pack() *distance.Operator {
	t, s := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(3)
	op := &distance.Operator{Axis: d.axis(len(s) + 1)}
	for range d.upTo(4) {
		op.Operands = append(op.Operands, of(t, s...))
	}
	at := (op.Axis + len(s) + 1) % (len(s) + 1)
	op.Results = tensors(of(t, slices.Insert(slices.Clone(s), at, len(op.Operands))...))
	return op
}

func (d draw) unpack() *distance.Operator {
	op := d.pack()
	op.Operands, op.Results = op.Results, op.Operands
	return op
}

func (d draw) split() *distance.Operator {
	t, s, op := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(4), &distance.Operator{}
	a, n := d.axis(len(s)), d.upTo(4)
	for range n {
		op.Results = append(op.Results, of(t, s...))
	}
	x := slices.Clone(s)
	x[(a+len(s))%len(s)] *= n
	op.Operands = tensors(list(a), of(t, x...))
	op.Operands[0].Shape = nil
	return op
}

func (d draw) splitV() *distance.Operator {
	op := d.concatenation()
	parts := []int{}
	for _, x := range op.Operands {
		parts = append(parts, x.Shape[(op.Axis+len(x.Shape))%len(x.Shape)])
	}
	a := list(op.Axis)
	a.Shape = nil
	op.Operands, op.Results, op.Axis = tensors(op.Results[0], list(parts...), a), op.Operands, 0
	return op
}

func (d draw) slice() *distance.Operator {
	t, x := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(4)
	var begin, size, y []int
	for _, n := range x {
		b := d.IntN(n)
		y, begin = append(y, d.upTo(n-b)), append(begin, b)
		if size = append(size, y[len(y)-1]); d.IntN(4) == 0 {
			y[len(y)-1], size[len(size)-1] = n-b, -1
		}
	}
	return &distance.Operator{Operands: tensors(of(t, x...), list(begin...), list(size...)), Results: tensors(of(t, y...))}
}

func (d draw) stridedSlice() *distance.Operator {
	t, x := d.pick("FLOAT32", "INT8", "INT16", "INT32"), d.shape(4)
	op, y := &distance.Operator{BeginMask: d.IntN(16) & d.IntN(16), EndMask: d.IntN(16) & d.IntN(16)}, []int{}
	var begin, end, stride []int
	for i, n := range x {
		x[i] *= 2
		n *= 2
		b, e, s := d.IntN(2*n)-n, d.IntN(2*n+2)-n-1, d.upTo(3)
		if d.IntN(4) == 0 {
			s = 1
		} else if d.IntN(4) == 0 {
			s = -s
		}
		shrink := s == 1 && d.IntN(5) == 0
		if shrink {
			op.ShrinkAxisMask |= 1 << i
			op.BeginMask &^= 1 << i
			b = d.IntN(n)
		}
		begin, end, stride = append(begin, b), append(end, e), append(stride, s)
		k := len(places(n, b, e, s, op.BeginMask>>i&1 != 0, op.EndMask>>i&1 != 0, shrink))
		if k == 0 {
			return nil
		}
		if !shrink {
			y = append(y, k)
		}
	}
	op.Operands = tensors(of(t, x...), list(begin...), list(end...), list(stride...))
	op.Results = tensors(of(t, y...))
	return op
}

// places returns what Python's slice begin:end:stride takes of n elements. A masked end is left out, and a dimension
// that is dropped has only its begin.
func places(n, begin, end, stride int, noBegin, noEnd, shrink bool) (out []int) {
	if shrink {
		return []int{begin}
	}
	clamp := func(v int) int {
		if v < 0 {
			v += n
		}
		if stride > 0 {
			return min(max(v, 0), n)
		}
		return min(max(v, -1), n-1)
	}
	from, to := clamp(begin), clamp(end)
	if noBegin {
		if from = 0; stride < 0 {
			from = n - 1
		}
	}
	if noEnd {
		if to = n; stride < 0 {
			to = -1
		}
	}
	for i := from; stride > 0 && i < to || stride < 0 && i > to; i += stride {
		out = append(out, i)
	}
	return out
}

func (d draw) resize(types ...string) *distance.Operator {
	t, x := d.pick(types...), d.image(d.upTo(5))
	h, w := d.upTo(14), d.upTo(14)
	if d.IntN(3) == 0 {
		h, w = 2*x[1], 2*x[2]
	}
	op := &distance.Operator{Operands: tensors(of(t, x...), list(h, w)), Results: tensors(of(t, x[0], h, w, x[3]))}
	switch d.IntN(3) {
	case 0:
		op.AlignCorners = true
	case 1:
		op.HalfPixelCenters = true
	}
	return op
}

func (d draw) spaceToDepth() *distance.Operator {
	t, b, x := d.pick("FLOAT32", "INT8"), d.upTo(3), d.image(d.upTo(4))
	y := []int{x[0], x[1], x[2], x[3] * b * b}
	x[1], x[2] = x[1]*b, x[2]*b
	return &distance.Operator{Operands: tensors(of(t, x...)), Results: tensors(of(t, y...)), BlockSize: b}
}

func (d draw) depthToSpace() *distance.Operator {
	op := d.spaceToDepth()
	op.Operands, op.Results = op.Results, op.Operands
	return op
}

// tiled draws an image, a tensor with more batches, the block, and edges that are pads of the image.
func (d draw) tiled() (image, tiles []int, block, edges distance.Tensor, t string) {
	rank := 2 + d.upTo(2)
	image = []int{d.upTo(2)}
	tiles = []int{image[0]}
	var b, e []int
	for range rank - 2 {
		n, k, before := d.upTo(7), d.upTo(3), d.IntN(4)
		after := (k - (n+before)%k) % k
		if d.coin() {
			after += k
		}
		b, e = append(b, k), append(e, before, after)
		image, tiles = append(image, n), append(tiles, (n+before+after)/k)
		tiles[0] *= k
	}
	c := d.upTo(4)
	block, edges = list(b...), list(e...)
	edges.Shape = []int{len(b), 2}
	return append(image, c), append(tiles, c), block, edges, d.pick("FLOAT32", "INT8")
}

func (d draw) spaceToBatch() *distance.Operator {
	image, tiles, block, edges, t := d.tiled()
	return &distance.Operator{Operands: tensors(of(t, image...), block, edges), Results: tensors(of(t, tiles...))}
}

func (d draw) batchToSpace() *distance.Operator {
	op := d.spaceToBatch()
	op.Operands[0], op.Results[0] = op.Results[0], op.Operands[0]
	return op
}
