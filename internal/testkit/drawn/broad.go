package drawn

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a second generator of tiny problems with rules, of other shapes than Ruled. Planners were made with the help
// of Ruled, so faults in problems that it never draws would have stayed. Here
//
//   - sizes are a few equal ones, spread over many powers of two, or just beside a power of two, and may all be
//     multiplied by up to 2^40;
//   - lives follow one another without a slot between, all meet, lie within each other, or are drawn, from any time on;
//   - ties and distances make chains; gaps follow one another; pools are up to six;
//   - capacities are sums of sizes, or just beside one.
//
// The oracle for these is oracle.Chains: Ruled tries every offset, which large numbers forbid.

// mostScale is the power of two of the largest unit of sizes.
const mostScale = 40

// Broad returns a valid problem of 1 to 6 buffers that has the features of want, if these may stand together, and some
// others of RuledFeatures. About half of the problems have no plan.
func Broad(r *rand.Rand, want ...string) *model.Problem { return broadOf(r, 0, want, nil) }

// BroadOf is Broad for a number of buffers, without evictions. Brute force may not answer it.
func BroadOf(r *rand.Rand, buffers int64, want ...string) *model.Problem {
	return broadOf(r, buffers, want, []string{"evictions"})
}

func broadOf(r *rand.Rand, buffers int64, want, without []string) *model.Problem {
	for try := 0; ; try++ {
		d := broad{r: r, has: map[string]bool{}}
		chance := []float64{0.05, 0.15, 0.35, 0.6}[r.IntN(4)]
		if buffers > 6 {
			chance /= 2
		}
		for _, feature := range RuledFeatures {
			d.has[feature] = r.Float64() < chance || slices.Contains(want, feature)
		}
		d.has["capacity"] = d.has["capacity"] || r.IntN(12) > 0
		d.drop(want)
		for _, feature := range without {
			d.has[feature] = false
		}
		p := d.problem(buffers)
		if model.Validate(p) != nil {
			continue
		}
		has := FeaturesOf(p)
		if try > 200 || !slices.ContainsFunc(want, func(f string) bool { return !slices.Contains(has, f) }) {
			return p
		}
	}
}

// broad draws one problem.
type broad struct {
	r    *rand.Rand
	has  map[string]bool
	p    *model.Problem
	unit int64
}

func (d *broad) within(low, high int64) int64 { return low + d.r.Int64N(high-low+1) }

func (d *broad) chance(c float64) bool { return d.r.Float64() < c }

// drop leaves out what clocks forbid, or clocks, whichever was not asked for.
func (d *broad) drop(want []string) {
	others := []string{"gaps", "windows", "period", "evictions", "distances"}
	if slices.ContainsFunc(want, func(f string) bool { return slices.Contains(others, f) }) {
		d.has["clocks"] = false
	}
	if d.has["clocks"] {
		for _, f := range others {
			d.has[f] = false
		}
	}
}

// problem draws it, with a number of buffers or, for 0, any.
func (d *broad) problem(buffers int64) *model.Problem {
	d.p = &model.Problem{Name: "broad", Rules: &model.Rules{}}
	n := []int64{1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 6}[d.r.IntN(12)]
	if d.has["evictions"] {
		n = min(n, 3)
	}
	if buffers > 0 {
		n = buffers
	}
	d.p.Buffers = make([]model.Buffer, n)
	d.unit = []int64{1, 1, 1, 1, 7, 32, 1000}[d.r.IntN(7)]
	if d.chance(0.25) {
		d.unit = 1 << d.r.IntN(mostScale+1)
	}
	d.sizes()
	d.times()
	for i := range d.p.Buffers {
		d.gaps(&d.p.Buffers[i])
		d.evictions(&d.p.Buffers[i])
	}
	d.pools()
	for i := range d.p.Buffers {
		d.extra(&d.p.Buffers[i])
	}
	d.chains()
	d.pairs()
	d.objective()
	return d.p
}

// sizes draws sizes and alignments.
func (d *broad) sizes() {
	shape := d.r.IntN(4)
	for i := range d.p.Buffers {
		b := &d.p.Buffers[i]
		b.ID = "b" + strconv.Itoa(i)
		switch shape {
		case 0: // few equal ones
			b.Size = d.within(1, 2) * d.unit
		case 1: // just beside a power of two
			b.Size = max(1, 1<<d.r.IntN(8)*d.unit+d.within(-1, 1))
		case 2: // spread
			b.Size = d.within(1, 1<<d.r.IntN(21)) * d.unit
			for b.Size > 1<<50 {
				b.Size >>= 5
			}
		default:
			b.Size = d.within(1, 9) * d.unit
		}
		if d.has["alignment"] && d.chance(0.6) {
			b.Alignment = []int64{1, 2, 3, 4, 5, 8, 16, 64}[d.r.IntN(8)]
			if d.chance(0.5) {
				b.Alignment *= d.unit
			}
		}
	}
}

