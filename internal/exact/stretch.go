package exact

import (
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: what does not fit for some moments does not fit at all. Where a partition
// resists, stretches of its time are asked about apart, with lifespans cut to them:
// first those that have a dozen buffers or so, then twice as many, and so on. A flaw
// among few buffers is found where it is, however many others there are to be placed
// around it, and small stretches have fronts. A stretch that fits is not asked about
// again.
//
// The next stretch begins in the middle of the one before, so that what is no longer
// than half a stretch is in one as a whole.
//
// Complexity: each size of stretch costs about two rounds of the partition with the
// same limit, of cheaper nodes. With each round there is a larger size; a size comes
// again where rounds are four times as long.
//
// Tried and dropped: stretches around the sections with the least room alone. In
// suite's infeasible problems almost all sections are full but those of the flaw.
//
// Source: Stowage.

// stretchLeast is how many buffers the smallest stretches have.
const stretchLeast = 12

// inStretches looks for a stretch of partition p that does not fit.
func (e *engine) inStretches(p int, capacity, halves int64) verdict {
	part, s := &e.tl.Partitions[p], &e.parts[p]
	n := len(part.Buffers)
	if !e.switches.stretches {
		return undecided
	}
	if capacity != s.stretchedAt {
		s.stretchedAt, s.stretchedFor = capacity, [len(s.stretchedFor)]int64{}
	}
	number := 0
	for level, size := 0, stretchLeast; level < len(s.stretchedFor) && size <= n/4*3; level, size = level+1, 2*size {
		if halves>>level < firstRound {
			break
		}
		asks := halves/4 >= s.stretchedFor[level]
		if asks {
			s.stretchedFor[level] = halves
		}
		for low, high := part.First, part.First; high < part.Last; low += (high - low + 1) / 2 {
			high = e.stretch(part, low, high, size)
			if number++; number > len(s.stretches) {
				s.stretches = append(s.stretches, unlimited)
			}
			if !asks || s.stretches[number-1] <= capacity {
				continue
			}
			inner, whole := e.part(part, low, high)
			if e.over() {
				return undecided
			}
			v := inner.round(capacity, halves)
			e.count(&inner.stats.Nodes, &inner.stats.Backtracks)
			switch {
			case v == refuted:
				e.flaw = make([]int32, len(inner.flaw))
				for k, i := range inner.flaw {
					e.flaw[k] = whole[i]
				}
				return refuted
			case v == fits:
				s.stretches[number-1] = capacity
			case e.over():
				return undecided
			}
		}
	}
	return undecided
}

// stretch returns where the stretch ends that begins at section low: after the end of
// the one before, and where it has so many buffers.
func (e *engine) stretch(part *timeline.Partition, low, before int32, size int) (high int32) {
	live := 0
	for _, i := range part.Buffers { // in the order of their first sections
		first, last := e.tl.Extent(int(i))
		if first > before && live >= size {
			return first
		}
		if last > low {
			live++
		}
	}
	return part.Last
}

// part returns an engine for the buffers of a partition in the sections [low, high),
// cut to them, and their indices in the problem.
func (e *engine) part(part *timeline.Partition, low, high int32) (inner *engine, whole []int32) {
	p := &model.Problem{}
	for _, i := range part.Buffers {
		for _, s := range e.tl.Spans(int(i)) {
			if s.First < high && s.Last > low {
				p.Buffers = append(p.Buffers, model.Buffer{})
				e.tl.Part(&p.Buffers[len(p.Buffers)-1], int(i), low, high)
				whole = append(whole, i)
				break
			}
		}
	}
	tl := timeline.NewUnless(p, e.watch.Over)
	if tl == nil {
		return nil, nil
	}
	inner = &engine{settings: e.settings, ctx: e.ctx, watch: e.watch, tl: tl, budget: e.within(unlimited)}
	inner.switches.stretches = false
	inner.prepare()
	return inner, whole
}
