// Package ladder is the search for small partitions that the canonical search cannot decide. It
// chooses buffers from the highest to the lowest and is complete: whether windows interlock or not.
package ladder

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: this search is for partitions of at most 24 buffers that the canonical search cannot
// decide. It chooses the buffers from the highest to the lowest: which buffer is the highest,
// which one is next, and so on. This gives two bounds that section inference cannot see.
//
// First, every set S of buffers has a bound by its highest buffer f:
//
//	latest(S, f) <= max over g in S-f of latest(S-f, g) - distance(f, g)
//
// latest(S, f) says how low f may lie if f is the highest buffer of S. Some buffer g of the rest comes next, and f must
// lie above g by at least the least free distance of the two, rounded up to the alignment. A table holds this bound for
// all sets (latest.go). The bound is far above the load if buffers use only parts of themselves, a different part at
// each moment. It also sees alignments that do not divide each other. The bound is counted from the ground, where
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
// Trials: docs/lab/exact.md (four other ways to search take more nodes or more tables).

// Search is the search in one partition. Each run asks about another capacity.
type Search struct {
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
	taken []int64    // the largest number of levels of j that i can make unfree, wherever i lies

	meet    rungSets // per buffer: the buffers that it conflicts with
	loose   rungSets // per buffer: the buffers with which it has several free ranges
	detours uint32   // buffers g with least(i, j) > least(i, g) + least(g, j) for some i, j
	table   []int64  // latest(set, f) at set*t+f (latest.go); nil until it is made
	Bound   int64    // no capacity below it fits

	path    [ladderMost]int8 // the placed buffers, by ascending level
	depth   int
	lo, hi  []int64          // at i*n+j, if i is placed: the chosen range of level(j) - level(i)
	chosen  rungSets         // per placed buffer: the buffers with which its range is chosen
	tied    rungSets         // per placed buffer: the buffers with which that range has an end
	At      []int64          // the offsets that were found, in the partition's numbering
	spared  [ladderMost]int8 // the buffers that are left out (spare.go), in that order
	spares  int              // the number of entries in spared
	sparing bool             // whether buffers are left out at all
	known   common.Front     // sets of unplaced buffers that failed, with their least levels

	proof, patience int64 // as in package pairs; proof is bound.Passes
	gaveUp          bool

	Nodes, Backtracks int64 // of the runs that the caller has not counted yet
	nodeLimit         int64
	watch             *run.Watch
	Tick              func() // called every tickEvery nodes
	tickEvery         int64

	Tell func(p int, kind plan.MoveKind, j common.Buffer, at int64) // called for each move; nil if nobody asks
	Part int                                                        // the partition, for Tell
}

const (
	ladderMost = thresholds.LadderMost
	// TableMost is how many buffers the table covers at most: 8 MiB.
	TableMost = 16

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

// New prepares a partition. twin returns for each buffer the preceding identical one, or
// nobody. The search is over if watch is.
func New(tl *timeline.Timeline, p *timeline.Partition, sw common.Switches, twin func(j common.Buffer) common.Buffer,
	limits common.Limits, watch *run.Watch,
) *Search {
	buffers := p.Buffers
	n := len(buffers)
	l := &Search{
		n: n, t: min(n, TableMost), sparing: sw.Spares, free: make([][]extent, n*n), watch: watch, Tick: func() {},
		tickEvery: limits.OrUsual().TickEvery,
	}
	var numbers common.Arrays[int64]
	numbers.Add(n, &l.align, &l.size, &l.start, &l.shift, &l.low, &l.high, &l.At)
	numbers.Add(n*n, &l.least, &l.above, &l.lo, &l.hi, &l.taken)
	numbers.Make()
	l.id = make([]int32, n)
	for j := range l.id {
		// The table covers the largest buffers, so these come first.
		at := j
		for ; at > 0 && n > TableMost &&
			tl.Problem.Buffers[buffers[l.id[at-1]]].Size < tl.Problem.Buffers[buffers[j]].Size; at-- {
			l.id[at] = l.id[at-1]
		}
		l.id[at] = int32(j)
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
			if sw.Symmetry && common.Buffer(other) == twin(common.Buffer(local)) {
				l.twin[j] = int8(i)
			}
		}
	}
	if sw.Shifts {
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
func (l *Search) step(i, j int) int64 {
	if l.start[i] != notFixed || l.start[j] != notFixed {
		return 1
	}
	return bound.GCD(l.align[i], l.align[j])
}

// link works out the free ranges of level(j) - level(i) from the forbidden differences of offsets.
func (l *Search) link(i, j int, bans []timeline.Forbidden) {
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
func (l *Search) up(j int, x int64) int64 {
	return max(l.low[j], -floor(-x-l.shift[j], l.align[j])-l.shift[j])
}

// Run searches for a plan within the capacity. If it returns Fits, At holds the offsets.
func (l *Search) Run(tl *timeline.Timeline, p *timeline.Partition, capacity, limit int64) common.Verdict {
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
	if capacity < l.Bound {
		return common.Refuted
	}
	l.depth, l.spares, l.chosen, l.tied = 0, 0, rungSets{}, rungSets{}
	for at := range l.lo {
		l.lo[at], l.hi[at] = l.least[at], noEnd
	}
	// The patience grows with the node limit, so every propagation ends if runs grow longer.
	l.patience, l.gaveUp = max(64*int64(l.n+2), limit), false
	l.nodeLimit = l.Nodes + limit
	if l.Tell != nil {
		l.Tell(l.Part, plan.MoveBegin, common.Nobody, capacity)
	}
	switch r := l.search(math.MaxUint32>>(32-l.n), rungs{}, e, -1, -1, 0); {
	case r == common.Solved:
		l.compact(tl, p)
		if invariants.Enabled {
			l.checkPlan()
		}
		return common.Fits
	case r == common.Exhausted && !l.gaveUp:
		return common.Refuted
	}
	return common.Undecided
}

// compact moves the buffers of the plan down as far as they can without passing one another.
func (l *Search) compact(tl *timeline.Timeline, p *timeline.Partition) {
	again := true
	for sweeps := 0; again && sweeps < l.n; sweeps++ {
		again = false
		for j := range l.At {
			b := &tl.Problem.Buffers[p.Buffers[j]]
			if b.Fixed != nil {
				continue
			}
			at := int64(0)
			for i := range l.At {
				if i == j {
					continue
				}
				for _, ban := range tl.Forbid(int(p.Buffers[i]), int(p.Buffers[j])) {
					if l.At[j]-l.At[i] >= ban.Below {
						at = max(at, l.At[i]+ban.Below)
					}
				}
			}
			if at = bound.Up(at, b.Align()); at < l.At[j] {
				l.At[j], again = at, true
			}
		}
	}
}
