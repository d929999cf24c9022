package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a buffer with a fixed offset is an obstacle. A buffer that does not fit under it lies above it. So the fixed
// buffers that j overlaps leave it ranges of offsets, its holes:
//
//	offset
//	  ^   . . . . . . .        j has 3 bytes. f is fixed at 2 and g at 7, and
//	10|   +-----------+        both overlap j. So j lies at 10 or above, or at
//	  |   |     g     |        4, where it fits between the two. Under f is
//	 7|   +-----------+        no room for it: its least offset is 4 from the
//	  |                        start, and 10 as soon as it cannot lie at 4.
//	 4|   +-----------+
//	  |   |     f     |
//	 2|   +-----------+
//	  +---------------------> time
//
// The offsets that f forbids j are one range, or several if windows interlock (timeline.Forbid). The ranges between all
// of them, rounded to the alignment of j, are the holes of j. They do not depend on placements, so they are computed
// once. From then on, a bound of j that rises into a forbidden range goes on to the next hole:
//
//	lb(j), inf(j)  in a hole of j, the least that is not below what is known otherwise
//	ub(j)          in a hole of j, the highest that fits the capacity
//
// A bound passes any number of fixed buffers in one step. All other inferences start from these bounds: buffers that
// must lie above a fixed buffer count for the room above it (suffix bound), and a buffer that waits is raised past it
// (lifting).
//
// Invariant: lb and inf of a buffer are in its holes, or above ub.
//
// It removes no plan: an offset outside the holes collides with a fixed buffer. Least offsets stay what the canonical
// search needs: in the lowest plan, a buffer at the floor of a hole lies on the fixed buffer, which has a lower offset
// and so is placed before it.
//
// Complexity: O(fixed · others) once, and with gaps O(fixed²) at worst for each other buffer; O(log holes) for each
// bound that rises. Nothing if no buffer is fixed.
//
// Source: Stowage. In scheduling, these are the rules of unavailable periods.
//
// Trials: docs/lab/exact.md (three more rules about fixed buffers decided no more problems).

// holes has the ranges of offsets that the fixed buffers leave to the others.
type holes struct {
	any  bool    // some buffer has a hole that ends; if not, the rest is not set
	at   []int32 // per buffer: where its holes begin in list; a fixed buffer has none
	list []hole  // of all buffers, each buffer's in ascending order
}

// hole is a range of offsets, both ends included.
type hole struct{ low, high int64 }

// holesMost bounds the pairs of a fixed buffer and another buffer. A partition with more pairs has no holes.
const holesMost = 1 << 22

// boundless is where the highest hole of a buffer ends. No sum of sizes is as high.
const boundless = math.MaxInt64 / 4

// initHoles computes the holes of all buffers.
func (k *Kernel) initHoles(tl *timeline.Timeline, _ *timeline.Partition) {
	var fixed []common.Buffer
	for j := range k.of {
		if k.of[j].fixed {
			fixed = append(fixed, common.Buffer(j))
		}
	}
	if !k.sw.Holes || len(fixed) == 0 || len(fixed) > holesMost/int(k.n) {
		return
	}
	// Sorted by offset, so that without gaps the forbidden ranges come in order, too.
	k.sortBy(fixed, func(f, g common.Buffer) bool { return k.of[f].start+k.of[f].shift < k.of[g].start+k.of[g].shift })
	h := &k.holes
	h.at = make([]int32, k.n+1)
	var bans []timeline.Forbidden
	for j := range k.n {
		if k.huge && k.late() {
			return
		}
		if b := &k.of[j]; !b.fixed {
			bans = bans[:0]
			for _, f := range fixed {
				bans = k.forbid(bans, tl, f, j)
			}
			low := int64(0)
			for _, ban := range bans {
				h.open(b, low, ban.Above)
				low = max(low, ban.Below)
			}
			h.open(b, low, boundless)
			h.any = h.any || len(bans) > 0
		}
		h.at[j+1] = int32(len(h.list))
	}
}

// forbid adds to bans, in ascending order, the offsets of the plan that fixed buffer f forbids j: ranges without their
// ends.
func (k *Kernel) forbid(bans []timeline.Forbidden, tl *timeline.Timeline, f, j common.Buffer) []timeline.Forbidden {
	a, b := &k.of[f], &k.of[j]
	at := a.start + a.shift
	switch {
	case a.first >= b.last || b.first >= a.last:
	case k.plain:
		bans = insert(bans, timeline.Forbidden{Above: at - b.rawSize, Below: at + a.rawSize})
	default:
		for _, r := range tl.Forbid(int(k.id[f]), int(k.id[j])) {
			bans = insert(bans, timeline.Forbidden{Above: at + r.Above, Below: at + r.Below})
		}
	}
	return bans
}

// insert adds a range to a list in ascending order.
func insert(bans []timeline.Forbidden, ban timeline.Forbidden) []timeline.Forbidden {
	bans = append(bans, ban)
	p := len(bans) - 1
	for ; p > 0 && bans[p-1].Above > ban.Above; p-- {
		bans[p] = bans[p-1]
	}
	bans[p] = ban
	return bans
}

// open adds the hole [low, high], in offsets of the plan, unless it has no offset that b may have.
func (h *holes) open(b *fact, low, high int64) {
	low, high = bound.Up(low, b.align), bound.Down(high, b.align)
	if low <= high {
		h.list = append(h.list, hole{low - b.shift, high - b.shift})
	}
}

// of returns the holes of buffer j.
func (h *holes) of(j common.Buffer) []hole { return h.list[h.at[j]:h.at[j+1]] }

// above returns the least offset of j, at or above to, that is in a hole.
func (h *holes) above(j common.Buffer, to int64) int64 {
	list := h.of(j)
	for len(list) > 1 { // the hole is in list
		if half := len(list) / 2; list[half-1].high < to {
			list = list[half:]
		} else {
			list = list[:half]
		}
	}
	if len(list) == 0 {
		return to
	}
	return max(to, list[0].low)
}

// below returns the highest offset of j, at or below to, that is in a hole; ok is false if there is none.
func (h *holes) below(j common.Buffer, to int64) (at int64, ok bool) {
	list := h.of(j)
	for len(list) > 0 && list[len(list)-1].low > to {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return 0, false
	}
	return min(to, list[len(list)-1].high), true
}
