package scratch

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: every formula has cases that depend on a remainder (channels by 4, 8, 16), on a size (a window of 16 bytes,
// an image of 8 pixels or 40 KiB), and on a dimension of 1. So sizes are drawn from mixtures: small, odd, multiples,
// and large.

// A draw is a source of sizes.
type draw struct{ *rand.Rand }

func (d draw) of(list ...int) int { return list[d.IntN(len(list))] }

// channels are small or a multiple of 4, 8 or 16, and sometimes one off it.
func (d draw) channels() int {
	switch d.IntN(4) {
	case 0:
		return 1 + d.IntN(20)
	case 1:
		return 1 + d.IntN(300)
	}
	n := d.of(4, 8, 16) * (1 + d.IntN(16))
	if d.IntN(5) == 0 {
		n += d.of(-1, 1)
	}
	return n
}

// side is a side of an image.
func (d draw) side() int {
	switch d.IntN(6) {
	case 0:
		return 1
	case 1:
		return 1 + d.IntN(200)
	case 2:
		return 2 + d.IntN(4)
	}
	return 1 + d.IntN(40)
}

func (d draw) filter() int { return d.of(1, 1, 2, 3, 3, 3, 4, 5, 7, 10, 20) }
func (d draw) stride() int { return d.of(1, 1, 1, 2, 2, 3, 4) }
func (d draw) hole() int   { return d.of(1, 1, 1, 1, 1, 1, 2, 3) }
func (d draw) batch() int  { return d.of(1, 1, 1, 1, 2, 3, 7) }
func (d draw) yes() bool   { return d.IntN(2) > 0 }

func tensor(kind string, shape ...int) distance.Tensor {
	return distance.Tensor{Shape: shape, Type: distance.TypeOf(kind)}
}

func constant(kind string, shape ...int) distance.Tensor {
	t := tensor(kind, shape...)
	t.Constant = true
	return t
}

// Draw returns an operator of a kind.
func Draw(r *rand.Rand, kind string) *distance.Operator {
	d := draw{r}
	switch kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D":
		return d.window(kind)
	case "TRANSPOSE_CONV":
		return d.transposed()
	case "SOFTMAX":
		x := tensor(d.of3("INT8", "INT16", "FLOAT32"), d.shape(2+d.IntN(3))...)
		y := x
		if d.IntN(5) == 0 {
			y.Type = distance.TypeOf("INT16")
		}
		return &distance.Operator{Kind: kind, Operands: []distance.Tensor{x}, Results: []distance.Tensor{y}}
	case "FULLY_CONNECTED":
		return d.connected()
	case "SVDF":
		return d.svdf()
	case "BATCH_MATMUL":
		return d.matrices()
	}
	return nil
}

// of3 is the first name more often than the others.
func (d draw) of3(a, b, c string) string {
	switch d.IntN(8) {
	case 0:
		return b
	case 1:
		return c
	}
	return a
}

func (d draw) shape(rank int) []int {
	out := make([]int, rank)
	for i := range out {
		out[i] = 1 + d.IntN(30)
	}
	return out
}

// types returns the types of an image, its weights and its bias.
func (d draw) types() (image, weights, bias string) {
	switch d.IntN(10) {
	case 0:
		return "INT16", "INT8", "INT64"
	case 1:
		return "INT16", "INT8", "INT32"
	case 2:
		return "FLOAT32", "FLOAT32", "FLOAT32"
	case 3:
		return "INT8", "INT4", "INT32"
	}
	return "INT8", "INT8", "INT32"
}

