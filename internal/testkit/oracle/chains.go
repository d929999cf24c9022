package oracle

import (
	"math"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: what Ruled enumerates, for sizes of any scale. In some best plan every body of buffers lies at the floor of its
// pool, on the end of a reserved range, or on a body below it, each rounded up to the alignments. Let a best
// plan say, of each pair that may not share bytes and of each penalised pair that does not share any, which of
// the two is above which. These are differences of offsets, and the least offsets that have them are a plan that is no worse in any
// measure. They rise from the floor one after the other, and the last rise of each is from a body whose own last
// rise came before. So the bodies can be placed in some order, each at a place that the floor or one placed body
// gives:
//
//	offset(b) = the floor, or the least aligned one at or above offset(a) + d,
//	            d one of the distances at which b is no longer in the way of a
//
// Every order is tried, and every such place. States that were seen are not looked at again.
//
// Invariant: placing one more body lowers no measure, as in rules.go.
//
// Complexity: exponential; 5 bodies take about a thousand states for each choice of pools.

// Chains does what Ruled does, without a limit on heights. It is meant for about 5 bodies, and for
// alignments whose least common multiple is at most 4,096 times the largest.
func Chains(p *model.Problem, most int) (best []int64, plan *model.Plan, decided bool) {
	o := &ruled{p: p, pools: p.AllPools(), rules: model.Rules{}, most: most}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	o.joined()
	o.search = func() {
		c := &chains{ruled: o, seen: map[string]bool{}, placed: make([]bool, len(o.pieces))}
		c.bodies()
		o.connect()
		c.matrix()
		c.place()
	}
	o.choose(0, nil, 0)
	return o.best, o.plan, most == 0 || o.nodes <= most
}

// chains places the pieces of one set of evictions.
type chains struct {
	*ruled
	groups [][]int  // the pieces of each body; a piece of an evicted buffer is a body by itself
	rel    []int64  // of each piece, its offset less that of the first piece of its body
	all    [][]link // of two pieces, in both orders
	placed []bool   // of each piece
	seen   map[string]bool
}

// bodies groups the pieces, and follows the ties for the distances within a body.
func (c *chains) bodies() {
	c.rel = make([]int64, len(c.pieces))
	of := map[int]int{}
	for k, x := range c.pieces {
		g, known := of[c.body[x.buffer]]
		if b := c.p.Buffers[x.buffer].Extra; !known || b != nil && len(b.Evictions) > 0 {
			g, of[c.body[x.buffer]] = len(c.groups), len(c.groups)
			c.groups = append(c.groups, nil)
		}
		c.groups[g] = append(c.groups[g], k)
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

// tie returns what a list says of the offset of piece m less that of piece k.
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

// place places the bodies that are left.
func (c *chains) place() {
	if c.nodes++; c.most > 0 && c.nodes > c.most {
		return
	}
	values := c.values(func(m int) bool { return c.placed[m] })
	for k := range values {
		if c.best != nil && values[k] != c.best[k] || k == len(values)-1 {
			if c.best != nil && values[k] >= c.best[k] {
				return
			}
			break
		}
	}
	var state []byte
	left := false
	for k, x := range c.pieces {
		left = left || !c.placed[k]
		if c.placed[k] {
			state = strconv.AppendInt(append(strconv.AppendInt(state, int64(x.pool), 10), '@'), x.at, 10)
		}
		state = append(state, ' ')
	}
	if c.seen[string(state)] {
		return
	}
	c.seen[string(state)] = true
	if !left {
		c.best = values
		c.keep()
		return
	}
	for _, group := range c.groups {
		if c.placed[group[0]] {
			continue
		}
		for pool := range c.pools {
			for _, at := range c.places(group, pool) {
				c.put(group, pool, at)
			}
		}
	}
}

// put places a body and goes on, if that breaks no rule.
func (c *chains) put(group []int, pool int, at int64) {
	for _, k := range group {
		x := &c.pieces[k]
		x.pool, x.at = pool, at+c.rel[k]
		if !c.alone(k) {
			return
		}
		for m := range c.pieces {
			if c.placed[m] && c.clash(x, &c.pieces[m], &c.all[k][m]) {
				return
			}
		}
	}
	for _, k := range group {
		c.placed[k] = true
	}
	c.place()
	for _, k := range group {
		c.placed[k] = false
	}
}

// places returns where the first piece of a body may be, in a pool.
func (c *chains) places(group []int, pool int) (found []int64) {
	add := func(k int, least int64) {
		at, ok := c.aligned(group, pool, least-c.rel[k])
		for _, x := range found {
			ok = ok && x != at
		}
		if ok {
			found = append(found, at)
		}
	}
	floor := int64(math.MinInt64)
	for _, k := range group {
		if fixed := c.p.Buffers[c.pieces[k].buffer].Fixed; fixed != nil {
			return []int64{*fixed - c.rel[k]}
		}
		floor = max(floor, -c.rel[k])
	}
	add(group[0], floor+c.rel[group[0]])
	for _, k := range group {
		for _, r := range c.pools[pool].Reserved {
			add(k, r.Upper)
		}
		for m, y := range c.pieces {
			if !c.placed[m] || y.pool != pool {
				continue
			}
			l := &c.all[k][m]
			if l.apart || l.cost > 0 {
				add(k, y.at+c.p.Buffers[y.buffer].Size)
			}
			for _, u := range l.uses {
				add(k, y.at+u[3]-u[0])
			}
			for _, d := range l.offsets {
				if int(d.Buffers[0]) == c.pieces[k].buffer {
					add(k, y.at+d.Distance)
				}
			}
		}
	}
	return found
}

// aligned returns the least offset of the first piece of a body, at or above least, with which all members have the
// alignments of their own and of the pool. ok is false if no offset has.
func (c *chains) aligned(group []int, pool int, least int64) (at int64, ok bool) {
	steps := func(k int) [2]int64 {
		return [2]int64{max(c.p.Buffers[c.pieces[k].buffer].Alignment, 1), max(c.pools[pool].Alignment, 1)}
	}
	step, of := int64(1), 0
	for _, k := range group {
		for _, s := range steps(k) {
			if s > step {
				step, of = s, k
			}
		}
	}
	modulo := func(x, m int64) int64 { return ((x % m) + m) % m }
	at = least + modulo(-(least+c.rel[of]), step)
	for range 1 << 12 {
		ok = true
		for _, k := range group {
			for _, s := range steps(k) {
				ok = ok && modulo(at+c.rel[k], s) == 0
			}
		}
		if ok {
			return at, true
		}
		at += step
	}
	return 0, false
}
