package drawn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// RuledFeatures are the features that Ruled draws, by the names that FeaturesOf gives them.
var RuledFeatures = []string{
	"pools", "capacity", "reserved", "choice", "costs", "alignment", "fixed", "gaps", "windows", "together", "apart",
	"may_overlap", "distances", "penalties", "clocks", "period", "evictions", "objective",
}

// BankRules are further features, which only Bank draws.
var BankRules = []string{"different_pools", "same_pool", "objects", "lockstep", "borders", "sizes", "granularity", "groups", "alternatives", "extents"}

// FeaturesOf returns the features of RuledFeatures and BankRules that a problem has, in their order.
func FeaturesOf(p *model.Problem) []string {
	r := p.Rules
	if r == nil {
		r = &model.Rules{}
	}
	has := map[string]bool{
		"pools": len(r.Pools) > 1, "together": len(r.Together) > 0, "apart": len(r.Apart) > 0,
		"may_overlap": len(r.MayOverlap) > 0, "distances": len(r.Distances) > 0, "penalties": len(r.Penalties) > 0,
		"clocks": r.Threads > 0, "period": r.Period > 0, "objective": len(r.Objective) > 0, "capacity": p.Capacity > 0,
		"different_pools": len(r.DifferentPools) > 0, "same_pool": len(r.SamePool) > 0, "objects": r.HasObjects(),
		"lockstep": len(r.Lockstep) > 0, "borders": r.HasBorders(), "sizes": r.HasSizes(),
		"granularity": r.HasPages() && len(r.Kinds) > 1, "groups": len(r.Groups) > 0,
		"alternatives": r.HasAlternatives(),
	}
	for k := range r.Pools {
		has["extents"] = has["extents"] || p.HasExtents(int32(k))
	}
	for _, q := range r.Pools {
		has["capacity"] = has["capacity"] || q.Capacity > 0
		has["reserved"] = has["reserved"] || len(q.Reserved) > 0
		has["alignment"] = has["alignment"] || q.Alignment > 1
		has["costs"] = has["costs"] || q.Cost > 0
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		has["alignment"] = has["alignment"] || b.Align() > 1
		has["fixed"] = has["fixed"] || b.Fixed != nil
		has["gaps"] = has["gaps"] || len(b.Gaps) > 0
		has["windows"] = has["windows"] || b.HasWindow()
		if x := b.Extra; x != nil {
			has["choice"] = has["choice"] || x.Pools != nil
			has["costs"] = has["costs"] || len(x.Costs) > 0
			has["evictions"] = has["evictions"] || len(x.Evictions) > 0
		}
	}
	return slices.DeleteFunc(slices.Concat(RuledFeatures, BankRules), func(name string) bool { return !has[name] })
}

// Ruled returns a valid problem of 2 to 5 buffers with some of RuledFeatures, in any pairs that may stand together:
// clocks stand with neither gaps nor a period, evictions or distances. Sizes are to 8 times a unit, which is mostly 1,
// and heights are small enough for oracle.Ruled. About half of the problems have no plan.
func Ruled(r *rand.Rand) *model.Problem {
	for {
		d := ruling{r: r, has: map[string]bool{}}
		chance := []float64{0.15, 0.3, 0.5}[r.IntN(3)]
		for _, feature := range RuledFeatures {
			d.has[feature] = r.Float64() < chance
		}
		// Without a capacity few problems have no plan.
		d.has["capacity"] = r.IntN(10) > 0
		if p := d.problem(); model.Validate(p) == nil {
			return p
		}
	}
}

// ruling draws one problem.
type ruling struct {
	r    *rand.Rand
	has  map[string]bool
	p    *model.Problem
	most int64 // pools; 3 if it is less
}

// within draws from low to high, both included.
func (d *ruling) within(low, high int64) int64 { return low + d.r.Int64N(high-low+1) }

func (d *ruling) chance(c float64) bool { return d.r.Float64() < c }

