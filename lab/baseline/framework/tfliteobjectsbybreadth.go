package framework

import "cmp"

// Idea: the task that needs most memory decides first. The breadth of a task is the sum of the sizes that are live
// during the task. Tasks are visited by decreasing breadth, and the tensors of a task that have no object yet by
// decreasing size. A tensor takes the smallest object that is large enough and free for its whole life; else the
// largest free one, which grows; else a new one.
//
// Only maximal sections are visited. Any other task has a subset of a section's tensors. So it is narrower, and all
// of its tensors have objects by its turn.
//
// Invariant: the pending set holds the buffers without an object. It is a tree over the sections, in which a buffer
// hangs at the O(log m) nodes that cover its life. So the buffers of a section hang on the path to its leaf. They are
// removed once the section has been visited.
//
// Complexity: O(n · objects) for the choice, O(n log m) for the rest.
//
// Source: TensorFlow Lite GPU delegate, greedy_by_breadth_assignment (LiteRT 0e9c7a5). Equal breadths go to the earlier
// task and equal sizes to the input's order, where its sorts leave it open.

func init() {
	register(planner{
		name:    "tflite-objects-by-breadth",
		summary: "shared objects, the section with the most live bytes first",
		source:  "TensorFlow Lite GPU, greedy_by_breadth (LiteRT 0e9c7a5)",
		place: func(t *task) error {
			o, err := tfliteByBreadth(t)
			if err != nil {
				return err
			}
			return o.place()
		},
	})
}

func tfliteByBreadth(t *task) (*objects, error) {
	m := t.tl.Sections()
	pending := make([][]int32, 2*m)
	for i := range t.buffers {
		if t.stopped() {
			return nil, errStopped
		}
		first, last := t.tl.Extent(i)
		for l, h := int(first)+m, int(last)+m; l < h; l, h = l/2, h/2 {
			if l&1 == 1 {
				pending[l] = append(pending[l], int32(i))
				l++
			}
			if h&1 == 1 {
				h--
				pending[h] = append(pending[h], int32(i))
			}
		}
	}
	sections := make([]int32, m)
	for s := range sections {
		sections[s] = int32(s)
	}
	t.sort(sections, func(a, b int32) int { return cmp.Compare(t.tl.Load[b], t.tl.Load[a]) })

	o := newObjects(t)
	var now []int32

	for _, s := range sections {
		if t.stopped() {
			return nil, errStopped
		}
		now = now[:0]
		for k := int(s) + m; k >= 1; k /= 2 {
			for _, i := range pending[k] {
				if o.of[i] < 0 {
					o.of[i] = 0 // hangs at other nodes too, so mark it
					now = append(now, i)
				}
			}
			pending[k] = nil
		}
		t.sort(now, func(a, b int32) int { return cmp.Or(t.larger(int(a), int(b)), cmp.Compare(a, b)) })
		for _, i := range now {
			if t.stopped() {
				return nil, errStopped
			}
			if k := o.breadthBest(int(i)); k >= 0 {
				o.add(k, int(i))
			} else {
				o.make(int(i))
			}
		}
	}
	return o, nil
}

// breadthBest returns the free object that suits buffer i best, -1 for none.
// Whether an object is free is asked last, since sizes are cheaper to compare.
func (o *objects) breadthBest(i int) int {
	best, want := -1, o.t.buffers[i].Size
	for k, size := range o.size {
		if best >= 0 {
			if held := o.size[best]; held < want {
				if size <= held {
					continue
				}
			} else if size < want || size >= held {
				continue
			}
		}
		if o.free(k, i) {
			best = k
		}
	}
	return best
}
