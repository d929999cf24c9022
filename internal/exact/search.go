package exact

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

// component is a set of unplaced buffers that no cut divides.
type component struct {
	list        []Buffer // in the order in which they are tried
	first, last Section  // their sections [first, last)
	// Whatever is placed next lies at or above (off, rank) in the canonical
	// order.
	off  int64
	rank int32
	// slack orders the parts of a split.
	slack int64
}

// tickEvery is how many nodes pass between reports of progress.
const tickEvery = 1 << 12

// search explores the completions of a component that has passed infer. Where
// it returns solved, best holds the offsets.
func (k *kernel) search(c component) outcome {
	if len(c.list) == 0 {
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
	lowest := k.lowestTop(c)
	sorted := k.sw.dynamicOrdering
	postpones := k.sw.postponement && sorted && k.sw.canonical
	at := k.mark()
	tried := false
	for i, j := range c.list {
		o := k.lb[j]
		if k.sw.canonical && (o < c.off || o == c.off && k.rank[j] < c.rank) {
			continue
		}
		// In sorted order, every later candidate is as high or higher.
		if k.sw.dominance && o >= lowest || o > ceiling {
			if sorted {
				break
			}
			continue
		}
		if k.inf[j] > o || k.sw.symmetry && k.twin[j] >= 0 && !k.placed[k.twin[j]] {
			continue
		}
		if tried && postpones {
			c.off, c.rank = o, k.rank[j]
			if !k.infer(c, at.trail, nobody) {
				break
			}
			at = k.mark()
			if k.inf[j] > o {
				continue
			}
		}
		tried = true
		r, hat := k.try(c, i, at)
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

// try places candidate i of c, searches on, and takes the placement back. It
// reports hat, whether anything unplaced overlaps the candidate.
func (k *kernel) try(c component, i int, at mark) (r outcome, hat bool) {
	j := c.list[i]
	o, rank := k.lb[j], k.rank[j]
	r = exhausted
	before := k.snap()
	list, hat, ok := k.place(c.list, i)
	if ok {
		r = k.descend(component{list: list, first: c.first, last: c.last, off: o, rank: rank}, j, at.trail)
	}
	k.undo(at, j)
	k.restored(before)
	// Where there is an answer, nobody reads the list again.
	if r == exhausted && len(c.list) > shareAbove {
		k.rebuild(c)
	}
	return r, hat
}

// descend goes on below the placement of j: c is what was j's component,
// without j, and from the position of the trail before the placement.
func (k *kernel) descend(c component, j Buffer, from int) outcome {
	if k.sw.decomposition {
		if bounds := k.openCuts(c, j); len(bounds) > 0 {
			return k.searchParts(c, bounds, j, from)
		}
	}
	if !k.infer(c, from, j) {
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

// lowestTop returns the least top that any unplaced buffer could have. A plan
// that places the next buffer at or above it leaves a gap that this buffer
// could fill, so a lower plan is found elsewhere (dominance, section 6.3).
func (k *kernel) lowestTop(c component) int64 {
	least := k.limit + 1
	for _, j := range c.list {
		least = min(least, k.lb[j]+k.size[j])
	}
	return least
}