func (d *ruling) problem() *model.Problem {
	rules := &model.Rules{}
	d.p = &model.Problem{Rules: rules, Buffers: make([]model.Buffer, d.within(2, 5))}
	unit := []int64{1, 1, 1, 2, 3, 32}[d.r.IntN(6)]
	if d.has["period"] && !d.has["clocks"] {
		rules.Period = d.within(2, 8)
	}
	if d.has["clocks"] {
		rules.Threads = int(d.within(1, 3))
	}
	for i := range d.p.Buffers {
		d.buffer(i, unit)
	}
	d.pools(unit)
	for i := range d.p.Buffers {
		d.extra(&d.p.Buffers[i])
	}
	d.pairs(unit)
	if d.has["together"] {
		d.together(unit)
	}
	if d.has["objective"] {
		all := []model.Measure{
			model.MeasureHeight, model.MeasureMaxHeight, model.MeasurePeak, model.MeasureMaxPeak, model.MeasureCost,
			model.MeasurePenalty, model.MeasureEviction,
		}
		for _, q := range rules.Pools {
			all = append(all, model.HeightIn(q.ID), model.PeakIn(q.ID))
		}
		d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		rules.Objective = all[:d.within(1, 3)]
	}
	d.p.Name = "ruled: " + strings.Join(FeaturesOf(d.p), " ")
	return d.p
}

// buffer draws size, alignment and time.
func (d *ruling) buffer(i int, unit int64) {
	b := &d.p.Buffers[i]
	b.ID, b.Size, b.Alignment = "b"+strconv.Itoa(i), d.within(1, 8)*unit, unit
	if d.has["alignment"] && d.chance(0.6) {
		b.Alignment = []int64{1, 2, 3, 4, 6, 8}[d.r.IntN(6)] * unit
	}
	if threads := d.p.Rules.Threads; threads > 0 {
		lower, upper := make([]int64, threads), make([]int64, threads)
		for k := range lower {
			lower[k] = d.within(0, 3)
			upper[k] = lower[k] + d.within(0, 3)
		}
		b.SetClocks(lower, upper)
		return
	}
	horizon, longest := d.within(2, 9), int64(9)
	if period := d.p.Rules.Period; period > 0 {
		horizon, longest = period, period
	}
	b.Lower = d.within(0, horizon-1)
	b.Upper = b.Lower + d.within(1, min(longest, 6))
	if d.has["gaps"] && d.chance(0.6) || d.has["windows"] && d.chance(0.6) {
		for at := b.Lower + d.within(0, 2); at < b.Upper && len(b.Gaps) < 2; at += d.within(0, 2) {
			g := model.Gap{Lower: at, Upper: min(at+d.within(1, 2), b.Upper)}
			if d.has["windows"] && (!d.has["gaps"] || d.chance(0.5)) {
				from := d.within(0, b.Size-1)
				g.Window = &model.Window{Lower: from, Upper: d.within(from+1, b.Size)}
			}
			b.Gaps = append(b.Gaps, g)
			at = g.Upper
		}
	}
	if d.has["evictions"] && b.Upper-b.Lower > 2 && d.chance(0.6) {
		b.Extra = &model.Extra{}
		for at := b.Lower + d.within(1, 2); at < b.Upper-1 && len(b.Extra.Evictions) < 2; at++ {
			e := model.Eviction{Lower: at, Upper: d.within(at+1, b.Upper-1), Cost: d.within(0, 5)}
			b.Extra.Evictions = append(b.Extra.Evictions, e)
			at = e.Upper
		}
	}
}

