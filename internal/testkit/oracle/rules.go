package oracle

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: a second opinion on tiny problems with rules, by plain enumeration. Every set of evictions is
// tried. What is left of each buffer, as a whole or in parts, goes into every pool that it may be in, at every multiple
// of its alignments, whether or not another buffer ends there. A branch ends if it breaks a rule, or if
// its measures so far are not lexicographically below those of the best plan.
//
// Invariant: placing one more buffer lowers no measure. So a branch that is cut off holds no better plan.
//
// If a pool has no capacity, offsets end at a height that some best plan keeps. If no body of
// buffers covers a stretch of bytes that is as long as the least common multiple L of all alignments,
// everything above it can be moved down by L, unless it is fixed. This lowers every measure or
// leaves it as it is, and no two buffers share a byte that did not. So the height is at most
//
//	the highest end of a reserved range or a fixed body + sum over bodies of (extent + L - 1)
//
// Complexity: exponential. Who meets whom is found from the bytes that buffers use at single
// times (Used): nothing is shared with model.Conflicts, model.MeasuresOf or a planner.

// Ruled returns the best values of the measures in p.Objective(), in its order, and a plan that has them. Both are
// nil if p has no plan. decided is false if that took more than most nodes (0 means no limit), or if heights are too
// large. p must be valid. It is meant for about 5 buffers and heights to about 40.
func Ruled(p *model.Problem, most int) (best []int64, plan *model.Plan, decided bool) {
	o := &ruled{p: p, pools: p.AllPools(), rules: model.Rules{}, most: most}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	o.joined()
	if !o.reaches() {
		return nil, nil, false
	}
	o.search = func() {
		o.order()
		o.connect()
		o.place(0)
	}
	o.choose(0, nil, 0)
	return o.best, o.plan, most == 0 || o.nodes <= most
}

// piece is a buffer, or what is left of one between evictions.
type piece struct {
	buffer       int
	lower, upper int64
	pool         int
	at           int64
}

type ruled struct {
	p           *model.Problem
	rules       model.Rules
	pools       []model.Pool
	body        []int   // of each buffer, a number of its body
	reach       []int64 // of each pool, the height that is looked at
	most, nodes int
	objective   []named // as measures returns it
	rising      bool    // offsets rise, so two buffers in lockstep may be on their way to one offset
	search      func()  // places the pieces of one set of evictions

	pieces  []piece // those of the evictions in hand, in the order of placing
	links   [][]link
	evicted int64
	best    []int64
	plan    *model.Plan
}

// link is the relation of two pieces.
type link struct {
	same, apart bool
	kinds       bool       // they are of different kinds
	uses        [][4]int64 // the bytes of the one and of the other that are in use together
	free        bool       // they may overlap
	offsets     []model.Distance
	cost        int64 // the penalty if they share bytes
}

// Legal reports whether a plan follows every rule of p. The plan must have one offset and one pool for each buffer,
// and parts that tile its life. The height and other measures are not checked.
func Legal(p *model.Problem, plan *model.Plan) bool {
	o := &ruled{p: p, pools: p.AllPools()}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	o.joined()
	parted := map[int]bool{}
	for _, x := range plan.Parts {
		parted[int(x.Buffer)] = true
		for _, y := range x.Parts {
			o.pieces = append(o.pieces, piece{int(x.Buffer), y.Lower, y.Upper, int(y.Pool), y.Offset})
		}
	}
	for i := range p.Buffers {
		if !parted[i] {
			x := piece{buffer: i, lower: p.Buffers[i].Lower, upper: p.Buffers[i].Upper, at: plan.Offsets[i]}
			if plan.Pools != nil {
				x.pool = int(plan.Pools[i])
			}
			o.pieces = append(o.pieces, x)
		}
	}
	o.connect()
	for k := range o.pieces {
		if !o.alone(k) || !o.pooled(k, func(int) bool { return true }) || !o.tied(k) || !o.legal(k) {
			return false
		}
	}
	return true
}

// joined numbers the bodies: buffers that a list ties get the least number of them, until nothing changes.
func (o *ruled) joined() {
	for i := range o.p.Buffers {
		o.body = append(o.body, i)
	}
	for changed := true; changed; {
		changed = false
		for _, t := range o.rules.Together {
			for _, i := range t.Buffers {
				for _, j := range t.Buffers {
					if o.body[j] > o.body[i] {
						o.body[j], changed = o.body[i], true
					}
				}
			}
		}
	}
}

