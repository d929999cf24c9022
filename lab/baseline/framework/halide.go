package framework

import (
	"cmp"
	"slices"
)

// Idea: Halide groups the allocations of a GPU kernel that share no stage between barriers. A group is as large as its
// largest member. Allocations come by start, the first to end first. Each takes the free group whose size is nearest to
// its own, larger or smaller. On a tie it takes the group that was freed last. Without a free group it begins one.
//
// A quirk is kept: the search for releases goes on behind the last one that was found, in the order of the
// allocations. So an allocation that outlives a later one may never be released.
//
// Complexity: O(n · free).
//
// Source: Halide, src/FuseGPUThreadLoops.cpp, allocate_funcs and find_best_fit (001745e), for sizes that are known and
// of one type. Its sort is not stable; equal stages go to the input's order.

func init() {
	register(planner{
		name:    "halide",
		summary: "shared objects in the order of start: the free object nearest in size; one that outlives a later one is not freed",
		source:  "Halide, FuseGPUThreadLoops.cpp (001745e)",
		place:   halide,
	})
}

func halide(t *task) error {
	o := newObjects(t)
	order := t.sorted(keys(t.earlier, t.endsEarlier))
	turn := make([]int32, len(order)) // of a buffer
	for k, i := range order {
		turn[i] = int32(k)
	}
	ends := slices.Clone(order)
	t.sort(ends, func(a, b int32) int {
		return cmp.Or(t.endsEarlier(int(a), int(b)), cmp.Compare(turn[a], turn[b]))
	})
	var (
		from int32   // the turn from which releases are looked for
		free []int32 // objects, the last to be released at the end
	)
	release := func(j int32) {
		if turn[j] >= from {
			free, from = append(free, o.of[j]), turn[j]+1
		}
	}
	for i := range t.replay(order, ends, release) {
		b := &t.buffers[i]
		best, least := -1, never
		for k := len(free) - 1; k >= 0; k-- {
			if far := max(o.size[free[k]]-b.Size, b.Size-o.size[free[k]]); far < least {
				best, least = k, far
			}
		}
		if best < 0 {
			o.make(int(i))
			continue
		}
		o.add(int(free[best]), int(i))
		free = slices.Delete(free, best, best+1)
	}
	return o.place()
}
