package core

import "math"

// What follows from what is placed. Each of these only raises bounds that no plan below the node undercuts.
//
// The suffix bound. Idea: of the unplaced pieces of a section, in the order of their starts, each has below it at most
// what its start leaves, so start + sizes of this and all later ones <= limit. With slack = limit - all sizes that is
// start - sizes of earlier ones <= slack. Invariant: the list of a section is kept nearly sorted by start, and top is
// the highest start for which it held. Complexity: O(pieces of the section).
//
// Not-first. Idea: a piece whose start is above the slack leaves too much empty if it is the lowest of its section, so
// another one is below it, and it begins where the first of the others can end.
//
// Lifting. Idea: a body that waits is placed later only if a neighbour raises it, so it begins at the earliest end of
// an unplaced neighbour, which may itself wait. Invariant: by is the neighbour on whose end inf stood when it was last
// raised. confirmed follows these from body to body to one that does not wait, so that most nodes lift nothing. What
// is not confirmed is lifted in the order of ends, as in Dijkstra's algorithm.
// Complexity: O(open^2 + neighbours of these).
//
// Source: core/stowage_core.c; Carlier and Pinson 1989 for not-first.

func (k *kernel) sortPieces(list []int32, from, live int32) {
	to, away := from, 0
	for r := from; to < live; r++ {
		x := list[r]
		start := k.blocks[x].start
		if start == gone {
			k.scratch[away] = x
			away++
			continue
		}
		p := to
		for ; p > 0 && k.blocks[list[p-1]].start > start; p-- {
			list[p] = list[p-1]
		}
		list[p] = x
		to++
	}
	copy(list[live:], k.scratch[:away])
}

// notFirst infers from the slack and the two smallest ends of a section.
func (k *kernel) notFirst(list []int32, slack, least, second int64) bool {
	for _, e := range list {
		b := k.blocks[e]
		if b.start <= slack {
			continue
		}
		if b.start >= second {
			break
		}
		other := least
		if b.start+b.size == least {
			other = second
		}
		if other > b.start && (other == math.MaxInt64 || !k.tighten(b.owner, other)) {
			return false
		}
	}
	return true
}

// checkSection infers by the suffix bound and not-first in section s. It returns whether it fits.
func (k *kernel) checkSection(s int32) bool {
	x := &k.sections[s]
	slack, top := k.limit-x.total, max(x.top, k.highest)
	if top <= slack {
		x.top = top
		return true
	}
	all, n := k.list[x.listAt:], x.live
	for sorted := false; ; sorted = true {
		least, second := int64(math.MaxInt64), int64(math.MaxInt64)
		last, sum, at := int64(-1), int64(0), int32(0)
		for ; at < n; at++ {
			b := &k.blocks[all[at]]
			if b.start-sum > slack || b.start < last {
				break
			}
			last = b.start
			sum += b.size
			end := b.start + b.size
			second = min(second, max(least, end))
			least = min(least, end)
		}
		if at == n {
			x.top = last
			return second <= slack || k.notFirst(all[:n], slack, least, second)
		}
		if sorted {
			return false
		}
		k.sortPieces(all, at, n)
	}
}

func (k *kernel) confirmed(c *part, j int32) bool {
	chain, ok := 0, false
	for {
		w := &k.items[j]
		if w.seen >= k.epoch-1 {
			ok = w.seen == k.epoch
			break
		}
		w.seen = k.epoch - 1
		k.scratch[chain] = j
		chain++
		if ok = false; w.by < 0 || k.placed(w.by) || k.items[w.by].inf+w.distance > w.inf {
			break
		}
		if ok = !k.waits(c, w.by); ok {
			break
		}
		j = w.by
	}
	if ok {
		for _, j := range k.scratch[:chain] {
			k.items[j].seen = k.epoch
		}
	}
	return ok
}

func (k *kernel) lift(c *part) bool {
	n := 0
	k.epoch += 2 // seen: epoch - 1 not confirmed, epoch confirmed
	for b := k.firstOf(c); b < k.endOf(c); b = k.nextOf(c, b) {
		if k.waits(c, b) && !k.confirmed(c, b) {
			k.open[n] = b
			n++
		}
	}
	open, ends := k.open, k.ends
	for i := range n {
		b := open[i]
		x := &k.items[b]
		least := int64(math.MaxInt64)
		for _, y := range k.near[:k.neighbours(b)] {
			up := k.above(y, b)
			if end := k.items[y].inf + up; end < least && k.items[y].seen != k.epoch-1 {
				least, x.by, x.distance = end, y, up
			}
		}
		if ends[i] = least; least != math.MaxInt64 {
			ends[i] = max(x.inf, roundUp(least, x.align))
		}
	}
	for ; n > 0; n-- {
		pick := 0
		for i := 1; i < n; i++ {
			if ends[i] < ends[pick] {
				pick = i
			}
		}
		b, to := open[pick], ends[pick]
		x := &k.items[b]
		if to == math.MaxInt64 || to > x.inf && !k.tighten(b, to) {
			return false
		}
		open[pick], ends[pick] = open[n-1], ends[n-1]
		for i := range n - 1 {
			o := open[i]
			y := &k.items[o]
			if y.first >= x.last || x.first >= y.last {
				continue
			}
			up := k.above(b, o)
			if up == 0 {
				continue
			}
			if end := max(y.inf, roundUp(x.inf+up, y.align)); end < ends[i] {
				ends[i], y.by, y.distance = end, b, up
			}
		}
	}
	return true
}

// infer infers in part c until nothing changes, for some rounds. It returns false if c cannot be completed.
func (k *kernel) infer(c *part) bool {
	for round := range 30 {
		if !k.lift(c) {
			return false
		}
		raised := k.raised
		if round&1 != 0 {
			for s := k.dirty.from(c.first, c.last); s < c.last; s = k.dirty.from(s+1, c.last) {
				k.dirty.clear(s)
				if !k.checkSection(s) {
					return false
				}
			}
		} else {
			for s := k.dirty.before(c.last, c.first); s >= c.first; s = k.dirty.before(s, c.first) {
				k.dirty.clear(s)
				if !k.checkSection(s) {
					return false
				}
			}
		}
		if k.raised == raised {
			return true
		}
	}
	for s := k.dirty.from(c.first, c.last); s < c.last; s = k.dirty.from(s+1, c.last) {
		k.dirty.clear(s)
		k.sections[s].top = max(k.sections[s].top, k.highest)
	}
	return true
}
