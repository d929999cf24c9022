// Package enumerate finds the best plan of a small problem with rules, and proves that no plan is better, for all
// measures of the objective at once. It asks no planner.
//
//	enumerate.go   evictions and pools: every choice of both, depth first
//	evictions.go   which sets of evictions, in which order
//	vector.go      the measures of a choice, and bounds of them
//	lane.go        one pool: which differences of offsets are forbidden, and which cost a penalty
//	front.go       the best plans of one pool with a set of bodies
//	rise.go        the least offsets that keep to some inequalities
package enumerate

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/floor"
	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: only sums and maxima tie the pools to each other. So only the front of a set S of bodies in a pool matters:
// the plans of S that no other plan of S beats in both height and penalty (front.go). The search takes one buffer
// after the other. It chooses the buffer's evictions, and a pool for each part that they leave. Let S(q) be the set
// in pool q so far. Then
//
//	height of q           >= the least height of the front of S(q)
//	penalty               >= sum over q of the least penalty of the front of S(q)
//	cost                  >= cost of what has a pool + sum over the others of their least costs
//	eviction              >= prices of what is taken
//
// A branch ends if some S(q) has no plan, or if these bounds, in the order of the measures, are not lexicographically
// below the best plan. Fronts are kept by pool and set, because a set occurs in many branches.
//
// Invariant: a branch that ends has no better plan. All measures grow with S, so the bounds of a branch hold for its
// whole subtree.
//
// Complexity: exponential, in at most Buffers buffers.
//
// Source: lexicographic branch and bound; the front of a pool and a set is the value function of logic-based Benders
// decomposition (Hooker and Ottosson 2003), kept as a table.

// Buffers is the most buffers of a problem that is enumerated without a limit.
const Buffers = 8

// mostBodies is the most bodies, the parts of all sets of evictions included. A set has one bit for each.
const mostBodies = 128

// mostFronts is the most fronts that are kept at one time.
const mostFronts = 1 << 17

// Options limit a search.
type Options struct {
	Nodes  int64   // the most nodes; 0 is no limit
	Values []int64 // of a known plan, by the measures that are searched; nil if no plan is known
}

// An Outcome is what a search has found.
type Outcome struct {
	Done  bool        // the search came to its end
	Plan  *model.Plan // better than the known plan; nil if none was found
	Nodes int64
}

// Takes reports whether a problem is small enough to be enumerated.
func Takes(p *model.Problem, buffers int) bool {
	if len(p.Buffers) > buffers || p.Rules == nil || len(p.Rules.Lockstep) > 0 { // lockstep ties the pools
		return false
	}
	bodies := 0
	for i := range p.Buffers {
		k := 0
		if x := p.Buffers[i].Extra; x != nil {
			k = len(x.Evictions)
		}
		bodies += (k + 1) * (k + 2) / 2
	}
	return bodies <= mostBodies
}

// Plan looks for the best plan by some measures. p is valid and of a size that Takes accepts.
func Plan(ctx context.Context, p *model.Problem, measures []model.Measure, o Options) Outcome {
	x := &search{p: p, parts: parts.Every(p), most: o.Nodes, best: o.Values, kept: map[key]*front{}}
	if !x.parts.Valid() {
		return Outcome{}
	}
	x.watch = run.NewWatch(ctx)
	defer x.watch.Close()
	x.prepare(measures)
	x.bound(measures)
	x.each()
	return Outcome{Done: !x.cut, Plan: x.plan, Nodes: x.nodes}
}

// bound sets the floors of the measures. If the best plan has a measure at its floor, the measure is held there,
// because a better plan has it there too.
func (x *search) bound(measures []model.Measure) {
	f, met := floor.New(x.p), x.best != nil
	x.floors = nil
	for k, m := range measures {
		x.floors = append(x.floors, f.Least(m))
		if met = met && x.floors[k] >= x.best[k]; met {
			f.Hold(m, x.best[k])
		}
	}
}

// A set has a bit for each body.
type set [mostBodies / 64]uint64

func (s set) with(body int32) set {
	s[body/64] |= 1 << (body % 64)
	return s
}

func (s set) has(body int32) bool { return s[body/64]>>(body%64)&1 == 1 }

