package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The folders of operators that put elements elsewhere: each element of the result is
// one of an input, so that it is enough to say which (at, pick).

// at maps each element of a shape to an element of another: its index there is begin plus the sum of coordinates
// times strides.
func at(dims []int64, strides []int64, begin int64) []int {
	n := shape.Elements(dims)
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

// spreadStrides are the strides of a shape that is broadcast to another. A repeated dimension has stride 0.
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
func (c *Call) spreadInput(k int) *shape.Data {
	to := c.Out[0].Dims
	return c.input(k).Pick(at(to, spreadStrides(c.In[k].Dims, to), 0))
}

func foldSame(c *Call) { c.Out[0].Data = c.input(0) }

func foldFilled(c *Call) {
	n := int(shape.Elements(c.Out[0].Dims))
	d := &shape.Data{Ints: []int64{0}}
	if c.Out[0].Elem.Float() {
		d = &shape.Data{Floats: []float64{0}}
	}
	if a := c.attribute("value"); a != nil && a.Tensor != nil {
		if d = decode(c.Budget, a.Tensor); d == nil || len(d.Ints)+len(d.Floats) != 1 {
			return
		}
	}
	c.Out[0].Data = d.Pick(make([]int, n))
}

func foldConcat(c *Call) {
	r := &c.Out[0]
	axis, ok := c.joint(len(r.Dims))
	if !ok {
		return
	}
	d := &shape.Data{}
	if r.Elem.Integer() {
		d.Ints = []int64{}
	} else {
		d.Floats = []float64{}
	}
	outer := shape.Elements(r.Dims[:axis])
	for i := range outer {
		for k := range c.In {
			in := c.input(k)
			n := shape.Elements(c.In[k].Dims[axis:])
			if in.Ints != nil && d.Ints != nil && (i+1)*n <= int64(len(in.Ints)) {
				d.Ints = append(d.Ints, in.Ints[i*n:(i+1)*n]...)
			} else if in.Floats != nil && d.Floats != nil && (i+1)*n <= int64(len(in.Floats)) {
				d.Floats = append(d.Floats, in.Floats[i*n:(i+1)*n]...)
			}
		}
	}
	r.Data = d
}

func foldGather(c *Call) {
	dims, indices := c.In[0].Dims, c.input(1).Ints
	axis, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if !ok || indices == nil {
		return
	}
	inner := shape.Elements(dims[axis+1:])
	pick := make([]int, 0, shape.Elements(c.Out[0].Dims))
	for i := range shape.Elements(dims[:axis]) {
		for _, index := range indices {
			a, ok := shape.Axis(index, int(dims[axis]))
			if !ok {
				return
			}
			for k := range inner {
				pick = append(pick, int((i*dims[axis]+int64(a))*inner+k))
			}
		}
	}
	c.Out[0].Data = c.input(0).Pick(pick)
}

func foldSlice(c *Call) {
	dims := c.In[0].Dims
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
	c.Out[0].Data = c.input(0).Pick(at(c.Out[0].Dims, strides, begin))
}

func foldSplit(c *Call) {
	dims := c.In[0].Dims
	axis, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if !ok {
		return
	}
	strides, begin := stridesOf(dims), int64(0)
	for k := range c.Out {
		out := c.Out[k].Dims
		if begin+out[axis] > dims[axis] {
			return
		}
		c.Out[k].Data = c.input(0).Pick(at(out, strides, begin*strides[axis]))
		begin += out[axis]
	}
}

func foldTranspose(c *Call) {
	own := stridesOf(c.In[0].Dims)
	strides := make([]int64, len(own))
	for i, a := range c.order(len(own)) {
		strides[i] = own[a]
	}
	c.Out[0].Data = c.input(0).Pick(at(c.Out[0].Dims, strides, 0))
}

func foldExpand(c *Call) { c.Out[0].Data = c.spreadInput(0) }

func foldTile(c *Call) {
	in, out := c.In[0].Dims, c.Out[0].Dims
	if c.Opset < 6 || len(in) != len(out) || shape.Elements(in) == 0 {
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
	c.Out[0].Data = c.input(0).Pick(pick)
}

func foldWhere(c *Call) {
	which, a, b := c.spreadInput(0), c.spreadInput(1), c.spreadInput(2)
	d := &shape.Data{}
	switch {
	case which.Ints == nil:
		return
	case a.Ints != nil && b.Ints != nil:
		d.Ints = slices.Clone(b.Ints)
		for i, x := range which.Ints {
			if x != 0 {
				d.Ints[i] = a.Ints[i]
			}
		}
	case a.Floats != nil && b.Floats != nil:
		d.Floats = slices.Clone(b.Floats)
		for i, x := range which.Ints {
			if x != 0 {
				d.Floats[i] = a.Floats[i]
			}
		}
	default:
		return
	}
	c.Out[0].Data = d
}

// foldNonZero also sets the shape: as many columns as there are elements other than 0.
func foldNonZero(c *Call) {
	dims, in := c.In[0].Dims, c.input(0)
	rank := int64(len(dims))
	var where []int64
	for i, x := range in.Ints {
		if x != 0 {
			where = append(where, int64(i))
		}
	}
	for i, x := range in.Floats {
		if x != 0 {
			where = append(where, int64(i))
		}
	}
	n := int64(len(where))
	c.Out[0].Dims = []int64{rank, n}
	if rank*n > shape.MaxFold {
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
	c.Out[0].Data = &shape.Data{Ints: out}
}
