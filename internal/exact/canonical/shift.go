package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: canonical search needs "above" to follow from "at a higher offset". If a buffer fits under the
// overhang of another one, it may lie above that one at a lower offset: their distance is negative. But
// offsets may be counted from any level. If each buffer j counts its own from level shift(j) of the plan, then
//
//	distance'(i, j) = distance(i, j) + shift(i) - shift(j)
//
// is the distance from i up to j. Search is complete as soon as all these distances are above zero. Shifts with that
// property are potentials of a graph with an arc for each two buffers that meet, as in Johnson's shortest paths. They
// exist unless the distances along some cycle add up to zero or less. That happens if each buffer of a ring can lie
// above the next one.
//
// The kernel then searches in shifted offsets. Only alignments and the returned plan take account of the shift.
// Windows are counted from the shifted offset as well, so sections see the true space.
//
// Shifts do not help if one of two buffers can lie in the middle of the other: such a pair has several
// forbidden ranges (ladder/ladder.go).
//
// Invariant: either distances between buffers that meet are above zero, or shifted is not set. A shift is
// never negative, so no piece starts under the offset of its buffer.
//
// Complexity: O(buffers²) for the table, and O(buffers³) at worst for the potentials.
//
// Source: Johnson 1977 for potentials. Their use here is Stowage's.

// distancesMost bounds the table of distances: 512 KiB. A larger partition has no table and no shifts.
const distancesMost = 1 << 16

// countFrom makes the table of distances of a partition with windows, and counts offsets
// so that all distances are above zero if that is needed.
func (k *Kernel) countFrom(*timeline.Timeline, *timeline.Partition) {
	n := int(k.n)
	if !k.Windowed || n > distancesMost/n {
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
	if least < 1 && k.sw.Shifts {
		k.shift()
	}
	// size[j] is the largest distance from j up to another buffer.
	for j := range n {
		most := int64(1)
		for _, d := range distances[j*n : j*n+n] {
			most = max(most, d)
		}
		k.size[j] = most
	}
}

// shift looks for potentials. If they exist, it counts all offsets from them.
func (k *Kernel) shift() {
	n := int(k.n)
	shifts := make([]int64, n) // zero or below, until they are counted from the lowest
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
	k.Shifted = true
}

// Plan returns the offsets that the search has found, counted from the ground.
func (k *Kernel) Plan() []int64 {
	for j := range k.of {
		k.best[j] += k.of[j].shift
	}
	return k.best
}
