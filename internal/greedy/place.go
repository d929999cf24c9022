package greedy

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers with fixed offsets go first, then the others in the order
// given, each where the fit says, given all that is placed. Partitions do not
// see one another, so each is placed on its own, in the same relative order:
// the tree is then as small as the partition.
//
// Invariant: after each step the placed buffers are a valid plan of themselves.
//
// Complexity: n queries and insertions of occupied.go; no pair of buffers is
// ever looked at.
//
// Source: offset jumping is IREE wave's "Optimizing Shared Memory Allocations";
// best fit is TFLite's greedy-by-size.

// A Fit says which of the free places a buffer takes.
type Fit uint8

// The fits.
const (
	// FirstFit takes the lowest offset.
	FirstFit Fit = iota
	// BestFit takes the offset with the least room left above the buffer, the
	// lowest of those; the open space at the top comes last.
	BestFit
)

// pollEvery is the number of placements between looks at the context. A problem
// of fewer buffers is placed whole, whatever the context says: it takes a few
// milliseconds.
const pollEvery = 4096

// Place places the buffers of tl one by one and returns the offset of each, in
// the order of tl.Problem.Buffers. Fixed buffers are at their offsets and come
// first; order gives the rest, and what it leaves out is placed last, in input
// order. Hints are ignored. There is no capacity: every buffer finds a place,
// unless two fixed buffers collide; then Place returns nil.
func Place(tl *timeline.Timeline, order []int32, fit Fit) []int64 {
	offsets, _ := place(context.Background(), tl, order, fit, math.MaxInt64)
	return offsets
}

// An ending says how a placement ended.
type ending uint8

const (
	placed   ending = iota // all buffers have offsets
	tooHigh                // a buffer would end at or above the limit
	stopped                // the context ended
	collided               // two fixed buffers use the same bytes at once
)

// place is Place with a limit: it gives up, with nil, once a buffer ends at or
// above below, or the context is done.
func place(ctx context.Context, tl *timeline.Timeline, order []int32, fit Fit, below int64) ([]int64, ending) {
	buffers := tl.Problem.Buffers
	p := placer{tl: tl, fit: fit, offsets: make([]int64, len(buffers))}
	// A buffer that is never active conflicts with nobody.
	for i := range buffers {
		b := &buffers[i]
		if b.Fixed != nil {
			p.offsets[i] = *b.Fixed
		}
		if p.offsets[i]+b.Size >= below {
			return nil, tooHigh
		}
	}
	order, ends := byPartition(tl, order)
	count := 0
	for k := range tl.Partitions {
		part := &tl.Partitions[k]
		if len(part.Buffers) == 1 {
			// Nothing is in its way: it stays at 0 or where it is fixed.
			continue
		}
		p.begin(part)
		if !p.fixed(part) {
			return nil, collided
		}
		from := 0
		if k > 0 {
			from = ends[k-1]
		}
		for _, i := range order[from:ends[k]] {
			if count++; count%pollEvery == 0 && ctx.Err() != nil {
				return nil, stopped
			}
			if p.put(int(i)) >= below {
				return nil, tooHigh
			}
		}
	}
	return p.offsets, placed
}

// byPartition sorts order by partition and keeps it otherwise; order of
// partition k ends at ends[k]. It drops fixed buffers, those that are never
// active, and repeats, and adds those that are missing.
func byPartition(tl *timeline.Timeline, order []int32) (sorted []int32, ends []int) {
	of := make([]int32, len(tl.Problem.Buffers)) // partition + 1; 0 where done
	ends = make([]int, len(tl.Partitions))
	total := 0
	for k := range tl.Partitions {
		ends[k] = total // where it begins, for now
		for _, i := range tl.Partitions[k].Buffers {
			if tl.Problem.Buffers[i].Fixed == nil {
				of[i] = int32(k + 1)
				total++
			}
		}
	}
	sorted = make([]int32, total)
	take := func(i int32) {
		if k := of[i]; k != 0 {
			sorted[ends[k-1]] = i
			ends[k-1]++
			of[i] = 0
		}
	}
	for _, i := range order {
		take(i)
	}
	for i := range of {
		take(int32(i))
	}
	return sorted, ends
}

// placer places the buffers of one partition after the other.
type placer struct {
	tl      *timeline.Timeline
	fit     Fit
	offsets []int64
	first   int32    // first section of the partition
	used    occupied // of the partition
	probes  []probe  // scratch of put and fixed
}

// begin empties the space for a partition.
func (p *placer) begin(part *timeline.Partition) {
	smallest := int64(math.MaxInt64)
	for _, i := range part.Buffers {
		for _, s := range p.tl.Spans(int(i)) {
			smallest = min(smallest, s.Upper-s.Lower)
		}
	}
	p.first = part.First
	p.used.reset(int(part.Last-part.First), smallest-1, bound.CommonAlignment(p.tl.Problem, part.Buffers))
}

// fixed places the fixed buffers of the partition and reports whether none
// collide.
func (p *placer) fixed(part *timeline.Partition) bool {
	placed := 0
	for _, i := range part.Buffers {
		if !p.isFixed(i) {
			continue
		}
		at := *p.tl.Problem.Buffers[i].Fixed
		// Whatever is fixed is a multiple of the granule and no hole between
		// two fits less than the smallest window, so the test is exact.
		if placed > 0 {
			p.ask(int(i))
			if lowest(p.probes, at, 1) != at {
				return false
			}
		}
		p.occupy(int(i), at)
		placed++
	}
	return true
}

// collide reports whether any two fixed buffers use the same bytes at once.
func collide(tl *timeline.Timeline) bool {
	p := placer{tl: tl, offsets: make([]int64, len(tl.Problem.Buffers))}
	for k := range tl.Partitions {
		part := &tl.Partitions[k]
		if slices.ContainsFunc(part.Buffers, p.isFixed) {
			p.begin(part)
			if !p.fixed(part) {
				return true
			}
		}
	}
	return false
}

func (p *placer) isFixed(i int32) bool { return p.tl.Problem.Buffers[i].Fixed != nil }

// put places buffer i and returns where it ends.
func (p *placer) put(i int) int64 {
	b := &p.tl.Problem.Buffers[i]
	align := b.Align()
	p.ask(i)
	offset := lowest(p.probes, 0, align)
	if p.fit == BestFit {
		offset = tightest(p.probes, offset, align)
	}
	p.occupy(i, offset)
	return offset + b.Size
}

// tightest returns the offset, from offset on, with the least room above it.
func tightest(probes []probe, offset, align int64) int64 {
	best, least := int64(-1), int64(math.MaxInt64)
	for {
		free, ok := room(probes, offset)
		if !ok {
			break
		}
		if free < least {
			best, least = offset, free
			if free == 0 {
				break
			}
		}
		offset = lowest(probes, offset+free+1, align)
	}
	if best >= 0 {
		return best
	}
	return offset
}

// ask sets the probes for buffer i.
func (p *placer) ask(i int) {
	p.probes = p.probes[:0]
	for _, s := range p.tl.Spans(i) {
		p.probes = p.used.appendProbes(p.probes, s.First-p.first, s.Last-p.first, s.Lower, s.Upper)
	}
}

// occupy puts buffer i at offset.
func (p *placer) occupy(i int, offset int64) {
	p.offsets[i] = offset
	for _, s := range p.tl.Spans(i) {
		p.used.insert(s.First-p.first, s.Last-p.first, byteRange{from: offset + s.Lower, to: offset + s.Upper})
	}
}
