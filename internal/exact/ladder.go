package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a small partition that resists is planned from rung to rung, from the top: who is
// the highest, who the next, and so on. Then two things are known that no section knows.
//
// Of any set of buffers, that one of them is the highest says how low it may be: some
// other is the next, and so much higher it has to be as the least free distance between
// the two, rounded up to its alignment. A table has this for all sets (latest.go).
// Such bounds are far above the load where buffers use parts of themselves, each another
// part at each moment, and they know alignments that do not divide each other. They start
// from the ground, where all alignments meet, and so they are those of any capacity.
//
// And where buffers may lie inside one another, of each two it is decided in time which
// of the free ranges their distance is in: when the first one is placed. Mostly it is the
// outermost, and the pair is one like others. Else the first is tied to the other, which
// may pull it down from where it is.
//
// So a node is a sequence of buffers as high as the sequence and the ranges allow. It fails
// where some set of what is unplaced cannot be that low, and where as much has failed
// before, at whatever capacity (ascend.go).
//
// All is written for the plan upside down, so that a level is the less the higher a buffer
// lies, and the ground is where levels end. Levels are counted from
// heights of buffers that leave few pairs with several free ranges (levels.go).
//
// Invariant: x has the least levels of what is placed that keep the sequence, the ranges
// that are chosen, and ties to what is unplaced; no plan that goes on from a node has less.
//
// Complexity: the table takes n²·2ⁿ/4 steps for n buffers, 7 ms for 16, of which it knows
// no more; a node O(n²), a microsecond or two.
// Source: the table is the dynamic program of Held and Karp (1962) for the travelling
// salesman with setup times for distances; latest starts and sleep sets (ascend.go) are
// from scheduling and model checking. Their use here is Stowage's.
//
// Tried and dropped: the same from the ground up, where the table is one for each capacity
// and what has failed says nothing of a larger one: most of the time of a minimisation went
// into tables. Ranges chosen when a plan violates one (1.4 million nodes and no answer on a
// problem that takes 80,000 so); keeping all room that is left, placing buffers in any order
// (23 problems undecided of 1,000, now one, after 4 s); parts of what is unplaced that do
// not meet one by one (the same nodes).
type ladder struct {
	n, t  int              // buffers; those of them that the table knows, which come first
	id    []int32          // their numbers in the partition
	twin  [ladderMost]int8 // of each buffer one alike that comes before it; -1 for none
	align []int64
	size  []int64
	start []int64 // the fixed level, notFixed for none
	shift []int64 // minus the sum of level and offset
	low   []int64 // the least levels within the capacity
	high  []int64 // those on the ground, or the fixed ones

	// Of level(j) - level(i), at i*n+j, neither below zero:
	free  [][]extent // what is free, ascending; the last has no end
	least []int64    // its lowest
	above []int64    // where its last begins
	taken []int64    // how many levels of j are not, wherever i is; at most

	meet    rungSets // of each buffer: those that it conflicts with
	loose   rungSets // of each buffer: those of which free is more than one range
	detours uint32   // those by way of which two others need less
	table   []int64  // of each set and its lowest, at set*t+f; nil until it is made
	bound   int64    // nothing under it fits

	path    [ladderMost]int8 // what is placed, in ascending order
	depth   int
	lo, hi  []int64          // at i*n+j, where i is placed: the range of level(j) - level(i)
	chosen  rungSets         // of each placed buffer: those with which the range is chosen
	tied    rungSets         // and those with which it has an end
	at      []int64          // the plan that was found, in the partition's numbering
	spared  [ladderMost]int8 // what is left out (spare.go), in that order
	spares  int              // of these
	sparing bool             // whether anything is
	known   front            // sets that have failed, and from which levels on

	proof, patience int64 // as in interlock.go
	gaveUp          bool

	nodes, backtracks, nodeLimit int64
	watch                        *run.Watch
	tick                         func()
	tell                         func(p int, kind plan.MoveKind, j Buffer, at int64) // as engine.tell
	part                         int
}

// Small is the number of buffers up to which a partition may be planned from rung to rung.
const Small = ladderMost

