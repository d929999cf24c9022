package greedy

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers take turns in slots, one at a time, and the slots lie one above
// another. That wastes what a smaller buffer leaves of a larger one's slot; but
// a slot begins at a multiple of all the alignments in it, so where alignments
// are at odds it wastes nothing between them. First fit in the order of the
// offsets then fills what was left.
//
// The first slot that is free while a buffer lives is where first fit puts it where all are
// of one byte.
//
// Invariant: the buffers of a slot share no section.
//
// Complexity: that of a list of all buffers (place.List).
//
// Source: the shared objects of TFLite's GPU delegate and of ExecuTorch;
// left-edge colouring where the order is that of the starts.

// maxSlotAlign is the largest alignment of a slot.
const maxSlotAlign = 1 << 40

// share gives each buffer of an order the first slot that is free while it
// lives, and stacks the slots. It returns nil where alignments have no small
// common multiple, and where a limit comes first.
func share(w *run.Watch, tl *timeline.Timeline, order []int32) []int64 {
	n := len(tl.Problem.Buffers)
	if len(order) < n {
		return nil
	}
	type slot struct{ size, align, at int64 }
	slots := make([]slot, 0, n)
	offsets := make([]int64, n)
	list := place.NewList(n)
	for _, i := range order {
		if w.Over() {
			return nil
		}
		first, last := tl.Extent(int(i))
		k := list.Put(first, last, 1, 1, place.FirstFit)
		if offsets[i] = k; int(k) == len(slots) {
			slots = append(slots, slot{align: 1})
		}
		s, b := &slots[k], &tl.Problem.Buffers[i]
		if s.align = bound.LCM(s.align, b.Align(), maxSlotAlign); s.align == 0 {
			return nil
		}
		s.size = max(s.size, b.Size)
	}
	top := int64(0)
	for k := range slots {
		s := &slots[k]
		s.at = bound.Up(top, s.align)
		top = s.at + s.size
	}
	for i, k := range offsets {
		offsets[i] = slots[k].at
	}
	return offsets
}