// reaches computes how high each pool is looked at. It returns false if that is too high for an enumeration.
func (o *ruled) reaches() bool {
	every, sum := int64(1), int64(0)
	for _, q := range o.pools {
		every = multiple(multiple(every, q.Alignment), q.Granularity)
	}
	for i := range o.p.Buffers {
		every = multiple(every, o.p.Buffers[i].Alignment)
	}
	// The extent of a body is at most its sizes and the distances of its ties.
	var extents, top int64
	for i := range o.p.Buffers {
		b := &o.p.Buffers[i]
		parts := int64(1)
		if b.Extra != nil {
			parts += int64(len(b.Extra.Evictions))
		}
		sum += parts * (b.Size + every - 1)
		extents += b.Size
		if b.Fixed != nil {
			top = max(top, *b.Fixed+b.Size)
		}
	}
	for _, t := range o.rules.Together {
		for k := range t.At {
			by := t.At[k] - t.At[0]
			sum, extents = sum+max(by, -by), extents+max(by, -by)
		}
	}
	if top > 0 {
		top += extents
	}
	for _, q := range o.pools { // nothing moves down past the highest border
		if n := len(q.Borders); n > 0 {
			top = max(top, q.Borders[n-1])
		}
	}
	if len(o.rules.Lockstep) > 0 { // what moves down in one pool moves in the others
		for _, q := range o.pools {
			for _, r := range q.Reserved {
				top = max(top, r.Upper)
			}
		}
	}
	for _, q := range o.pools {
		floor := top
		for _, r := range q.Reserved {
			floor = max(floor, r.Upper)
		}
		reach := floor + sum
		if q.Capacity > 0 {
			reach = min(reach, q.Capacity)
		}
		if reach > oracleReach {
			return false
		}
		o.reach = append(o.reach, reach)
	}
	return true
}

// multiple returns the least common multiple of a and of b, where b below 1 counts as 1.
func multiple(a, b int64) int64 {
	step := a
	for b > 1 && a%b != 0 {
		a += step
	}
	return a
}

// choose tries every set of evictions of the buffers from i on.
func (o *ruled) choose(i int, pieces []piece, evicted int64) {
	if i == len(o.p.Buffers) {
		o.evicted, o.pieces = evicted, slices.Clone(pieces)
		o.search()
		return
	}
	b := &o.p.Buffers[i]
	var evictions []model.Eviction
	if b.Extra != nil {
		evictions = b.Extra.Evictions
	}
	for set := range 1 << len(evictions) {
		now, cost, from := slices.Clone(pieces), evicted, b.Lower
		for k, e := range evictions {
			if set>>k&1 == 1 {
				now, cost, from = append(now, piece{buffer: i, lower: from, upper: e.Lower}), cost+e.Cost, e.Upper
			}
		}
		o.choose(i+1, append(now, piece{buffer: i, lower: from, upper: b.Upper}), cost)
	}
}

// order puts pieces with a fixed offset first, then the others by size; a body stays together, so
// that its first member decides on the rest.
func (o *ruled) order() {
	weight := make([]int64, len(o.p.Buffers))
	for i := range o.p.Buffers {
		b := &o.p.Buffers[i]
		weight[o.body[i]] = max(weight[o.body[i]], b.Size)
		if b.Fixed != nil {
			weight[o.body[i]] = math.MaxInt64
		}
	}
	slices.SortStableFunc(o.pieces, func(x, y piece) int {
		v, w := o.body[x.buffer], o.body[y.buffer]
		return cmp.Or(cmp.Compare(weight[w], weight[v]), cmp.Compare(v, w))
	})
}

// connect finds the relation of each two pieces.
func (o *ruled) connect() {
	o.links = make([][]link, len(o.pieces))
	for a := range o.pieces {
		for b := range o.pieces[:a] {
			o.links[a] = append(o.links[a], o.link(&o.pieces[a], &o.pieces[b]))
		}
	}
}

func (o *ruled) link(x, y *piece) (l link) {
	is := func(pair model.Pair) bool {
		i, j := int(pair[0]), int(pair[1])
		return i == x.buffer && j == y.buffer || i == y.buffer && j == x.buffer
	}
	l.same = o.body[x.buffer] == o.body[y.buffer]
	l.apart = slices.ContainsFunc(o.rules.Apart, is)
	l.free = slices.ContainsFunc(o.rules.MayOverlap, is)
	l.uses = o.uses(x, y)
	for a, list := range o.rules.Kinds {
		for b, other := range o.rules.Kinds {
			l.kinds = l.kinds || a != b && slices.Contains(list, int32(x.buffer)) && slices.Contains(other, int32(y.buffer))
		}
	}
	for _, d := range o.rules.Distances {
		if is(d.Buffers) {
			l.offsets = append(l.offsets, d)
		}
	}
	if !l.same && !l.apart && (l.free || len(l.uses) == 0) {
		for _, x := range o.rules.Penalties {
			if is(x.Buffers) {
				l.cost += x.Cost
			}
		}
	}
	return l
}

