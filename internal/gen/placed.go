package gen

import (
	"errors"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a memory that is always full, and a plan at its load that is known. An allocator runs through time. In each
// slot it fills each hole from below with buffers that it draws; the last one takes what is left of the hole. So no byte
// is unused until the last buffer is drawn. A packing that is cut from a rectangle has edges that meet; here lives end
// one by one. The buffers are shuffled, since first fit in the order in which they are drawn is that plan.
//
// Sizes have a heavy tail: each of 4/7 of the buffers that reach a size reaches twice of it, as in a Pareto
// distribution with the exponent 0.8. Buffers live 16 slots on average.
//
// Complexity: O(n · live) for n buffers.

// fullPlaced makes such a problem.
func fullPlaced(o Options) (*Instance, error) {
	unit := max(o.Alignment, 1)
	if o.Capacity%unit != 0 {
		return nil, errors.New("the capacity must be a multiple of the alignment")
	}
	r := NewRNG(o.Seed, "full-placed")
	p := &model.Problem{Capacity: o.Capacity}
	in := &Instance{Problem: p, Optimum: o.Capacity}
	top := o.Capacity / unit // all is counted in units
	least := max(top/4096, 1)
	var live []int // ascending by offset
	for slot := int64(0); len(p.Buffers) < o.Buffers; slot++ {
		live = slices.DeleteFunc(live, func(i int) bool { return p.Buffers[i].Upper == slot })
		for k, end := 0, int64(0); k <= len(live) && len(p.Buffers) < o.Buffers; k++ {
			to := top
			if k < len(live) {
				to = in.Offsets[live[k]] / unit
			}
			if end == to {
				if k < len(live) {
					end = to + p.Buffers[live[k]].Size/unit
				}
				continue
			}
			size, life := r.Within(least, 2*least-1), int64(1)
			for size < top && r.Below(7) < 4 {
				size *= 2
			}
			for r.Below(16) > 0 {
				life++
			}
			if size = min(size, to-end); slot == 0 && len(p.Buffers) == o.Buffers-1 {
				size = to - end
			}
			live = slices.Insert(live, k, len(p.Buffers))
			p.Buffers = append(p.Buffers, model.Buffer{
				Lower: slot, Upper: slot + life, Size: size * unit, Alignment: o.Alignment,
			})
			in.Offsets = append(in.Offsets, end*unit)
			end += size
		}
	}
	r.Shuffle(len(p.Buffers), func(i, j int) {
		p.Buffers[i], p.Buffers[j] = p.Buffers[j], p.Buffers[i]
		in.Offsets[i], in.Offsets[j] = in.Offsets[j], in.Offsets[i]
	})
	for i := range p.Buffers {
		p.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	return in, nil
}
