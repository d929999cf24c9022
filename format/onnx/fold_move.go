package onnx

import "slices"

// The folders of operators that put elements elsewhere: each element of the result is
// one of an input, so that it is enough to say which (at, pick).

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
