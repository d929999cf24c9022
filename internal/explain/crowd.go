package explain

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: if the load of a section exceeds the capacity, its members are a reason that needs no search. Take the
// largest members until their sum exceeds the capacity. No fewer members exceed it, because any choice of fewer has
// at most the sum of as many of the largest. And none is superfluous: each is at least as large as the last one
// taken, and without the last one the sum was within the capacity.
//
// Invariant: the buffers returned are active at once, and the bytes that they use in the section sum to more than the
// capacity. Alignment and fixed offsets may make fewer of them infeasible. The caller must find that out.
//
// Complexity: O(n log n) for each section that is compared.
//
// Source: the load bound of Buchsbaum et al., "OPT versus LOAD", turned into a subset.
//
// Trials: docs/lab/explain.md (deletion one by one keeps whatever its order leaves).

// maxSections is the number of overloaded sections that Irreducible compares, the most loaded first.
const maxSections = 64

// crowd returns the fewest buffers that overload one section, largest first, or nil if no section is overloaded. It
// compares at most the given number of sections, and ends after the first if over says so.
func crowd(tl *timeline.Timeline, capacity int64, sections int, over func() bool) []int {
	var crowded []int32
	for s, load := range tl.Load {
		if load > capacity {
			crowded = append(crowded, int32(s))
		}
	}
	sorting.By(crowded, func(a, b int32) bool { return tl.Load[a] > tl.Load[b] })
	var fewest []int
	for _, s := range crowded[:min(len(crowded), sections)] {
		if fewest != nil && over() {
			break
		}
		if few := fewestOver(tl, s, capacity); fewest == nil || len(few) < len(fewest) {
			fewest = few
		}
	}
	return fewest
}

// fewestOver returns the largest members of section s, as many as it takes to exceed the capacity.
func fewestOver(tl *timeline.Timeline, s int32, capacity int64) []int {
	var few []int
	var sum int64
	for _, m := range membersOf(tl, s) {
		few = append(few, m.buffer)
		if sum += m.bytes; sum > capacity {
			break
		}
	}
	return few
}

// A member of a section is a buffer, with the bytes that it uses there.
type member struct {
	buffer int
	bytes  int64
}

// membersOf returns the members of section s, largest first.
func membersOf(tl *timeline.Timeline, s int32) (members []member) {
	for i := range tl.Problem.Buffers {
		for _, span := range tl.Spans(i) {
			if span.First <= s && s < span.Last {
				members = append(members, member{buffer: i, bytes: span.Upper - span.Lower})
			}
		}
	}
	sorting.Structs(members, func(a, b member) int { return cmp.Compare(b.bytes, a.bytes) })
	return members
}
