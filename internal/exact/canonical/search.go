package canonical

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/plan"
)

// Depth-first search over the canonical plans of a component.
//
// Each candidate is either placed now or postponed. If its placement has failed, the canonical bound passes it,
// so it waits until another buffer raises it. To infer from that alone, before the next candidate is placed, often
// ends the node. The bounds that it tightens also serve all later candidates. This is postponement ("schedule or
// postpone" in Le Pape, Couronné, Vergamini and Gosselin 1994).
//
// Invariant: if search fails, it restores the state. Bounds are an exception if the trail was dropped.
//
// search returns exhausted only if nothing below was left undone. After a limit, or if the trail was dropped, it does
// not.

// component is a set of unplaced buffers that no open cut divides: all buffers whose extents are within its sections.
// It needs no list, because buffers are numbered by where they begin.
type component struct {
	first, last Section // their sections [first, last)
	// The canonical bound: the next placement is at or above (off, rank).
	off  int64
	rank int32
}

// search explores the completions of a component that has passed infer. If it returns solved, best holds the offsets.
func (k *Kernel) search(c component) common.Outcome {
	if !k.any(c) {
		return common.Solved
	}
	if k.Nodes >= k.nodeLimit {
		return common.Aborted
	}
	k.Nodes++
	if k.Nodes&(k.limits.TickEvery-1) == 0 {
		k.Tick()
	}
	if k.over() {
		return common.Aborted
	}
	if invariants.Enabled {
		k.check(c)
	}
	if k.isStack(c) {
		return k.stack(c)
	}
	key, known := k.recall(c)
	if known {
		return common.Exhausted
	}
	if r := k.tryEach(c); r != common.Exhausted {
		return r
	}
	k.Proof.refuted()
	k.Backtracks++
	k.remember(c, key)
	return common.Exhausted
}

// tryEach places one candidate of c after the other and searches on from there. Usually the first candidate is the
// only one, so it is looked for by itself.
func (k *Kernel) tryEach(c component) common.Outcome {
	ceiling := k.ceiling(c)
	j, lowest := k.firstOf(c)
	if k.sw.Dominance {
		ceiling = min(ceiling, lowest-1)
	}
	if !k.sw.DynamicOrdering {
		return k.tryRest(c, ceiling, common.Nobody)
	}
	if j == common.Nobody || k.lb[j] > ceiling {
		return k.through()
	}
	r, covered := k.try(c, j)
	if r != common.Exhausted || !covered && k.sw.Hatless {
		return r
	}
	return k.tryRest(c, ceiling, j)
}

// through returns the outcome of a component after all of its candidates have failed.
func (k *Kernel) through() common.Outcome {
	if k.late() {
		return common.Aborted // an inference may have been left undone
	}
	return common.Exhausted
}

// firstOf returns the first candidate of c, or nobody. It also returns the least top that any unplaced buffer could
// have. If a plan places the next buffer at or above that top, another buffer could fill the gap below. So a lower
// plan is found elsewhere (dominance, section 6.3). firstOf sets calm if all other buffers come after the candidate:
// then no buffer waits once it is placed.
func (k *Kernel) firstOf(c component) (first common.Buffer, lowest int64) {
	first, lowest = common.Nobody, k.limit+1
	least, passed := int64(math.MaxInt64), int64(math.MaxInt64)
	lb := k.lb
	size := k.size[:len(lb)]
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			j := w<<6 + common.Buffer(bits.TrailingZeros64(rest))
			o := lb[j]
			lowest = min(lowest, o+size[j])
			if o > least {
				continue
			}
			if k.waiting.has(j) || !k.eligible(j) {
				passed = min(passed, o)
			} else if o < least || k.ranks.of[j] < k.ranks.of[first] {
				first, least = j, o
			}
		}
	}
	k.waiting.calm = passed > least
	return first, lowest
}

// eligible reports whether inference and symmetry allow j to lie at its least offset.
func (k *Kernel) eligible(j common.Buffer) bool {
	return k.inf[j] <= k.lb[j] && !(k.sw.Symmetry && k.of[j].twin != common.Nobody && !k.placed(k.of[j].twin))
}

// less reports whether buffer i is tried before buffer j.
func (k *Kernel) less(i, j common.Buffer) bool {
	if k.sw.DynamicOrdering && k.lb[i] != k.lb[j] {
		return k.lb[i] < k.lb[j]
	}
	return k.ranks.of[i] < k.ranks.of[j]
}

// few is the number of candidates that are looked for at once. The array is on the stack of the search, so its memory
// does not grow with the square of the buffers.
const few = 32