// key is a pool and the set of bodies in it.
type key struct {
	pool int
	in   set
}

// unit is a body, or a buffer with evictions: the search decides on one unit at a time.
type unit struct {
	body   int32 // the body; of a buffer with evictions, its first part
	prices []int64
	least  int64 // no part of it costs less
	first  int   // the index of its first eviction among the evictions of all units
}

// end returns which of the parts that begin at one place ends at another.
func (u *unit) part(begin, end int) int32 {
	// Each begin has one part fewer than the begin before it.
	k := len(u.prices) + 1
	return u.body + int32(begin*k-begin*(begin-1)/2+end-begin)
}

// search is the state of an enumeration.
type search struct {
	p       *model.Problem
	parts   *parts.Stretches
	gauges  []gauge
	lanes   []*lane
	members [][]int32 // of each body, its parts
	costs   [][]int64 // of each body and pool
	units   []unit
	differ  [][]int32 // of each body, those that may not be in its pool
	joined  [][]int32 // of each body, those that must be in its pool
	twin    []int     // of each pool, an interchangeable pool before it, or -1
	floors  []int64   // of each measure: no plan is below this

	in      []set    // of each pool, the bodies in it
	at      []*front // of each pool, the front of that set
	chosen  []choice
	cost    int64
	evicted int64
	taken   []bool // says for each eviction whether the set at hand has it; nil if evictions are chosen with the pools
	kept    map[key]*front

	best []int64
	plan *model.Plan

	nodes, most int64
	watch       *run.Watch
	cut         bool // a limit left something out
}

// choice is a body in a pool.
type choice struct {
	body int32
	pool int
}

// option is a choice that the search may make next: a body in a pool, with bounds of the measures after it.
type option struct {
	choice
	end   int // of a part
	front *front
	least []int64
}

// prepare sorts out the bodies, pools and measures.
func (x *search) prepare(measures []model.Measure) {
	q := x.parts
	l := lower.New(q.Problem)
	body, _ := l.Conflicts.Bodies()
	index := map[int32]int32{}
	of := make([]int32, len(q.Problem.Buffers))
	for i := range q.Problem.Buffers {
		root := int32(i)
		if body != nil {
			root = body[i]
		}
		k, known := index[root]
		if !known {
			k = int32(len(x.members))
			index[root] = k
			x.members = append(x.members, nil)
		}
		x.members[k], of[i] = append(x.members[k], int32(i)), k
	}
	for _, members := range x.members {
		costs := make([]int64, len(l.Pools))
		for pool := range costs {
			for _, i := range members {
				costs[pool] += q.Problem.Buffers[i].CostIn(l.Pools, int32(pool))
			}
		}
		x.costs = append(x.costs, costs)
	}
	x.differ, x.joined = x.lists(q.Problem.Rules.DifferentPools, of), x.lists(q.Problem.Rules.SamePool, of)
	x.gauge(measures, l.Pools)
	for pool := range l.Pools {
		x.lanes = append(x.lanes, newLane(l, int32(pool), x.members, of, x.heights(pool), x.pays(), x.counts()))
	}
	x.in, x.at = make([]set, len(l.Pools)), make([]*front, len(l.Pools))
	for pool := range x.at {
		x.at[pool] = &front{points: []point{{}}}
	}
	x.arrange()
	x.twins(measures)
}

// lists returns for each body the bodies that share a list with it. of has the body of each part. If a list has two
// parts of one body, the body is its own partner.
func (x *search) lists(lists [][]int32, of []int32) [][]int32 {
	partners := make([][]int32, len(x.members))
	for _, list := range lists {
		for _, i := range list {
			for _, j := range list {
				if i != j {
					partners[of[i]] = append(partners[of[i]], of[j])
				}
			}
		}
	}
	for k := range partners {
		slices.Sort(partners[k])
		partners[k] = slices.Compact(partners[k])
	}
	return partners
}

// keepsLists reports whether a body may be in a pool by the lists, beside what is chosen.
func (x *search) keepsLists(body int32, pool int) bool {
	if slices.Contains(x.differ[body], body) {
		return false
	}
	for _, c := range x.chosen {
		if c.pool == pool && slices.Contains(x.differ[body], c.body) ||
			c.pool != pool && slices.Contains(x.joined[body], c.body) {
			return false
		}
	}
	return true
}

