package tflitemade

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: networks whose operators can run in strips of lines, each with such numbers that a wrong line shows in the
// outputs: weights are scaled so that values stay as wide as the input, and integers have one scale for all images, as
// the kernels of pools, paddings and concatenations ask for. Skips join what was computed before, so chains have forks.

// Lined returns a network of about so many operators on one image, drawn from the seed, with values of a type: FLOAT32,
// INT8 or INT16. It has all operators that internal/strips knows and the runtime has for the type.
func Lined(seed uint64, kind tfliteschema.TensorType, layers int) []byte {
	d := lined{images: images{rng: rand.New(rand.NewPCG(seed, 0x571195))}, kind: kind}
	size := [3]int32{8 + d.rng.Int32N(24), 4 + d.rng.Int32N(10), 1 + d.rng.Int32N(4)}
	if d.rng.IntN(2) == 0 {
		size[0], size[1] = size[1], size[0]
	}
	if d.rng.IntN(6) == 0 { // a series: one row
		size = [3]int32{1, 24 + d.rng.Int32N(40), size[2]}
	}
	now := d.image(size[0], size[1], size[2])
	d.g.Inputs = []int32{now}
	for len(d.g.Ops) < layers {
		d.old = append(d.old, now)
		now = d.layer(now)
	}
	d.g.Outputs = []int32{now}
	return Model([]Graph{d.g})
}

type lined struct {
	images
	kind tfliteschema.TensorType
	old  []int32 // images that were made
}

const (
	imageScale = 1.0 / 16
	imageZero  = 3 // of INT8
	fullByte   = 127
)

// image adds an image.
func (d *lined) image(rows, columns, channels int32) int32 {
	t := d.add("image", []int32{1, rows, columns, channels})
	if d.kind != tfliteschema.TensorTypeFLOAT32 {
		d.g.Tensors[t].Type, d.g.Tensors[t].Scales = d.kind, []float32{imageScale}
		if d.kind == tfliteschema.TensorTypeINT8 {
			d.g.Tensors[t].Zero = imageZero
		}
	}
	return t
}

// list adds a constant list of numbers.
func (d *lined) list(shape []int32, x ...int32) int32 {
	t := d.add("list", shape)
	d.g.Tensors[t].Type, d.g.Tensors[t].Data = tfliteschema.TensorTypeINT32, Words(x...)
	return t
}

// filter adds weights for sums of so many products, with a scale for each channel of a dimension.
func (d *lined) filter(products, dimension int32, shape ...int32) int32 {
	t := d.add("filter", shape)
	x := &d.g.Tensors[t]
	x.Dimension = dimension
	wide := 1 / math.Sqrt(float64(products))
	for range Elements(*x) {
		if d.kind == tfliteschema.TensorTypeFLOAT32 {
			x.Data = append(x.Data, Floats(float32(d.rng.NormFloat64()*wide))...)
		} else {
			x.Data = append(x.Data, byte(int8(d.rng.IntN(2*fullByte+1)-fullByte)))
		}
	}
	if d.kind != tfliteschema.TensorTypeFLOAT32 {
		x.Type = tfliteschema.TensorTypeINT8
		for range shape[dimension] {
			x.Scales = append(x.Scales, float32(1.7*wide/fullByte*(1+d.rng.Float64()/4)))
		}
	}
	return t
}

// bias adds one number for each channel.
func (d *lined) bias(n int32) int32 {
	t := d.add("bias", []int32{n})
	x := &d.g.Tensors[t]
	for range n {
		v := d.rng.NormFloat64()
		switch d.kind {
		case tfliteschema.TensorTypeINT8:
			x.Type, x.Data = tfliteschema.TensorTypeINT32, append(x.Data, Words(int32(v*300))...)
		case tfliteschema.TensorTypeINT16:
			x.Type = tfliteschema.TensorTypeINT64
			x.Data = binary.LittleEndian.AppendUint64(x.Data, uint64(int64(v*300)))
		default:
			x.Data = append(x.Data, Floats(float32(v/4))...)
		}
	}
	return t
}

// a constant for one or all channels, like an image.
func (d *lined) constant(channels int32) int32 {
	t := d.image(1, 1, channels)
	x := &d.g.Tensors[t]
	for range channels {
		switch d.kind {
		case tfliteschema.TensorTypeINT8:
			x.Data = append(x.Data, byte(int8(d.rng.IntN(40)-20)))
		case tfliteschema.TensorTypeINT16:
			x.Data = binary.LittleEndian.AppendUint16(x.Data, uint16(int16(d.rng.IntN(60)-30)))
		default:
			x.Data = append(x.Data, Floats(float32(d.rng.NormFloat64()))...)
		}
	}
	return t
}

