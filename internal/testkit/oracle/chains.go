package oracle

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: like Ruled, for sizes of any scale. If two bodies may not share bytes, every plan keeps an inequality between
// their offsets,
//
//	offset(b) >= offset(a) + d,    d one of the distances at which b is no longer in the way of a,
//
// or the same with a and b exchanged. Every body starts at the least aligned offset of its pool. If two bodies are in
// each other's way, each of these inequalities is tried; for a penalised pair, paying is tried as well. Offsets rise
// to the least ones that satisfy the inequalities tried so far. Bodies join one at a time, in every pool.
//
// Invariant: no plan that satisfies the inequalities has an offset below those in hand. So a height that is too large
// stays too large. If nothing is in the way, the offsets in hand are the best that the inequalities allow.
//
// Alignments can make two bodies raise each other: b rises by an inequality, then a by another, until both are
// aligned. That ends. Assume that the inequalities without alignments have no cycle of positive sum, and take their
// least solution above the reserved ranges. No offset of the least plan exceeds it by more than the least common
// multiple of the alignments for each body.
//
// Trials: docs/lab/tests.md (bodies that rise in turn have no place in a search that places one after the other).
//
// Complexity: exponential; 5 bodies take about a thousand nodes for each choice of pools.

// Chains does what Ruled does, without a limit on heights. It does not decide the measure objects, which may fall if
// offsets rise, nor objects of several dimensions, which no inequality of two bodies describes. It is meant for about 5
// bodies, and for alignments whose least common multiple is at most 4,096 times the largest.
func Chains(p *model.Problem, most int) (best []int64, plan *model.Plan, decided bool) {
	o := &ruled{p: p, pools: p.AllPools(), rules: model.Rules{}, most: most, rising: true}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	if byOffsets(p) {
		return nil, nil, false
	}
	o.search = func() {
		c := &chains{ruled: o, paid: map[[2]int]bool{}, fees: map[int]bool{}}
		c.bodies()
		o.connect()
		c.matrix()
		c.place()
	}
	o.pick(0)
	return o.best, o.plan, most == 0 || o.nodes <= most
}

// chains places the pieces of one set of evictions.
type chains struct {
	*ruled
	groups [][]int         // the pieces of each body, in the order of joining; each piece of an evicted buffer is a body
	of     []int           // of each piece, its body
	rel    []int64         // of each piece, its offset less the offset of the first piece of its body
	all    [][]link        // of two pieces, in both orders
	at     []int64         // of each body that has joined, the offset of its first piece
	above  []above         // the inequalities that are tried
	paid   map[[2]int]bool // the penalised pairs of pieces that are paid for; the larger number first
	fees   map[int]bool    // the groups that are paid for
}

// above says that the offset of body b is at least that of body a plus d.
//
// With a page, the sum is rounded up to a multiple of it, and less is taken off that.
type above struct {
	a, b       int
	d          int64
	page, less int64
}

// least returns the least offset of body b.
func (x *above) least(at []int64) int64 {
	if x.page > 0 {
		return (at[x.a]+x.d+x.page-1)/x.page*x.page - x.less
	}
	return at[x.a] + x.d
}

// bodies groups the pieces, and follows the ties for the distances within a body.
func (c *chains) bodies() {
	c.rel, c.of = make([]int64, len(c.pieces)), make([]int, len(c.pieces))
	of := map[int]int{}
	for k, x := range c.pieces {
		g, known := of[c.body[x.buffer]]
		if b := c.p.Buffers[x.buffer].Extra; !known || b != nil && len(b.Evictions) > 0 {
			g, of[c.body[x.buffer]] = len(c.groups), len(c.groups)
			c.groups = append(c.groups, nil)
		}
		c.groups[g], c.of[k] = append(c.groups[g], k), g
	}
	for _, group := range c.groups {
		known := map[int]bool{group[0]: true}
		for range group {
			for _, k := range group {
				for _, m := range group {
					if by, tied := c.tie(k, m); tied && known[k] && !known[m] {
						c.rel[m], known[m] = c.rel[k]+by, true
					}
				}
			}
		}
	}
}