// arrange orders the units: the fewest pools first, then the largest.
func (x *search) arrange() {
	first := x.parts.First
	seen := make([]bool, len(x.members))
	for k, members := range x.members {
		i := x.parts.Buffer[members[0]]
		if seen[k] {
			continue
		}
		u := unit{body: int32(k)}
		if e := x.p.Buffers[i].Extra; e != nil && len(e.Evictions) > 0 {
			for _, y := range e.Evictions {
				u.prices = append(u.prices, y.Cost)
			}
			for n := range first[i+1] - first[i] {
				seen[int32(k)+n] = true // each part is a body of its own, and parts follow one another
			}
		}
		x.units = append(x.units, u)
	}
	weigh := func(u *unit) (pools int, size int64) {
		for _, l := range x.lanes {
			if l.of[u.body] >= 0 {
				pools++
				size = max(size, l.size[l.of[u.body]])
			}
		}
		return pools, size
	}
	sorting.Structs(x.units, func(a, b unit) int {
		p, s := weigh(&a)
		q, t := weigh(&b)
		if p != q && min(p, q) <= 1 {
			return p - q
		}
		return int(max(-1, min(1, t-s)))
	})
	evictions := 0
	for k := range x.units {
		x.units[k].first = evictions
		evictions += len(x.units[k].prices)
	}
	for k := range x.units {
		x.units[k].least = slices.Min(x.costs[x.units[k].body])
	}
}

// twins finds interchangeable pools.
func (x *search) twins(measures []model.Measure) {
	x.twin = make([]int, len(x.lanes))
	for b := range x.lanes {
		x.twin[b] = -1
		for a := b - 1; a >= 0 && x.twin[b] < 0; a-- { // most often a neighbour
			if x.same(a, b, measures) {
				x.twin[b] = a
			}
		}
	}
}

// same reports whether two pools can be exchanged in every plan.
func (x *search) same(a, b int, measures []model.Measure) bool {
	l, m := x.lanes[a], x.lanes[b]
	if l.capacity != m.capacity || l.alignment != m.alignment || l.objects != m.objects ||
		!slices.Equal(l.reserved, m.reserved) ||
		l.page != m.page || !slices.Equal(l.pool.Sizes, m.pool.Sizes) || !slices.Equal(l.borders, m.borders) {
		return false
	}
	for k := range x.members {
		if l.of[k] < 0 != (m.of[k] < 0) || x.costs[k][a] != x.costs[k][b] {
			return false
		}
	}
	return !slices.ContainsFunc(measures, func(y model.Measure) bool {
		return y == model.HeightIn(l.id) || y == model.PeakIn(l.id) || y == model.HeightIn(m.id) || y == model.PeakIn(m.id)
	})
}

// over counts a node, and reports whether a limit has come.
func (x *search) over() bool {
	if x.nodes++; x.most > 0 && x.nodes > x.most || x.watch.Over() {
		x.cut = true
	}
	return x.cut
}

// choose goes on with the unit that has the fewest options left.
func (x *search) choose(left []int) {
	if len(left) == 0 {
		x.finish()
		return
	}
	rest := int64(0)
	for _, k := range left {
		rest += x.units[k].least
	}
	next, fewest := -1, []option(nil)
	for _, k := range left {
		options := x.ways(k, 0, rest-x.units[k].least)
		if x.cut || len(options) == 0 {
			return
		}
		if next < 0 || len(options) < len(fewest) {
			next, fewest = k, options
		}
	}
	n := slices.Index(left, next)
	x.branch(next, 0, fewest, slices.Delete(slices.Clone(left), n, n+1), rest-x.units[next].least)
}

// ways returns the options for the part of the kth unit that begins after so many evictions, the best bounds first.
// rest is the least cost of the other units.
func (x *search) ways(k, begin int, rest int64) (options []option) {
	for end := begin; end <= len(x.units[k].prices); end++ {
		ok, price := x.ends(k, begin, end)
		if !ok {
			continue
		}
		x.evicted += price
		options = x.offer(options, k, begin, end, rest)
		x.evicted -= price
		if x.cut {
			return nil
		}
	}
	slices.SortStableFunc(options, func(a, b option) int { return slices.Compare(a.least, b.least) })
	return options
}

