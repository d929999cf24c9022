package framework

import (
	"slices"
	"sort"
)

// Idea: tensors ask for an object in the order of their first use. Two free objects are compared: the smallest that
// is large enough, and the largest that is not. The tensor takes the one whose size is nearer to its own, on a tie
// the larger one. The smaller one would grow. A new object is made only if none is free.
//
// Invariant: the pool holds the free objects, by size and then number.
//
// Complexity: O(n log n), but for the moves within the pool.
//
// Source: TensorFlow Lite GPU delegate, greedy_in_order_assignment (LiteRT 0e9c7a5). The records come in the order of
// the first task there; here the buffers are sorted by it, ties by the input.

func init() {
	register(planner{
		name:    "tflite-objects-in-order",
		summary: "shared objects in the order of first use: the free object nearest in size",
		source:  "TensorFlow Lite GPU, greedy_in_order (LiteRT 0e9c7a5)",
		place:   tfliteInOrder,
	})
}

func tfliteInOrder(t *task) error {
	type entry struct {
		size   int64
		object int32
	}
	o := newObjects(t)
	var (
		pool []entry
		busy inUse
	)
	find := func(e entry) int {
		return sort.Search(len(pool), func(k int) bool {
			return pool[k].size > e.size || pool[k].size == e.size && pool[k].object >= e.object
		})
	}
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		for u, ok := busy.pop(b.Lower); ok; u, ok = busy.pop(b.Lower) {
			e := entry{o.size[u.object], u.object}
			pool = slices.Insert(pool, find(e), e)
		}
		object := int32(len(o.size))
		if len(pool) == 0 {
			o.make(int(i))
		} else {
			k := find(entry{size: b.Size})
			if k == len(pool) || k > 0 && b.Size-pool[k-1].size < pool[k].size-b.Size {
				k--
			}
			object = pool[k].object
			pool = slices.Delete(pool, k, k+1)
			o.add(int(object), int(i))
		}
		busy.push(use{b.Upper, object})
	}
	return o.place()
}
