package framework

import (
	"cmp"
	"iter"

	"github.com/stowage-go/stowage/internal/place"
)

// Idea: every framework planner is an order and a rule. One stable sort makes the orders. Most frameworks sort by
// size alone, with a sort that is not stable; here their ties go to the input's order.

// sorted returns the buffers in the order of compare, with ties in the input's order. It does not return if a limit
// comes.
func (t *task) sorted(compare func(a, b int) int) []int32 {
	order := t.inOrder()
	t.sort(order, func(a, b int32) int { return compare(int(a), int(b)) })
	return order
}

// replay goes through the buffers in an order of their starts. Before each one it releases those that have ended, in
// an order of their ends. It does not return if a limit comes.
func (t *task) replay(starts, ends []int32, release func(j int32)) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, i := range starts {
			if t.stopped() {
				panic(errStopped) // for attempt
			}
			for ; t.buffers[ends[0]].Upper <= t.buffers[i].Lower; ends = ends[1:] {
				release(ends[0])
			}
			if !yield(i) {
				return
			}
		}
	}
}

// sort sorts items by compare, with ties as they are. It does not return if a limit comes.
func (t *task) sort(items []int32, compare func(a, b int32) int) {
	if !place.Sort(t.watch, items, compare) {
		panic(errStopped) // for attempt
	}
}

// inOrder returns the buffers in the order of the input.
func (t *task) inOrder() []int32 {
	order := make([]int32, len(t.buffers))
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// The keys. Each compares two buffers; a negative number means a goes first.

func (t *task) larger(a, b int) int { return cmp.Compare(t.buffers[b].Size, t.buffers[a].Size) }

func (t *task) longer(a, b int) int {
	return cmp.Compare(t.buffers[b].Upper-t.buffers[b].Lower, t.buffers[a].Upper-t.buffers[a].Lower)
}

func (t *task) earlier(a, b int) int { return cmp.Compare(t.buffers[a].Lower, t.buffers[b].Lower) }

func (t *task) endsEarlier(a, b int) int { return cmp.Compare(t.buffers[a].Upper, t.buffers[b].Upper) }

// keys joins keys into one: the first that decides.
func keys(all ...func(a, b int) int) func(a, b int) int {
	return func(a, b int) int {
		for _, k := range all {
			if c := k(a, b); c != 0 {
				return c
			}
		}
		return 0
	}
}

// degrees returns the number of buffers that each conflicts with.
func (t *task) degrees() []int64 {
	n := len(t.buffers)
	count := make([]int64, n)
	if t.tl.HasGaps() {
		var conflicts []int32
		for i := range n {
			if t.stopped() {
				panic(errStopped) // for attempt
			}
			conflicts = t.tl.AppendConflicts(conflicts[:0], i)
			count[i] = int64(len(conflicts))
		}
		return count
	}
	// Without gaps: all but those that end before it or start after it.
	m := t.tl.Sections()
	starts, ends := make([]int64, m+1), make([]int64, m+1)
	for i := range n {
		first, last := t.tl.Extent(i)
		starts[first]++
		ends[last]++
	}
	for s := 1; s <= m; s++ {
		starts[s] += starts[s-1]
		ends[s] += ends[s-1]
	}
	for i := range n {
		first, last := t.tl.Extent(i)
		count[i] = starts[last-1] - ends[first] - 1
	}
	return count
}
