package framework

import (
	"fmt"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a shared object is a slot of memory in which buffers take turns. It is as large as the largest of them.
// Frameworks that cannot place at an offset, for example in GPU textures, plan in objects. Their offsets here: the
// objects lie one above the other, in the order in which they were made.
//
// Invariant: the members of an object are sorted by start and share no time.
//
// Complexity: O(log k) to ask whether an object of k members is free, O(k) to add one.
//
// Source: TensorFlow Lite GPU delegate, memory_management (LiteRT 0e9c7a5). It ignores alignment when it stacks the
// objects; here an object starts at a multiple of all of its members' alignments.

// objects are the shared objects of a plan.
type objects struct {
	t       *task
	of      []int32   // object of each buffer, -1 for none yet
	size    []int64   // of each object: its largest member, or as the planner grows it
	members [][]int32 // of each object, by start
}

func newObjects(t *task) *objects {
	o := &objects{t: t, of: make([]int32, len(t.buffers))}
	for i := range o.of {
		o.of[i] = -1
	}
	return o
}

// free reports whether no member of object k shares time with buffer i.
func (o *objects) free(k, i int) bool {
	members, b := o.members[k], &o.t.buffers[i]
	at := sort.Search(len(members), func(m int) bool { return o.t.buffers[members[m]].Lower >= b.Lower })
	if at < len(members) && o.t.buffers[members[at]].Lower < b.Upper {
		return false
	}
	return at == 0 || o.t.buffers[members[at-1]].Upper <= b.Lower
}

// make makes an object for buffer i and returns it.
func (o *objects) make(i int) int {
	k := len(o.size)
	o.size = append(o.size, o.t.buffers[i].Size)
	o.members = append(o.members, []int32{int32(i)})
	o.of[i] = int32(k)
	return k
}

// add puts buffer i into object k, which grows to hold it.
func (o *objects) add(k, i int) {
	members := o.members[k]
	at := sort.Search(len(members), func(m int) bool { return o.t.buffers[members[m]].Lower > o.t.buffers[i].Lower })
	o.members[k] = slices.Insert(members, at, int32(i))
	o.size[k] = max(o.size[k], o.t.buffers[i].Size)
	o.of[i] = int32(k)
}

// total is the sum of the sizes.
func (o *objects) total() int64 {
	var sum int64
	for _, s := range o.size {
		sum += s
	}
	return sum
}

// stack returns the offset of each object, one above the other.
func (o *objects) stack() ([]int64, error) {
	align := make([]int64, len(o.size))
	for k := range align {
		align[k] = 1
	}
	for i, k := range o.of {
		var ok bool
		if align[k], ok = common(align[k], o.t.buffers[i].Align()); !ok {
			return nil, fmt.Errorf("cannot share an object: the alignments of its buffers, such as %s, have no common multiple up to %d",
				o.t.buffers[i].ID, int64(model.MaxSum))
		}
	}
	starts := make([]int64, len(o.size))
	var top int64
	for k, size := range o.size {
		// Each term is at most MaxSum, a quarter of the largest int64.
		starts[k] = bound.Up(top, align[k])
		if top = starts[k] + size; top > model.MaxSum {
			return nil, fmt.Errorf("the shared objects, aligned, exceed %d", int64(model.MaxSum))
		}
	}
	return starts, nil
}

// place sets the task's offsets to those of the buffers' objects.
func (o *objects) place() error {
	starts, err := o.stack()
	if err != nil {
		return err
	}
	o.t.offsets = make([]int64, len(o.of))
	for i, k := range o.of {
		o.t.offsets[i] = starts[k]
	}
	return nil
}

// common returns the least common multiple, and whether it is within bounds.
func common(x, y int64) (int64, bool) {
	x = bound.LCM(x, y, model.MaxSum)
	return x, x > 0
}

// units rounds the sizes up to a common multiple of the alignments.
func (t *task) units() ([]int64, error) {
	unit, sum := int64(1), int64(0)
	for i := range t.buffers {
		var ok bool
		if unit, ok = common(unit, t.buffers[i].Align()); !ok {
			return nil, errAlignments
		}
	}
	sizes := make([]int64, len(t.buffers))
	for i := range sizes {
		sizes[i] = bound.Up(t.buffers[i].Size, unit)
		if sum += sizes[i]; sum > model.MaxSum {
			return nil, fmt.Errorf("its sizes, rounded up to a common alignment of %d, exceed %d", unit, int64(model.MaxSum))
		}
	}
	return sizes, nil
}

// inUse is a queue of objects in use, the first to end on top; ties go to the lowest number.
type inUse []use

type use struct {
	end    int64 // one past the last slot of its buffer
	object int32
}

func (q *inUse) push(u use) {
	*q = append(*q, u)
	h := *q
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !h[k].before(h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
}

func (u use) before(v use) bool { return u.end < v.end || u.end == v.end && u.object < v.object }

// pop removes and returns the top if it ends by the given time.
func (q *inUse) pop(by int64) (use, bool) {
	h := *q
	if len(h) == 0 || h[0].end > by {
		return use{}, false
	}
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for k := 0; 2*k+1 < last; {
		down := 2*k + 1
		if down+1 < last && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(h[k]) {
			break
		}
		h[k], h[down] = h[down], h[k]
		k = down
	}
	*q = h
	return top, true
}
