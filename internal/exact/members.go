package exact

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: the members of each section are kept in a list of its own, the unplaced
// ones before the placed ones and in ascending order of where they start. The
// order is not restored when a bound returns: whoever reads a list sorts it, and
// since little has changed from one look to the next, insertion takes a step or
// two. Those that are placed go behind the others, the latest in front, where
// they are found again when it is taken back.
//
// Invariant: a section's list is a permutation of its members.
//
// Complexity: O(live members + steps).

// maxMembers bounds the table of who is in which section: 32 MiB. Beyond it
// there is none, and the inferences that go through it, or through as much, are
// off.
const maxMembers = 1 << 23

// initMembers lists the pieces of each section.
func (k *kernel) initMembers(*timeline.Timeline, *timeline.Partition) {
	var incidences int
	for x := range k.span {
		incidences += int(k.span[x].last - k.span[x].first)
	}
	if incidences > maxMembers {
		k.sw.suffixBound, k.sw.notFirst, k.sw.unallocatedFloor = false, false, false
		return
	}
	k.memberAt = make([]int32, k.m+2)
	at := k.memberAt[1:]
	for x := range k.span {
		for s := k.span[x].first; s < k.span[x].last; s++ {
			at[s+1]++
		}
	}
	for s := range k.m {
		at[s+1] += at[s]
	}
	k.members = make([]Piece, incidences)
	for x := range k.span {
		for s := k.span[x].first; s < k.span[x].last; s++ {
			k.members[at[s]] = Piece(x)
			at[s]++
		}
	}
}

// sortMembers brings the first live entries of a list into order; those before
// from are.
func (k *kernel) sortMembers(list []Piece, from, live int) {
	apart, blocks := k.apart[:0], k.block
	to := from
	for r := from; to < live; r++ {
		x := list[r]
		start := blocks[x].start
		if start == gone {
			apart = append(apart, x)
			continue
		}
		p := to
		for ; p > 0; p-- {
			y := list[p-1]
			if blocks[y].start <= start {
				break
			}
			list[p] = y
		}
		list[p] = x
		to++
	}
	copy(list[live:], apart)
	k.apart = apart
}