// layer adds an operator on an image; none if what was drawn does not fit.
func (d *lined) layer(now int32) int32 {
	shape := d.g.Tensors[now].Shape
	h, w, c := shape[1], shape[2], shape[3]
	fused := int8([]int{0, 0, 0, 0, 0, 0, 1, 3}[d.rng.IntN(8)])
	real, bytes := d.kind == tfliteschema.TensorTypeFLOAT32, d.kind == tfliteschema.TensorTypeINT8
	switch kind := d.rng.IntN(26); {
	case kind < 5:
		s, out := d.spatial(h, w, 1+d.rng.Int32N(5), true), 1+d.rng.Int32N(6)
		each := c
		if c%2 == 0 && d.rng.IntN(3) == 0 { // in groups
			each, out = c/2, 2*(1+out/2)
		}
		options := s.options(4, s.dilationW, 5, s.dilationH)
		options[3] = fused
		return d.op(tfliteschema.BuiltinOperatorCONV_2D, options, d.image(s.rows, s.columns, out), now,
			d.filter(s.filterH*s.filterW*each, 0, out, s.filterH, s.filterW, each), d.bias(out))
	case kind < 8:
		s, times := d.spatial(h, w, 1+d.rng.Int32N(5), true), 1+d.rng.Int32N(2)
		if c*times > 8 {
			times = 1
		}
		options := s.options(3, times, 5, s.dilationW, 6, s.dilationH)
		options[4] = fused
		return d.op(tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, options, d.image(s.rows, s.columns, c*times), now,
			d.filter(s.filterH*s.filterW, 3, 1, s.filterH, s.filterW, c*times), d.bias(c*times))
	case kind < 10:
		s := d.spatial(h, w, 2+d.rng.Int32N(2), false)
		codes := []tfliteschema.BuiltinOperator{
			tfliteschema.BuiltinOperatorMAX_POOL_2D, tfliteschema.BuiltinOperatorAVERAGE_POOL_2D,
			tfliteschema.BuiltinOperatorAVERAGE_POOL_2D, tfliteschema.BuiltinOperatorL2_POOL_2D,
		}
		if !real {
			codes = codes[:3]
		}
		options := s.options(3, s.filterW, 4, s.filterH)
		return d.op(codes[d.rng.IntN(len(codes))], options, d.image(s.rows, s.columns, c), now)
	case kind == 10:
		p := []int32{0, 0, d.rng.Int32N(3), d.rng.Int32N(3), d.rng.Int32N(3), d.rng.Int32N(2), 0, d.rng.Int32N(2)}
		if d.rng.IntN(2) == 0 {
			return d.paddedWindow(now)
		}
		return d.op(tfliteschema.BuiltinOperatorPAD, nil, d.image(h+p[2]+p[3], w+p[4]+p[5], c+p[7]), now,
			d.list([]int32{4, 2}, p...))
	case kind == 11 && h*w < 600 && d.kind != tfliteschema.TensorTypeINT16:
		return d.resize(now, tfliteschema.BuiltinOperatorRESIZE_BILINEAR, 2)
	case kind == 12 && h*w < 600:
		return d.resize(now, tfliteschema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR, 0)
	case kind == 13: // with an image that was made before, or a constant
		code := tfliteschema.BuiltinOperatorADD
		if d.rng.IntN(2) == 0 {
			code = tfliteschema.BuiltinOperatorMUL
		}
		other := d.constant(c)
		for _, t := range d.old {
			// A product of two images of integers is mostly too large, so it hides what is wrong.
			wide := code == tfliteschema.BuiltinOperatorMUL && !real && d.rng.IntN(4) > 0
			if x := d.g.Tensors[t].Shape; t != now && x[1] == h && x[2] == w && x[3] == c && !wide {
				other = t
			}
		}
		options := map[int]any{0: fused}
		if code == tfliteschema.BuiltinOperatorADD {
			options[1] = false // its scales need not be powers of two
		}
		return d.op(code, options, d.image(h, w, c), now, other)
	case kind == 14 && c < 6:
		other := now
		for _, t := range d.old {
			if x := d.g.Tensors[t].Shape; x[1] == h && x[2] == w && x[3] < 6 {
				other = t
			}
		}
		return d.op(tfliteschema.BuiltinOperatorCONCATENATION, map[int]any{0: int32(3)},
			d.image(h, w, c+d.g.Tensors[other].Shape[3]), now, other)
	case kind == 15 && c%2 == 0:
		a, b := d.image(h, w, c/2), d.image(h, w, c/2)
		d.g.Ops = append(d.g.Ops, Op{
			Code:   tfliteschema.BuiltinOperatorSPLIT,
			Inputs: []int32{d.list([]int32{}, 3), now}, Outputs: []int32{a, b}, Options: map[int]any{0: int32(2)},
		})
		return d.op(tfliteschema.BuiltinOperatorADD, map[int]any{0: fused, 1: false}, d.image(h, w, c/2), a, b)
	case kind == 16:
		out := 1 + d.rng.Int32N(6)
		options := map[int]any{0: fused, 2: true} // each pixel by itself
		return d.op(tfliteschema.BuiltinOperatorFULLY_CONNECTED, options, d.image(h, w, out), now, d.whole(c, out, c),
			d.bias(out))
	case kind == 17 && h*w < 600:
		s, k, out := 1+d.rng.Int32N(2), 2+d.rng.Int32N(2), 1+d.rng.Int32N(4)
		y := [2]int32{h * s, w * s}
		padding := int8(d.rng.IntN(2))
		if padding == 1 {
			y = [2]int32{(h-1)*s + k, (w-1)*s + k}
		}
		options := map[int]any{0: padding, 1: s, 2: s}
		return d.op(tfliteschema.BuiltinOperatorTRANSPOSE_CONV, options, d.image(y[0], y[1], out),
			d.list([]int32{4}, 1, y[0], y[1], out), d.filter(k*k*c/(s*s)+1, 0, out, k, k, c), now, d.bias(out))
	case kind == 18 && (real || bytes):
		return d.op(tfliteschema.BuiltinOperatorPRELU, nil, d.image(h, w, c), now, d.constant(c))
	case kind == 20 && h*w < 600 && d.kind != tfliteschema.TensorTypeINT16:
		return d.mirrored(now)
	case kind == 21 && h*w < 600:
		p := []int32{0, 0, d.rng.Int32N(3), d.rng.Int32N(3), d.rng.Int32N(3), d.rng.Int32N(2), 0, d.rng.Int32N(2)}
		return d.op(tfliteschema.BuiltinOperatorPADV2, nil, d.image(h+p[2]+p[3], w+p[4]+p[5], c+p[7]), now,
			d.list([]int32{4, 2}, p...), d.constant(1))
	case kind == 22 && c > 1:
		first := 1 + d.rng.Int32N(c-1)
		a, b := d.image(h, w, first), d.image(h, w, c-first)
		d.g.Ops = append(d.g.Ops, Op{
			Code:   tfliteschema.BuiltinOperatorSPLIT_V,
			Inputs: []int32{now, d.list([]int32{2}, first, c-first), d.list([]int32{}, 3)}, Outputs: []int32{a, b},
			Options: map[int]any{0: int32(2)},
		})
		return d.op(tfliteschema.BuiltinOperatorCONCATENATION, map[int]any{0: int32(3)}, d.image(h, w, c), b, a)
	case kind == 23 || kind == 24:
		return d.elements(now, fused)
	case kind == 19 && real:
		codes := []tfliteschema.BuiltinOperator{
			tfliteschema.BuiltinOperatorTANH, tfliteschema.BuiltinOperatorLOGISTIC, tfliteschema.BuiltinOperatorRELU6,
			tfliteschema.BuiltinOperatorHARD_SWISH, tfliteschema.BuiltinOperatorSOFTMAX,
		}
		return d.op(codes[d.rng.IntN(len(codes))], nil, d.image(h, w, c), now)
	case (kind == 19 && bytes || kind == 25 && (real || bytes)) && h%2 == 0 && w%2 == 0 && c < 3:
		return d.op(tfliteschema.BuiltinOperatorSPACE_TO_DEPTH, map[int]any{0: int32(2)}, d.image(h/2, w/2, 4*c), now)
	case (kind == 19 && bytes || kind == 25 && (real || bytes)) && c%4 == 0:
		return d.op(tfliteschema.BuiltinOperatorDEPTH_TO_SPACE, map[int]any{0: int32(2)}, d.image(2*h, 2*w, c/4), now)
	}
	return now
}