// tie returns the difference between the offsets of pieces m and k in a list, if it has one.
func (c *chains) tie(k, m int) (by int64, tied bool) {
	for _, t := range c.rules.Together {
		from, to := -1, -1
		for n, i := range t.Buffers {
			if int(i) == c.pieces[k].buffer {
				from = n
			}
			if int(i) == c.pieces[m].buffer {
				to = n
			}
		}
		if from >= 0 && to >= 0 {
			if t.At != nil {
				by = t.At[to] - t.At[from]
			}
			return by, true
		}
	}
	return 0, false
}

func (c *chains) matrix() {
	for k := range c.pieces {
		row := make([]link, len(c.pieces))
		for m := range c.pieces {
			row[m] = c.link(&c.pieces[k], &c.pieces[m])
		}
		c.all = append(c.all, row)
	}
}

// place goes on from the offsets in hand: with two pieces that are in each other's way, or with the next body.
func (c *chains) place() {
	if c.nodes++; c.most > 0 && c.nodes > c.most {
		return
	}
	joined := func(m int) bool { return c.of[m] < len(c.at) }
	fee := func(g int) bool { return c.fees[g] }
	least := c.values(joined, func(m, n int) bool { return c.paid[[2]int{m, n}] }, fee)
	if c.best != nil && slices.Compare(least, c.best) >= 0 {
		return
	}
	for k := range c.pieces {
		for m := range k {
			if joined(k) && joined(m) && c.resolve(k, m) {
				return
			}
		}
	}
	for g := range c.rules.Groups {
		if !c.fees[g] && c.pays(g, joined) {
			c.free(g, joined)
			return
		}
	}
	g := len(c.at)
	if g == len(c.groups) {
		c.best = c.values(joined, c.shares, func(g int) bool { return c.pays(g, joined) })
		c.keep()
		return
	}
	for pool := range c.pools {
		floor := int64(math.MinInt64)
		for _, k := range c.groups[g] {
			c.pieces[k].pool = pool
			floor = max(floor, -c.rel[k])
			if fixed := c.p.Buffers[c.pieces[k].buffer].Fixed; fixed != nil {
				floor = max(floor, *fixed-c.rel[k])
			}
		}
		c.try(append(slices.Clone(c.at), floor), append(slices.Clone(c.above), c.lockstep(g)...))
	}
}

// lockstep returns the inequalities that put a body level with the bodies before it.
func (c *chains) lockstep(g int) (all []above) {
	for _, list := range c.rules.Lockstep {
		for _, k := range c.groups[g] {
			for m := range c.pieces {
				has := func(k int) bool { return slices.Contains(list, int32(c.pieces[k].buffer)) }
				if has(k) && has(m) && c.of[m] < g {
					by := c.rel[m] - c.rel[k]
					all = append(all, above{a: c.of[m], b: g, d: by}, above{a: g, b: c.of[m], d: -by})
				}
			}
		}
	}
	return all
}

