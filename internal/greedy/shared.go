package greedy

import (
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers take turns in slots, one at a time, and the slots lie one above
// another. That wastes what a smaller buffer leaves of a larger one's slot; but
// a slot begins at a multiple of all the alignments in it, so where alignments
// are at odds it wastes nothing between them. First fit in the order of the
// offsets then fills what was left.
//
// Invariant: the buffers of a slot share no section.
//
// Complexity: O(n · slots) searches.
//
// Source: the shared objects of TFLite's GPU delegate and of ExecuTorch;
// left-edge colouring where the order is that of the starts.

// slot is what buffers take turns in.
type slot struct {
	size, align int64
	members     []int32 // by first section
}

// maxSlotAlign is the largest alignment of a slot.
const maxSlotAlign = 1 << 40

// share gives each buffer of an order the first slot that is free while it
// lives, and stacks the slots. It returns nil where alignments have no small
// common multiple, and where a limit comes first.
func share(w *run.Watch, tl *timeline.Timeline, order []int32) []int64 {
	buffers := tl.Problem.Buffers
	var slots []slot
	of := make([]int32, len(buffers))
	if len(order) < len(buffers) {
		return nil
	}
	looked := 0
	for _, i := range order {
		if looked++; looked >= pollEvery {
			if looked = 0; w.Over() {
				return nil
			}
		}
		first, last := tl.Extent(int(i))
		k, at := 0, 0
		for ; k < len(slots); k++ {
			members := slots[k].members
			at = sort.Search(len(members), func(m int) bool { f, _ := tl.Extent(int(members[m])); return f >= first })
			if at < len(members) {
				if f, _ := tl.Extent(int(members[at])); f < last {
					continue
				}
			}
			if at > 0 {
				if _, l := tl.Extent(int(members[at-1])); l > first {
					continue
				}
			}
			break
		}
		looked += k
		if k == len(slots) {
			slots, at = append(slots, slot{align: 1}), 0
		}
		s := &slots[k]
		b := &buffers[i]
		common := s.align / bound.GCD(s.align, b.Align())
		if b.Align() > maxSlotAlign/common {
			return nil
		}
		s.align, s.size = common*b.Align(), max(s.size, b.Size)
		s.members = append(s.members, i)
		copy(s.members[at+1:], s.members[at:])
		s.members[at] = i
		of[i] = int32(k)
	}
	start := make([]int64, len(slots))
	top := int64(0)
	for k := range slots {
		start[k] = bound.Up(top, slots[k].align)
		top = start[k] + slots[k].size
	}
	offsets := make([]int64, len(buffers))
	for i := range offsets {
		offsets[i] = start[of[i]]
	}
	return offsets
}