const (
	ladderMost = 24
	tableMost  = 16 // buffers that the table knows: 8 MiB
	// A node of the kernel is worth some 2^tableCost/4 steps of making the table, where a
	// round has so many, and half as much where all until now have; and ladderShare nodes
	// here.
	tableCost   = 17
	ladderShare = 8

	notFixed = math.MinInt64
	noStart  = math.MinInt64 / 2
	noEnd    = math.MaxInt64
)

// rungs has a number for each buffer, rungSets a set.
type (
	rungs    [ladderMost]int64
	rungSets [ladderMost]uint32
)

// extent is offsets in a row, both ends included.
type extent struct{ low, high int64 }

// ladder runs the search on partition p, where it is small enough and the limit is worth
// a table.
func (e *engine) ladder(p int, capacity, limit int64) verdict {
	s := &e.parts[p]
	n := len(e.tl.Partitions[p].Buffers)
	if !e.switches.ladders || n > ladderMost || !s.laddered && (limit < 2*int64(n) || max(limit, s.spent/2) < int64(n*n)<<min(n, tableMost)>>tableCost) {
		return undecided
	}
	l := e.completion(p).ladder
	if l == nil {
		l = newLadder(e, p)
		l.tick = func() { e.report(l.nodes) }
		l.tell, l.part = e.tell, p
		e.completion(p).ladder, s.laddered = l, true
	}
	v := l.run(e.tl, &e.tl.Partitions[p], capacity, e.within(ladderShare*min(limit, unlimited/ladderShare)))
	e.count(&l.nodes, &l.backtracks)
	switch v {
	case fits:
		e.keep(p, l.at)
	case refuted:
		s.bound = max(s.bound, l.bound)
	}
	return v
}

// newLadder prepares a partition.
func newLadder(e *engine, p int) *ladder {
	tl, buffers, k := e.tl, e.tl.Partitions[p].Buffers, e.parts[p].kernel
	n := len(buffers)
	l := &ladder{
		n: n, t: min(n, tableMost), sparing: e.switches.spares, free: make([][]extent, n*n), watch: e.watch, tick: func() {},
	}
	carve(share[int64]{&l.align, n}, share[int64]{&l.size, n}, share[int64]{&l.start, n}, share[int64]{&l.shift, n}, share[int64]{&l.low, n}, share[int64]{&l.high, n}, share[int64]{&l.at, n},
		share[int64]{&l.least, n * n}, share[int64]{&l.above, n * n}, share[int64]{&l.lo, n * n}, share[int64]{&l.hi, n * n}, share[int64]{&l.taken, n * n})
	l.id = make([]int32, n)
	for j := range l.id {
		// The table is for the largest.
		p := j
		for ; p > 0 && n > tableMost && k.of[l.id[p-1]].rawSize < k.of[j].rawSize; p-- {
			l.id[p] = l.id[p-1]
		}
		l.id[p] = int32(j)
	}
	for j, local := range l.id {
		b := &tl.Problem.Buffers[buffers[local]]
		l.align[j], l.size[j], l.start[j] = b.Align(), b.Size, notFixed
		if b.Fixed != nil {
			l.start[j] = -*b.Fixed
		}
	}
	l.proof = passesMost(l.align)
	bans := make([][]timeline.Forbidden, n*n)
	for at := range bans {
		if i, j := at/n, at%n; i != j {
			bans[at] = tl.Forbid(int(buffers[l.id[j]]), int(buffers[l.id[i]]))
		}
	}
	for j, local := range l.id {
		l.twin[j] = -1
		for i, other := range l.id[:j] {
			if e.switches.symmetry && Buffer(other) == k.of[local].twin {
				l.twin[j] = int8(i)
			}
		}
	}
	if e.switches.shifts {
		l.levels(bans)
	}
	for j := range l.id {
		l.shift[j] += l.size[j]
		l.high[j] = -l.shift[j]
		if l.start[j] != notFixed {
			l.start[j] -= l.shift[j]
			l.high[j] = l.start[j]
		}
	}
	for at := range bans {
		l.link(at/n, at%n, bans[at])
	}
	for g := range n {
		for at, d := range l.least {
			if i, j := at/n, at%n; i != j && i != g && j != g && d > l.least[i*n+g]+l.least[g*n+j] {
				l.detours |= 1 << g
			}
		}
	}
	return l
}