// resolve tries every way out if pieces k and m are in each other's way, and reports whether they are.
func (c *chains) resolve(k, m int) bool {
	x, y, l := &c.pieces[k], &c.pieces[m], &c.all[k][m]
	a, b := c.p.Buffers[x.buffer].Size, c.p.Buffers[y.buffer].Size
	var ways [][2]int64 // one of: k at least this far above m; m at least this far above k
	const never = math.MaxInt64
	switch {
	case c.clash(x, y, l) && x.pool == y.pool && c.paged(x, y, l):
		g := c.pools[x.pool].Granularity
		for _, up := range []above{
			{c.of[m], c.of[k], c.rel[m] + b, g, c.rel[k]}, {c.of[k], c.of[m], c.rel[k] + a, g, c.rel[m]},
		} {
			c.try(slices.Clone(c.at), append(slices.Clone(c.above), up))
		}
		return true
	case c.clash(x, y, l) && l.apart:
		ways = [][2]int64{{b, never}, {never, a}}
	case c.clash(x, y, l) && c.pools[x.pool].Objects:
		ways = [][2]int64{{b, never}, {never, a}}
		if x.at != y.at {
			c.level(k, m)
		}
	case c.clash(x, y, l):
		for _, u := range l.uses {
			if x.at+u[0] < y.at+u[3] && y.at+u[2] < x.at+u[1] {
				ways = [][2]int64{{u[3] - u[0], never}, {never, u[1] - u[2]}}
				break
			}
		}
		for _, d := range l.offsets {
			if int(d.Buffers[0]) == x.buffer {
				ways = append(ways, [2]int64{d.Distance, never})
			} else {
				ways = append(ways, [2]int64{never, d.Distance})
			}
		}
	case l.cost > 0 && c.share(x, y) && !c.paid[[2]int{k, m}]:
		c.paid[[2]int{k, m}] = true
		c.place()
		delete(c.paid, [2]int{k, m})
		c.stand()
		ways = [][2]int64{{b, never}, {never, a}}
	default:
		return false
	}
	for _, way := range ways {
		// The first pieces of the two bodies differ by the same amount, corrected by the places of k and m in their
		// bodies.
		up := above{a: c.of[m], b: c.of[k], d: way[0] + c.rel[m] - c.rel[k]}
		if way[0] == never {
			up = above{a: c.of[k], b: c.of[m], d: way[1] + c.rel[k] - c.rel[m]}
		}
		if up.a != up.b {
			c.try(slices.Clone(c.at), append(slices.Clone(c.above), up))
		}
	}
	return true
}

// free tries to pay for a group, and each way not to.
func (c *chains) free(g int, joined func(m int) bool) {
	c.fees[g] = true
	c.place()
	delete(c.fees, g)
	c.stand()
	x := &c.rules.Groups[g]
	for _, pair := range x.Pairs {
		k, m := c.pieceOf(pair[0]), c.pieceOf(pair[1])
		if k < 0 || m < 0 || !joined(k) || !joined(m) || !c.counts(x, k, m) {
			continue
		}
		l := &c.all[k][m]
		switch {
		case !x.Moved:
			for _, way := range [][2]int{{k, m}, {m, k}} { // the second lies above the first
				a, b := way[0], way[1]
				up := above{a: c.of[a], b: c.of[b], d: c.p.Buffers[c.pieces[a].buffer].Size + c.rel[a] - c.rel[b]}
				c.try(slices.Clone(c.at), append(slices.Clone(c.above), up))
			}
		case c.pieces[k].pool == c.pieces[m].pool && (l.same || l.free && !l.apart || !l.apart && len(l.uses) == 0):
			c.level(k, m)
		}
		if !x.All {
			return // this pair must not count, or none of the group's plans is left
		}
	}
}

// level tries plans in which pieces k and m begin at one byte.
func (c *chains) level(k, m int) {
	by := c.rel[m] - c.rel[k]
	if a, b := c.of[k], c.of[m]; a != b {
		c.try(slices.Clone(c.at), append(slices.Clone(c.above), above{a: b, b: a, d: by}, above{a: a, b: b, d: -by}))
	}
}

// try goes on with other offsets, once they have risen, and inequalities, and then restores those in hand.
func (c *chains) try(at []int64, inequalities []above) {
	was, had := c.at, c.above
	c.at, c.above = at, inequalities
	if c.rise() && c.stand() {
		c.place()
	}
	c.at, c.above = was, had
	c.stand()
}

// stand gives the pieces the offsets of their bodies, and reports whether each follows the rules of one buffer.
func (c *chains) stand() bool {
	for g, at := range c.at {
		for _, k := range c.groups[g] {
			c.pieces[k].at = at + c.rel[k]
			if !c.alone(k) || !c.pooled(k, func(m int) bool { return c.of[m] < len(c.at) }) {
				return false
			}
		}
	}
	return true
}
