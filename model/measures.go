package model

// PoolOf returns the pool of buffer i in a plan, as an index into Rules.Pools.
func (p *Plan) PoolOf(i int) int32 {
	if p.Pools == nil {
		return 0
	}
	return p.Pools[i]
}

// AddPart appends a part of an evicted buffer. The parts of a buffer are added one after another.
func (p *Plan) AddPart(buffer int32, part Part) {
	if last := len(p.Parts) - 1; last >= 0 && p.Parts[last].Buffer == buffer {
		p.Parts[last].Parts = append(p.Parts[last].Parts, part)
		return
	}
	p.Parts = append(p.Parts, Parts{Buffer: buffer, Parts: []Part{part}})
}

// MeasuresOf returns every measure of a plan of a valid problem: height, max_height, peak, max_peak, cost, penalty
// and eviction, then objects if some pool is divided into objects, then height and peak of each pool that has a name.
//
// If a plan takes evictions of a buffer, its cost is the sum of the costs of its parts in their pools. A penalty may
// then be paid once for each pair of parts. A buffer that the plan lacks, as one of several alternatives, has no part
// in any measure.
func MeasuresOf(p *Problem, plan *Plan) []Value {
	if p.Rules.HasAlternatives() {
		keep := plan.Chosen()
		p, plan = Only(p, keep), plan.Among(keep)
	}
	pools := p.AllPools()
	heights, peaks := make([]int64, len(pools)), make([]int64, len(pools))
	for k := range pools {
		for _, r := range pools[k].Reserved {
			peaks[k] = max(peaks[k], r.Upper)
		}
	}
	type object struct {
		pool int32
		at   int64
	}
	objects := map[object]Box{}
	var cost, penalty int64
	parted, evicted := partsOf(plan), int64(0)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		parts := parted[int32(i)]
		evicted += evictionsTaken(b, parts)
		if parts == nil {
			parts = []Part{{Pool: plan.PoolOf(i), Offset: plan.Offsets[i]}}
		}
		for _, part := range parts {
			heights[part.Pool] = max(heights[part.Pool], part.Offset+b.Size)
			cost += b.CostIn(pools, part.Pool)
			if pools[part.Pool].Objects {
				at := object{part.Pool, part.Offset}
				objects[at] = objects[at].Over(b.Box())
				heights[part.Pool] = max(heights[part.Pool], part.Offset+objects[at].Bytes())
			}
		}
	}
	if p.Rules != nil && len(p.Rules.Penalties) > 0 {
		penalty = penaltyOf(p, plan, parted)
	}
	if p.Rules != nil && len(p.Rules.Groups) > 0 {
		c := NewConflicts(p)
		for k := range p.Rules.Groups {
			if g := &p.Rules.Groups[k]; c.Pays(g, plan) {
				penalty += g.Cost
			}
		}
	}
	var height, highest, peak, tallest int64
	for k, h := range heights {
		peaks[k] = max(peaks[k], h)
		height, peak, cost = height+h, peak+peaks[k], cost+pools[k].PriceOf(h)
		highest, tallest = max(highest, h), max(tallest, peaks[k])
	}
	values := []Value{
		{MeasureHeight, height},
		{MeasureMaxHeight, highest},
		{MeasurePeak, peak},
		{MeasureMaxPeak, tallest},
		{MeasureCost, cost},
		{MeasurePenalty, penalty},
		{MeasureEviction, evicted},
	}
	if p.Rules.HasObjects() {
		values = append(values, Value{MeasureObjects, int64(len(objects))})
	}
	for k := range pools {
		if pools[k].ID != "" {
			values = append(values, Value{HeightIn(pools[k].ID), heights[k]}, Value{PeakIn(pools[k].ID), peaks[k]})
		}
	}
	return values
}

// ValueOf returns the value of a measure in a list, or 0 if the list does not have it.
func ValueOf(values []Value, m Measure) int64 {
	for _, v := range values {
		if v.Measure == m {
			return v.Value
		}
	}
	return 0
}

func partsOf(plan *Plan) map[int32][]Part {
	if len(plan.Parts) == 0 {
		return nil
	}
	of := make(map[int32][]Part, len(plan.Parts))
	for _, x := range plan.Parts {
		of[x.Buffer] = x.Parts
	}
	return of
}

// evictionsTaken returns the price of the evictions between parts.
func evictionsTaken(b *Buffer, parts []Part) (cost int64) {
	if b.Extra == nil {
		return 0
	}
	for k := 1; k < len(parts); k++ {
		for _, e := range b.Extra.Evictions {
			if e.Lower == parts[k-1].Upper && e.Upper == parts[k].Lower {
				cost += e.Cost
			}
		}
	}
	return cost
}

// penaltyOf returns the penalties that a plan pays.
func penaltyOf(p *Problem, plan *Plan, parted map[int32][]Part) (paid int64) {
	places := func(i int32) []Part {
		if parts := parted[i]; parts != nil {
			return parts
		}
		return []Part{
			{Lower: p.Buffers[i].Lower, Upper: p.Buffers[i].Upper, Pool: plan.PoolOf(int(i)), Offset: plan.Offsets[i]},
		}
	}
	c := NewConflicts(p)
	for _, x := range p.Rules.Penalties {
		i, j := x.Buffers[0], x.Buffers[1]
		if c.SameBody(int(i), int(j)) || c.Apart(int(i), int(j)) {
			continue
		}
		free := c.free[x.Buffers.Sorted()]
		whole := parted[i] == nil && parted[j] == nil
		for _, a := range places(i) {
			for _, b := range places(j) {
				shared := a.Pool == b.Pool && a.Offset < b.Offset+p.Buffers[j].Size && b.Offset < a.Offset+p.Buffers[i].Size
				if !shared {
					continue
				}
				conflict := p.Meet(int(i), int(j))
				if !whole {
					conflict = meetIn(p, i, j, a, b)
				}
				if free || !conflict {
					paid += x.Cost
				}
			}
		}
	}
	return paid
}

// meetIn reports whether buffer i in part a of its life meets buffer j in part b.
func meetIn(p *Problem, i, j int32, a, b Part) bool {
	q := Problem{
		Buffers: []Buffer{p.Buffers[i].Within(a.Lower, a.Upper), p.Buffers[j].Within(b.Lower, b.Upper)},
		Rules:   &Rules{Period: p.Rules.Period},
	}
	return q.Meet(0, 1)
}

// Within returns the buffer with its life cut to [lower, upper), which must meet its life.
func (b *Buffer) Within(lower, upper int64) Buffer {
	part := *b
	part.Extra, part.Gaps = nil, nil
	part.Lower, part.Upper = max(b.Lower, lower), min(b.Upper, upper)
	for _, g := range b.Gaps {
		if g.Lower < part.Upper && part.Lower < g.Upper {
			g.Lower, g.Upper = max(g.Lower, part.Lower), min(g.Upper, part.Upper)
			part.Gaps = append(part.Gaps, g)
		}
	}
	return part
}