// uses returns the pairs of byte ranges that two pieces use at one time.
func (o *ruled) uses(x, y *piece) (found [][4]int64) {
	a, b := &o.p.Buffers[x.buffer], &o.p.Buffers[y.buffer]
	if o.rules.Threads > 0 {
		ends := func(a, b *model.Buffer) bool { // a ends before b starts
			for k := range o.rules.Threads {
				if a.Extra.Clocks.Upper[k] > b.Extra.Clocks.Lower[k] {
					return false
				}
			}
			return true
		}
		if ends(a, b) || ends(b, a) {
			return nil
		}
		return [][4]int64{{0, a.Size, 0, b.Size}}
	}
	used := func(x *piece, at int64) (from, to int64) {
		for _, at := range []int64{at, at + o.rules.Period} {
			if at >= x.lower && at < x.upper {
				return Used(&o.p.Buffers[x.buffer], at)
			}
		}
		return 0, 0
	}
	for _, at := range slices.Concat(changes(a), changes(b), []int64{x.lower, x.upper, y.lower, y.upper}) {
		if o.rules.Period > 0 {
			at %= o.rules.Period
		}
		var both [4]int64
		both[0], both[1] = used(x, at)
		both[2], both[3] = used(y, at)
		if both[0] < both[1] && both[2] < both[3] && !slices.Contains(found, both) {
			found = append(found, both)
		}
	}
	return found
}

// place places the pieces from k on.
func (o *ruled) place(k int) {
	if o.nodes++; o.most > 0 && o.nodes > o.most {
		return
	}
	placed := func(m int) bool { return m < k }
	values := o.values(placed, o.shares, func(g int) bool { return o.pays(g, placed) })
	if o.best != nil && slices.Compare(values, o.best) >= 0 {
		return
	}
	if k == len(o.pieces) {
		o.best = values
		o.keep()
		return
	}
	x := &o.pieces[k]
	b := &o.p.Buffers[x.buffer]
	for pool := range o.pools {
		step := multiple(max(b.Alignment, 1), o.pools[pool].Alignment)
		for at := int64(0); at+b.Size <= o.reach[pool]; at += step {
			x.pool, x.at = pool, at
			if o.alone(k) && o.pooled(k, func(m int) bool { return m < k }) && o.tied(k) && o.legal(k) {
				o.place(k + 1)
			}
		}
	}
}

// alone reports whether piece k follows the rules of one buffer.
func (o *ruled) alone(k int) bool {
	x := &o.pieces[k]
	b, q := &o.p.Buffers[x.buffer], &o.pools[x.pool]
	if b.Extra != nil && b.Extra.Pools != nil && !slices.Contains(b.Extra.Pools, int32(x.pool)) {
		return false
	}
	if x.at < 0 || x.at%max(b.Alignment, 1) != 0 || x.at%max(q.Alignment, 1) != 0 || b.Fixed != nil && *b.Fixed != x.at {
		return false
	}
	if q.Capacity > 0 && x.at+b.Size > q.Capacity {
		return false
	}
	return !slices.ContainsFunc(o.ranges(k, x.pool), func(r model.Range) bool { return x.at < r.Upper && r.Lower < x.at+b.Size })
}

// ranges returns the ranges of a pool that piece k may not meet: reserved bytes, and none at a border.
func (o *ruled) ranges(k, pool int) []model.Range {
	ranges := slices.Clone(o.pools[pool].Reserved)
	if x := o.p.Buffers[o.pieces[k].buffer].Extra; x == nil || !x.Spans {
		for _, at := range o.pools[pool].Borders {
			ranges = append(ranges, model.Range{Lower: at, Upper: at})
		}
	}
	return ranges
}

// pooled reports whether the lists of different pools and of one pool hold for piece k and those that are placed.
func (o *ruled) pooled(k int, placed func(m int) bool) bool {
	x := &o.pieces[k]
	for m := range o.pieces {
		if !placed(m) {
			continue
		}
		y := &o.pieces[m]
		both := func(list []int32) bool {
			return slices.Contains(list, int32(x.buffer)) && slices.Contains(list, int32(y.buffer))
		}
		if x.pool == y.pool && x.buffer != y.buffer && slices.ContainsFunc(o.rules.DifferentPools, both) ||
			x.pool != y.pool && slices.ContainsFunc(o.rules.SamePool, both) {
			return false
		}
		if x.at != y.at && !o.rising && slices.ContainsFunc(o.rules.Lockstep, both) {
			return false
		}
	}
	return true
}

