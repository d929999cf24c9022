package pairwise

import (
	"errors"
	"fmt"
	"math"

	"github.com/stowage-go/stowage/internal/run"
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

// ErrLimit says that the watch ended before all pairs were there.
var ErrLimit = errors.New("a limit came while the pairs were being listed")

// Error names the limit.
func (e *TooManyPairsError) Error() string {
	return fmt.Sprintf("%d buffers that depend on one another have more than %d conflicting pairs", e.Buffers, e.Limit)
}

// Admit returns the error of New and Encode for the first of some partitions that
// has more pairs than the limit, without listing any: before work is put into
// something else. It does not look into gaps, and lets what has any pass.
func Admit(tl *timeline.Timeline, parts []timeline.Partition, limit int) error {
	if tl.HasGaps() {
		return nil
	}
	for k := range parts {
		if count := pairsOf(tl, parts[k].Buffers); count > min(limit, mostPairs) {
			return &TooManyPairsError{len(parts[k].Buffers), limit}
		}
	}
	return nil
}

// mostPairs is what indices of 32 bits have room for.
const mostPairs = math.MaxInt32/4 - 1

// eachPair calls add with each two buffers that meet, numbered as in id, which is
// in the order of first sections, and each range that is forbidden between them,
// ascending: by the later one, then by the earlier one.
func eachPair(w *run.Watch, tl *timeline.Timeline, id []int32, limit int, add func(a, b int32, f timeline.Forbidden)) error {
	gaps := tl.HasGaps()
	limit = min(limit, mostPairs)
	var active []int32
	count, work := 0, 0
	for k := range int32(len(id)) {
		if work += len(active) + 1; work >= pollWork {
			if work = 0; w.Over() {
				return ErrLimit
			}
		}
		begin, _ := tl.Extent(int(id[k]))
		size := tl.Problem.Buffers[id[k]].Size
		spans := len(tl.Spans(int(id[k])))
		kept := active[:0]
		for _, j := range active {
			if _, end := tl.Extent(int(id[j])); end <= begin {
				continue
			}
			kept = append(kept, j)
			if !gaps {
				if count++; count > limit {
					return &TooManyPairsError{len(id), limit}
				}
				add(j, k, timeline.Forbidden{Above: -size, Below: tl.Problem.Buffers[id[j]].Size})
				continue
			}
			if work += len(tl.Spans(int(id[j]))) + spans; work >= pollWork {
				if work = 0; w.Over() {
					return ErrLimit
				}
			}
			for _, f := range tl.Forbid(int(id[j]), int(id[k])) {
				if count++; count > limit {
					return &TooManyPairsError{len(id), limit}
				}
				add(j, k, f)
			}
		}
		active = append(kept, k)
	}
	return nil
}

// link sets the pairs of the partition.
func (e *Engine) link(tl *timeline.Timeline, maxPairs int) error {
	n := len(e.id)
	gaps := tl.HasGaps()
	if !gaps {
		count := pairsOf(tl, e.id)
		if count > min(maxPairs, mostPairs) {
			return &TooManyPairsError{n, maxPairs}
		}
		e.first, e.second = make([]int32, 0, count), make([]int32, 0, count)
	}
	degree := make([]int32, n+1)
	err := eachPair(e.watch, tl, e.id, maxPairs, func(a, b int32, f timeline.Forbidden) {
		e.first, e.second = append(e.first, a), append(e.second, b)
		degree[a]++
		degree[b]++
		if gaps {
			// Literal 2p: b above a by f.Below; 2p+1: a above b by -f.Above.
			e.distance = append(e.distance, f.Below, -f.Above)
		}
	})
	if err != nil {
		return err
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
		if p%pollWork == pollWork-1 && e.watch.Over() {
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
