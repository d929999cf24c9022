package session

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a placed buffer forbids offsets to another one that is live at the same time: those at which
// the two share bytes. These are open ranges. A union of ranges leaves gaps, and each gap that
// holds a multiple of the alignment is room.
//
//	offsets of x    0 ──────────────── capacity - size of x
//	forbidden         (── a ──)  (─ b ─)
//	room            ──         ──       ────
//
// Buffers with gaps in their lives give a range for each pair of pieces that meet.
//
// Complexity: O(n) to find the live buffers, and O(k log k) for k forbidden ranges.

// A ban is a range of offsets that a buffer forbids to another: all offsets between low and high, without these two.
type ban struct {
	low, high int64
	buffer    int32
}

// bans appends the ranges that placed buffers forbid to buffer i of the session, given all offsets.
func (s *Session) bans(list []ban, i int32, at []int64) []ban {
	x, l := &s.p.Buffers[i], s.life[i]
	for j, m := range s.life {
		if m.lower >= l.upper || l.lower >= m.upper || int32(j) == i || at[j] == away {
			continue
		}
		b := &s.p.Buffers[j]
		if len(b.Gaps) == 0 && len(x.Gaps) == 0 {
			list = append(list, ban{at[j] - x.Size, at[j] + b.Size, int32(j)})
			continue
		}
		list = pieceBans(list, x, b, at[j], int32(j))
	}
	return list
}

// pieceBans does the work of bans if one of the two buffers has gaps. The ranges of one buffer are disjoint.
func pieceBans(list []ban, x, b *model.Buffer, at int64, j int32) []ban {
	from := len(list)
	for mine := range x.Pieces {
		for other := range b.Pieces {
			if mine.Lower < other.Upper && other.Lower < mine.Upper {
				list = append(list, ban{at + other.From - mine.To, at + other.To - mine.From, j})
			}
		}
	}
	own := list[from:]
	slices.SortFunc(own, byLow)
	kept := from
	for k := from; k < len(list); k++ {
		if kept > from && list[k].low < list[kept-1].high { // they share an offset, or meet in none between
			list[kept-1].high = max(list[kept-1].high, list[k].high)
			continue
		}
		list[kept] = list[k]
		kept++
	}
	return list[:kept]
}

func byLow(a, b ban) int {
	if a.low != b.low {
		return cmp.Compare(a.low, b.low)
	}
	return byHigh(a, b)
}

// allowed reports whether a buffer may lie at an offset, given its bans and a capacity.
func allowed(b *model.Buffer, bans []ban, offset, capacity int64) bool {
	if offset < 0 || offset%b.Align() != 0 || capacity > 0 && offset > capacity-b.Size {
		return false
	}
	return (b.Fixed == nil || offset == *b.Fixed) && outside(bans, offset)
}

// outside reports whether no ban has an offset.
func outside(bans []ban, offset int64) bool {
	for k := range bans {
		if bans[k].low < offset && offset < bans[k].high {
			return false
		}
	}
	return true
}

// bestFit returns the offset in the smallest gap that has room for the buffer. Room above all others counts as
// the largest gap. It sorts the bans. ok is false if there is no room.
func bestFit(b *model.Buffer, bans []ban, capacity int64) (offset int64, ok bool) {
	if b.Fixed != nil {
		return *b.Fixed, allowed(b, bans, *b.Fixed, capacity)
	}
	slices.SortFunc(bans, byLow)
	align, top := b.Align(), int64(0)
	best, gap := int64(away), int64(0)
	for k := range bans {
		if low := bans[k].low; low >= top {
			if first := bound.Up(top, align); first <= low && (best == away || low-top < gap) {
				best, gap = first, low-top
			}
		}
		top = max(top, bans[k].high)
	}
	if best == away {
		best = bound.Up(top, align)
	}
	return best, capacity == 0 || best <= capacity-b.Size
}
