package greedy

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: each buffer goes into a slot, and the slots lie one above another. A slot holds one buffer at a time and is as
// large as its largest buffer. A smaller buffer wastes the rest of its slot. But a slot begins at a multiple of all
// alignments in it, so different alignments waste nothing between the buffers of a slot. Afterwards, first fit in the
// order of the offsets fills the waste.
//
// A buffer takes the first slot that is free while it lives. First fit finds that slot: it is
// the offset of the buffer if all buffers have one byte.
//
// Invariant: the buffers of a slot share no section.
//
// Complexity: as for a list of all buffers (place.List).
//
// Source: the shared objects of TFLite's GPU delegate and of ExecuTorch. If the order is that
// of the starts, this is left-edge colouring.

// maxSlotAlign is the largest alignment of a slot.
const maxSlotAlign = 1 << 40

// share gives each buffer, in the given order, the first slot that is free while it lives.
// Then it stacks the slots and returns the offsets of the buffers. It returns nil if the
// alignments have no small common multiple, or if a limit comes first.
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