// times draws lifespans.
func (d *broad) times() {
	rules := d.p.Rules
	if d.has["clocks"] {
		rules.Threads = int(d.within(1, 4))
		for i := range d.p.Buffers {
			d.clocks(&d.p.Buffers[i])
		}
		return
	}
	n := int64(len(d.p.Buffers))
	if d.has["period"] {
		rules.Period = []int64{1, 2, 3, 5, 7, 12, 1000}[d.r.IntN(7)]
	}
	from, step := d.within(0, 3), []int64{1, 1, 2, 1000}[d.r.IntN(4)]
	shape := d.r.IntN(4)
	for i := range d.p.Buffers {
		b, k := &d.p.Buffers[i], int64(i)
		switch shape {
		case 0: // one after the other, some with a slot in common
			b.Lower = k
			b.Upper = k + d.within(1, 2)
		case 1: // all meet
			b.Lower, b.Upper = d.within(0, n), d.within(n+1, n+4)
		case 2: // within each other
			b.Lower, b.Upper = k, 2*n-k
		default:
			b.Lower = d.within(0, n+1)
			b.Upper = b.Lower + d.within(1, n+2)
		}
		b.Lower, b.Upper = from+b.Lower*step, from+b.Upper*step
		if p := rules.Period; p > 0 {
			length := (b.Upper-b.Lower-1)%p + 1
			b.Lower %= p
			b.Upper = b.Lower + length
		}
	}
}

// clocks draws the start and the end of a life. Some start where another ends, in every component.
func (d *broad) clocks(b *model.Buffer) {
	lower, upper := make([]int64, d.p.Rules.Threads), make([]int64, d.p.Rules.Threads)
	other := d.p.Buffers[d.r.IntN(len(d.p.Buffers))].Extra
	after := other != nil && other.Clocks != nil && d.chance(0.5)
	for k := range lower {
		lower[k] = d.within(0, 4)
		if after {
			lower[k] = other.Clocks.Upper[k]
		}
		upper[k] = lower[k] + d.within(0, 2)
	}
	b.SetClocks(lower, upper)
}

// gaps draws up to three gaps: next to one another, at the ends of the life, or over all of it.
func (d *broad) gaps(b *model.Buffer) {
	if !d.has["gaps"] && !d.has["windows"] || !d.chance(0.6) {
		return
	}
	for at := b.Lower + d.within(0, 1); at < b.Upper && len(b.Gaps) < 3; {
		g := model.Gap{Lower: at, Upper: min(at+d.within(1, max(1, (b.Upper-b.Lower)/2)), b.Upper)}
		if d.has["windows"] && (!d.has["gaps"] || d.chance(0.6)) {
			from := d.r.Int64N(b.Size)
			g.Window = &model.Window{Lower: from, Upper: d.within(from+1, b.Size)}
		}
		b.Gaps = append(b.Gaps, g)
		at = g.Upper + d.within(0, 1)
	}
}

// evictions draws up to four stretches, fewer for more buffers.
func (d *broad) evictions(b *model.Buffer) {
	if !d.has["evictions"] || d.p.Rules.Threads > 0 || b.Upper-b.Lower < 3 || !d.chance(0.7) {
		return
	}
	b.Extra = &model.Extra{}
	for at := b.Lower + 1; at < b.Upper-1 && len(b.Extra.Evictions) < 5-len(d.p.Buffers); {
		e := model.Eviction{Lower: at, Upper: d.within(at+1, b.Upper-1), Cost: []int64{0, 1, 2, 3, 1 << 40}[d.r.IntN(5)]}
		b.Extra.Evictions = append(b.Extra.Evictions, e)
		at = e.Upper + 1
	}
}

// near returns a sum of some sizes, or a number beside it.
func (d *broad) near(share float64) (sum int64) {
	for i := range d.p.Buffers {
		if d.chance(share) {
			sum += d.p.Buffers[i].Size
		}
	}
	if d.chance(0.2) {
		sum += d.within(-1, 1) * d.unit
	}
	if d.chance(0.1) {
		sum += d.within(-1, 1)
	}
	return max(sum, 0)
}