// tied reports whether the ties of piece k to those before it hold.
func (o *ruled) tied(k int) bool {
	x := &o.pieces[k]
	for _, t := range o.rules.Together {
		for m, i := range t.Buffers {
			if int(i) != x.buffer {
				continue
			}
			for n, j := range t.Buffers {
				var by int64
				if t.At != nil {
					by = t.At[m] - t.At[n]
				}
				for _, y := range o.pieces[:k] {
					if y.buffer == int(j) && (y.pool != x.pool || x.at-y.at != by) {
						return false
					}
				}
			}
		}
	}
	return true
}

// legal reports whether piece k shares no byte with those before it that it may not.
func (o *ruled) legal(k int) bool {
	for m := range o.links[k] {
		if o.clash(&o.pieces[k], &o.pieces[m], &o.links[k][m]) {
			return false
		}
	}
	return true
}

// clash reports whether two pieces share a byte that they may not. l is what x and y mean to one another.
func (o *ruled) clash(x, y *piece, l *link) bool {
	objects := x.pool == y.pool && o.pools[x.pool].Objects
	if objects && x.at != y.at && o.share(x, y) {
		return true
	}
	if l.same && x.buffer != y.buffer || x.pool != y.pool {
		return false
	}
	if o.paged(x, y, l) {
		return true
	}
	if l.apart {
		return o.share(x, y)
	}
	near := slices.ContainsFunc(l.offsets, func(d model.Distance) bool {
		if int(d.Buffers[0]) == x.buffer {
			return x.at-y.at >= d.Distance
		}
		return y.at-x.at >= d.Distance
	})
	if l.free || near {
		return false
	}
	if objects {
		return len(l.uses) > 0 && o.share(x, y)
	}
	return slices.ContainsFunc(l.uses, func(u [4]int64) bool {
		return x.at+u[0] < y.at+u[3] && y.at+u[2] < x.at+u[1]
	})
}

// paged reports whether two pieces of a pool lie on one page and may not.
func (o *ruled) paged(x, y *piece, l *link) bool {
	g := o.pools[x.pool].Granularity
	if g == 0 || !l.kinds || !l.apart && (l.free || len(l.uses) == 0) {
		return false
	}
	return x.at/g <= (y.at+o.p.Buffers[y.buffer].Size-1)/g && y.at/g <= (x.at+o.p.Buffers[x.buffer].Size-1)/g
}

// share reports whether two pieces of one pool have a byte in common.
func (o *ruled) share(x, y *piece) bool {
	return x.pool == y.pool && x.at < y.at+o.p.Buffers[y.buffer].Size && y.at < x.at+o.p.Buffers[x.buffer].Size
}

// pays reports whether the pieces that are placed pay for a group, whatever the others do.
func (o *ruled) pays(g int, placed func(m int) bool) bool {
	x := &o.rules.Groups[g]
	for _, pair := range x.Pairs {
		m, n := o.pieceOf(pair[0]), o.pieceOf(pair[1])
		if counts := placed(m) && placed(n) && o.counts(x, m, n); counts != x.All {
			return counts
		}
	}
	return x.All
}

// counts reports whether two pieces count in a group.
func (o *ruled) counts(g *model.Group, m, n int) bool {
	x, y := &o.pieces[m], &o.pieces[n]
	l := &o.links[max(m, n)][min(m, n)]
	conflict := !l.same && (l.apart || !l.free && len(l.uses) > 0)
	if g.Moved {
		return conflict || x.pool != y.pool || x.at != y.at
	}
	return !conflict && !l.same && o.share(x, y)
}

// pieceOf returns the only piece of a buffer.
func (o *ruled) pieceOf(i int32) int {
	return slices.IndexFunc(o.pieces, func(x piece) bool { return x.buffer == int(i) })
}

// shares reports whether pieces m and n have a byte in common.
func (o *ruled) shares(m, n int) bool { return o.share(&o.pieces[m], &o.pieces[n]) }

