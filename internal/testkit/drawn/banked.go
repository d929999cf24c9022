package drawn

import (
	"math/rand/v2"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a third generator of problems with rules, for cases that the other two rarely draw: up to seven buffers in
// three to five pools that differ in everything, and objectives of one to four measures of any kind in any order. The
// order decides which bounds and proofs are asked for. With one or two pools a false bound of a choice often stays
// unseen.
//
// Numbers are small, so that oracle.Sets can try every offset: sizes to 6, capacities and reserved bytes to about 16,
// alignments to 6.

// Banked returns a valid problem.
func Banked(r *rand.Rand) *model.Problem {
	for {
		d := banked{broad{r: r, p: &model.Problem{Name: "banked", Rules: &model.Rules{}}, unit: 1}}
		if d.draw(); model.Validate(d.p) == nil {
			return d.p
		}
	}
}

// banked draws one problem. What is drawn as broad draws it is drawn by that.
type banked struct{ broad }

func (d *banked) draw() {
	// Of each kind of rule, whether the problem has any.
	d.has = map[string]bool{}
	often := []float64{0.1, 0.25, 0.45}[d.r.IntN(3)]
	for _, f := range RuledFeatures {
		d.has[f] = d.chance(often)
	}
	d.has["clocks"] = d.chance(0.1)
	d.drop(nil)
	n := []int64{1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7}[d.r.IntN(14)]
	d.p.Buffers = make([]model.Buffer, n)
	most := []int64{1, 3, 4, 6}[d.r.IntN(4)]
	for i := range d.p.Buffers {
		b := &d.p.Buffers[i]
		b.ID, b.Size = "b"+strconv.Itoa(i), d.within(1, most)
		if d.has["alignment"] && d.chance(0.4) {
			b.Alignment = d.within(1, 6)
		}
	}
	d.times()
	left := int64(6) // evictions: brute force tries every set of them
	for i := range d.p.Buffers {
		b := &d.p.Buffers[i]
		d.gaps(b)
		left -= d.absences(b, left)
	}
	d.memories()
	for i := range d.p.Buffers {
		d.wishes(&d.p.Buffers[i])
	}
	d.chains()
	d.pairs()
	d.measures()
}

// absences draws at most left evictions for a buffer, and returns how many it drew.
func (d *banked) absences(b *model.Buffer, left int64) (n int64) {
	if !d.has["evictions"] || d.p.Rules.Threads > 0 || !d.chance(0.5) {
		return 0
	}
	b.Extra = &model.Extra{}
	for at := b.Lower + 1; at < b.Upper-1 && n < min(left, 2); n++ {
		e := model.Eviction{Lower: at, Upper: d.within(at+1, min(at+3, b.Upper-1)), Cost: d.within(0, 5)}
		b.Extra.Evictions = append(b.Extra.Evictions, e)
		at = e.Upper + d.within(1, 2)
	}
	if n == 0 {
		b.Extra = nil
	}
	return n
}

// memories draws the pools, half of the time with capacities that hold little more than the buffers need.
func (d *banked) memories() {
	total := int64(0)
	for i := range d.p.Buffers {
		total += d.p.Buffers[i].Size
	}
	many, tight := d.within(3, 5), d.chance(0.7)
	for k := range many {
		q := model.Pool{ID: string(rune('p' + k))}
		switch {
		case tight && d.chance(0.95):
			q.Capacity = d.within(1, 1+3*total/(2*many))
		case d.chance(0.4):
			q.Capacity = d.within(1, 16)
		}
		if d.has["alignment"] && d.chance(0.4) {
			q.Alignment = d.within(1, 5)
		}
		if d.has["costs"] {
			q.Cost = d.within(0, 3)
		}
		for n := int64(0); d.has["reserved"] && n < 2 && d.chance(0.5); n++ {
			at := d.within(0, 6)
			x := model.Range{Lower: at, Upper: at + d.within(1, 3)}
			if q.Capacity > 0 && x.Upper > q.Capacity {
				if d.chance(0.5) {
					continue
				}
				q.Capacity = x.Upper + d.within(0, 4)
			}
			q.Reserved = append(q.Reserved, x)
		}
		d.p.Rules.Pools = append(d.p.Rules.Pools, q)
	}
}

// wishes draws the pools, costs, fixed offset and hint of a buffer.
func (d *banked) wishes(b *model.Buffer) {
	many := len(d.p.Rules.Pools)
	x := model.Extra{}
	if b.Extra != nil {
		x = *b.Extra
	}
	fixed := d.has["fixed"] && d.chance(0.3)
	if fixed || d.has["choice"] && d.chance(0.5) {
		for _, k := range d.r.Perm(many)[:d.within(1, int64(many))] {
			x.Pools = append(x.Pools, int32(k))
		}
	}
	if fixed {
		x.Pools = x.Pools[:1]
		at := d.within(0, 8)
		at -= at % b.Align()
		b.Fixed = &at
	}
	for k := range many {
		if d.has["costs"] && d.chance(0.3) {
			x.Costs = append(x.Costs, model.PoolCost{Pool: int32(k), Cost: d.within(0, 8)})
		}
	}
	if d.chance(0.1) {
		at := d.within(0, 12)
		b.Hint = &at
	}
	if x.Pools != nil || x.Costs != nil || x.Clocks != nil || x.Evictions != nil {
		b.Extra = &x
	}
}

// measures draws an objective of one to four measures, or none.
func (d *banked) measures() {
	if d.chance(0.08) {
		return
	}
	all := []model.Measure{
		model.MeasureHeight, model.MeasureMaxHeight, model.MeasurePeak, model.MeasureMaxPeak, model.MeasureCost,
		model.MeasurePenalty, model.MeasureEviction,
	}
	for _, k := range d.r.Perm(len(d.p.Rules.Pools))[:2] {
		q := d.p.Rules.Pools[k].ID
		all = append(all, model.HeightIn(q), model.PeakIn(q))
	}
	d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	d.p.Rules.Objective = all[:d.within(1, 4)]
}
