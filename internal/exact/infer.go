package exact

// infer tightens the lower bounds of a component after a placement and reports
// whether a completion may still exist. It is the one place that knows the
// order of the inferences; each is in a file of its own:
//
//	section.go      the paper's section inference
//	lifting.go      buffers under the canonical bound must be raised by others
//	notfirst.go     buffers that cannot be lowest in a section
//	suffixbound.go  what cannot lie below a level fits above it
//
// inf holds the bounds. They stay valid below this node, so they are inherited
// and only ever rise; the trail restores them.
//
// The inferences feed one another, so they are repeated until nothing changes,
// but not more than maxRounds times: later rounds find less. Some bounds creep
// up round by round; to go on until they rest (tried: 20 and 64) saves nodes on
// two instances of the challenging suite and doubles the time of the hardest.

// infer tightens the bounds of c. The trail from position from on, and the
// placement of j where that is not negative, are what has changed since the
// component was last inferred.
func (k *kernel) infer(c component, from int, j int32) bool {
	if len(c.list) == 0 {
		return true
	}
	if !k.sw.suffixBound && !k.sectionsFit(c) {
		return false
	}
	k.clamp = 0
	everything := false
	if k.sw.monotonicFloor && !(k.sw.lifting && k.sw.canonical) {
		k.clamp, everything = c.off, true
	}
	const maxRounds = 10
	for round := range maxRounds {
		if k.sw.lifting && k.sw.canonical && !k.lift(c) {
			return false
		}
		if !k.sw.suffixBound && !k.sw.notFirst {
			return true
		}
		if k.plain {
			if round == 0 && k.sw.suffixBound && !k.hotFit(c) {
				return false
			}
			k.soil(c, from, j)
			if everything {
				k.soilAll(c)
			}
			from, j = len(k.trail), -1
			if !k.press(c) {
				return true
			}
		}
		if k.sw.suffixBound && !k.suffixesFit(c) {
			return false
		}
		if !k.sw.notFirst {
			return true
		}
		changed, ok := k.notFirst(c)
		if !ok {
			return false
		}
		if !changed {
			return true
		}
	}
	return true
}

// bound returns the lower bound that inference may use for j: its inferred one
// and, with the monotonic floor, the offset just placed. With lifting on, the
// inferred bounds of all unplaced buffers have reached that already.
func (k *kernel) bound(j int32) int64 { return max(k.inf[j], k.clamp) }

// tighten raises the inferred bound of j and reports whether j can lie there.
func (k *kernel) tighten(j int32, to int64) bool {
	to = k.alignUp(j, to)
	k.set(int32(k.n)+j, to)
	return to <= k.ub[j]
}
