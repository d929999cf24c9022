package session

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: as in ranges.go, but with rules, and for several pools. Each buffer in the pool that conflicts with a member of
// a body forbids an open range of origins, and so does each reserved range. Questions go to internal/ruled, which knows
// all rules.
//
// Invariant: who conflicts, and at which distances, is known elsewhere (model.Conflicts, internal/ruled/places). verify
// reads the rules by itself.
//
// Complexity: O(members times n) for the bans of a body, and O(k log k) for k bans.

// A ruledGround is the ground of a problem with rules.
type ruledGround struct {
	*call
	p         *model.Problem
	pools     []model.Pool
	conflicts *model.Conflicts
	pairs     *places.Pairs
}

func newRuled(c *call) *ruledGround {
	p := &c.s.p
	g := &ruledGround{call: c, p: p, pools: p.AllPools(), conflicts: model.NewConflicts(p)}
	g.pairs = places.NewPairs(p, g.conflicts)
	c.pools = int32(len(g.pools))
	c.tie(g.conflicts.Bodies())
	return g
}

func (g *ruledGround) mayLie(body, pool int32, origin int64) bool {
	q := &g.pools[pool]
	for _, i := range g.members(body) {
		x, at := &g.p.Buffers[i], origin+g.from(i)
		switch {
		case at < 0 || at%x.Align() != 0 || at%max(q.Alignment, 1) != 0:
			return false
		case x.Fixed != nil && *x.Fixed != at || !x.MayUse(pool):
			return false
		case q.Capacity > 0 && at > q.Capacity-x.Size:
			return false
		case slices.ContainsFunc(q.Reserved, func(r model.Range) bool { return at < r.Upper && r.Lower < at+x.Size }):
			return false
		}
	}
	return true
}

func (g *ruledGround) bans(list []ban, body, pool int32, p placing) []ban {
	for _, i := range g.members(body) {
		for j, at := range p.at {
			if at != away && p.in(int32(j)) == pool && int32(j) != i {
				base := at - g.from(i)
				g.pairs.Between(i, int32(j), func(low, high int64) { list = append(list, ban{base + low, base + high, int32(j)}) })
			}
		}
		for _, r := range g.pools[pool].Reserved {
			list = append(list, ban{r.Lower - g.p.Buffers[i].Size - g.from(i), r.Upper - g.from(i), away})
		}
	}
	return list
}

// grid returns the origins of a body that have all alignments in a pool. ok is false if there are none.
func (g *ruledGround) grid(body, pool int32) (grid lower.Grid, ok bool) {
	grid, ok = lower.Grid{First: 0, Step: 1}, true
	for _, i := range g.members(body) {
		for _, align := range [...]int64{g.p.Buffers[i].Align(), max(g.pools[pool].Alignment, 1)} {
			if ok {
				grid, ok = grid.And(g.from(i), align)
			}
		}
	}
	return grid, ok
}

// bestOrigin returns the origin in the smallest gap of a pool that has room for a body, as bestFit does. It sorts the
// bans.
func (g *ruledGround) bestOrigin(bans []ban, body, pool int32) (origin int64, ok bool) {
	grid, ok := g.grid(body, pool)
	if !ok {
		return 0, false
	}
	up := func(top int64) int64 { return grid.Up(max(top, 0)) }
	slices.SortFunc(bans, byLow)
	top, best, gap := int64(0), int64(away), int64(0)
	for k := range bans {
		if low := bans[k].low; low >= top {
			if at := up(top); at <= low && (best == away || low-top < gap) {
				best, gap = at, low-top
			}
		}
		top = max(top, bans[k].high)
	}
	if best == away || !g.mayLie(body, pool, best) {
		best = up(top)
	}
	return best, g.mayLie(body, pool, best)
}

// best returns where most of a body was, if that is free; else the smallest gap of the pool where it was, or of the
// first pool that has room.
func (g *ruledGround) best(body int32) (pool int32, origin int64, ok bool) {
	p, pools := g.now(), int32(len(g.pools))
	if at, pinned := g.pinned(body); pinned {
		for q := range pools {
			if g.free(p, body, q, at) {
				return q, at, true
			}
		}
		return 0, 0, false
	}
	home := int32(0)
	dearest := Movement{Cost: -1}
	for _, i := range g.members(body) {
		if g.old[i] == away {
			continue
		}
		var m Movement // of the buffer; none if the call is about it
		if !g.mine[i] {
			m.add(g.s.cost(i), &g.p.Buffers[i])
		}
		home = g.before().in(i)
		if at := g.old[i] - g.from(i); dearest.compare(&m) < 0 && g.free(p, body, home, at) {
			pool, origin, ok, dearest = home, at, true, m
		}
	}
	for k := int32(-1); k < pools && !ok; k++ {
		if pool = k; k < 0 {
			pool = home
		}
		r := &g.s.scratch
		r.bans = g.bans(r.bans[:0], body, pool, p)
		origin, ok = g.bestOrigin(r.bans, body, pool)
	}
	return pool, origin, ok
}

func (g *ruledGround) strays(list []int32, touched []bool) []int32 {
	for k := range g.at {
		body := g.of(int32(k))
		if int(body) != k || touched[body] {
			continue
		}
		if pool, origin, ok := g.oldPlace(body); !ok || !g.mayLie(body, pool, origin) {
			list = append(list, body)
		}
	}
	return list
}

func (g *ruledGround) around(loose []bool) []int32 {
	in := slices.Clone(loose)
	for i := range loose {
		for j := range in {
			if loose[i] && !in[j] && g.conflicts.Conflict(i, j) {
				in[j] = true
			}
		}
	}
	return marked(in)
}

// chain follows conflicts. A body with a pin has no block, and ends the chain.
func (g *ruledGround) chain(int) (all []int32, blocks []block) {
	in := make([]bool, len(g.at))
	g.mark(in, g.homeless...)
	queue := marked(in)
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		if _, pinned := g.pinned(g.of(i)); pinned && !slices.Contains(g.homeless, g.of(i)) {
			continue
		}
		for j := range in {
			if !in[j] && g.conflicts.Conflict(int(i), j) {
				body := g.of(int32(j))
				g.mark(in, body)
				queue = append(queue, g.members(body)...)
			}
		}
	}
	all = marked(in)
	for _, i := range all {
		if _, pinned := g.pinned(i); g.of(i) == i && !pinned {
			blocks = append(blocks, g.blocksOf(i)...)
		}
	}
	return all, blocks
}

// all returns the chain: a buffer outside of it never needs to move.
func (g *ruledGround) all() []int32 {
	all, _ := g.chain(0)
	return all
}

func (g *ruledGround) among(all []int32) *model.Problem {
	keep := make([]int, len(all))
	for k, i := range all {
		keep[k] = int(i)
	}
	return model.Among(g.p, keep)
}

func (g *ruledGround) solve(p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	r, err := ruled.Solve(g.ctx, p, planner, o)
	if errors.Is(err, ErrUnsupported) { // a planner that does not take a rule finds nothing
		g.refusal, err = err, nil
	}
	return r, err
}

func (g *ruledGround) atOnce() *Proof { return nil }

func (g *ruledGround) proof(q *model.Problem, r *plan.Result, planner run.Planner) *Proof {
	return byRules(q, cmp.Or(r.ProvedBy, planner.Name()))
}
