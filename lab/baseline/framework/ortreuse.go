package framework

import "slices"

// Idea: before ONNX Runtime plans a trace, it lets values of known shapes take turns: a value takes the storage of an
// ended value of the same size, the one that ended last. Such a chain holds its storage from the start of its first
// value to the end of its last, also in between. The chains then go through the planner of the trace, ort-mempattern.
//
// Complexity: O(n · free).
//
// Source: ONNX Runtime, allocation_planner.cc, FindReusableTensor, and
// mem_pattern_planner.h (00ca168). It compares the shapes and the size of an element,
// of which a problem knows the product. What may be written over an input needs the graph.

func init() {
	register(planner{
		name:    "ort-reuse",
		summary: "chains of buffers of equal size, then online best fit over a trace of the chains",
		source:  "ONNX Runtime, allocation_planner.cc and MemPatternPlanner (00ca168)",
		round:   256,
		place:   ortReuse,
	})
}

func ortReuse(t *task) error {
	var (
		heads []int32 // of the chains
		of    = make([]int32, len(t.buffers))
		until = make([]int64, len(t.buffers)) // of a chain, by its head
		free  []int32                         // chains, the last to end first
		align = make([]int64, len(t.buffers)) // of a chain
	)
	release := func(j int32) { free = slices.Insert(free, 0, of[j]) }
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), release) {
		b := &t.buffers[i]
		of[i] = i
		if at := slices.IndexFunc(free, func(h int32) bool { return t.buffers[h].Size == b.Size }); at >= 0 {
			of[i] = free[at]
			free = slices.Delete(free, at, at+1)
		} else {
			heads = append(heads, i)
			align[i] = 1
		}
		h := of[i]
		until[h] = max(until[h], b.Upper)
		var ok bool
		if align[h], ok = common(align[h], b.Align()); !ok {
			return errAlignments
		}
	}
	starts := make([]int64, len(t.buffers))
	var trace tracePlanner
	for _, h := range heads {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[h]
		starts[h] = trace.take(b.Size, align[h], b.Lower, until[h])
	}
	t.offsets = make([]int64, len(t.buffers))
	for i, h := range of {
		t.offsets[i] = starts[h]
	}
	return nil
}
