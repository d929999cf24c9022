package pairwise

import (
	"math"

	"github.com/stowage-go/stowage/internal/exact/pairs"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: exact/pairs lists the forbidden ranges. A counting sort turns them into CSR, so that
// the halves of a buffer lie side by side.
//
// Complexity: O(n + pairs) beside the list.

// A TooManyPairsError says that a partition is too dense.
type TooManyPairsError = pairs.TooManyError

// ErrLimit says that the watch ended before all pairs were there.
var ErrLimit = pairs.ErrLimit

// Admit returns the error that New and Encode have for the first partition with more pairs than the limit. It lists no
// pairs, so a planner can ask before it does other work. If any buffer has gaps, Admit admits all partitions.
func Admit(tl *timeline.Timeline, parts []timeline.Partition, limit int) error {
	if tl.HasGaps() {
		return nil
	}
	for k := range parts {
		if count := pairsOf(tl, parts[k].Buffers); count > min(limit, pairs.Most) {
			return &TooManyPairsError{Buffers: len(parts[k].Buffers), Limit: limit}
		}
	}
	return nil
}

// link sets the pairs of the partition.
func (e *Engine) link(tl *timeline.Timeline, maxPairs int) error {
	n := len(e.id)
	gaps := tl.HasGaps()
	if !gaps {
		count := pairsOf(tl, e.id)
		if count > min(maxPairs, pairs.Most) {
			return &TooManyPairsError{Buffers: n, Limit: maxPairs}
		}
		e.first, e.second = make([]int32, 0, count), make([]int32, 0, count)
	}
	degree := make([]int32, n+1)
	err := pairs.EachByLater(e.watch, tl, e.id, maxPairs, func(r pairs.Range) {
		e.first, e.second = append(e.first, r.I), append(e.second, r.J)
		degree[r.I]++
		degree[r.J]++
		if gaps {
			// Literal 2p: J above I by r.Below; 2p+1: I above J by -r.Above.
			e.distance = append(e.distance, r.Below, -r.Above)
		}
	})
	if err != nil {
		return err
	}
	count := len(e.first)
	e.order, e.orderAt = make([]uint8, count), make([]int32, count)
	e.from = make([]int32, n+1)
	for j := range n {
		e.from[j+1] = e.from[j] + degree[j]
		degree[j] = e.from[j] // from here on: where the next half goes
	}
	e.other, e.literal = make([]int32, 2*count), make([]int32, 2*count)
	for p := range int32(count) {
		if p%pollHalves == pollHalves-1 && e.watch.Over() {
			return ErrLimit
		}
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
	if len(id) == 0 {
		return 0
	}
	base, last := tl.Extent(int(id[0]))
	for _, i := range id {
		_, end := tl.Extent(int(i))
		last = max(last, end)
	}
	ends := make([]int32, last-base+1) // section, from base on → buffers that end before it
	active, count, at := 0, 0, base
	for _, i := range id {
		begin, end := tl.Extent(int(i))
		for ; at <= begin; at++ {
			active -= int(ends[at-base])
		}
		count += active
		active++
		ends[end-base]++
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
