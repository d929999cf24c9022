package dsa

import "github.com/stowage-go/stowage/model"

// Idea: each list of constraints is a list of pairs of buffers, or of pins. They become rules one by one.
//
// Invariant: item k of a list of the file is item k of the rule, so a fault of the rule has the line of the item.
// Pairs apart that follow from an exclusive pin come after the pairs of the file.
//
// Complexity: O(pairs). An exclusive pin costs a pass over the buffers.

func (d *reader) readConstraint(key string, at int64) error {
	switch key {
	case "separations":
		return d.readPairs(key, &d.apart)
	case "temporal_exclusions":
		return d.readPairs(key, &d.free)
	case "colocations":
		return d.readPairs(key, &d.together)
	case "pinned_allocations":
		return list(d, key, &d.pins, func(x *pin, at int64) { x.at = at })
	}
	return d.unknown(key, at)
}

func (d *reader) readPairs(key string, all *[]pair) error {
	return list(d, key, all, func(x *pair, at int64) { x.at = at })
}

// widen raises each size to the largest of its class.
func (d *reader) widen(body []int32) {
	if body == nil {
		return
	}
	extent := make([]int64, len(body))
	for i, of := range body {
		extent[of] = max(extent[of], d.problem.Buffers[i].Size)
	}
	for i, of := range body {
		d.problem.Buffers[i].Size = extent[of]
	}
}

// pin fixes the offset of a buffer.
func (d *reader) pin(x *pin, body []int32) {
	const field = "pinned_allocations"
	i := d.index(d.bufferOf, x.Buffer, field+".buffer", x.at)
	pool := d.index(d.poolOf, x.Pool, field+".pool", x.at)
	if x.Offset == nil {
		d.refuse(x.at, field+".offset", "", "the key is missing")
	}
	if d.issues.Err() != nil {
		return
	}
	p := &d.problem
	b := &p.Buffers[i]
	switch {
	case b.Fixed != nil:
		d.refuse(x.at, field+".buffer", b.ID, "is pinned twice")
		return
	case !b.MayUse(pool):
		d.refuse(x.at, field+".pool", p.Rules.Pools[pool].ID, "is not among the allowed pools of the buffer")
		return
	}
	if b.Fixed = x.Offset; len(d.pools) > 1 {
		b.Extra = &model.Extra{Pools: []int32{pool}}
	}
	if !x.Exclusive {
		return
	}
	for k := range p.Buffers {
		same := int32(k) == i || body != nil && body[k] == body[i]
		if !same && p.Buffers[k].MayUse(pool) {
			p.Rules.Apart = append(p.Rules.Apart, model.Pair{i, int32(k)})
		}
	}
}

// pairOf looks up the two buffers of a pair.
func (d *reader) pairOf(x *pair, field string) model.Pair {
	return model.Pair{
		d.index(d.bufferOf, x.First, field+".first", x.at), d.index(d.bufferOf, x.Second, field+".second", x.at),
	}
}

// makeConstraints makes rules of all constraints but pins.
func (d *reader) makeConstraints() {
	r := d.problem.Rules
	for k := range d.apart {
		r.Apart = append(r.Apart, d.pairOf(&d.apart[k], "separations"))
	}
	for k := range d.free {
		r.MayOverlap = append(r.MayOverlap, d.pairOf(&d.free[k], "temporal_exclusions"))
	}
	for k := range d.together {
		tied := d.pairOf(&d.together[k], "colocations")
		r.Together = append(r.Together, model.Together{Buffers: tied[:]})
	}
}
