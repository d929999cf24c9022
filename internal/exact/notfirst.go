package exact

import "math"

// Idea: if buffer j's bound plus everything unplaced in one of its sections
// exceeds the limit, j cannot be the lowest there: some other buffer c of the
// section lies under it, so j starts no lower than the least bound + size of
// the others.
//
// The least and the second least end of the section come from the pass of the
// suffix bound. In order, those that cannot be lowest are the ones from some
// place on, and those that start at the second least end or above stay where
// they are: mostly there is nobody between.
//
// Tried and dropped, on the challenging suite: the rule for the sets of buffers
// that end highest (4% fewer nodes on A, 7% on K, under 1% elsewhere, at twice the
// time); and all of disjunctive propagation with latest as well as earliest
// offsets (overload check, detectable precedences, not-first and not-last for
// sets), which left the nodes within 2% of the former's.
//
// Complexity: O(live members).
// Source: the not-first rule of disjunctive scheduling (Carlier and Pinson
// 1990), for whole sections; its use here is Stowage's.

// notFirst raises the bounds of those members of a section, in order, that start
// above slack, of which the two least ends are given. It reports false where one
// was raised out of reach.
func (k *kernel) notFirst(list []Piece, slack, least, second int64) bool {
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
