package exact

// infer tightens the lower bounds of a component after a placement and reports
// whether a completion may still exist. It is the one place that knows the
// order of the inferences; each is in a file of its own:
//
//	section.go      the paper's section inference
//	lifting.go      buffers under the canonical bound must be raised by others
//	hot.go          the sections that failed last, first
//	select.go       the sections that the next two look at
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
// Where the run is over, an inference over a huge partition stops midway and
// claims nothing.
const maxRounds = 10

// everything stands for the start of the trail: all bounds are new.
const everything = -1

// infer tightens the bounds of c. The trail from position from on, and the
// placement of j where that is not nobody, are what has changed since the
// component was last inferred.
func (k *kernel) infer(c component, from int, j Buffer) bool {
	if len(c.list) == 0 {
		return true
	}
	if !k.sw.suffixBound && !k.sectionsFit(c) {
		return false
	}
	lifts := k.sw.lifting && k.sw.canonical
	k.clamp = 0
	// A clamp raises bounds without a trace on the trail.
	clamps := k.sw.monotonicFloor && !lifts
	if clamps {
		k.clamp = c.off
	}
	for round := range maxRounds {
		if lifts && !k.lift(c) {
			return false
		}
		if !k.sw.suffixBound && !k.sw.notFirst {
			return true
		}
		if k.plain {
			if round == 0 && k.sw.suffixBound && !k.hotFit(c) {
				return false
			}
			if clamps {
				from = everything
			}
			k.markDirty(c, from, j)
			from, j = k.mark().trail, nobody
			if !k.selectSections(c) {
				return true
			}
		}
		if k.sw.suffixBound && !k.suffixesFit(c) {
			return false
		}
		if !k.sw.notFirst {
			return true
		}
		if changed, ok := k.notFirst(c); !ok || !changed {
			return ok
		}
	}
	return true
}

// bound returns the lower bound that inference may use for j: its inferred one
// and, with the monotonic floor, the offset just placed. With lifting on, the
// inferred bounds of all unplaced buffers have reached that already.
func (k *kernel) bound(j Buffer) int64 { return max(k.inf[j], k.clamp) }

// tighten raises the inferred bound of j and reports whether j can lie there.
func (k *kernel) tighten(j Buffer, to int64) bool {
	to = k.alignUp(j, to)
	k.set(int32(k.n+j), to)
	return to <= k.ub[j]
}
