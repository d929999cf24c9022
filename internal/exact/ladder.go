package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a small partition that resists is planned from rung to rung: who is the lowest,
// who the next, and so on, by offset. Then two things are known that no section knows.
//
// Of any set of buffers, that one of them is the lowest says how high it may be: some
// other is the next, and so much lower it has to be as the least free distance between
// the two, rounded down to its alignment. A table has this for all sets (latest.go).
// Such bounds are far above the load where buffers use parts of themselves, each another
// part at each moment, and they know alignments that do not divide each other: of 23
// problems of suite.Awkward that were not decided in two seconds, the load was 15% under
// the lowest height in the mean and 33% at worst, the table's bound 2% and 11%.
//
// And where buffers may lie inside one another, of each two it is decided in time which
// of the free ranges their distance is in: when the lower one is placed. Mostly it is the
// topmost, and the pair is one like others. Else the lower one is tied to the upper one,
// which may pull it up from where it is.
//
// So a node is a sequence of buffers at the least offsets that the sequence and the ranges
// allow. It fails where some set of what is unplaced cannot be that high, and where as
// much has failed before (ascend.go).
//
// Offsets are shifted (shift.go), which leaves few pairs with several free ranges.
//
// Invariant: x has the least offsets of what is placed that keep the sequence, the ranges
// that are chosen, and ties to what is unplaced; no plan that goes on from a node has less.
//
// Complexity: the table takes n²·2ⁿ/4 steps for n buffers, 7 ms for 16, of which it knows
// no more; a node O(n²), a microsecond or two.
// Source: the table is the dynamic program of Held and Karp (1962) for the travelling
// salesman with setup times for distances; latest starts and sleep sets (ascend.go) are
// from scheduling and model checking. Their use here is Stowage's.
//
// Tried and dropped: the table for heights rather than for a capacity, with distances
// rounded to the common divisor of two alignments (one table for all capacities; of the 23
// problems 18 decided rather than 21); ranges chosen when a plan violates one (1.4 million
// nodes and no answer on a problem that takes 80,000 so); keeping all room that is left,
// placing buffers in any order (which was here before; 23 problems undecided of 1,000,
// now one, after 4 s); parts of what is unplaced that do not meet one by one (the same nodes).
type ladder struct {
	n, t  int              // buffers; those of them that the table knows, which come first
	id    []int32          // their numbers in the partition
	twin  [ladderMost]int8 // of each buffer one alike that comes before it; -1 for none
	align []int64
	size  []int64
	start []int64 // the fixed offset, notFixed for none
	shift []int64 // of the kernel: all offsets are less by it, but those in at
	high  []int64 // the highest offsets within the capacity

	// Of offset(j) - offset(i), at i*n+j, neither below zero:
	free  [][]extent // what is free, ascending; the last has no end
	least []int64    // its lowest
	above []int64    // where its last begins

	meet    rungSets // of each buffer: those that it conflicts with
	loose   rungSets // of each buffer: those of which free is more than one range
	detours uint32   // those by way of which two others need less
	period  int64    // of alignments; noEnd where some buffer is fixed
	tables  *tables  // of the engine, whoever used them last

	capacity int64
	ahead    int64 // of the table's capacity
	bound    int64 // nothing under it fits; 0 where that is not known

	path   [ladderMost]int8 // what is placed, in ascending order
	depth  int
	lo, hi []int64  // at i*n+j, where i is placed: the range of offset(j) - offset(i)
	chosen rungSets // of each placed buffer: those with which the range is chosen
	tied   rungSets // and those with which it has an end
	at     []int64  // the plan that was found, in the partition's numbering
	known  front    // sets that have failed, and from which offsets on

	proof, patience int64 // as in interlock.go
	gaveUp          bool

	nodes, backtracks, nodeLimit int64
	watch                        *run.Watch
	tick                         func()
}

// Small is the number of buffers up to which a partition may be planned from rung to rung.
const Small = ladderMost

