package arena

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: the allocations of one stream are one problem, over all plans of a file, because a program may go from a step
// of one shape to a step of another while allocations of the first are live. The steps repeat in the order of the
// plans, so time is a cycle through all of them. An allocation that lives from one step to the next of its shape is
// live through all other shapes.

// A Heap is the problem of one stream.
type Heap struct {
	Stream  uint64         // the stream
	Problem *model.Problem // its problem
	// Of has the allocation of each buffer: plan, lane, index.
	Of [][3]int32
	// Offsets has the offset of each buffer in the block; nil if one has none.
	Offsets []int64
}

// Name returns the name of the heap: its stream.
func (h *Heap) Name() string { return strconv.FormatUint(h.Stream, 10) }

// Heaps returns the problem of each stream, in the order in which the streams appear. The ID of a buffer is
// plan.thread.index of its allocation, without what is the same for all. Allocations that outlive a cycle are
// left out. Times are those of the plans; the problem has a period only if a buffer needs it.
func Heaps(plans []Plan) []Heap {
	lanes := 0
	for i := range plans {
		lanes = max(lanes, len(plans[i].Lanes))
	}
	var all []Heap
	at := map[uint64]int{}
	for i := range plans {
		p := &plans[i]
		for k, lane := range p.Lanes {
			prefix := ""
			if len(plans) > 1 {
				prefix = strconv.Itoa(i) + "."
			}
			if lanes > 1 {
				prefix += strconv.FormatInt(lane.Thread, 10) + "."
			}
			for j, a := range lane.Allocations {
				if a.Upper == a.Lower {
					continue
				}
				s, ok := at[a.Stream]
				if !ok {
					s = len(all)
					at[a.Stream] = s
					all = append(all, Heap{Stream: a.Stream, Problem: &model.Problem{}, Offsets: []int64{}})
				}
				all[s].add(p, &a, prefix+strconv.Itoa(j), [3]int32{int32(i), int32(k), int32(j)})
			}
		}
	}
	return all
}

func (h *Heap) add(p *Plan, a *Allocation, id string, of [3]int32) {
	h.Problem.Buffers = append(h.Problem.Buffers,
		model.Buffer{ID: id, Lower: a.Lower, Upper: a.Upper, Size: a.Size + p.Guard, Alignment: a.Alignment})
	h.Of = append(h.Of, of)
	if a.Upper > p.Period && h.Problem.Rules == nil {
		h.Problem.Rules = &model.Rules{Period: p.Period}
	}
	if a.Offset == None {
		h.Offsets = nil
	} else if h.Offsets != nil {
		h.Offsets = append(h.Offsets, a.Offset)
	}
}
