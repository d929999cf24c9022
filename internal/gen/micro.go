package gen

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// The two microbenchmarks of section 7.1 of the TelaMalloc paper (ASPLOS 2023). In non-overlapping-N no two of N
// blocks share time, so a solver has nothing to do. In full-overlap-N all N blocks share all of it, so every pair is
// a constraint. The paper gives no sizes; they are drawn at random.

// nonOverlapping gives buffer i the slot i, so the largest buffer is the optimum.
func nonOverlapping(o Options) (*Instance, error) {
	in := lifeless(o, "non-overlapping")
	for i := range in.Problem.Buffers {
		b := &in.Problem.Buffers[i]
		b.Lower, b.Upper = int64(i), int64(i)+1
		in.Optimum = max(in.Optimum, b.Size)
	}
	in.Offsets = make([]int64, o.Buffers)
	return in, nil
}

// fullOverlap gives all buffers the slot 0. The optimum is the sum of the sizes. With an alignment each size but the
// topmost is rounded up, so the topmost buffer is the one that loses most by rounding.
func fullOverlap(o Options) (*Instance, error) {
	in := lifeless(o, "full-overlap")
	in.Offsets = make([]int64, o.Buffers)
	align := max(o.Alignment, 1)
	top, at := 0, int64(0)
	padding := func(i int) int64 { return (align - in.Problem.Buffers[i].Size%align) % align }
	for i := range in.Problem.Buffers {
		in.Problem.Buffers[i].Upper = 1
		if padding(i) > padding(top) {
			top = i
		}
	}
	for i := range in.Problem.Buffers {
		if i != top {
			in.Offsets[i] = at
			at += in.Problem.Buffers[i].Size + padding(i)
		}
	}
	in.Offsets[top] = at
	in.Optimum = at + in.Problem.Buffers[top].Size
	return in, nil
}

// lifeless returns buffers without lifespans.
func lifeless(o Options, kind string) *Instance {
	r := NewRNG(o.Seed, kind)
	p := &model.Problem{Capacity: o.Capacity, Buffers: make([]model.Buffer, o.Buffers)}
	for i := range p.Buffers {
		p.Buffers[i] = model.Buffer{ID: "b" + strconv.Itoa(i), Size: r.Within(o.MinSize, o.MaxSize), Alignment: o.Alignment}
	}
	return &Instance{Problem: p}
}
