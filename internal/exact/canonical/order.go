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
// T depends on the unplaced buffers, so it changes during search: if a component splits, its parts are ranked again.
// The other keys never change, so their order of two buffers is computed once, as a tie. A network is split at every
// other buffer, and most of the time of planning an easy one was sorting.
//
// Source: MiniMalloc, section 7 and google/minimalloc (PreorderingComparator).

// ranking has the preordering of a run, and the ranks that it gives.
type ranking struct {
	order string                                     // the keys
	score func(j common.Buffer, total int64) float64 // in place of the keys, if set (score.go)

	of  []int32      // per unplaced buffer: its place in its component, from 0
	log []rankChange // what undo takes back

	totals []int64 // per buffer: its key T, or its score
	tie    []int32 // per buffer: its place among those with the same total, if tied
	tied   bool    // T or a score counts first
}

// rankChange is an entry of the log: the rank of j was old.
type rankChange struct {
	j   common.Buffer
	old int32
}

func (r *ranking) add(a *arrays) {
	a.numbers.Add(a.n, &r.totals)
	a.counts.Add(a.n, &r.of, &r.tie)
	r.log = make([]rankChange, 0, a.n)
}

// undo takes back the changes after the first n of the log.
func (r *ranking) undo(n int) {
	for i := len(r.log) - 1; i >= n; i-- {
		r.of[r.log[i].j] = r.log[i].old
	}
	r.log = r.log[:n]
}

// rankAll ranks the buffers of a component by the static preordering in use and logs the old ranks.
func (k *Kernel) rankAll(c component) {
	list := k.listOf(c)
	if k.sw.Preordering {
		for _, j := range list {
			if k.huge && k.late() {
				return
			}
			k.ranks.totals[j] = k.maxTotal(j)
			if k.ranks.score != nil {
				k.ranks.totals[j] = ordered(k.ranks.score(j, k.ranks.totals[j]))
			}
		}
		if k.ranks.tied {
			k.byRank(list)
			k.sortBy(list, func(i, j common.Buffer) bool {
				return k.ranks.totals[i] > k.ranks.totals[j] || k.ranks.totals[i] == k.ranks.totals[j] &&
					k.ranks.tie[i] < k.ranks.tie[j]
			})
		} else {
			k.sortBy(list, k.before)
		}
	}
	for r, j := range list {
		k.ranks.log = append(k.ranks.log, rankChange{j, k.ranks.of[j]})
		k.ranks.of[j] = int32(r)
	}
}

// byRank sorts a list by the ranks that its buffers have from an earlier, longer list. It does nothing if that list was
// much longer. Most of the list stays in that order, so the sort that follows is quick.
func (k *Kernel) byRank(list []common.Buffer) {
	most := int32(0)
	for _, j := range list {
		most = max(most, k.ranks.of[j]+1)
	}
	if int(most) > 4*len(list) {
		return
	}
	slots := k.sorted[:most]
	for r := range slots {
		slots[r] = common.Nobody
	}
	for _, j := range list {
		if slots[k.ranks.of[j]] != common.Nobody {
			return // ranks of several components
		}
		slots[k.ranks.of[j]] = j
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
	k.ranks.tied = k.ranks.score != nil || len(k.ranks.order) > 0 && k.ranks.order[0] == 'T'
	if !k.ranks.tied || !k.sw.Preordering {
		return
	}
	list := k.listOf(c)
	if k.ranks.score == nil {
		whole := k.ranks.order
		k.ranks.order = k.ranks.order[1:]
		k.sortBy(list, k.before)
		k.ranks.order = whole
	}
	for r, j := range list {
		k.ranks.tie[j], k.ranks.of[j] = int32(r), int32(r)
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
	for at := range len(k.ranks.order) {
		var x, y int64
		switch k.ranks.order[at] {
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
			x, y = k.ranks.totals[i], k.ranks.totals[j]
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
