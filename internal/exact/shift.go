package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: canonical search needs “above” to follow from “at a higher offset”. Where
// a buffer fits under the overhang of another, it may lie above it at a lower
// offset: the distance between them is negative. But offsets are counted from
// wherever one likes. If each buffer j counts its own from a level shift[j] of the
// plan, the distance from i up to j is distance(i, j) + shift[i] - shift[j], and
// search is complete as soon as all of these are above zero. Shifts that make them so
// are potentials of a graph with an arc for each two buffers that meet, as in
// Johnson's shortest paths. They exist unless distances along some cycle add up to
// nothing or less, that is unless a ring of buffers can lie each above the next.
//
// The kernel then searches in shifted offsets and knows nothing of it, but for
// alignments and where it is asked for the plan. Windows are counted from the
// shifted offset as well, so that sections see the true space.
//
// What this does not help are two buffers one of which can lie in the middle of the
// other: those have several forbidden ranges (ladder.go).
//
// Invariant: distances between buffers that meet are above zero, or shifted is not set.
// shift is never negative, so that no piece starts under the offset of its buffer.
//
// Complexity: O(buffers²) for the table, times buffers at worst for the potentials.
// Source: Johnson 1977 for potentials; their use here is Stowage's.

// distancesMost bounds the table of distances: 512 KiB. Beyond it there is none,
// and no shift.
const distancesMost = 1 << 16

// countFrom has offsets counted from levels of the plan, in programs that have that.
func (k *kernel) countFrom(*timeline.Timeline, *timeline.Partition) {
	if k.windowed && shifting != nil {
		shifting(k)
	}
}

// initShifts makes the table of distances and counts offsets so that all are above
// zero, where it is worth it.
func (k *kernel) initShifts() {
	n := int(k.n)
	if n > distancesMost/n {
		return
	}
	distances, least := make([]int64, 0, n*n), int64(1)
	for i := range k.n {
		for j := range k.n {
			if k.late() {
				return
			}
			d, meet := k.distance(i, j)
			if !meet || i == j {
				d = math.MinInt64
			} else {
				d = bound.Up(d, bound.GCD(k.of[i].align, k.of[j].align))
				least = min(least, d)
			}
			distances = append(distances, d)
		}
	}
	k.distances = distances
	if least < 1 && k.sw.shifts {
		k.shift()
	}
	// Whatever lies above j does so by its size at most.
	for j := range n {
		most := int64(1)
		for _, d := range distances[j*n : j*n+n] {
			most = max(most, d)
		}
		k.size[j] = most
	}
}

// shift finds potentials and counts offsets from them.
func (k *kernel) shift() {
	n := int(k.n)
	shifts := make([]int64, n) // not above zero, until they are counted from the lowest
	for rounds := 0; ; rounds++ {
		again := false
		for at, d := range k.distances {
			if i, j := at/n, at%n; d != math.MinInt64 && shifts[j] >= shifts[i]+d {
				shifts[j], again = shifts[i]+d-1, true
			}
		}
		if !again {
			break
		}
		if rounds > n || k.over() {
			return
		}
	}
	var lowest int64
	for _, s := range shifts {
		lowest = min(lowest, s)
	}
	for j := range shifts {
		f := &k.of[j]
		f.shift = shifts[j] - lowest
		f.start -= f.shift
	}
	for x, j := range k.owner {
		k.span[x].lower += k.of[j].shift
	}
	for at, d := range k.distances {
		if d != math.MinInt64 {
			k.distances[at] = d + k.of[at/n].shift - k.of[at%n].shift
		}
	}
	k.shifted = true
}

// plan returns the offsets that the search has found.
func (k *kernel) plan() []int64 {
	for j := range k.of {
		k.best[j] += k.of[j].shift
	}
	return k.best
}
