package oracle

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a second opinion on tiny problems with rules, by plain enumeration. Every choice of alternatives and every set
// of evictions is tried. What is left of each buffer, as a whole or in parts, goes into every pool that it may be in,
// at every multiple of its alignments, whether or not another buffer ends there. A branch ends if it breaks a rule, or
// if its measures so far are not lexicographically below those of the best plan.
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
	if !o.reaches() {
		return nil, nil, false
	}
	o.search = func() {
		o.order()
		o.connect()
		o.place(0)
	}
	o.pick(0)
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
	absent      []bool  // of each buffer, whether it is an alternative that is not chosen

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
	o.absent = make([]bool, len(p.Buffers))
	for _, list := range o.rules.Alternatives {
		there := 0
		for _, i := range list {
			if o.absent[i] = plan.Offsets[i] == -1; !o.absent[i] {
				there++
			}
		}
		if there != 1 {
			return false
		}
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
		if !parted[i] && !o.absent[i] {
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

// pick tries every choice of alternatives, from list n on.
func (o *ruled) pick(n int) {
	if n == 0 {
		o.absent = make([]bool, len(o.p.Buffers))
	}
	if n == len(o.rules.Alternatives) {
		o.joined()
		o.choose(0, nil, 0)
		return
	}
	list := o.rules.Alternatives[n]
	for _, one := range list {
		for _, i := range list {
			o.absent[i] = i != one
		}
		o.pick(n + 1)
	}
}

// joined numbers the bodies: buffers that a list ties get the least number of them, until nothing changes.
func (o *ruled) joined() {
	o.body = nil
	for i := range o.p.Buffers {
		o.body = append(o.body, i)
	}
	for changed := true; changed; {
		changed = false
		for _, t := range o.rules.Together {
			for _, i := range t.Buffers {
				for _, j := range t.Buffers {
					if o.body[j] > o.body[i] && !o.absent[i] && !o.absent[j] {
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
		sum += parts * (max(b.Size, o.covering(b)) + every - 1)
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
	if o.absent[i] {
		o.choose(i+1, pieces, evicted)
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
