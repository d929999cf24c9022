package canonical

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: each section has a list of its members. Unplaced members come before placed ones, and in ascending
// order of where they start. That order is not restored when a bound returns on backtracking: the reader of
// a list sorts it. Little changes between two readings, so insertion takes a step or two. Placed members
// go behind the others, the latest one in front. There they are found again when the placement is undone.
//
// Invariant: the list of a section is a permutation of its members.
//
// Complexity: O(live members + steps of insertion).

// memberLists has the members of the sections.
type memberLists struct {
	list  []Piece // of all sections, one after the other; nil if there are too many
	at    []int32 // per section: where its members begin
	apart []Piece // the scratch of sortMembers
}

func (l *memberLists) add(a *arrays) { a.list.Add(a.pieces, &l.apart) }

// of returns the members of section s.
func (l *memberLists) of(s Section) []Piece { return l.list[l.at[s]:l.at[s+1]] }

// maxMembers bounds the table of members: 32 MiB. A larger partition has no table, and the inferences that
// read it are off. The unallocated floor is off as well, since it takes as many steps.
const maxMembers = 1 << 23

// initMembers lists the pieces of each section.
func (k *Kernel) initMembers(*timeline.Timeline, *timeline.Partition) {
	var incidences int
	for x := range k.span {
		incidences += int(k.span[x].last - k.span[x].first)
	}
	if incidences > maxMembers {
		k.sw.SuffixBound, k.sw.NotFirst, k.sw.UnallocatedFloor = false, false, false
		return
	}
	k.members.at = make([]int32, k.m+2)
	at := k.members.at[1:]
	for x := range k.span {
		for s := k.span[x].first; s < k.span[x].last; s++ {
			at[s+1]++
		}
	}
	for s := range k.m {
		at[s+1] += at[s]
	}
	k.members.list = make([]Piece, incidences)
	for x := range k.span {
		for s := k.span[x].first; s < k.span[x].last; s++ {
			k.members.list[at[s]] = Piece(x)
			at[s]++
		}
	}
}

// sortMembers puts the first live entries of a list in ascending order of their starts. The entries before
// from are in order already.
func (k *Kernel) sortMembers(list []Piece, from, live int) {
	apart, blocks := k.members.apart[:0], k.block
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
	k.members.apart = apart
}