const (
	ladderMost = 24
	tableMost  = 16 // buffers that the table knows: 8 MiB
	// A node of the kernel is worth some 2^tableCost/4 steps of making the table, and
	// ladderShare nodes here.
	tableCost   = 17
	ladderShare = 8
	// tableNodes is how long a search goes on with the table of another capacity.
	tableNodes = 512

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
	if !e.switches.ladders || n > ladderMost || limit < 2*int64(n) || limit < int64(n*n)<<min(n, tableMost)>>tableCost {
		return undecided
	}
	l := e.completion(p).ladder
	if l == nil {
		if e.tables == nil {
			e.tables = new(tables)
		}
		l = newLadder(e, p)
		l.tick = func() { e.report(l.nodes) }
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
		n: n, t: min(n, tableMost), free: make([][]extent, n*n), tables: e.tables, watch: e.watch, tick: func() {},
	}
	carve(share[int64]{&l.align, n}, share[int64]{&l.size, n}, share[int64]{&l.start, n}, share[int64]{&l.shift, n}, share[int64]{&l.high, n}, share[int64]{&l.at, n},
		share[int64]{&l.least, n * n}, share[int64]{&l.above, n * n}, share[int64]{&l.lo, n * n}, share[int64]{&l.hi, n * n})
	l.id = make([]int32, n)
	for j := range l.id {
		// The table is for the largest.
		p := j
		for ; p > 0 && n > tableMost && k.of[l.id[p-1]].rawSize < k.of[j].rawSize; p-- {
			l.id[p] = l.id[p-1]
		}
		l.id[p] = int32(j)
	}
	fixed := false
	for j, local := range l.id {
		l.twin[j] = -1
		for i, other := range l.id {
			if e.switches.symmetry && Buffer(other) == k.of[local].twin && k.of[other].shift == k.of[local].shift {
				l.twin[j] = int8(i)
			}
		}
		b := &tl.Problem.Buffers[buffers[local]]
		l.align[j], l.size[j], l.start[j], l.shift[j] = b.Align(), b.Size, notFixed, k.of[local].shift
		if b.Fixed != nil {
			fixed, l.start[j] = true, *b.Fixed-l.shift[j]
		}
	}
	l.proof = passesMost(l.align)
	if l.period = bound.Period(l.align); fixed {
		l.period = noEnd
	}
	for i := range n {
		for j := range n {
			if i != j {
				l.link(i, j, tl.Forbid(int(buffers[l.id[i]]), int(buffers[l.id[j]])))
			}
		}
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

// link finds by how much buffer j may be above i, given what is forbidden.
func (l *ladder) link(i, j int, bans []timeline.Forbidden) {
	if len(bans) == 0 {
		return
	}
	l.meet[i] |= 1 << j
	step := bound.GCD(l.align[i], l.align[j])
	if l.start[i] != notFixed || l.start[j] != notFixed {
		step = 1
	}
	off := l.shift[i] - l.shift[j]
	low := -floor(off, step)
	var free []extent
	for _, ban := range bans {
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

// up returns the lowest offset of buffer j that is no lower than x.
func (l *ladder) up(j int, x int64) int64 {
	return bound.Up(max(x+l.shift[j], 0), l.align[j]) - l.shift[j]
}

// run searches for a plan within the capacity; where it fits, at holds the offsets.
func (l *ladder) run(tl *timeline.Timeline, p *timeline.Partition, capacity, limit int64) verdict {
	l.capacity, l.depth = capacity, 0
	l.chosen, l.tied = rungSets{}, rungSets{}
	// As much patience as there are nodes, so that in ever longer runs all settles.
	l.patience, l.gaveUp = max(64*int64(l.n+2), limit), false
	end := l.nodes + limit
	for j := range l.n {
		l.high[j] = bound.Down(capacity-l.size[j], l.align[j]) - l.shift[j]
		if capacity < l.size[j] || l.start[j] > l.high[j] {
			return refuted
		}
	}
	usable, exact := l.adjust()
	if usable && !exact {
		if v := l.try(min(limit, tableNodes)); v != undecided {
			return v
		}
	}
	if !exact && !l.measure(tl, p) {
		return undecided
	}
	return l.try(end - l.nodes)
}

// try is run with the table that there is.
func (l *ladder) try(limit int64) verdict {
	l.nodeLimit = l.nodes + limit
	for at := range l.lo {
		l.lo[at], l.hi[at] = l.least[at], noEnd
	}
	l.bound = l.fitting()
	switch r := l.search(math.MaxUint32>>(32-l.n), rungs{}, math.MinInt64/2, 0); {
	case r == solved:
		return fits
	case r == exhausted && !l.gaveUp:
		return refuted
	}
	return undecided
}