// mirrored adds a MIRROR_PAD along one axis, so that strips of the other one can be cut.
func (d *lined) mirrored(now int32) int32 {
	s := d.g.Tensors[now].Shape
	at, mode := 1+d.rng.IntN(2), d.rng.Int32N(2) // 0: the outermost line is not repeated
	most := min(s[at]-1+mode, 3)
	p := make([]int32, 8)
	p[2*at], p[2*at+1] = d.rng.Int32N(most+1), d.rng.Int32N(most+1)
	size := []int32{1, s[1], s[2], s[3]}
	size[at] += p[2*at] + p[2*at+1]
	return d.op(tfliteschema.BuiltinOperatorMIRROR_PAD, map[int]any{0: int8(mode)}, d.image(size[1], size[2], size[3]), now,
		d.list([]int32{4, 2}, p...))
}

// elements adds an operator on the elements of an image, some with a constant or an image that was made before.
func (d *lined) elements(now int32, fused int8) int32 {
	s := d.g.Tensors[now].Shape
	y := d.image(s[1], s[2], s[3])
	other := d.constant(s[3])
	for _, t := range d.old {
		if x := d.g.Tensors[t].Shape; t != now && x[1] == s[1] && x[2] == s[2] && x[3] == s[3] && d.rng.IntN(2) == 0 {
			other = t
		}
	}
	switch d.rng.IntN(8) {
	case 0:
		return d.op(tfliteschema.BuiltinOperatorSUB, map[int]any{0: fused, 1: false}, y, now, other)
	case 1:
		return d.op(tfliteschema.BuiltinOperatorMAXIMUM, nil, y, now, other)
	case 2:
		return d.op(tfliteschema.BuiltinOperatorMINIMUM, nil, y, now, other)
	case 3:
		return d.op(tfliteschema.BuiltinOperatorLEAKY_RELU, map[int]any{0: float32(0.25)}, y, now)
	case 4:
		return d.op(tfliteschema.BuiltinOperatorABS, nil, y, now)
	default:
		return d.op(tfliteschema.BuiltinOperatorRELU, nil, y, now)
	}
}