// window draws an operator whose window slides over an image, such that at least one window is inside.
func (d draw) window(kind string) *distance.Operator {
	for {
		image, weights, bias := d.types()
		op := &distance.Operator{Kind: kind, Stride: [2]int{d.stride(), d.stride()}, Dilation: [2]int{d.hole(), d.hole()}}
		x := []int{d.batch(), d.side(), d.side(), d.channels()}
		filter := [2]int{d.filter(), d.filter()}
		if d.yes() { // as most are
			filter[1], op.Stride[1], op.Dilation = filter[0], op.Stride[0], [2]int{1, 1}
		}
		if d.IntN(4) == 0 { // a row
			x[1], filter[0] = 1, 1
		}
		if d.IntN(6) == 0 {
			x[3] = 1
		}
		if d.yes() {
			op.Padding = distance.Same
		}
		three := false
		switch d.IntN(6) {
		case 0: // a small window over a large image
			x[1], x[2], x[3], filter = 1+d.IntN(300), 1+d.IntN(300), 1+d.IntN(4), [2]int{1 + d.IntN(3), 1 + d.IntN(3)}
		case 1, 2: // what kernels for 3×3 take
			three, filter, op.Dilation = true, [2]int{3, 3}, [2]int{1, 1}
			x[1], x[2], x[3] = d.side(), d.side(), 8*(1+d.IntN(16))
		}
		y := []int{x[0], 0, 0, d.channels()}
		for k := range 2 {
			reach := (filter[k]-1)*op.Dilation[k] + 1
			if y[1+k] = (x[1+k] + op.Stride[k] - reach) / op.Stride[k]; op.Padding == distance.Same {
				y[1+k] = (x[1+k] + op.Stride[k] - 1) / op.Stride[k]
			}
		}
		if y[1] < 1 || y[2] < 1 {
			continue
		}
		op.Operands = []distance.Tensor{tensor(image, x...)}
		switch kind {
		case "CONV_2D":
			in := x[3]
			if g := 2 + d.IntN(3); d.IntN(6) == 0 && in%g == 0 {
				in, y[3] = in/g, y[3]*g
			}
			op.Operands = append(op.Operands, constant(weights, y[3], filter[0], filter[1], in))
		case "DEPTHWISE_CONV_2D":
			if op.DepthMultiplier = d.of(1, 1, 1, 2, 3, 4, 8); three {
				op.DepthMultiplier = 1
			}
			y[3] = x[3] * op.DepthMultiplier
			op.Operands = append(op.Operands, constant(weights, 1, filter[0], filter[1], y[3]))
		default:
			op.Dilation, op.Filter, y[3] = [2]int{}, filter, x[3]
		}
		if kind != "AVERAGE_POOL_2D" && d.yes() {
			op.Operands = append(op.Operands, constant(bias, y[3]))
		}
		op.Results = []distance.Tensor{tensor(image, y...)}
		return op
	}
}

func (d draw) transposed() *distance.Operator {
	image, weights, bias := d.types()
	if weights == "INT4" {
		weights = "INT8"
	}
	op := &distance.Operator{Kind: "TRANSPOSE_CONV", Stride: [2]int{d.stride(), d.stride()}}
	x := []int{d.batch(), d.side(), d.side(), d.channels()}
	y, filter := []int{x[0], 0, 0, d.channels()}, [2]int{d.filter(), d.filter()}
	for k := range 2 {
		if y[1+k] = (x[1+k]-1)*op.Stride[k] + filter[k]; d.yes() {
			y[1+k] = x[1+k] * op.Stride[k]
		}
	}
	if d.yes() {
		op.Padding = distance.Same
	}
	op.Operands = []distance.Tensor{
		constant("INT32", 4), constant(weights, y[3], filter[0], filter[1], x[3]), tensor(image, x...),
	}
	if image == "INT16" && d.yes() {
		bias = "INT16"
	}
	if bias == "INT16" || d.yes() {
		op.Operands = append(op.Operands, constant(bias, y[3]))
	}
	op.Results = []distance.Tensor{tensor(image, y...)}
	return op
}

func (d draw) connected() *distance.Operator {
	image, weights, bias := d.types()
	in, out := d.channels(), d.channels()
	x, y := []int{d.batch(), in}, []int{d.batch(), out}
	for range d.IntN(3) {
		x, y = append([]int{1 + d.IntN(4)}, x...), append([]int{1 + d.IntN(4)}, y...)
	}
	op := &distance.Operator{Kind: "FULLY_CONNECTED", PerChannel: d.IntN(3) == 0}
	w := constant(weights, out, in)
	w.Constant = d.IntN(6) > 0
	op.Operands = []distance.Tensor{tensor(image, x...), w, {}}
	if d.IntN(3) > 0 {
		op.Operands[2] = constant(bias, out)
		op.Operands[2].Constant = d.IntN(6) > 0
	}
	op.Results = []distance.Tensor{tensor(image, y...)}
	return op
}

func (d draw) svdf() *distance.Operator {
	batch, in, units, rank, memory := d.batch(), 1+d.IntN(200), 1+d.IntN(200), d.of(1, 1, 2, 4), 1+d.IntN(20)
	image, weights, state := "INT8", "INT8", "INT16"
	if d.IntN(6) == 0 {
		image, weights, state = "FLOAT32", "FLOAT32", "FLOAT32"
	}
	return &distance.Operator{Kind: "SVDF", Operands: []distance.Tensor{
		tensor(image, batch, in), constant(weights, units*rank, in), constant(state, units*rank, memory),
		{},
		tensor(state, batch, memory*units*rank),
	}, Results: []distance.Tensor{tensor(image, batch, units)}}
}

func (d draw) matrices() *distance.Operator {
	image := d.of3("INT8", "INT16", "FLOAT32")
	rank := 2 + d.IntN(3)
	x, y, out := d.shape(rank), d.shape(rank), d.shape(rank)
	return &distance.Operator{
		Kind: "BATCH_MATMUL", TransposedX: d.yes(), TransposedY: d.yes(),
		Operands: []distance.Tensor{tensor(image, x...), tensor(image, y...)},
		Results:  []distance.Tensor{tensor(image, out...)},
	}
}
