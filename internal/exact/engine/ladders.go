package engine

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/exact/ladder"
	"github.com/stowage-go/stowage/internal/thresholds"
)

// Idea: a small partition that stays undecided gets a ladder (package ladder). Its table takes time, so
// first the canonical search has a chance.

const (
	// A node of the kernel costs as much as 2^tableCost/4 steps of making the table. The table
	// is made if one round has that many nodes, or if all rounds so far had twice as many. A
	// ladder gets ladderShare nodes for each node of the kernel.
	tableCost   = 17
	ladderShare = 8
)

// ladder runs the search on partition p, if it is small enough and the limit is worth a table.
func (e *engine) ladder(p int, capacity, limit int64) common.Verdict {
	s := &e.parts[p]
	n := len(e.tl.Partitions[p].Buffers)
	if !e.Switches.Ladders || n > thresholds.LadderMost || !s.laddered &&
		(limit < 2*int64(n) || max(limit, s.spent/2) < int64(n*n)<<min(n, ladder.TableMost)>>tableCost) {
		return common.Undecided
	}
	l := s.completion.ladder
	if l == nil {
		l = ladder.New(e.tl, &e.tl.Partitions[p], e.Switches, s.kernel.Twin, e.limits, e.watch)
		l.Tick = func() { e.report(l.Nodes) }
		l.Tell, l.Part = e.tell, p
		s.completion.ladder, s.laddered = l, true
	}
	v := l.Run(e.tl, &e.tl.Partitions[p], capacity, e.within(ladderShare*min(limit, common.Unlimited/ladderShare)))
	e.count(&l.Nodes, &l.Backtracks)
	switch v {
	case common.Fits:
		e.keep(p, l.At)
	case common.Refuted:
		s.bound = max(s.bound, l.Bound)
	}
	return v
}
