package engine

import (
	"slices"

	"github.com/stowage-go/stowage/internal/exact/clauses"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: with alignments that differ, hardly any offset follows from the buffers below alone, and the canonical search
// tries many orders that fail for one reason. A partition that stays undecided in the first rounds then gets the search
// that learns from its contradictions (package clauses), in place of the canonical one.

const (
	// A node of that search, with the contradictions that follow, takes the time of clauseCost nodes of the kernel.
	clauseCost = 32
	// clausesFrom is the node limit, in buffers, from which the search is worth its tables.
	clausesFrom = 16
)

// learns reports whether partition p gets the search that learns in a round of so many nodes.
func (e *engine) learns(p int, limit int64) bool {
	s, part := &e.parts[p], &e.tl.Partitions[p]
	s.learning = s.learning || e.Switches.Clauses && limit >= clausesFrom*int64(len(part.Buffers)) && mixed(e.tl, part)
	return s.learning
}

// mixed reports whether a partition is small and has alignments that differ, and no windows.
func mixed(tl *timeline.Timeline, part *timeline.Partition) bool {
	if len(part.Buffers) > thresholds.ClausesMost || tl.HasGaps() {
		return false
	}
	first := tl.Problem.Buffers[part.Buffers[0]].Align()
	return slices.ContainsFunc(part.Buffers, func(i int32) bool { return tl.Problem.Buffers[i].Align() != first })
}

// Learns reports whether the search that learns is for the largest partition.
func Learns(tl *timeline.Timeline) bool {
	largest := 0
	for k := range tl.Partitions {
		if len(tl.Partitions[k].Buffers) > len(tl.Partitions[largest].Buffers) {
			largest = k
		}
	}
	return len(tl.Partitions) > 0 && mixed(tl, &tl.Partitions[largest])
}

// learning reports whether some partition has a search that learns.
func (e *engine) learning() bool {
	for p := range e.parts {
		if e.parts[p].learning {
			return true
		}
	}
	return false
}

// askClauses runs the search on partition p.
func (e *engine) askClauses(p int, capacity, limit int64) common.Verdict {
	s := &e.parts[p]
	of := &s.completion.clauses
	if e.refuting {
		of = &s.completion.refuting
	}
	c := *of
	if c == nil {
		var err error
		if c, err = clauses.New(e.watch, e.tl, e.tl.Partitions[p].Buffers, e.Switches); err != nil {
			return common.Undecided
		}
		c.Tick = func() { e.report(c.Nodes) }
		*of = c
	}
	if s.offsets != nil {
		c.Prefer(s.offsets)
	}
	v := c.Run(capacity, e.within(limit))
	e.count(&c.Nodes, &c.Backtracks)
	if v == common.Fits {
		e.keep(p, c.Offsets())
	}
	return v
}
