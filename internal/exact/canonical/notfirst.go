package canonical

import "math"

// Idea: a buffer j cannot be the lowest one of a section s if everything unplaced in s does not fit above it:
//
//	start(j) + total(s) > limit
//
// Then some other buffer of the section ends under j:
//
//	start(j) >= min over the others c of start(c) + size(c)
//
// The least and the second least end of a section come from the pass of the suffix bound. Members are in
// order of their starts. So the buffers that cannot be lowest are those from some place on. Buffers that
// start at the second least end or above stay where they are. Usually no buffer lies between the two.
//
// Complexity: O(live members).
//
// Source: the not-first rule of disjunctive scheduling (Carlier and Pinson 1990), for whole sections. Its
// use here is Stowage's.
//
// Trials: docs/lab/exact.md (the mirrored rule and full disjunctive propagation save few nodes and take longer).

// notFirst raises the bounds of the members in list, which is in order. Those that start above slack cannot be lowest;
// least and second are the two least ends. It returns false if a bound rises above the buffer's highest offset.
func (k *Kernel) notFirst(list []Piece, slack, least, second int64) bool {
	for _, x := range list {
		b := k.block[x]
		if b.start <= slack {
			continue
		}
		if b.start >= second {
			break
		}
		// The least end of the others: another buffer may end there too.
		other := least
		if b.start+b.size == least {
			other = second
		}
		if other > b.start && (other == math.MaxInt64 || !k.tighten(k.owner[x], other-k.span[x].lower)) {
			return false
		}
	}
	return true
}
