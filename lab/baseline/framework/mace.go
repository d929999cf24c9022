package framework

import "slices"

// Idea: buffers take turns in MACE's memory blocks. A result takes the idle block that wastes least, or the one that
// must grow least if all are too small; on a tie the oldest. A new block is made only if none is idle.
//
// Complexity: O(n · idle).
//
// Source: MACE, mace/core/memory_optimizer.cc (6c17868), buffers of CPUs. Images, which
// grow in width and height, and operators that pass their input on, need the graph.

func init() {
	register(planner{
		name:    "mace",
		summary: "shared objects in the order of start: the idle object that must grow least, then the one that wastes least",
		source:  "MACE, memory_optimizer.cc (6c17868)",
		place:   mace,
	})
}

func mace(t *task) error {
	o := newObjects(t)
	var idle []int32 // ascending
	release := func(j int32) {
		at, _ := slices.BinarySearch(idle, o.of[j])
		idle = slices.Insert(idle, at, o.of[j])
	}
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), release) {
		b := &t.buffers[i]
		best, added, wasted := -1, never, never
		for at, k := range idle {
			grown := max(b.Size, o.size[k])
			if more, waste := grown-o.size[k], grown-b.Size; added > 0 && more < added || added == 0 && waste < wasted {
				best, added, wasted = at, more, waste
			}
		}
		if best < 0 {
			o.make(int(i))
			continue
		}
		o.add(int(idle[best]), int(i))
		idle = slices.Delete(idle, best, best+1)
	}
	return o.place()
}