// pools draws one to six pools.
func (d *broad) pools() {
	many := int64(1)
	if d.has["pools"] {
		many = []int64{2, 2, 2, 3, 4, 6}[d.r.IntN(6)]
		if len(d.p.Buffers) > 4 || d.has["evictions"] {
			many = min(many, 3)
		}
	}
	share := []float64{0.5, 0.65, 0.8, 0.9}[d.r.IntN(4)] / (0.5 + float64(many)/2)
	if len(d.p.Buffers) > 6 { // the bounds are far above most subsets of few buffers
		share = min(1, 1.6*share)
	}
	if many == 1 && !d.has["reserved"] && !d.has["costs"] && d.chance(0.5) {
		if d.has["capacity"] {
			d.p.Capacity = d.near(share)
		}
		return
	}
	for k := range many {
		q := model.Pool{ID: "p" + strconv.FormatInt(k, 10)}
		if d.has["capacity"] {
			q.Capacity = max(1, d.near(share))
		}
		if d.has["alignment"] && d.chance(0.4) {
			q.Alignment = []int64{1, 2, 4, 6, 32}[d.r.IntN(5)]
			if d.chance(0.4) {
				q.Alignment *= d.unit
			}
		}
		if d.has["costs"] && d.chance(0.6) {
			q.Cost = d.within(0, 2)
		}
		for d.has["reserved"] && d.chance(0.6) && len(q.Reserved) < 3 {
			at := d.near(0.3)
			x := model.Range{Lower: at, Upper: at + d.within(1, 2)*d.unit}
			if q.Capacity > 0 && d.chance(0.5) {
				q.Capacity += x.Upper - x.Lower
			}
			if q.Capacity > 0 && d.chance(0.3) { // the last bytes
				x = model.Range{Lower: q.Capacity - 1, Upper: q.Capacity}
			}
			q.Reserved = append(q.Reserved, x)
		}
		d.p.Rules.Pools = append(d.p.Rules.Pools, q)
	}
}

// extra draws the pools of a buffer, what it costs there, and a fixed offset.
func (d *broad) extra(b *model.Buffer) {
	pools := d.p.Rules.Pools
	fixed := d.has["fixed"] && d.chance(0.35)
	x := model.Extra{}
	if b.Extra != nil {
		x = *b.Extra
	}
	if len(pools) > 1 && (fixed || d.has["choice"] && d.chance(0.6)) {
		for _, k := range d.r.Perm(len(pools))[:d.within(1, int64(len(pools)))] {
			x.Pools = append(x.Pools, int32(k))
		}
		if fixed {
			x.Pools = x.Pools[:1]
		}
	}
	for k := range pools {
		if d.has["costs"] && d.chance(0.4) {
			x.Costs = append(x.Costs, model.PoolCost{Pool: int32(k), Cost: d.within(0, 3) * b.Size})
		}
	}
	if fixed {
		at := d.near(0.3)
		at -= at % b.Align()
		b.Fixed = &at
	}
	if x.Pools != nil || x.Costs != nil || x.Clocks != nil || x.Evictions != nil {
		b.Extra = &x
	}
}

// chains draws ties and distances from one buffer to the next.
func (d *broad) chains() {
	n := len(d.p.Buffers)
	order := d.r.Perm(n)
	for k := 1; k < n; k++ {
		x, y := &d.p.Buffers[order[k-1]], &d.p.Buffers[order[k]]
		pair := model.Pair{int32(order[k-1]), int32(order[k])}
		if d.has["distances"] && d.p.Rules.Threads == 0 && d.chance(0.7) {
			d.distance(pair, x, y)
		}
		evicted := x.Extra != nil && x.Extra.Evictions != nil || y.Extra != nil && y.Extra.Evictions != nil
		if d.has["together"] && !evicted && d.chance(0.4) {
			t := model.Together{Buffers: pair[:]}
			switch d.r.IntN(4) {
			case 0: // y behind x
				t.At = []int64{0, x.Size}
			case 1: // y within x
				t.At = []int64{d.unit, d.within(0, 2) * d.unit}
			case 2: // y below x
				t.At = []int64{x.Align() * d.within(0, 3), -y.Align()}
			}
			d.p.Rules.Together = append(d.p.Rules.Together, t)
		}
	}
}

