package framework

// Idea: a tensor takes a free object only if it has exactly the tensor's size; of several, the one that became free
// last.
//
// Complexity: O(n log n).
//
// Source: TensorFlow Lite GPU delegate, equality_assignment (LiteRT 0e9c7a5). The records come in the order of the
// first task there; here the buffers are sorted by it, ties by the input.

func init() {
	register(planner{
		name:    "tflite-objects-equality",
		summary: "shared objects for equal sizes only",
		source:  "TensorFlow Lite GPU, equality (LiteRT 0e9c7a5)",
		place: func(t *task) error {
			o := newObjects(t)
			pool := map[int64][]int32{} // free objects by size
			var busy inUse
			for _, i := range t.sorted(t.earlier) {
				if t.stopped() {
					return errStopped
				}
				b := &t.buffers[i]
				for u, ok := busy.pop(b.Lower); ok; u, ok = busy.pop(b.Lower) {
					size := o.size[u.object]
					pool[size] = append(pool[size], u.object)
				}
				free := pool[b.Size]
				if len(free) == 0 {
					busy.push(use{b.Upper, int32(o.make(int(i)))})
					continue
				}
				object := free[len(free)-1]
				pool[b.Size] = free[:len(free)-1]
				o.add(int(object), int(i))
				busy.push(use{b.Upper, object})
			}
			return o.place()
		},
	})
}