// step is what divides all differences of two buffers' offsets.
func (l *ladder) step(i, j int) int64 {
	if l.start[i] != notFixed || l.start[j] != notFixed {
		return 1
	}
	return bound.GCD(l.align[i], l.align[j])
}

// link finds by how much the level of j may be above that of i, given what is forbidden.
func (l *ladder) link(i, j int, bans []timeline.Forbidden) {
	if len(bans) == 0 {
		return
	}
	l.meet[i] |= 1 << j
	step := l.step(i, j)
	off := l.shift[i] - l.shift[j]
	low := -floor(off, step)
	var free []extent
	for _, ban := range bans {
		// As many of the levels of j as are multiples of its alignment are not free.
		l.taken[i*l.n+j] += (floor(ban.Below-1, step)+floor(-ban.Above-1, step))/l.align[j] + 1
		if x := (extent{low + off, floor(ban.Above, step) + off}); x.low <= x.high {
			free = append(free, x)
		}
		low = max(low, -floor(-ban.Below, step))
	}
	last := low + off
	at := i*l.n + j
	l.free[at] = append(free, extent{last, noEnd})
	l.least[at], l.above[at] = l.free[at][0].low, last
	if len(free) > 0 {
		l.loose[i] |= 1 << j
		l.loose[j] |= 1 << i
	}
}

// floor is bound.Down for numbers that may be below zero.
//
//go:noinline
func floor(x, step int64) int64 {
	r := x % step
	if r < 0 {
		r += step
	}
	return x - r
}

// up returns the least level of buffer j that is no less than x.
func (l *ladder) up(j int, x int64) int64 {
	return max(l.low[j], -floor(-x-l.shift[j], l.align[j])-l.shift[j])
}

// run searches for a plan within the capacity; where it fits, at holds the offsets.
func (l *ladder) run(tl *timeline.Timeline, p *timeline.Partition, capacity, limit int64) verdict {
	var e rungs
	for j := range l.n {
		l.low[j] = -floor(capacity-l.size[j], l.align[j]) - l.shift[j]
		if e[j] = max(l.low[j], l.start[j]); e[j] > l.high[j] {
			return refuted
		}
	}
	if l.table == nil && !l.measure(tl, p) {
		return undecided
	}
	if capacity < l.bound {
		return refuted
	}
	l.depth, l.spares, l.chosen, l.tied = 0, 0, rungSets{}, rungSets{}
	for at := range l.lo {
		l.lo[at], l.hi[at] = l.least[at], noEnd
	}
	// As much patience as there are nodes, so that in ever longer runs all settles.
	l.patience, l.gaveUp = max(64*int64(l.n+2), limit), false
	l.nodeLimit = l.nodes + limit
	if l.tell != nil {
		l.tell(l.part, plan.MoveBegin, nobody, capacity)
	}
	switch r := l.search(math.MaxUint32>>(32-l.n), rungs{}, e, -1, -1, 0); {
	case r == solved:
		l.lower(tl, p)
		return fits
	case r == exhausted && !l.gaveUp:
		return refuted
	}
	return undecided
}

// lower moves the buffers of the plan down, as far as they can without passing one another.
func (l *ladder) lower(tl *timeline.Timeline, p *timeline.Partition) {
	again := true
	for sweeps := 0; again && sweeps < l.n; sweeps++ {
		again = false
		for j := range l.at {
			b := &tl.Problem.Buffers[p.Buffers[j]]
			if b.Fixed != nil {
				continue
			}
			at := int64(0)
			for i := range l.at {
				if i == j {
					continue
				}
				for _, ban := range tl.Forbid(int(p.Buffers[i]), int(p.Buffers[j])) {
					if l.at[j]-l.at[i] >= ban.Below {
						at = max(at, l.at[i]+ban.Below)
					}
				}
			}
			if at = bound.Up(at, b.Align()); at < l.at[j] {
				l.at[j], again = at, true
			}
		}
	}
}
