package canonical

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
// but not more than maxRounds times: later rounds cost as much as early ones
// and find less.
var infers int

func (k *kernel) infer(c component) bool {
	infers++
	if len(c.list) == 0 {
		return true
	}
	if !k.sw.suffixBound && !k.sectionsFit(c) {
		return false
	}
	const maxRounds = 4
	for range maxRounds {
		if k.sw.lifting && k.sw.canonical {
			if _, ok := k.lift(c); !ok {
				return false
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
// and, with the monotonic floor, the offset just placed.
func (k *kernel) bound(c component, j int32) int64 {
	if k.sw.monotonicFloor {
		return max(k.inf[j], c.off)
	}
	return k.inf[j]
}

// tighten raises the inferred bound of j and reports whether j can lie there.
func (k *kernel) tighten(j int32, to int64) bool {
	to = k.alignUp(j, to)
	k.set(int32(k.n)+j, to)
	return to <= k.ub[j]
}