// pools draws pools with capacities near the sum of some sizes.
func (d *ruling) pools(unit int64) {
	many := int64(1)
	if d.has["pools"] {
		many = d.within(2, max(3, d.most))
	}
	var sum int64
	for i := range d.p.Buffers {
		sum += d.p.Buffers[i].Size
	}
	capacity := func() int64 {
		if !d.has["capacity"] {
			return 0
		}
		return max(1, d.within(sum/(3*many), sum/many+3*unit))
	}
	if many == 1 && !d.has["reserved"] && d.chance(0.5) {
		d.p.Capacity = capacity()
		return
	}
	for k := range many {
		q := model.Pool{ID: string(rune('x' + k)), Capacity: capacity()}
		if d.has["alignment"] && d.chance(0.5) {
			q.Alignment = []int64{1, 2, 3, 4}[d.r.IntN(4)] * unit
		}
		if d.has["costs"] && d.chance(0.6) {
			q.Cost = d.within(0, 3)
		}
		for d.has["reserved"] && d.chance(0.5) && len(q.Reserved) < 2 {
			at := d.within(0, max(q.Capacity-1, sum/2))
			q.Reserved = append(q.Reserved, model.Range{Lower: at, Upper: at + d.within(1, 2*unit)})
		}
		d.p.Rules.Pools = append(d.p.Rules.Pools, q)
	}
}

// extra draws which pools a buffer may be in, what it costs there, and a fixed offset.
func (d *ruling) extra(b *model.Buffer) {
	pools := d.p.Rules.Pools
	fixed := d.has["fixed"] && d.chance(0.4)
	if b.Extra == nil {
		b.Extra = &model.Extra{}
	}
	if n := len(pools); n > 1 && (fixed || d.has["choice"] && d.chance(0.6)) {
		for _, k := range d.r.Perm(n)[:d.within(1, int64(n))] {
			b.Extra.Pools = append(b.Extra.Pools, int32(k))
		}
		if fixed {
			b.Extra.Pools = b.Extra.Pools[:1]
		}
	}
	for k := range pools {
		if d.has["costs"] && d.chance(0.3) {
			b.Extra.Costs = append(b.Extra.Costs, model.PoolCost{Pool: int32(k), Cost: d.within(0, 20)})
		}
	}
	if fixed {
		step := b.Align()
		if b.Extra.Pools != nil {
			step *= max(pools[b.Extra.Pools[0]].Alignment, 1)
		} else if len(pools) == 1 {
			step *= max(pools[0].Alignment, 1)
		}
		at := d.within(0, 4) * step
		b.Fixed = &at
	}
	if b.Extra.Pools == nil && b.Extra.Costs == nil && b.Extra.Clocks == nil && b.Extra.Evictions == nil {
		b.Extra = nil
	}
}

// pairs draws the rules of two buffers. Some pairs are there twice, or in two lists.
func (d *ruling) pairs(unit int64) {
	rules, n := d.p.Rules, len(d.p.Buffers)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			pair := model.Pair{int32(i), int32(j)}
			if d.has["apart"] && d.chance(0.15) {
				rules.Apart = append(rules.Apart, pair)
			}
			if d.has["may_overlap"] && d.chance(0.25) {
				rules.MayOverlap = append(rules.MayOverlap, pair)
			}
			if d.has["penalties"] && d.chance(0.3) {
				rules.Penalties = append(rules.Penalties, model.Penalty{Buffers: pair, Cost: d.within(0, 4)})
			}
			if d.has["distances"] && rules.Threads == 0 && d.chance(0.6) {
				d.distance(pair, unit)
			}
		}
	}
}

// distance adds a distance if the second buffer can be born where the first dies.
func (d *ruling) distance(pair model.Pair, unit int64) {
	p := d.p
	x, y := &p.Buffers[pair[0]], &p.Buffers[pair[1]]
	by := d.within(-3, 8) * unit
	if d.chance(0.3) {
		by += d.within(-2, 2)
	}
	keep := *p
	keep.Rules = &model.Rules{
		Pools: p.Rules.Pools, Period: p.Rules.Period, Distances: []model.Distance{{Buffers: pair, Distance: by}},
	}
	if d.chance(0.5) && len(y.Gaps) == 0 && (y.Extra == nil || y.Extra.Evictions == nil) && p.Rules.Period == 0 &&
		!d.named(pair[1]) {
		y.Upper += x.Upper - 1 - y.Lower
		y.Lower = x.Upper - 1
	}
	if model.Validate(&keep) == nil {
		p.Rules.Distances = append(p.Rules.Distances, keep.Rules.Distances...)
	}
}

