package session

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a search over ejections asks again and again which offsets the placed buffers forbid to another one. It needs
// these ranges in the order of their lower ends, and in the order of their upper ends. A buffer at offset a with top
// t forbids the range (a - size, t). So if no buffer has gaps, these orders are those of the buffers' own ends, for
// any other buffer. Two lists are kept in these orders, and a question reads each once, without a sort.
//
//	by lower end   [b][a][c]     read once: the lower ends of the ranges, in order
//	by top         [b][c][a]     read once: the upper ends of the ranges, in order
//
// Invariant: both lists have each placed buffer once, in the order of its end and, if equal, of its index. So what a
// search finds does not depend on the order in which buffers came.
//
// Complexity: O(n) for a question or a change. An entry has all that a question needs, so it reads memory in a row.
//
// Sorting for each question took most of the time (docs/lab/session.md).

// A shelf has the placed buffers in two orders.
type shelf struct {
	byLow, byTop []shelved
	gaps         bool // some buffer has gaps: the lists are not kept
}

// A shelved is a placed buffer: its bytes and its life.
type shelved struct {
	at, top int64
	life    life
	buffer  int32
}

func shelvedLow(a, b shelved) int { return inOrder(a.at, b.at, a.buffer, b.buffer) }
func shelvedTop(a, b shelved) int { return inOrder(a.top, b.top, a.buffer, b.buffer) }

func inOrder(x, y int64, i, j int32) int {
	if x != y {
		return cmp.Compare(x, y)
	}
	return int(i - j)
}

// fill puts all buffers of a session that have an offset on the shelf.
func (h *shelf) fill(s *Session, at []int64) {
	h.byLow, h.byTop, h.gaps = h.byLow[:0], h.byTop[:0], false
	for i := range s.p.Buffers {
		b := &s.p.Buffers[i]
		if h.gaps = h.gaps || len(b.Gaps) > 0; h.gaps {
			return
		}
		if at[i] != away {
			h.byLow = append(h.byLow, shelved{at[i], at[i] + b.Size, s.life[i], int32(i)})
		}
	}
	h.byTop = append(h.byTop, h.byLow...)
	slices.SortFunc(h.byLow, shelvedLow)
	slices.SortFunc(h.byTop, shelvedTop)
}

// add puts a buffer on the shelf.
func (h *shelf) add(i int32, b *model.Buffer, at int64) {
	if h.gaps {
		return
	}
	e := shelved{at, at + b.Size, life{b.Lower, b.Upper}, i}
	h.byLow, h.byTop = with(h.byLow, e, shelvedLow), with(h.byTop, e, shelvedTop)
}

// remove takes a buffer off the shelf.
func (h *shelf) remove(i int32, b *model.Buffer, at int64) {
	if h.gaps {
		return
	}
	e := shelved{at: at, top: at + b.Size, buffer: i}
	h.byLow, h.byTop = without(h.byLow, e, shelvedLow), without(h.byTop, e, shelvedTop)
}

// with inserts an entry into a list in order, and without deletes one that the list has.
func with[E any](list []E, e E, order func(a, b E) int) []E {
	k, _ := slices.BinarySearchFunc(list, e, order)
	return slices.Insert(list, k, e)
}

func without[E any](list []E, e E, order func(a, b E) int) []E {
	k, _ := slices.BinarySearchFunc(list, e, order)
	return slices.Delete(list, k, k+1)
}

// bans appends the ranges that the placed buffers forbid to buffer i, which is not on the shelf: once by their lower
// ends, and once by their upper ends.
func (h *shelf) bans(low, high []ban, s *Session, i int32, at []int64) (byLower, byUpper []ban) {
	if h.gaps {
		low = s.bans(low, i, at)
		high = append(high, low...)
		slices.SortFunc(low, byLow)
		slices.SortFunc(high, byHigh)
		return low, high
	}
	l, size := s.life[i], s.p.Buffers[i].Size
	return meeting(low, h.byLow, l, size), meeting(high, h.byTop, l, size)
}

// meeting appends the ranges of the entries that are live during l. Each range is written, and counts only if its
// buffer is live then, so no branch can be mispredicted. Times are far from the ends of their type, so no difference
// overflows.
func meeting(bans []ban, list []shelved, l life, size int64) []ban {
	n := len(bans)
	bans = slices.Grow(bans, len(list))[:n+len(list)]
	for k := range list {
		e := &list[k]
		bans[n] = ban{e.at - size, e.top, e.buffer}
		n += int(uint64((e.life.lower-l.upper)&(l.lower-e.life.upper)) >> 63)
	}
	return bans[:n]
}

// within appends the buffers that share bytes of [from, to) with a buffer that is live during l.
func (h *shelf) within(list []int32, l life, from, to int64) []int32 {
	for k := range h.byLow {
		e := &h.byLow[k]
		if e.at >= to {
			break
		}
		if e.top > from && e.life.lower < l.upper && l.lower < e.life.upper {
			list = append(list, e.buffer)
		}
	}
	return list
}
