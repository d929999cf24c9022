package engine

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: if the buffers of some stretch of time do not fit, then the partition does not fit:
//
//	lowest(partition) >= lowest(lifespans cut to [low, high))
//
// If a partition stays undecided, the planner asks about stretches of its time separately. The first ones have about
// a dozen buffers, the next ones have twice as many, and so on. A flaw among few buffers is found without placing all
// the others around it. Small stretches also have fronts (canonical/front.go). A stretch that fits is not asked about
// again.
//
// The next stretch begins in the middle of the one before. So each interval that is no longer than
// half a stretch lies in one stretch as a whole.
//
// Complexity: each size of stretch costs about two rounds of the partition with the same limit, and its nodes are
// cheaper. Each round adds a larger size. A size comes again if rounds have become four times as long.
//
// Source: Stowage.
//
// Trials: docs/lab/exact.md (nearly all sections of hard problems are full, so the fullest are no guide).

// stretchLeast is the number of buffers in the smallest stretches.
const stretchLeast = 12

// inStretches looks for a stretch of partition p that does not fit.
func (e *engine) inStretches(p int, capacity, halves int64) common.Verdict {
	part, s := &e.tl.Partitions[p], &e.parts[p]
	n := len(part.Buffers)
	if !e.Switches.Stretches {
		return common.Undecided
	}
	if capacity != s.stretchCapacity {
		s.stretchCapacity, s.stretchLimits = capacity, [len(s.stretchLimits)]int64{}
	}
	number := 0
	for level, size := 0, stretchLeast; level < len(s.stretchLimits) && size <= n/4*3; level, size = level+1, 2*size {
		if halves>>level < firstRound {
			break
		}
		asks := halves/4 >= s.stretchLimits[level]
		if asks {
			s.stretchLimits[level] = halves
		}
		for low, high := part.First, part.First; high < part.Last; low += (high - low + 1) / 2 {
			high = e.stretch(part, low, high, size)
			if number++; number > len(s.stretches) {
				s.stretches = append(s.stretches, common.Unlimited)
			}
			if !asks || s.stretches[number-1] <= capacity {
				continue
			}
			inner, whole := e.part(part, low, high)
			if e.over() {
				return common.Undecided
			}
			v := inner.round(capacity, halves)
			e.count(&inner.stats.Nodes, &inner.stats.Backtracks)
			switch {
			case v == common.Refuted:
				e.flaw = make([]int32, len(inner.flaw))
				for k, i := range inner.flaw {
					e.flaw[k] = whole[i]
				}
				return common.Refuted
			case v == common.Fits:
				s.stretches[number-1] = capacity
			case e.over():
				return common.Undecided
			}
		}
	}
	return common.Undecided
}

// stretch returns the end of the stretch that begins at section low. It ends after the stretch before
// it, whose end is before, and as soon as it has size buffers.
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

// part returns an engine for the sections [low, high) of a partition: its buffers, cut to these
// sections. It also returns the indices of these buffers in the problem.
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
	inner = &engine{
		settings: e.settings, limits: e.limits, ctx: e.ctx, watch: e.watch, tl: tl, budget: e.within(common.Unlimited),
	}
	inner.Switches.Stretches = false
	inner.prepare()
	return inner, whole
}