// values returns the measures of the pieces that are placed. What the others cost at least is added. The penalty is
// that of the pairs, the larger number first, that pay, and of the groups that do.
func (o *ruled) values(placed func(m int) bool, pays func(m, n int) bool, fee func(g int) bool) []int64 {
	heights, peaks := make([]int64, len(o.pools)), make([]int64, len(o.pools))
	for q := range o.pools {
		for _, r := range o.pools[q].Reserved {
			peaks[q] = max(peaks[q], r.Upper)
		}
	}
	var cost, penalty int64
	price := func(i, pool int) int64 {
		b := &o.p.Buffers[i]
		if b.Extra != nil {
			for _, c := range b.Extra.Costs {
				if int(c.Pool) == pool {
					return c.Cost
				}
			}
		}
		return o.pools[pool].Cost * b.Size
	}
	for m, x := range o.pieces {
		if !placed(m) {
			least := int64(math.MaxInt64)
			for q := range o.pools {
				least = min(least, price(x.buffer, q))
			}
			cost += least
			continue
		}
		heights[x.pool] = max(heights[x.pool], x.at+o.p.Buffers[x.buffer].Size)
		cost += price(x.buffer, x.pool)
		for n := range m {
			if o.links[m][n].cost > 0 && placed(n) && pays(m, n) {
				penalty += o.links[m][n].cost
			}
		}
	}
	for q := range peaks {
		peaks[q] = max(peaks[q], heights[q])
	}
	var objects []object
	for m, x := range o.pieces {
		if y := (object{x.pool, x.at}); placed(m) && o.pools[x.pool].Objects && !slices.Contains(objects, y) {
			objects = append(objects, y)
		}
	}
	for g := range o.rules.Groups {
		if fee(g) {
			penalty += o.rules.Groups[g].Cost
		}
	}
	return o.vector(heights, peaks, cost, penalty, int64(len(objects)))
}

// object is a pool that is divided into objects, and where one of them begins.
type object struct {
	pool int
	at   int64
}

// vector returns the measures of the objective, from the heights and peaks of the pools, and the others.
func (o *ruled) vector(heights, peaks []int64, cost, penalty, objects int64) []int64 {
	for q, height := range heights { // a pool that is used has one of its sizes
		price := int64(-1)
		for _, x := range o.pools[q].Sizes {
			if height > 0 && height <= x.Bytes && (price < 0 || x.Price < price) {
				price = x.Price
			}
		}
		cost += max(price, 0)
	}
	sum := func(values []int64) (sum int64) {
		for _, v := range values {
			sum += v
		}
		return sum
	}
	var vector []int64
	for _, m := range o.measures() {
		kind, q, one := m.kind, m.pool, m.pool >= 0
		v := int64(0)
		switch {
		case one && kind == "height":
			v = heights[q]
		case one:
			v = peaks[q]
		case kind == "height":
			v = sum(heights)
		case kind == "max_height":
			v = slices.Max(heights)
		case kind == "peak":
			v = sum(peaks)
		case kind == "max_peak":
			v = slices.Max(peaks)
		case kind == "cost":
			v = cost
		case kind == "penalty":
			v = penalty
		case kind == "eviction":
			v = o.evicted
		case kind == "objects":
			v = objects
		default:
			panic("oracle: no measure " + kind)
		}
		vector = append(vector, v)
	}
	return vector
}

// named is a measure, and the pool that it names or -1.
type named struct {
	kind string
	pool int
}

// measures returns the objective, taken apart once.
func (o *ruled) measures() []named {
	if o.objective == nil {
		for _, m := range o.p.Objective() {
			kind, id, one := strings.Cut(string(m), ":")
			o.objective = append(o.objective,
				named{kind, slices.IndexFunc(o.pools, func(q model.Pool) bool { return one && q.ID == id })})
		}
	}
	return o.objective
}

// keep makes the plan of the pieces.
func (o *ruled) keep() {
	n := len(o.p.Buffers)
	o.plan = &model.Plan{Offsets: make([]int64, n)}
	if len(o.pools) > 1 {
		o.plan.Pools = make([]int32, n)
	}
	heights := make([]int64, len(o.pools))
	for i := range n {
		var parts []model.Part
		for _, x := range o.pieces {
			if x.buffer == i {
				parts = append(parts, model.Part{Lower: x.lower, Upper: x.upper, Pool: int32(x.pool), Offset: x.at})
				heights[x.pool] = max(heights[x.pool], x.at+o.p.Buffers[i].Size)
			}
		}
		slices.SortFunc(parts, func(x, y model.Part) int { return int(x.Lower - y.Lower) })
		o.plan.Offsets[i] = parts[0].Offset
		if o.plan.Pools != nil {
			o.plan.Pools[i] = parts[0].Pool
		}
		if len(parts) > 1 {
			o.plan.Parts = append(o.plan.Parts, model.Parts{Buffer: int32(i), Parts: parts})
		}
	}
	for _, h := range heights {
		o.plan.Height += h
	}
}