// named reports whether a distance names the buffer already.
func (d *ruling) named(i int32) bool {
	return slices.ContainsFunc(d.p.Rules.Distances,
		func(x model.Distance) bool { return x.Buffers[0] == i || x.Buffers[1] == i })
}

// together draws one or two bodies. Their distances are mostly multiples of the unit.
func (d *ruling) together(unit int64) {
	n := len(d.p.Buffers)
	for range d.within(1, 2) {
		var t model.Together
		for _, k := range d.r.Perm(n)[:d.within(2, 3)%int64(n+1)] {
			if x := d.p.Buffers[k].Extra; x == nil || x.Evictions == nil {
				t.Buffers = append(t.Buffers, int32(k))
			}
		}
		if len(t.Buffers) < 2 {
			continue
		}
		if d.chance(0.6) {
			for range t.Buffers {
				by := d.within(-2, 6) * unit
				if d.chance(0.1) {
					by++
				}
				t.At = append(t.At, by)
			}
		}
		d.p.Rules.Together = append(d.p.Rules.Together, t)
	}
}

// DescribeRuled lists pools, buffers and rules for the message of a test.
func DescribeRuled(p *model.Problem) string {
	var s strings.Builder
	s.WriteString(Describe(p))
	fmt.Fprintf(&s, "capacity %d\n", p.Capacity)
	for i := range p.Buffers {
		if x := p.Buffers[i].Extra; x != nil {
			fmt.Fprintf(&s, "%s: pools %v costs %v evictions %v", p.Buffers[i].ID, x.Pools, x.Costs, x.Evictions)
			if x.Clocks != nil {
				fmt.Fprintf(&s, " clocks %v %v", x.Clocks.Lower, x.Clocks.Upper)
			}
			s.WriteByte('\n')
		}
	}
	if p.Rules != nil {
		fmt.Fprintf(&s, "%+v\n", *p.Rules)
	}
	return s.String()
}

// Evicted returns a problem as Ruled does, with evictions in most buffers. Every other one asks for
// the measure eviction, in any place of the objective.
func Evicted(r *rand.Rand) *model.Problem {
	for {
		d := ruling{r: r, has: map[string]bool{}}
		chance := []float64{0.1, 0.2, 0.4}[r.IntN(3)]
		for _, feature := range RuledFeatures {
			d.has[feature] = r.Float64() < chance
		}
		d.has["clocks"], d.has["evictions"] = false, true
		d.has["capacity"] = r.IntN(10) > 0
		p := d.problem()
		if o := p.Rules.Objective; r.IntN(2) == 0 && !slices.Contains(o, model.MeasureEviction) {
			p.Rules.Objective = slices.Insert(slices.Clone(o), r.IntN(len(o)+1), model.MeasureEviction)
		}
		if model.Validate(p) == nil {
			return p
		}
	}
}

// Pooled returns a problem as Ruled does, without evictions and with two to five pools to choose from.
func Pooled(r *rand.Rand) *model.Problem {
	for {
		d := ruling{r: r, has: map[string]bool{}}
		chance := []float64{0.1, 0.2, 0.4}[r.IntN(3)]
		for _, feature := range RuledFeatures {
			d.has[feature] = r.Float64() < chance
		}
		d.has["evictions"], d.has["pools"], d.has["costs"] = false, true, r.IntN(4) > 0
		d.most = []int64{3, 3, 3, 3, 3, 3, 4, 5}[r.IntN(8)]
		d.has["capacity"] = r.IntN(10) > 0
		p := d.problem()
		chosen := slices.ContainsFunc(p.Buffers,
			func(b model.Buffer) bool { return b.Extra == nil || len(b.Extra.Pools) != 1 })
		if chosen && model.Validate(p) == nil {
			return p
		}
	}
}
