package exact

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Static preorderings rank the buffers of a component by a string of keys, each
// descending, ties by index: A area, C sections, L lower, O overlaps, T the
// largest total of a section, U upper, W width, Z size. The rank breaks ties of
// offset in the canonical order and so decides which of several plans with the
// same set of placed buffers is explored.
//
// T reads what is unplaced, so it changes as search goes on: where a component
// splits, its parts are ranked anew.
//
// Source: MiniMalloc, section 7 and google/minimalloc (PreorderingComparator).

// orderKeys are the keys of a buffer that do not change.
type orderKeys struct {
	areaHi, areaLo uint64 // size × width, 128 bits
	sections       int64
	lower          int64
	overlaps       int64
	upper          int64
	width          int64
	size           int64
}

func (k *kernel) initKeys(tl *timeline.Timeline) {
	// Overlaps: all others, less those that end before and those that start
	// after. With gaps this counts extents, which is all that an order needs.
	begins := make([]int32, k.m+1) // begins[s]: extents that begin before s
	ends := make([]int32, k.m+1)   // ends[s]: extents that end at or before s
	for j := range k.n {
		begins[k.first[j]+1]++
		ends[k.last[j]]++
	}
	for s := Section(1); s <= k.m; s++ {
		begins[s] += begins[s-1]
		ends[s] += ends[s-1]
	}
	for j, i := range k.id {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		b := &tl.Problem.Buffers[i]
		hi, lo := bits.Mul64(uint64(b.Size), uint64(b.Upper-b.Lower))
		k.keys[j] = orderKeys{
			areaHi: hi, areaLo: lo,
			sections: int64(k.last[j] - k.first[j]),
			lower:    b.Lower, upper: b.Upper, width: b.Upper - b.Lower, size: b.Size,
			overlaps: int64(begins[k.last[j]] - ends[k.first[j]] - 1),
		}
	}
}

// rankAll ranks the buffers of a component by the static preordering in use and
// logs the old ranks.
func (k *kernel) rankAll(c component) {
	list := k.listOf(c)
	if k.sw.preordering {
		for _, j := range list {
			if k.huge && k.late() {
				return
			}
			k.totals[j] = k.maxTotal(j)
		}
		k.sortBy(list, k.before)
	}
	for r, j := range list {
		k.rankLog = append(k.rankLog, rankChange{j, k.rank[j]})
		k.rank[j] = int32(r)
	}
}

// maxTotal returns the largest total of buffer j's sections.
func (k *kernel) maxTotal(j Buffer) int64 {
	var most int64
	for x := Piece(j); x != none; x = k.next[x] {
		for _, t := range k.total[k.span[x].first:k.span[x].last] {
			most = max(most, t)
		}
	}
	return most
}

// before orders two buffers by the static preordering.
func (k *kernel) before(i, j Buffer) bool {
	a, b := &k.keys[i], &k.keys[j]
	for at := range len(k.order) {
		var x, y int64
		switch k.order[at] {
		case 'A':
			if a.areaHi != b.areaHi {
				return a.areaHi > b.areaHi
			}
			if a.areaLo != b.areaLo {
				return a.areaLo > b.areaLo
			}
		case 'C':
			x, y = a.sections, b.sections
		case 'L':
			x, y = a.lower, b.lower
		case 'O':
			x, y = a.overlaps, b.overlaps
		case 'T':
			x, y = k.totals[i], k.totals[j]
		case 'U':
			x, y = a.upper, b.upper
		case 'W':
			x, y = a.width, b.width
		case 'Z':
			x, y = a.size, b.size
		}
		if x != y {
			return x > y
		}
	}
	return k.id[i] < k.id[j]
}
