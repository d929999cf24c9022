package engine

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/tune"
	"github.com/stowage-go/stowage/plan"
)

// Idea: this search is for partitions of at most 24 buffers that the canonical search cannot
// settle. It chooses the buffers from the highest to the lowest: which buffer is the highest,
// which one is next, and so on. This gives two bounds that section inference cannot see.
//
// First, every set S of buffers has a bound by its highest buffer f:
//
//	latest(S, f) <= max over g in S-f of latest(S-f, g) - distance(f, g)
//
// latest(S, f) says how low f may lie if f is the highest buffer of S. Some buffer g of the rest
// comes next, and f must lie above g by at least the least free distance of the two, rounded up
// to the alignment. A table holds this bound for all sets (latest.go). The bound is far above
// the load if buffers use only parts of themselves, a different part at each moment. It also
// sees alignments that do not divide each other. The bound is counted from the ground, where
// offset 0 suits every alignment, so one table serves all capacities.
//
// Second, if one buffer may lie inside another, the distance of the two has several free ranges.
// The search chooses one range for each such pair as soon as the first of the two is placed.
// Usually the search chooses the outermost range, and the pair is then like any other. Otherwise
// the first buffer is tied to the second one, which may later pull it down.
//
// A node is a sequence of buffers, each as high as the sequence and the chosen ranges allow. A
// node fails if some set of unplaced buffers cannot lie that low. A node also fails if a state
// that was no worse has failed before, at any capacity (ascend.go).
//
// The code sees the plan upside down:
//
//	level(j) = -(offset(j) + shift(j))
//
// A lower level is nearer to the top of the plan, and levels end at the ground. The shifts are
// chosen such that few pairs have several free ranges (levels.go).
//
// Invariant: x holds the least levels of the placed buffers that keep the sequence, the chosen
// ranges, and the ties to unplaced buffers. No plan that continues a node has a lower level.
//
// Complexity: the table takes n²·2ⁿ/4 steps for n buffers, which is 7 ms for 16 buffers. It
// covers no more than 16. A node takes O(n²) steps, a microsecond or two.
//
// Source: the table is the dynamic program of Held and Karp (1962) for the travelling salesman,
// with distances as setup times. Latest starts are from scheduling, and sleep sets (ascend.go)
// are from model checking. Their use here is Stowage's.
//
// Tried and dropped:
// Search from the ground up. It needs one table for each capacity, and a failure says nothing
// about a larger capacity. Most of the time of a minimisation went into tables.
// Ranges that are chosen only when a plan violates one. A problem that takes 80,000 nodes now
// had no answer after 1.4 million.
// Placing buffers in any order while keeping track of all the room that is left. Of 1,000
// problems 23 were undecided after 4 s, and now 1 is.
// Searching parts of the unplaced buffers that do not meet one by one. It took the same nodes.
type ladder struct {
	n, t  int              // n buffers; the table covers the first t
	id    []int32          // their numbers in the partition
	twin  [ladderMost]int8 // per buffer: an identical buffer before it; -1 if there is none
	align []int64
	size  []int64
	start []int64 // the fixed level; notFixed if the buffer is not fixed
	shift []int64 // -(level + offset)
	low   []int64 // the least level: the buffer ends at the capacity
	high  []int64 // the highest level: offset 0, or the fixed offset

	// About the difference level(j) - level(i) >= 0, at i*n+j:
	free  [][]extent // the free ranges, ascending; the last one has no end
	least []int64    // the lowest free difference
	above []int64    // where the last free range begins
	taken []int64    // at most so many levels of j are not free, wherever i lies

	meet    rungSets // per buffer: the buffers that it conflicts with
	loose   rungSets // per buffer: the buffers with which it has several free ranges
	detours uint32   // buffers g with least(i, j) > least(i, g) + least(g, j) for some i, j
	table   []int64  // latest(set, f) at set*t+f (latest.go); nil until it is made
	bound   int64    // no capacity below it fits

	path    [ladderMost]int8 // the placed buffers, by ascending level
	depth   int
	lo, hi  []int64          // at i*n+j, if i is placed: the chosen range of level(j) - level(i)
	chosen  rungSets         // per placed buffer: the buffers with which its range is chosen
	tied    rungSets         // per placed buffer: the buffers with which that range has an end
	at      []int64          // the offsets that were found, in the partition's numbering
	spared  [ladderMost]int8 // the buffers that are left out (spare.go), in that order
	spares  int              // the number of entries in spared
	sparing bool             // whether buffers are left out at all
	known   common.Front     // sets of unplaced buffers that failed, with their least levels

	proof, patience int64 // as in package pairs; proof is bound.Passes
	gaveUp          bool

	nodes, backtracks, nodeLimit int64
	watch                        *run.Watch
	tick                         func()
	tell                         func(p int, kind plan.MoveKind, j common.Buffer, at int64) // as engine.tell
	part                         int
}

const (
	ladderMost = tune.LadderMost
	tableMost  = 16 // the table covers so many buffers: 8 MiB
	// A node of the kernel costs as much as 2^tableCost/4 steps of making the table. The table
	// is made if one round has that many nodes, or if all rounds so far had twice as many. A
	// ladder gets ladderShare nodes for each node of the kernel.
	tableCost   = 17
	ladderShare = 8

	notFixed = math.MinInt64
	noStart  = math.MinInt64 / 2
	noEnd    = math.MaxInt64
)

