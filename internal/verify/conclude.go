package verify

import (
	"math"
	"slices"
)

// Idea: what the answers of a certificate leave of each offset is an interval, and each
// conclusion (certificate.go lists them) cuts off what no plan of the kind that it speaks
// of can have. They are drawn until none cuts anything. An empty interval, or a slot that
// is stacked too high, is the contradiction.
//
// Invariant: lows only rise and ups only fall, so that the end is reached; which
// conclusion is drawn first changes nothing in whether it is a proof.
//
// Complexity: O(pairs that share a slot) for a pass, but resting, which is quadratic in
// the buffers. Where alignments differ, bounds may creep: each pass moves one by a few
// bytes, of a size of 2^53. So resting and lowered, which see through most of that, come
// every few passes, and a node has passesMost of them. What is not drawn is no mistake:
// the case is then left open.

// contradicts reports whether what is known leaves no plan.
func (c *proof) contradicts() (bool, error) {
	for _, slot := range c.slot {
		if !c.stacked(slot) {
			return true, nil
		}
	}
	if c.met == nil {
		if err := c.meet(); err != nil {
			return false, err
		}
	}
	return !c.settle(), nil
}

const (
	passesMost  = 1000 // of 130,000 proofs of random problems none needs 64
	restsPasses = 8    // passes from one look at who rests on whom to the next
)

// settle draws conclusions until there are no more; false is a contradiction.
func (c *proof) settle() bool {
	for pass := 1; pass <= passesMost; pass++ {
		before := c.sum()
		for j := range c.list {
			if !c.atLeast(j, c.low[j]) || !c.atMost(j, c.up[j]) || !c.twins(j) || !c.apart(j) {
				return false
			}
		}
		for _, slot := range c.slot {
			if !c.stacked(slot) {
				return false
			}
		}
		if c.sum() == before || pass%restsPasses == 0 {
			if !c.resting() || !c.lowered() {
				return false
			}
			if c.sum() == before {
				return true
			}
		}
	}
	return true
}

// sum changes whenever a bound does: lows only rise, and ups only fall.
func (c *proof) sum() (s [2]int64) {
	for j := range c.list {
		s[0] += c.low[j]
		s[1] += c.up[j]
	}
	return s
}

func (c *proof) atLeast(j int, v int64) bool {
	c.low[j] = max(c.low[j], upTo(max(v, 0), c.list[j].Align()))
	return c.low[j] <= c.up[j]
}

func (c *proof) atMost(j int, v int64) bool {
	if c.up[j] = min(c.up[j], v); c.up[j] >= 0 {
		c.up[j] -= c.up[j] % c.list[j].Align()
	}
	return c.low[j] <= c.up[j]
}

// twins: j lies above the twin before it.
func (c *proof) twins(j int) bool {
	for _, t := range c.met[j] {
		if t.who == c.twin[j] && (!c.atLeast(j, c.low[t.who]+t.over) || !c.atMost(t.who, c.up[j]-t.over)) {
			return false
		}
	}
	return true
}

// apart: of two that touch, who cannot be under the other is above it.
func (c *proof) apart(j int) bool {
	for _, t := range c.met[j] {
		if c.low[j]+t.under > c.up[t.who] && (!c.atLeast(j, c.low[t.who]+t.over) || !c.atMost(t.who, c.up[j]-t.over)) {
			return false
		}
	}
	return true
}

// stacked: those of a slot from some bound on do not end under that bound and all
// their sizes. The lowest that are settled are left out when it comes to who is lowest.
func (c *proof) stacked(slot []stay) bool {
	for k := 1; k < len(slot); k++ { // by bounds, which change little
		for at := k; at > 0 && c.low[slot[at].who]+slot[at].from < c.low[slot[at-1].who]+slot[at-1].from; at-- {
			slot[at], slot[at-1] = slot[at-1], slot[at]
		}
	}
	open := 0
	for open < len(slot) && c.low[slot[open].who] == c.up[slot[open].who] {
		open++
	}
	total, top := int64(0), int64(math.MinInt64)
	first, second := int64(math.MaxInt64), int64(math.MaxInt64) // the lowest ends
	above := func(k int) bool { return c.low[slot[k].who]+slot[k].from+total > top }
	for k := len(slot) - 1; k >= open; k-- {
		s := &slot[k]
		total += s.to - s.from
		top = max(top, c.up[s.who]+s.to)
		if above(k) {
			return false
		}
		end := c.low[s.who] + s.to
		second = min(second, max(first, end))
		first = min(first, end)
	}
	for k := open; k < len(slot); k++ {
		if s := &slot[k]; above(k) {
			other := first
			if c.low[s.who]+s.to == first {
				other = second
			}
			if other == math.MaxInt64 || !c.atLeast(s.who, other-s.from) {
				return false
			}
		}
	}
	for k := open - 1; k >= 0; k-- {
		s := &slot[k]
		total += s.to - s.from
		top = max(top, c.up[s.who]+s.to)
		if above(k) {
			return false
		}
	}
	return true
}

// resting: from the lowest up, as Dijkstra goes, where each can rest. Who is fixed lies
// where it does, who may be on the ground lies there.
func (c *proof) resting() bool {
	for j := range c.list {
		c.seen[j], c.rest[j] = false, math.MaxInt64
		if c.low[j] == 0 || c.list[j].Fixed != nil {
			c.rest[j] = c.low[j]
		}
	}
	for {
		pick := -1
		for j := range c.list {
			if !c.seen[j] && (pick < 0 || c.rest[j] < c.rest[pick]) {
				pick = j
			}
		}
		if pick < 0 {
			return true
		}
		if c.rest[pick] == math.MaxInt64 || !c.atLeast(pick, c.rest[pick]) {
			return false
		}
		c.seen[pick] = true
		for _, t := range c.met[pick] {
			j, align := t.who, c.list[t.who].Align()
			if !c.seen[j] && c.up[pick]+t.under >= 0 && upTo(c.up[pick]+t.under, align) >= c.low[j] {
				c.rest[j] = min(c.rest[j], max(c.low[j], upTo(max(c.rest[pick]+t.under, 0), align)))
			}
		}
	}
}

// lowered: nobody has a place, on the ground or on top of what is settled, that is lower
// than where it must lie and that nothing can reach.
func (c *proof) lowered() bool {
	for j, b := range c.list {
		if b.Fixed != nil || c.low[j] == 0 {
			continue
		}
		if c.free(j, 0) {
			return false
		}
		for _, t := range c.met[j] {
			if c.low[t.who] == c.up[t.who] && c.free(j, upTo(max(c.low[t.who]+t.over, 0), b.Align())) {
				return false
			}
		}
	}
	return true
}

// free reports whether j must lie above a place, and nothing can reach that.
func (c *proof) free(j int, at int64) bool {
	return at < c.low[j] && !slices.ContainsFunc(c.met[j], func(t touch) bool {
		return c.up[t.who]+t.over > at && c.low[t.who] < at+t.under
	})
}