// paddedWindow adds a PAD and a convolution with VALID padding, which together are one with SAME padding.
func (d *lined) paddedWindow(now int32) int32 {
	const filter = 3
	shape, stride := d.g.Tensors[now].Shape, 1+d.rng.Int32N(2)
	c := shape[3]
	pads, padded, made := make([]int32, 8), []int32{1, 0, 0, c}, []int32{1, 0, 0, c}
	for at := 1; at <= 2; at++ {
		made[at] = (shape[at] + stride - 1) / stride
		all := max(0, (made[at]-1)*stride+filter-shape[at])
		pads[2*at], pads[2*at+1], padded[at] = all/2, all-all/2, shape[at]+all
	}
	now = d.op(tfliteschema.BuiltinOperatorPAD, nil, d.image(padded[1], padded[2], c), now,
		d.list([]int32{4, 2}, pads...))
	options := map[int]any{0: int8(1), 1: stride, 2: stride, 3: int32(1), 5: int32(1), 6: int32(1)}
	return d.op(tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, options, d.image(made[1], made[2], c), now,
		d.filter(filter*filter, 3, 1, filter, filter, c), d.bias(c))
}

// whole adds the weights of a dense layer, which have one scale.
func (d *lined) whole(products int32, shape ...int32) int32 {
	t := d.filter(products, 0, shape...)
	if x := &d.g.Tensors[t]; x.Scales != nil {
		x.Scales = x.Scales[:1]
	}
	return t
}

// resize adds one to twice or four times the size, or to half of it. The two options stand at first.
func (d *lined) resize(now int32, code tfliteschema.BuiltinOperator, first int) int32 {
	s := d.g.Tensors[now].Shape
	y := [2]int32{s[1] << d.rng.IntN(3), s[2] << d.rng.IntN(2)}
	if s[1]%2 == 0 && d.rng.IntN(3) == 0 {
		y[0] = s[1] / 2
	}
	return d.op(code, map[int]any{first: false, first + 1: d.rng.IntN(2) == 0}, d.image(y[0], y[1], s[3]), now,
		d.list([]int32{2}, y[0], y[1]))
}