// rungs holds a number for each buffer, and rungSets a set of buffers for each.
type (
	rungs    [ladderMost]int64
	rungSets [ladderMost]uint32
)

// extent is a range of differences, both ends included.
type extent struct{ low, high int64 }

// ladder runs the search on partition p, if it is small enough and the limit is worth a table.
func (e *engine) ladder(p int, capacity, limit int64) common.Verdict {
	s := &e.parts[p]
	n := len(e.tl.Partitions[p].Buffers)
	if !e.Switches.Ladders || n > ladderMost || !s.laddered && (limit < 2*int64(n) || max(limit, s.spent/2) < int64(n*n)<<min(n, tableMost)>>tableCost) {
		return common.Undecided
	}
	l := s.completion.ladder
	if l == nil {
		l = newLadder(e, p)
		l.tick = func() { e.report(l.nodes) }
		l.tell, l.part = e.tell, p
		s.completion.ladder, s.laddered = l, true
	}
	v := l.run(e.tl, &e.tl.Partitions[p], capacity, e.within(ladderShare*min(limit, common.Unlimited/ladderShare)))
	e.count(&l.nodes, &l.backtracks)
	switch v {
	case common.Fits:
		e.keep(p, l.at)
	case common.Refuted:
		s.bound = max(s.bound, l.bound)
	}
	return v
}

// newLadder prepares a partition.
func newLadder(e *engine, p int) *ladder {
	tl, buffers, k := e.tl, e.tl.Partitions[p].Buffers, e.parts[p].kernel
	n := len(buffers)
	l := &ladder{
		n: n, t: min(n, tableMost), sparing: e.Switches.Spares, free: make([][]extent, n*n), watch: e.watch, tick: func() {},
	}
	common.Carve(common.Share(&l.align, n), common.Share(&l.size, n), common.Share(&l.start, n), common.Share(&l.shift, n), common.Share(&l.low, n), common.Share(&l.high, n), common.Share(&l.at, n),
		common.Share(&l.least, n*n), common.Share(&l.above, n*n), common.Share(&l.lo, n*n), common.Share(&l.hi, n*n), common.Share(&l.taken, n*n))
	l.id = make([]int32, n)
	for j := range l.id {
		// The table covers the largest buffers, so these come first.
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
	l.proof = bound.Passes(l.align)
	bans := make([][]timeline.Forbidden, n*n)
	for at := range bans {
		if i, j := at/n, at%n; i != j {
			bans[at] = tl.Forbid(int(buffers[l.id[j]]), int(buffers[l.id[i]]))
		}
	}
	for j, local := range l.id {
		l.twin[j] = -1
		for i, other := range l.id[:j] {
			if e.Switches.Symmetry && common.Buffer(other) == k.of[local].twin {
				l.twin[j] = int8(i)
			}
		}
	}
	if e.Switches.Shifts {
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

// step divides every difference between the offsets of two buffers.
func (l *ladder) step(i, j int) int64 {
	if l.start[i] != notFixed || l.start[j] != notFixed {
		return 1
	}
	return bound.GCD(l.align[i], l.align[j])
}

// link works out the free ranges of level(j) - level(i) from the forbidden differences of offsets.
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
		// Count the levels of j that the range forbids and that suit its alignment.
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

// floor rounds x down to a multiple of step, as bound.Down does, and also takes x below zero.
func floor(x, step int64) int64 {
	r := x % step
	if r < 0 {
		r += step
	}
	return x - r
}

// up returns the least level >= x that buffer j can have.
func (l *ladder) up(j int, x int64) int64 {
	return max(l.low[j], -floor(-x-l.shift[j], l.align[j])-l.shift[j])
}

// run searches for a plan within the capacity. If it returns fits, at holds the offsets.
func (l *ladder) run(tl *timeline.Timeline, p *timeline.Partition, capacity, limit int64) common.Verdict {
	var e rungs
	for j := range l.n {
		l.low[j] = -floor(capacity-l.size[j], l.align[j]) - l.shift[j]
		if e[j] = max(l.low[j], l.start[j]); e[j] > l.high[j] {
			return common.Refuted
		}
	}
	if l.table == nil && !l.measure(tl, p) {
		return common.Undecided
	}
	if capacity < l.bound {
		return common.Refuted
	}
	l.depth, l.spares, l.chosen, l.tied = 0, 0, rungSets{}, rungSets{}
	for at := range l.lo {
		l.lo[at], l.hi[at] = l.least[at], noEnd
	}
	// The patience grows with the node limit, so every propagation settles if runs grow longer.
	l.patience, l.gaveUp = max(64*int64(l.n+2), limit), false
	l.nodeLimit = l.nodes + limit
	if l.tell != nil {
		l.tell(l.part, plan.MoveBegin, common.Nobody, capacity)
	}
	switch r := l.search(math.MaxUint32>>(32-l.n), rungs{}, e, -1, -1, 0); {
	case r == common.Solved:
		l.lower(tl, p)
		return common.Fits
	case r == common.Exhausted && !l.gaveUp:
		return common.Refuted
	}
	return common.Undecided
}

// lower moves the buffers of the plan down as far as they can without passing one another.
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
