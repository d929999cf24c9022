package framework

import (
	"cmp"
	"container/heap"
)

// Idea: buffers of one size are an interval graph to be coloured. In the order of their starts, each takes the lowest
// free colour. That takes no more colours than buffers are live at once, so it is optimal. If sizes differ, a colour is
// a slot as large as its largest buffer, and the slots lie one above the other. A register allocator would do this.
//
// Among buffers that start at once the larger goes first.
//
// Complexity: O(n log n).
//
// Source: the left-edge algorithm (Hashimoto and Stevens, DAC 1971); idealloc's prelude uses it if all sizes are equal.

func init() {
	register(planner{
		name:    "interval-coloring",
		summary: "left-edge colouring; optimal if all sizes are equal",
		source:  "Hashimoto and Stevens, DAC 1971; idealloc's prelude",
		place:   intervalColoring,
	})
}

func intervalColoring(t *task) error {
	o := newObjects(t)
	var (
		busy inUse
		free colours
	)
	for _, i := range t.sorted(keys(t.earlier, t.larger)) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		for u, ok := busy.pop(b.Lower); ok; u, ok = busy.pop(b.Lower) {
			heap.Push(&free, u.object)
		}
		colour := int32(len(o.size))
		if len(free) == 0 {
			o.make(int(i))
		} else {
			colour = heap.Pop(&free).(int32)
			o.add(int(colour), int(i))
		}
		busy.push(use{b.Upper, colour})
	}
	return o.place()
}

// colours is a heap of the free colours, the lowest on top.
type colours []int32

func (c colours) Len() int           { return len(c) }
func (c colours) Less(i, j int) bool { return cmp.Less(c[i], c[j]) }
func (c colours) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *colours) Push(x any)        { *c = append(*c, x.(int32)) }
func (c *colours) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}
