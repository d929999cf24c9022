package framework

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: Triton places shared memory in two steps (after Gergov, Algorithms for Compile-Time Memory Optimization, SODA
// 1999). The first keeps open slots, each an offset and a stretch of time. The lowest slot takes the first buffer, by
// decreasing size, that shares time with it and with no other open slot; in its place come a slot on top of the buffer
// and slots on both sides of it.
//
//	▲ offset     ╎ slot on top ╎
//	│            ┌─────────────┐
//	│            │   buffer    │
//	└────────────┴─────────────┴──────────────▶ time
//	  slot, to the buffer's end ▕
//	             ▏ slot, from the buffer's start
//
// The side slots reach across the buffer itself, so buffers may come to overlap. The second step repairs that.
// Buffers that overlap in time and space form a graph, which is coloured first-fit. Every buffer with another colour
// than the first is moved above all buffers that it overlaps. This is repeated until nothing overlaps. Triton's own
// comment says that it wastes memory.
//
// Invariant: each buffer that waits shares time with an open slot, so slots do not run out. After the first repair,
// only a buffer that was moved can overlap another, so only these are looked at; Triton looks at all pairs.
//
// Complexity: O(n² log n) for the slots at worst, and the conflicts of what was moved for a repair. Kernels have tens
// of buffers; S_1 of idealloc with its 28,526 is not repaired after 360 rounds, and no plan comes of it.
//
// Source: Triton, lib/Analysis/Allocation (0032716). Aliases take the hull of their lifespans before it comes to this;
// warp-specialised regions and partitions of a tensor have no place in a problem.

func init() {
	register(planner{
		name:    "triton",
		summary: "lowest slot first; a graph colouring moves overlapping buffers apart",
		source:  "Triton, Allocation analysis (0032716)",
		place:   triton,
	})
}

// A slot is free space from an offset up, in a stretch of moments.
type slot struct {
	offset      int64
	made        int   // equal offsets: first come, first served
	first, last int32 // moments [first, last)
}

type slots []slot

func (s slots) Len() int { return len(s) }
func (s slots) Less(i, j int) bool {
	return s[i].offset < s[j].offset || s[i].offset == s[j].offset && s[i].made < s[j].made
}
func (s slots) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *slots) Push(x any)   { *s = append(*s, x.(slot)) }
func (s *slots) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}

func triton(t *task) error {
	order := t.sorted(t.larger)
	t.offsets = make([]int64, len(t.buffers))
	if err := tritonStarts(t, order); err != nil {
		return err
	}
	return tritonRepair(t, order)
}

// moments numbers the stretches of time between one event and the next, and returns the range of each buffer.
func (t *task) moments() (ranges [][2]int32, count int32) {
	times := make([]int64, 0, 2*len(t.buffers))
	for i := range t.buffers {
		times = append(times, t.buffers[i].Lower, t.buffers[i].Upper)
	}
	sorting.Times(times) // by digits: comparing takes two million of them a tenth of a second
	times = slices.Compact(times)
	number := func(time int64) int32 {
		k, _ := slices.BinarySearch(times, time)
		return int32(k)
	}
	ranges = make([][2]int32, len(t.buffers))
	for i := range t.buffers {
		if t.stopped() {
			panic(errStopped) // for attempt
		}
		ranges[i] = [2]int32{number(t.buffers[i].Lower), number(t.buffers[i].Upper)}
	}
	return ranges, int32(len(times) - 1)
}

// tritonStarts sets the first offsets.
func tritonStarts(t *task, order []int32) error {
	live, count := t.moments()
	open := newCounter(int(count)) // open slots at each moment
	var queue slots
	made := 0
	push := func(offset int64, first, last int32) {
		heap.Push(&queue, slot{offset, made, first, last})
		made++
		open.change(first, last, 1)
	}
	push(0, 0, count)
	waiting := slices.Clone(order)
	for len(waiting) > 0 {
		if t.stopped() {
			return errStopped
		}
		s := heap.Pop(&queue).(slot)
		open.change(s.first, s.last, -1)
		at := slices.IndexFunc(waiting, func(i int32) bool {
			l := live[i]
			// The ends are cheap to ask about, and mostly settle it.
			return l[0] < s.last && s.first < l[1] && open.at(l[0]) == 0 && open.at(l[1]-1) == 0 && open.within(l[0], l[1]) == 0
		})
		if at < 0 {
			continue
		}
		i := waiting[at]
		waiting = slices.Delete(waiting, at, at+1)
		l, b := live[i], &t.buffers[i]
		t.offsets[i] = bound.Up(s.offset, b.Align())
		push(t.offsets[i]+b.Size, max(s.first, l[0]), min(s.last, l[1]))
		if s.first < l[0] {
			push(s.offset, s.first, l[1])
		}
		if l[1] < s.last {
			push(s.offset, l[0], s.last)
		}
	}
	return nil
}

// tritonRepair bumps buffers until none overlap.
func tritonRepair(t *task, order []int32) error {
	n := len(order)
	r := repair{task: t, order: order, edges: make([][]int32, n), moved: make([]bool, n), colour: make([]int32, n)}
	for i := range r.moved {
		r.moved[i] = true
	}
	for {
		switch overlap, err := r.look(); {
		case err != nil:
			return err
		case !overlap:
			return nil
		}
		r.paint()
		if err := r.bump(); err != nil {
			return err
		}
	}
}

// A repair is a round of Triton's.
type repair struct {
	*task
	order      []int32
	edges      [][]int32 // what each buffer overlaps in time and space
	moved      []bool    // since the last look
	colour     []int32
	near, used []int32 // scratch
}

// look finds what those that moved overlap.
func (r *repair) look() (overlap bool, err error) {
	for i := range r.edges {
		r.edges[i] = r.edges[i][:0]
	}
	for i := range r.edges {
		if !r.moved[i] {
			continue
		}
		if r.stopped() {
			return false, errStopped
		}
		r.near = r.tl.AppendConflicts(r.near[:0], i)
		for _, j := range r.near {
			if r.moved[j] && int(j) < i {
				continue // seen from the other side
			}
			if r.offsets[i] < r.offsets[j]+r.buffers[j].Size && r.offsets[j] < r.offsets[i]+r.buffers[i].Size {
				r.edges[i], r.edges[j] = append(r.edges[i], j), append(r.edges[j], int32(i))
				overlap = true
			}
		}
	}
	return overlap, nil
}

// paint is a first-fit colouring, by decreasing size.
func (r *repair) paint() {
	for i := range r.colour {
		r.colour[i] = -1
	}
	for _, i := range r.order {
		r.used = r.used[:0]
		for _, j := range r.edges[i] {
			if r.colour[j] >= 0 {
				r.used = append(r.used, r.colour[j])
			}
		}
		slices.Sort(r.used)
		r.colour[i] = 0
		for _, c := range r.used {
			if c == r.colour[i] {
				r.colour[i]++
			}
		}
	}
}

// bump puts all but those of the first colour above what they overlap.
func (r *repair) bump() error {
	for i := range r.moved {
		r.moved[i] = false
	}
	for _, i := range r.order {
		if r.colour[i] == 0 {
			continue
		}
		var end int64
		for _, j := range r.edges[i] {
			end = max(end, r.offsets[j]+r.buffers[j].Size)
		}
		r.offsets[i], r.moved[i] = bound.Up(end, r.buffers[i].Align()), true
		if r.offsets[i] > model.MaxSum {
			return fmt.Errorf("offsets grow past %d", int64(model.MaxSum))
		}
	}
	return nil
}
