package framework

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: ExecuTorch plans with shared objects of fixed size. Specs come by decreasing size.
//
//   - If an object has no member that shares time with the spec, the spec goes to its bottom. The first such object wins.
//   - Else, in each object, take the highest end of the members that share time with the spec. The spec goes there in
//     the first object with room above that end.
//   - Else a new object of the spec's size is made. So no later member is larger than the first.
//
// Specs of equal size come in reverse order of the input: ExecuTorch inserts each behind its equals into an ascending
// list, and then reverses the list. It rounds sizes only after that.
//
// Invariant: no two members of an object share both time and bytes, and none ends above the size of the object's first.
//
// Complexity: O(n²) at worst.
//
// Source: ExecuTorch, exir/memory_planning: greedy, pick_shared_obj (cff6f4d); the same in 1.5. The naive algorithm
// beside it stacks all specs. Memory ids, storage views and submodules have no place in a problem.

func init() {
	register(planner{
		name:    "executorch-greedy",
		summary: "shared objects of fixed size; one object may hold several tensors side by side",
		source:  "ExecuTorch, memory_planning greedy (cff6f4d)",
		round:   16,
		place:   executorchGreedy,
	})
	register(planner{
		name:    "executorch-naive",
		summary: "one above the other; no buffers share memory",
		source:  "ExecuTorch, memory_planning naive (cff6f4d)",
		round:   16,
		place: func(t *task) error {
			t.bump()
			return nil
		},
	})
}

func executorchGreedy(t *task) error {
	order := t.inOrder()
	t.sort(order, func(a, b int32) int { return cmp.Compare(t.given[a].Size, t.given[b].Size) })
	slices.Reverse(order)
	e := &executorch{o: newObjects(t), within: make([]int64, len(t.buffers))}
	for _, i := range order {
		if t.stopped() {
			return errStopped
		}
		e.pick(int(i))
	}
	starts, err := e.o.stack()
	if err != nil {
		return err
	}
	t.offsets = e.within
	for i, k := range e.o.of {
		t.offsets[i] += starts[k]
	}
	return nil
}

// executorch keeps the members of an object in the order of their coming, since they may share time.
type executorch struct {
	o      *objects
	within []int64 // of each buffer, from the bottom of its object
}

// pick finds a place for buffer i.
func (e *executorch) pick(i int) {
	buffers := e.o.t.buffers
	lower, upper, size, align := buffers[i].Lower, buffers[i].Upper, buffers[i].Size, buffers[i].Align()
	put := func(k int, at int64) {
		e.o.members[k] = append(e.o.members[k], int32(i))
		e.o.of[i] = int32(k)
		e.within[i] = at
	}
	alone := func(k int) bool {
		for _, j := range e.o.members[k] {
			if lower < buffers[j].Upper && buffers[j].Lower < upper {
				return false
			}
		}
		return true
	}
	for k := range e.o.size {
		if alone(k) {
			put(k, 0)
			return
		}
	}
	for k, room := range e.o.size {
		var end int64
		for _, j := range e.o.members[k] {
			if lower < buffers[j].Upper && buffers[j].Lower < upper {
				end = max(end, e.within[j]+buffers[j].Size)
			}
		}
		if at := bound.Up(end, align); at+size <= room {
			put(k, at)
			return
		}
	}
	e.o.make(i)
}