// branch tries all options for a part of the kth unit. left are the other units.
func (x *search) branch(k, begin int, options []option, left []int, rest int64) {
	for n := range options {
		o := &options[n]
		if x.best != nil && slices.Compare(o.least, x.best) >= 0 {
			return // the other options are no better
		}
		_, price := x.ends(k, begin, o.end)
		was, had, spent := x.in[o.pool], x.at[o.pool], x.cost
		x.in[o.pool], x.at[o.pool] = was.with(o.body), o.front
		x.cost, x.evicted = spent+x.costs[o.body][o.pool], x.evicted+price
		x.chosen = append(x.chosen, o.choice)
		if o.end < len(x.units[k].prices) {
			x.branch(k, o.end+1, x.ways(k, o.end+1, rest), left, rest)
		} else {
			x.choose(left)
		}
		x.chosen = x.chosen[:len(x.chosen)-1]
		x.in[o.pool], x.at[o.pool], x.cost, x.evicted = was, had, spent, x.evicted-price
		if x.cut {
			return
		}
	}
}

// offer adds the pools in which a part of the kth unit has a plan that may be better than the best.
func (x *search) offer(options []option, k, begin, end int, rest int64) []option {
	u := &x.units[k]
	body := u.body
	if u.prices != nil {
		body = u.part(begin, end)
	}
	for pool, l := range x.lanes {
		if l.of[body] < 0 || x.twin[pool] >= 0 && x.in[pool] == (set{}) && x.in[x.twin[pool]] == (set{}) {
			continue
		}
		if !x.keepsLists(body, pool) {
			continue
		}
		if x.over() {
			return options
		}
		had, spent := x.at[pool], x.cost
		x.cost += x.costs[body][pool]
		var least []int64
		if least = x.least(rest); x.best == nil || slices.Compare(least, x.best) < 0 {
			f := x.front(pool, x.in[pool].with(body), had)
			if x.cut {
				x.cost = spent
				return options
			}
			if len(f.points) > 0 {
				x.at[pool] = f
				if least = x.least(rest); x.best == nil || slices.Compare(least, x.best) < 0 {
					options = append(options, option{choice{body, pool}, end, f, least})
				}
			}
		}
		x.at[pool], x.cost = had, spent
	}
	return options
}

// front returns the front of a set in a pool. had is the front of a subset.
func (x *search) front(pool int, in set, had *front) *front {
	if f := x.kept[key{pool, in}]; f != nil {
		return f
	}
	f := x.lanes[pool].front(x, in, had)
	if !x.cut {
		if len(x.kept) >= mostFronts {
			clear(x.kept)
		}
		x.kept[key{pool, in}] = f
	}
	return f
}

// keep makes the best plan from the choices so far and a point of the front of each pool.
func (x *search) keep(at []*point) {
	x.plan = &model.Plan{Offsets: make([]int64, len(x.p.Buffers))}
	if len(x.p.Rules.Pools) > 1 {
		x.plan.Pools = make([]int32, len(x.p.Buffers))
	}
	stays := make([][]model.Part, len(x.p.Buffers))
	for _, c := range x.chosen {
		l := x.lanes[c.pool]
		for _, i := range x.members[c.body] {
			b, from := x.parts.Buffer[i], x.parts.From[i]
			lasts := x.parts.Problem.Buffers[i].Upper - x.parts.Problem.Buffers[i].Lower
			offset := at[c.pool].at[slices.Index(at[c.pool].bodies, c.body)] + l.above[i]
			stays[b] = append(stays[b], model.Part{Lower: from, Upper: from + lasts, Pool: int32(c.pool), Offset: offset})
		}
	}
	for b := range stays {
		slices.SortFunc(stays[b], func(s, t model.Part) int { return int(max(-1, min(1, s.Lower-t.Lower))) })
		x.plan.Offsets[b] = stays[b][0].Offset
		if x.plan.Pools != nil {
			x.plan.Pools[b] = stays[b][0].Pool
		}
		if len(stays[b]) > 1 {
			x.plan.Parts = append(x.plan.Parts, model.Parts{Buffer: int32(b), Parts: stays[b]})
		}
	}
}
