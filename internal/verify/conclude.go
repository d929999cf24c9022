package verify

import (
	"math"
	"slices"
)

// Idea: the answers of a certificate leave an interval for each offset. Each conclusion (certificate.go lists them)
// cuts off offsets that the plan in question cannot have. Conclusions are drawn until none cuts anything. The
// contradiction is an empty interval, a slot whose stack is too high, or a buffer that could lie lower.
//
// Invariant: lows only rise and ups only fall, so the conclusions come to an end. Their
// order changes nothing in their soundness.
//
// Complexity: a pass is O(pairs that share a slot), apart from resting and lowered. Resting is quadratic in the
// buffers. If alignments differ, a pass may move a bound by only a few bytes of 2^53. Resting and lowered see through
// most such cases, so they run every few passes, and a node has at most passesMost passes. A conclusion that is not
// drawn makes no proof false: the case is then left open.

// contradicts reports whether the answers so far leave no plan.
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
	return !c.propagate(), nil
}

const (
	passesMost  = 1000 // passes of a node; none of 130,000 proofs of random problems needs 64
	restsPasses = 8    // resting and lowered run once in so many passes
)

// propagate draws conclusions until none changes a bound, or until passesMost. It returns false for a contradiction.
func (c *proof) propagate() bool {
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

// sum returns the sums of all lows and of all ups. They change if and only if a bound does,
// because lows only rise and ups only fall.
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

// twins draws the conclusion that j lies above the twin before it.
func (c *proof) twins(j int) bool {
	for _, t := range c.met[j] {
		if t.who == c.twin[j] && (!c.atLeast(j, c.low[t.who]+t.over) || !c.atMost(t.who, c.up[j]-t.over)) {
			return false
		}
	}
	return true
}

// apart draws the conclusion for two buffers that touch: if j cannot be below the other, it is above it.
func (c *proof) apart(j int) bool {
	for _, t := range c.met[j] {
		if c.low[j]+t.under > c.up[t.who] && (!c.atLeast(j, c.low[t.who]+t.over) || !c.atMost(t.who, c.up[j]-t.over)) {
			return false
		}
	}
	return true
}

// stacked draws two conclusions about a slot, with its buffers sorted by low + from. The
// first is a contradiction unless, for every k,
//
//	low(k) + from(k) + sum of sizes(k..) <= max over i >= k of (up(i) + to(i))
//
// because a plan stacks the buffers k.. from their lowest bound upwards. The second takes
// the buffers after those at their final offsets at the bottom. If one of them cannot be the lowest by
// the same formula, it starts at or above the lowest end of another.
func (c *proof) stacked(slot []stay) bool {
	for k := 1; k < len(slot); k++ { // insertion sort: the order changes little from pass to pass
		for at := k; at > 0 && c.low[slot[at].who]+slot[at].from < c.low[slot[at-1].who]+slot[at-1].from; at-- {
			slot[at], slot[at-1] = slot[at-1], slot[at]
		}
	}
	open := 0
	for open < len(slot) && c.low[slot[open].who] == c.up[slot[open].who] {
		open++
	}
	total, top := int64(0), int64(math.MinInt64)
	first, second := int64(math.MaxInt64), int64(math.MaxInt64) // the two lowest ends
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

// resting computes for each buffer the lowest offset at which it can rest. It fixes buffers from the lowest upwards, as
// Dijkstra's algorithm does. A fixed buffer, or one that may lie on the ground, starts with its own lowest offset.
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

// lowered returns false if some buffer has a free place below its lowest offset. The places
// tried are the ground and the tops of buffers at their final offsets.
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

// free reports whether j must lie above a place that no other buffer can reach.
func (c *proof) free(j int, at int64) bool {
	return at < c.low[j] && !slices.ContainsFunc(c.met[j], func(t touch) bool {
		return c.up[t.who]+t.over > at && c.low[t.who] < at+t.under
	})
}