// distance makes y begin where x ends, in most cases, and adds a distance if the two then meet as they must.
func (d *broad) distance(pair model.Pair, x, y *model.Buffer) {
	if len(y.Gaps) == 0 && (y.Extra == nil || y.Extra.Evictions == nil) && d.chance(0.8) {
		at := x.Upper - 1
		if p := d.p.Rules.Period; p > 0 {
			at %= p
		}
		before := *y
		y.Lower, y.Upper = at, at+y.Upper-y.Lower
		if model.Validate(d.p) != nil { // it has distances to others
			*y = before
		}
	}
	by := []int64{0, x.Size, -y.Size, x.Size - y.Size, d.within(-3, 3) * d.unit, d.within(-9, 9)}[d.r.IntN(6)]
	distances := d.p.Rules.Distances
	d.p.Rules.Distances = append(slices.Clip(distances), model.Distance{Buffers: pair, Distance: by})
	if model.Validate(d.p) != nil {
		d.p.Rules.Distances = distances
	}
}

// pairs draws pairs by chance, all pairs, or one buffer with all others.
func (d *broad) pairs() {
	rules, n := d.p.Rules, len(d.p.Buffers)
	draw := func(feature string, add func(model.Pair)) {
		if !d.has[feature] {
			return
		}
		shape, one := d.r.IntN(4), d.r.IntN(n)
		for i := range n {
			for j := range i {
				if shape == 0 || shape == 1 && (i == one || j == one) || shape > 1 && d.chance(0.35) {
					add(model.Pair{int32(i), int32(j)})
				}
			}
		}
	}
	draw("apart", func(x model.Pair) {
		rules.Apart = append(rules.Apart, x)
		if model.Validate(d.p) != nil { // of one body
			rules.Apart = rules.Apart[:len(rules.Apart)-1]
		}
	})
	draw("may_overlap", func(x model.Pair) { rules.MayOverlap = append(rules.MayOverlap, x) })
	large := d.chance(0.1)
	draw("penalties", func(x model.Pair) {
		cost := d.within(0, 3)
		if large {
			cost *= 1 << 40
		}
		rules.Penalties = append(rules.Penalties, model.Penalty{Buffers: x, Cost: cost})
	})
}

func (d *broad) objective() {
	if !d.has["objective"] {
		return
	}
	all := []model.Measure{
		model.MeasureHeight, model.MeasureMaxHeight, model.MeasurePeak, model.MeasureMaxPeak, model.MeasureCost,
		model.MeasurePenalty, model.MeasureEviction,
	}
	for _, q := range d.p.Rules.Pools {
		all = append(all, model.HeightIn(q.ID), model.PeakIn(q.ID))
	}
	d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	d.p.Rules.Objective = all[:d.within(1, 5)]
}

// Scaled returns p with everything that is bytes, or the cost of bytes, multiplied by a number.
func Scaled(p *model.Problem, by int64) *model.Problem {
	q := *p
	q.Capacity *= by
	q.Buffers = slices.Clone(p.Buffers)
	for i := range q.Buffers {
		b := &q.Buffers[i]
		b.Size, b.Alignment = b.Size*by, b.Align()*by
		if b.Fixed != nil {
			at := *b.Fixed * by
			b.Fixed = &at
		}
		b.Gaps = slices.Clone(b.Gaps)
		for k := range b.Gaps {
			if w := b.Gaps[k].Window; w != nil {
				b.Gaps[k].Window = &model.Window{Lower: w.Lower * by, Upper: w.Upper * by}
			}
		}
		if b.Extra != nil {
			x := *b.Extra
			x.Costs = slices.Clone(x.Costs)
			for k := range x.Costs {
				x.Costs[k].Cost *= by
			}
			b.Extra = &x
		}
	}
	rules := *p.Rules
	rules.Pools = slices.Clone(rules.Pools)
	for k := range rules.Pools {
		x := &rules.Pools[k]
		x.Capacity, x.Alignment, x.Reserved = x.Capacity*by, x.Alignment*by, slices.Clone(x.Reserved)
		for m := range x.Reserved {
			x.Reserved[m] = model.Range{Lower: x.Reserved[m].Lower * by, Upper: x.Reserved[m].Upper * by}
		}
	}
	rules.Together = slices.Clone(rules.Together)
	for k := range rules.Together {
		t := &rules.Together[k]
		t.At = slices.Clone(t.At)
		for m := range t.At {
			t.At[m] *= by
		}
	}
	rules.Distances = slices.Clone(rules.Distances)
	for k := range rules.Distances {
		rules.Distances[k].Distance *= by
	}
	q.Rules = &rules
	return &q
}
