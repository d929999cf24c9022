package canonical

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// A static preordering ranks the buffers of a component by a string of keys, each descending, with ties by index:
//
//	A area   C sections   L lower   O overlaps   T largest total of a section   U upper   W width   Z size
//
// The rank breaks ties of offset in the canonical order. So it decides which of several plans with the same set of
// placed buffers is explored.
//
// T reads what is unplaced, so it changes during search: if a component splits, its parts are ranked anew. The other
// keys never change, so what they say about two buffers is computed once, as a tie. A network is split at every other
// buffer, and most of the time of planning an easy one was sorting.
//
// Source: MiniMalloc, section 7 and google/minimalloc (PreorderingComparator).

// rankAll ranks the buffers of a component by the static preordering in use and
// logs the old ranks.
func (k *Kernel) rankAll(c component) {
	list := k.listOf(c)
	if k.sw.Preordering {
		for _, j := range list {
			if k.huge && k.late() {
				return
			}
			k.totals[j] = k.maxTotal(j)
			if k.score != nil {
				k.totals[j] = ordered(k.score(j, k.totals[j]))
			}
		}
		if k.tied {
			k.byRank(list)
			k.sortBy(list, func(i, j common.Buffer) bool {
				return k.totals[i] > k.totals[j] || k.totals[i] == k.totals[j] && k.tie[i] < k.tie[j]
			})
		} else {
			k.sortBy(list, k.before)
		}
	}
	for r, j := range list {
		k.rankLog = append(k.rankLog, rankChange{j, k.rank[j]})
		k.rank[j] = int32(r)
	}
}

// byRank sorts a list by the ranks that its buffers have, unless the list is much shorter than the list it was a part
// of. Most of it stays in that order, so the sort that follows is quick.
func (k *Kernel) byRank(list []common.Buffer) {
	most := int32(0)
	for _, j := range list {
		most = max(most, k.rank[j]+1)
	}
	if int(most) > 4*len(list) {
		return
	}
	slots := k.sorted[:most]
	for r := range slots {
		slots[r] = common.Nobody
	}
	for _, j := range list {
		if slots[k.rank[j]] != common.Nobody {
			return // ranks of several components
		}
		slots[k.rank[j]] = j
	}
	list = list[:0]
	for _, j := range slots {
		if j != common.Nobody {
			list = append(list, j)
		}
	}
}

// breakTies computes the order of buffers with equal totals, if the total is the first key. Equal scores are ordered by
// index.
func (k *Kernel) breakTies(c component) {
	k.tied = k.score != nil || len(k.order) > 0 && k.order[0] == 'T'
	if !k.tied || !k.sw.Preordering {
		return
	}
	list := k.listOf(c)
	if k.score == nil {
		whole := k.order
		k.order = k.order[1:]
		k.sortBy(list, k.before)
		k.order = whole
	}
	for r, j := range list {
		k.tie[j], k.rank[j] = int32(r), int32(r)
	}
}

// ordered turns a score into a whole number with the same order.
func ordered(score float64) int64 { return int64(score * (1 << 32)) }

// maxTotal returns the largest total of buffer j's sections.
func (k *Kernel) maxTotal(j common.Buffer) int64 {
	var most int64
	for x := Piece(j); x != none; x = k.next[x] {
		for _, t := range k.total[k.span[x].first:k.span[x].last] {
			most = max(most, t)
		}
	}
	return most
}

// before orders two buffers by the static preordering. The overlaps of a buffer are all others, less those that end
// before it and those that start after it. With gaps these are extents, which is all that an order needs.
func (k *Kernel) before(i, j common.Buffer) bool {
	a, b := &k.buffers[k.id[i]], &k.buffers[k.id[j]]
	f, g := &k.of[i], &k.of[j]
	for at := range len(k.order) {
		var x, y int64
		switch k.order[at] {
		case 'A':
			hi, lo := bits.Mul64(uint64(a.Size), uint64(a.Upper-a.Lower))
			other, low := bits.Mul64(uint64(b.Size), uint64(b.Upper-b.Lower))
			if hi != other {
				return hi > other
			}
			if lo != low {
				return lo > low
			}
		case 'C':
			x, y = int64(f.last-f.first), int64(g.last-g.first)
		case 'L':
			x, y = a.Lower, b.Lower
		case 'O':
			x, y = int64(k.begins[f.last]-k.ends[f.first]), int64(k.begins[g.last]-k.ends[g.first])
		case 'T':
			x, y = k.totals[i], k.totals[j]
		case 'U':
			x, y = a.Upper, b.Upper
		case 'W':
			x, y = a.Upper-a.Lower, b.Upper-b.Lower
		case 'Z':
			x, y = a.Size, b.Size
		}
		if x != y {
			return x > y
		}
	}
	return k.id[i] < k.id[j]
}
