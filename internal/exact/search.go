package exact

import (
	"math"
	"math/bits"
)

// Depth-first search over the canonical plans of a component.
//
// Each candidate is either placed now or postponed: when placing it has failed,
// the bound passes it, so that it waits for something to raise it. Inferring
// from that alone, before the next candidate is placed, often ends the node
// (postponement; "schedule or postpone" in Le Pape, Couronné, Vergamini and
// Gosselin 1994), and the bounds that it tightens serve all later candidates.
//
// Invariant: search restores the state, but for bounds where the trail no longer
// leads back.
//
// It returns exhausted only where nothing below was left undone: not where a limit came,
// and not where the trail no longer leads back.

// outcome is what a search of a component found among canonical plans. It says
// nothing of other plans: engine.attempt alone turns it into a verdict.
type outcome uint8

const (
	aborted   outcome = iota // a limit came first
	solved                   // best holds a plan for the component
	exhausted                // no canonical completion fits
)

// component is a set of unplaced buffers that no cut divides: all whose extents
// are within its sections. It needs no list of them, for buffers are numbered by
// where they begin.
type component struct {
	first, last Section // their sections [first, last)
	// Whatever is placed next lies at or above (off, rank) in the canonical
	// order.
	off  int64
	rank int32
	// slack orders the parts of a split.
	slack int64
}

// tickEvery is how many nodes pass between reports of progress, a power of two.
// Tests set it lower.
var tickEvery int64 = 1 << 12

// search explores the completions of a component that has passed infer. Where
// it returns solved, best holds the offsets.
func (k *kernel) search(c component) outcome {
	if !k.any(c) {
		return solved
	}
	if k.nodes >= k.nodeLimit {
		return aborted
	}
	k.nodes++
	if k.nodes&(tickEvery-1) == 0 {
		k.tick()
	}
	if k.over() {
		return aborted
	}
	k.check(c)
	if k.isStack(c) {
		return k.stack(c)
	}
	key, known := k.recall(c)
	if known {
		return exhausted
	}
	k.trim()
	if r := k.tryEach(c); r != exhausted {
		return r
	}
	k.backtracks++
	k.remember(key)
	return exhausted
}

// tryEach places one candidate of c after the other and searches on from there.
func (k *kernel) tryEach(c component) outcome {
	ceiling := k.ceiling(c)
	sorted := k.sw.dynamicOrdering
	postpones := k.sw.postponement && sorted && k.sw.canonical
	at := k.now()
	tried := false
	after := candidate{j: nobody, off: -1, rank: -1}
	for {
		next, lowest := k.candidate(c, after)
		if next.j == nobody {
			break
		}
		after = next
		j, o := next.j, k.lb[next.j]
		// In sorted order, every later candidate is as high or higher.
		if k.sw.dominance && o >= lowest || o > ceiling {
			if sorted {
				break
			}
			continue
		}
		if tried && postpones {
			c.off, c.rank = o, k.rank[j]
			if !k.infer(c) {
				clear(k.dirty)
				break
			}
			at = k.now()
			if k.inf[j] > o {
				continue
			}
		}
		tried = true
		r, hat := k.try(c, j, at)
		if r != exhausted {
			return r
		}
		if k.lost(at) || k.late() {
			return aborted
		}
		if !hat && k.sw.hatless && sorted {
			break
		}
	}
	if k.late() {
		return aborted // an inference may have been left undone
	}
	return exhausted
}

// candidate is a buffer that may be placed next, with its place in the order in
// which they are tried: by least offset and rank, or, without dynamic ordering,
// by rank alone.
type candidate struct {
	j    Buffer
	off  int64
	rank int32
}

// candidate returns the first candidate of c after the given one, nobody where
// there is none, and the least top that any unplaced buffer could have. A plan
// that places the next buffer at or above that leaves a gap that this one could
// fill, so a lower plan is found elsewhere (dominance, section 6.3).
func (k *kernel) candidate(c component, after candidate) (first candidate, lowest int64) {
	first = candidate{j: nobody, off: math.MaxInt64}
	lowest = k.limit + 1
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			j := w<<6 + Buffer(bits.TrailingZeros64(rest))
			o, rank := k.lb[j], k.rank[j]
			lowest = min(lowest, o+k.size[j])
			if k.inf[j] > o || k.sw.canonical && k.waits(c, j) {
				continue
			}
			if !k.sw.dynamicOrdering {
				o = 0
			}
			if o > first.off || o == first.off && rank > first.rank || o < after.off || o == after.off && rank <= after.rank {
				continue
			}
			if k.sw.symmetry && k.twin[j] != nobody && !k.placed(k.twin[j]) {
				continue
			}
			first = candidate{j, o, rank}
		}
	}
	return first, lowest
}

// try places candidate j of c, searches on, and takes the placement back. It
// reports hat, whether anything unplaced overlaps the candidate.
func (k *kernel) try(c component, j Buffer, at mark) (r outcome, hat bool) {
	r = exhausted
	before := k.snap()
	c.off, c.rank = k.lb[j], k.rank[j]
	hat, ok := k.place(j)
	if ok {
		r = k.descend(c, j)
	}
	k.undo(at, j)
	k.restored(before)
	return r, hat
}

// descend goes on below the placement of j: c is what was j's component,
// without j.
func (k *kernel) descend(c component, j Buffer) outcome {
	if k.sw.decomposition {
		if bounds := k.openCuts(c, j); len(bounds) > 0 {
			return k.searchParts(c, bounds)
		}
	}
	if !k.infer(c) {
		return exhausted
	}
	return k.search(c)
}

// ceiling returns the highest offset that the next placement may have: what is
// unplaced in a section, the next buffer included or not, lies at or above it.
// This is the paper's section inference with its monotonic floor, asked before
// a placement is applied rather than after.
func (k *kernel) ceiling(c component) int64 {
	if !k.sw.cheapReject {
		return k.limit
	}
	var most int64
	for _, t := range k.total[c.first:c.last] {
		most = max(most, t)
	}
	return k.limit - most
}
