package canonical

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
)

// infer tightens the lower bounds of a component after a placement. It reports whether a completion may still exist.
// This is the only place that knows the order of the inferences. Each inference has a file of its own:
//
//	section.go      the paper's section inference
//	lifting.go      a waiting buffer must be raised by another one
//	hot.go          the sections that failed last come first
//	dirty.go        the sections that the next two look at
//	suffixbound.go  what cannot lie below a level fits above it
//	notfirst.go     a buffer that cannot be the lowest of a section
//
// inf holds the bounds. They stay valid below this node, so they are inherited and only rise. The trail restores them.
//
// The inferences feed one another, so they are repeated until nothing changes, but at most maxRounds times: later
// rounds find less, and some bounds creep up round by round.
//
// The passes go through the sections against the order of time and along it, in turn.
//
// Trials: docs/lab/exact.md (more rounds double the time of the hardest problem; turns save a tenth).
//
// If the run is over, an inference on a huge partition stops midway and claims nothing.
const maxRounds = 30

// inference is what infer keeps.
type inference struct {
	raised int64 // how often inference has raised a bound
	// inferenceCut is set once maxRounds has left sections dirty: not all that could be inferred has been.
	inferenceCut bool
}

// infer tightens the bounds of c. findWaiting was called for c. The dirty sections have changed since c was last
// inferred.
func (k *Kernel) infer(c component) bool {
	if !k.any(c) {
		return true
	}
	if !k.sw.SuffixBound && !k.sectionsFit(c) {
		return false
	}
	lifts := k.sw.Lifting && k.sw.Canonical
	if !lifts && k.sw.MonotonicFloor && !k.clamp(c) {
		return false
	}
	looks := k.sw.SuffixBound || k.sw.NotFirst
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
		// pass of its direction, and one section a pass in the other.
		check := (*Kernel).passBack
		if round&1 == 1 {
			check = (*Kernel).pass
		}
		if !check(k, c) {
			return false
		}
		if k.raised == raised {
			if invariants.Enabled {
				k.checkFixpoint(c)
			}
			return true
		}
	}
	k.forget(c)
	return true
}

// pass checks the dirty sections of c in the order of time. A section that becomes dirty during the pass is checked
// in the same pass if it comes later.
func (k *Kernel) pass(c component) bool {
	for s := k.runs.takeFirst(c.first, c.last); s < c.last; s = k.runs.takeFirst(s+1, c.last) {
		if !k.checkSection(s) {
			k.hot.promote(s)
			return false
		}
		if k.huge && k.late() {
			return true
		}
	}
	return true
}

// passBack is pass against the order of time.
func (k *Kernel) passBack(c component) bool {
	for s := k.runs.takeLast(c.first, c.last); s >= c.first; s = k.runs.takeLast(c.first, s) {
		if !k.checkSection(s) {
			k.hot.promote(s)
			return false
		}
		if k.huge && k.late() {
			return true
		}
	}
	return true
}

// forget makes the sections of c clean without checking them.
func (k *Kernel) forget(c component) {
	for s := k.runs.takeFirst(c.first, c.last); s < c.last; s = k.runs.takeFirst(s+1, c.last) {
		k.tops.of[s] = max(k.tops.of[s], k.tops.highest)
		k.inferenceCut = true
	}
}

// clamp raises the bounds of c to the offset placed last. It is used if lifting is off.
func (k *Kernel) clamp(c component) bool {
	for _, j := range k.listOf(c) {
		if k.inf[j] < c.off && !k.tighten(j, c.off) {
			return false
		}
	}
	return true
}

// tighten raises the inferred bound of j and reports whether j can lie there.
func (k *Kernel) tighten(j common.Buffer, to int64) bool {
	to = k.alignUp(j, to)
	if k.holes.any {
		to = k.holes.above(j, to)
	}
	k.setInf(j, to)
	k.raised++
	return to <= k.of[j].ub
}
