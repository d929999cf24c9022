package pairwise

import (
	"fmt"
	"math"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: pairs are found by a sweep over the buffers in order of first section,
// with a list of those that reach on; a counting sort turns them into CSR, so
// that the halves of a buffer lie side by side.
//
// Complexity: O(n + pairs), and where there are gaps a merge of spans for each
// pair whose extents meet.
//
// Left out: pairs enumerated anew on each visit, without a table, for problems
// with more of them than fit. Orders that are decided rather than implied would
// have nowhere to live.

// A TooManyPairsError says that a partition is too dense for the engine.
type TooManyPairsError struct {
	Buffers int // of the partition
	Limit   int // pairs that are allowed
}

// Error names the limit.
func (e *TooManyPairsError) Error() string {
	return fmt.Sprintf("%d buffers that depend on one another have more than %d conflicting pairs", e.Buffers, e.Limit)
}

// link sets the pairs of the partition.
func (e *Engine) link(tl *timeline.Timeline, maxPairs int) error {
	n := len(e.id)
	gaps := tl.HasGaps()
	var active []int32
	if !gaps {
		count := pairsOf(tl, e.id)
		if count > maxPairs || count >= math.MaxInt32/4 {
			return &TooManyPairsError{n, maxPairs}
		}
		e.first, e.second = make([]int32, 0, count), make([]int32, 0, count)
	}
	degree := make([]int32, n+1)
	add := func(a, b int32) bool {
		if len(e.first) == maxPairs || len(e.first) >= math.MaxInt32/4 {
			return false
		}
		e.first, e.second = append(e.first, a), append(e.second, b)
		degree[a]++
		degree[b]++
		return true
	}
	for k := range int32(n) {
		begin, _ := tl.Extent(int(e.id[k]))
		kept := active[:0]
		for _, j := range active {
			if _, end := tl.Extent(int(e.id[j])); end <= begin {
				continue
			}
			kept = append(kept, j)
			if !gaps {
				if !add(j, k) {
					return &TooManyPairsError{n, maxPairs}
				}
				continue
			}
			for _, f := range tl.Forbid(int(e.id[j]), int(e.id[k])) {
				if !add(j, k) {
					return &TooManyPairsError{n, maxPairs}
				}
				// Literal 2p: k above j by f.Below; 2p+1: j above k by -f.Above.
				e.distance = append(e.distance, f.Below, -f.Above)
			}
		}
		active = append(kept, k)
	}
	pairs := len(e.first)
	e.order, e.orderAt = make([]uint8, pairs), make([]int32, pairs)
	e.from = make([]int32, n+1)
	for j := range n {
		e.from[j+1] = e.from[j] + degree[j]
		degree[j] = e.from[j] // from here on: where the next half goes
	}
	e.other, e.literal = make([]int32, 2*pairs), make([]int32, 2*pairs)
	for p := range int32(pairs) {
		a, b := e.first[p], e.second[p]
		e.other[degree[a]], e.literal[degree[a]] = b, 2*p
		e.other[degree[b]], e.literal[degree[b]] = a, 2*p+1
		degree[a]++
		degree[b]++
	}
	e.measure()
	return nil
}

// pairsOf counts the pairs of buffers without gaps, given in order of first
// section: growing tables of unknown length costs more than a second look.
func pairsOf(tl *timeline.Timeline, id []int32) int {
	ends := make([]int32, tl.Sections()+1) // section → buffers that end before it
	active, count, at := 0, 0, int32(0)
	for _, i := range id {
		begin, end := tl.Extent(int(i))
		for ; at <= begin; at++ {
			active -= int(ends[at])
		}
		count += active
		active++
		ends[end]++
	}
	return count
}

// measure sets reach: lb(j) refutes literals "j below k", whose distance is at
// most reach[2j]; -ub(j) refutes "k below j", at most reach[2j+1].
func (e *Engine) measure() {
	n := len(e.id)
	e.reach = make([]int64, 2*n)
	for j := range n {
		below, above := int64(math.MinInt64/4), int64(math.MinInt64/4)
		for h := e.from[j]; h < e.from[j+1]; h++ {
			below = max(below, e.dist(e.literal[h], int32(j)))
			above = max(above, e.dist(e.literal[h]^1, e.other[h]))
		}
		e.reach[2*j], e.reach[2*j+1] = below, above
	}
}

// dist returns the distance of a literal, given the buffer that it puts below.
func (e *Engine) dist(literal, lower int32) int64 {
	if e.distance != nil {
		return e.distance[literal]
	}
	return e.size[lower]
}
