package tflitemade

import (
	"math/rand/v2"
	"strconv"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Images returns a network of float operators on images, drawn from the seed: so many layers of
// convolutions, depthwise ones, pools, activations and additions, one after the other. Strides,
// dilation, padding, filters, channels and batches are drawn, too.
func Images(seed uint64, layers int) []byte {
	return Model([]Graph{drawnImages(seed, layers)})
}

type images struct {
	rng *rand.Rand
	g   Graph
}

func (d *images) add(name string, shape []int32) int32 {
	d.g.Tensors = append(d.g.Tensors, Tensor{Name: name + strconv.Itoa(len(d.g.Tensors)), Shape: shape})
	return int32(len(d.g.Tensors) - 1)
}

// weights adds a constant with elements drawn around 0.
func (d *images) weights(shape ...int32) int32 {
	n := int32(1)
	for _, s := range shape {
		n *= s
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(d.rng.NormFloat64() / 3)
	}
	t := d.add("weights", shape)
	d.g.Tensors[t].Data = Floats(values...)
	return t
}

func (d *images) op(code tfliteschema.BuiltinOperator, options map[int]any, result int32, operands ...int32) int32 {
	d.g.Ops = append(d.g.Ops, Op{Code: code, Inputs: operands, Outputs: []int32{result}, Options: options})
	return result
}

// layer adds an operator on the last image; before is the one before it.
func (d *images) layer(now, before int32) int32 {
	shape := d.g.Tensors[now].Shape
	rows, columns, channels := shape[1], shape[2], shape[3]
	switch kind := d.rng.IntN(8); {
	case kind == 0:
		codes := []tfliteschema.BuiltinOperator{
			tfliteschema.BuiltinOperatorRELU, tfliteschema.BuiltinOperatorLOGISTIC, tfliteschema.BuiltinOperatorTANH,
		}
		return d.op(codes[d.rng.IntN(3)], nil, d.add("map", shape), now)
	case kind == 1:
		other := before
		if old := d.g.Tensors[before].Shape; old[1] != rows || old[2] != columns || old[3] != channels {
			other = now
		}
		return d.op(tfliteschema.BuiltinOperatorADD, nil, d.add("both", shape), now, other)
	case kind == 2:
		s := d.spatial(rows, columns, 1+int32(d.rng.IntN(3)), false)
		options := s.options(3, s.filterW, 4, s.filterH)
		code := []tfliteschema.BuiltinOperator{
			tfliteschema.BuiltinOperatorMAX_POOL_2D, tfliteschema.BuiltinOperatorAVERAGE_POOL_2D,
		}[d.rng.IntN(2)]
		return d.op(code, options, d.add("pool", []int32{shape[0], s.rows, s.columns, channels}), now)
	case kind <= 4:
		s := d.spatial(rows, columns, 1+int32(d.rng.IntN(4)), true)
		times := int32(1 + d.rng.IntN(2))
		if channels*times > 24 {
			times = 1
		}
		options := s.options(3, times, 5, s.dilationW, 6, s.dilationH)
		return d.op(tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, options,
			d.add("depthwise", []int32{shape[0], s.rows, s.columns, channels * times}),
			now, d.weights(1, s.filterH, s.filterW, channels*times), d.weights(channels*times))
	}
	s := d.spatial(rows, columns, 1+int32(d.rng.IntN(4)), true)
	out := int32(1 + d.rng.IntN(20))
	options := s.options(4, s.dilationW, 5, s.dilationH)
	return d.op(tfliteschema.BuiltinOperatorCONV_2D, options,
		d.add("convolution", []int32{shape[0], s.rows, s.columns, out}),
		now, d.weights(out, s.filterH, s.filterW, channels), d.weights(out))
}

// A spatial is how a window moves over an image, and the size of what it leaves.
type spatial struct {
	filterH, filterW, strideH, strideW, dilationH, dilationW int32
	valid                                                    bool
	rows, columns                                            int32
}

// spatial draws a window for an image of such a size.
func (d *images) spatial(rows, columns, filter int32, dilated bool) spatial {
	s := spatial{
		filterH: filter, filterW: 1 + d.rng.Int32N(filter), strideH: 1, strideW: 1, dilationH: 1, dilationW: 1,
		valid: d.rng.IntN(2) == 0,
	}
	if rows > 4 && columns > 4 && d.rng.IntN(3) == 0 {
		s.strideH, s.strideW = 1+d.rng.Int32N(3), 1+d.rng.Int32N(3)
	} else if dilated && d.rng.IntN(3) == 0 {
		s.dilationH, s.dilationW = 1+d.rng.Int32N(2), 1+d.rng.Int32N(2)
	}
	reach := func(filter, dilation int32) int32 { return (filter-1)*dilation + 1 }
	if s.valid = s.valid && reach(s.filterH, s.dilationH) <= rows && reach(s.filterW, s.dilationW) <= columns; s.valid {
		s.rows = (rows-reach(s.filterH, s.dilationH))/s.strideH + 1
		s.columns = (columns-reach(s.filterW, s.dilationW))/s.strideW + 1
		return s
	}
	s.rows, s.columns = (rows+s.strideH-1)/s.strideH, (columns+s.strideW-1)/s.strideW
	return s
}

// options are the window's, and further pairs of a number and an int32.
func (s *spatial) options(more ...int32) map[int]any {
	out := map[int]any{0: int8(0), 1: s.strideW, 2: s.strideH}
	if s.valid {
		out[0] = int8(1)
	}
	for k := 0; k+1 < len(more); k += 2 {
		out[int(more[k])] = more[k+1]
	}
	return out
}
