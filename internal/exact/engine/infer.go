package engine

import "math/bits"

// infer tightens the lower bounds of a component after a placement and reports
// whether a completion may still exist. It is the one place that knows the
// order of the inferences; each is in a file of its own:
//
//	section.go      the paper's section inference
//	lifting.go      buffers under the canonical bound must be raised by others
//	hot.go          the sections that failed last, first
//	dirty.go        the sections that the next two look at
//	suffixbound.go  what cannot lie below a level fits above it
//	notfirst.go     buffers that cannot be lowest in a section
//
// inf holds the bounds. They stay valid below this node, so they are inherited
// and only ever rise; the trail restores them.
//
// The inferences feed one another, so they are repeated until nothing changes,
// but not more than maxRounds times: later rounds find less. Some bounds creep
// up round by round; to go on until they rest (tried: 20 and 64) saves nodes on
// two instances of the challenging suite and doubles the time of the hardest.
//
// Sweeps go through the sections against the order of time and along it, in turn: on the
// challenging suite that takes a tenth of the instructions less than to go along it
// always, with the same nodes. To begin along it takes as many in sum.
//
// Where the run is over, an inference over a huge partition stops midway and
// claims nothing.
const maxRounds = 30

// infer tightens the bounds of c, for which findWaiting was called. What is dirty
// has changed since the component was last inferred.
func (k *kernel) infer(c component) bool {
	if !k.any(c) {
		return true
	}
	if !k.sw.suffixBound && !k.sectionsFit(c) {
		return false
	}
	lifts := k.sw.lifting && k.sw.canonical
	if !lifts && k.sw.monotonicFloor && !k.clamp(c) {
		return false
	}
	looks := k.sw.suffixBound || k.sw.notFirst
	for round := range maxRounds {
		if lifts && !k.lift(c) {
			return false
		}
		if !looks {
			return true
		}
		if round == 0 && !k.hotFit(c) {
			return false
		}
		raised := k.raised
		// A bound that creeps from section to section goes as far as it can in one
		// sweep of its direction, and one section a sweep in the other.
		sweep := (*kernel).sweepBack
		if round&1 == 1 {
			sweep = (*kernel).sweep
		}
		if !sweep(k, c) {
			return false
		}
		if k.raised == raised {
			k.checkSettled(c)
			return true
		}
	}
	k.forget(c)
	return true
}

// sweep checks the dirty sections of c in the order of time. What it raises is
// dirty again: later sections are still in time for this sweep.
func (k *kernel) sweep(c component) bool {
	for w := c.first >> 6; w<<6 < c.last; w++ {
		for from := c.first; ; {
			rest := masked(k.dirty[w], int(w), int(from), int(c.last))
			if rest == 0 {
				break
			}
			s := w<<6 + Section(bits.TrailingZeros64(rest))
			k.dirty[w] &^= rest & -rest
			if !k.checkSection(s) {
				k.promote(s)
				return false
			}
			if k.huge && k.late() {
				return true
			}
			from = s + 1
		}
	}
	return true
}

// sweepBack is sweep against the order of time.
func (k *kernel) sweepBack(c component) bool {
	for w := (c.last - 1) >> 6; w >= c.first>>6; w-- {
		for to := c.last; ; {
			rest := masked(k.dirty[w], int(w), int(c.first), int(to))
			if rest == 0 {
				break
			}
			b := 63 - Section(bits.LeadingZeros64(rest))
			s := w<<6 + b
			k.dirty[w] &^= 1 << b
			if !k.checkSection(s) {
				k.promote(s)
				return false
			}
			if k.huge && k.late() {
				return true
			}
			to = s
		}
	}
	return true
}

// forget leaves what is dirty in c as it is.
func (k *kernel) forget(c component) {
	for w := c.first >> 6; w<<6 < c.last; w++ {
		rest := masked(k.dirty[w], int(w), int(c.first), int(c.last))
		k.dirty[w] &^= rest
		k.forgot = k.forgot || rest != 0
		for ; rest != 0; rest &= rest - 1 {
			s := w<<6 + Section(bits.TrailingZeros64(rest))
			k.top[s] = max(k.top[s], k.highest)
		}
	}
}

// clamp raises the bounds of c to the offset placed last, where lifting does not.
func (k *kernel) clamp(c component) bool {
	for _, j := range k.listOf(c) {
		if k.inf[j] < c.off && !k.tighten(j, c.off) {
			return false
		}
	}
	return true
}

// tighten raises the inferred bound of j and reports whether j can lie there.
func (k *kernel) tighten(j Buffer, to int64) bool {
	to = k.alignUp(j, to)
	k.setInf(j, to)
	k.raised++
	return to <= k.of[j].ub
}