// tryRest is tryEach for the candidates after j, or for all candidates if j is nobody.
func (k *Kernel) tryRest(c component, ceiling int64, j common.Buffer) common.Outcome {
	postpones := k.sw.Postponement && k.sw.DynamicOrdering && k.sw.Canonical
	var kept keptWaiting
	if postpones {
		c.off, c.rank = k.lb[j], k.ranks.of[j]
		k.findWaiting(c)
		kept.save(k, c)
	}
	tried := j != common.Nobody
	var queue [few]common.Buffer
	for {
		next := k.following(c, ceiling, j, queue[:0])
		for _, i := range next {
			if postpones {
				kept.mark(j)
			}
			j = i
			if !k.eligible(j) {
				continue
			}
			if tried && postpones {
				c.off, c.rank = k.lb[j], k.ranks.of[j]
				kept.restore(k, c)
				if !k.infer(c) {
					k.runs.clean()
					return k.through()
				}
				if !k.eligible(j) {
					continue
				}
			}
			tried, k.waiting.calm = true, false
			r, covered := k.try(c, j)
			if r != common.Exhausted || !covered && k.sw.Hatless && k.sw.DynamicOrdering {
				return r
			}
		}
		if len(next) < few {
			return k.through()
		}
	}
}

// following appends to queue the candidates of c that come next after the given buffer, up to the ceiling. It appends
// as many as queue has room for.
func (k *Kernel) following(c component, ceiling int64, after common.Buffer, queue []common.Buffer) []common.Buffer {
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			j := w<<6 + common.Buffer(bits.TrailingZeros64(rest))
			if k.lb[j] > ceiling || after != common.Nobody && !k.less(after, j) || k.sw.Canonical && k.waits(c, j) {
				continue
			}
			p := len(queue)
			if p < cap(queue) {
				queue = append(queue, j)
			} else if p--; !k.less(j, queue[p]) {
				continue
			}
			for ; p > 0 && k.less(j, queue[p-1]); p-- {
				queue[p] = queue[p-1]
			}
			queue[p] = j
		}
	}
	return queue
}

// try places candidate j of c and searches on. covered says whether some unplaced buffer may still lie on top of j,
// because the two overlap in time.
//
// If the search fails, try takes the placement back. If the search succeeds, try leaves it: the parts that are still to
// be searched do not depend on it, and a caller that goes further back undoes it. In a huge partition try takes it back
// all the same, to keep the trail short. After a limit try takes nothing back: no search goes on from here, and the
// next run begins with a reset.
func (k *Kernel) try(c component, j common.Buffer) (r common.Outcome, covered bool) {
	if k.Dominates() && k.beaten(k.setOf(c)&^(1<<j), j) {
		return common.Exhausted, true
	}
	at := k.now()
	var before snapshot
	if invariants.Enabled {
		before = k.snap()
	}
	r = common.Exhausted
	c.off, c.rank = k.lb[j], k.ranks.of[j]
	k.Proof.asks(j, c.off)
	covered, ok := k.place(j)
	if k.Tell != nil {
		k.say(plan.MovePlace, j)
	}
	if ok {
		r = k.descend(c, j)
	} else {
		k.Proof.refuted()
	}
	over := k.late()
	if r == common.Exhausted && (over || k.lost(at)) {
		r = common.Aborted
	}
	if r == common.Aborted || r == common.Solved && (over || !k.huge) {
		return r, covered
	}
	k.undo(at)
	if invariants.Enabled {
		k.restored(before)
	}
	if k.Tell != nil && r == common.Exhausted {
		k.say(plan.MoveBack, j)
	}
	return r, covered
}

// descend searches on after j has been placed. c is what was the component of j, without j.
func (k *Kernel) descend(c component, j common.Buffer) common.Outcome {
	if k.sw.Decomposition {
		if bounds := k.openCuts(c, j); len(bounds) > 0 {
			return k.searchParts(c, bounds)
		}
	}
	k.whoWaits(c, k.waiting.calm)
	if !k.infer(c) {
		k.Proof.refuted()
		return common.Exhausted
	}
	return k.search(c)
}

// ceiling returns the highest offset that the next placement may have:
//
//	ceiling = limit - max over sections of total(s)
//
// All that is unplaced in a section lies at or above that offset. This is the paper's section inference with its
// monotonic floor, asked before a placement is applied rather than after.
func (k *Kernel) ceiling(c component) int64 {
	if !k.sw.CheapReject {
		return k.limit
	}
	var most int64
	for _, t := range k.total[c.first:c.last] {
		most = max(most, t)
	}
	return k.limit - most
}
