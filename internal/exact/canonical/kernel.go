// Package canonical is the search over canonical plans: one partition, one capacity, one order at a time. It is after
// MiniMalloc (Moffitt, ASPLOS 2023), with stronger inference. Package engine says what to ask, and what follows from
// the answers.
//
// # Algorithm
//
// A plan is canonical if it can be built from the ground up: buffers are placed in ascending order of offset (ties by
// rank), each at the lowest offset above the placed buffers that it overlaps. Any plan can be pushed down into a
// canonical one that is no higher, so the search explores only those:
//
//	search(component):                                     search.go
//	  for each unplaced buffer j, by lb[j], then rank[j]:
//	    skip j if (lb[j], rank[j]) is below the bound,     waiting.go
//	      if a gap would be left that another could fill,  dominance, in search.go
//	      or if a section has no room above lb[j]          ceiling, in search.go
//	    place j at lb[j]; raise lb of its neighbours       place.go
//	    split what is left where no buffer crosses         decompose.go
//	    for each part: tighten inf, or fail                infer.go
//	    search each part
//	    if one fails: take j back                          trail.go
//
//	offset
//	  ^      +-----------------+
//	  |      |   b4, lb = 8    |          b4 is unplaced. Its least offset
//	8 +------+--------+--------+--+       is the top of b2. If the bound has
//	  |  b1  |   b2   |           |       passed 8, b4 waits until another
//	4 +------+--------+           |       buffer is placed below it.
//	  |      b3       |           |
//	  +---------------+-----------+--> time
//
// # Completeness
//
// Take a plan with the least sum of offsets among all plans that fit. Each of its buffers lies on a buffer with a lower
// offset, at its own fixed offset, or at zero; otherwise it could be lowered. So the plan is canonical, under any rank.
// No technique removes a prefix of it: dominance removes only plans that could be lowered, and inference removes only
// plans that do not fit. The argument needs "above" to follow from "at a higher offset". That holds for all pairs
// unless windows interlock. Then a failure of this search proves nothing (shift.go mends some cases, package pairs the
// others).
//
// # Legend
//
//	j       a buffer of the partition; there are n of them, in m sections
//	lb      least offset: the highest top of the placed buffers that j overlaps
//	inf     inferred lower bound of the offset, inf >= lb; it prunes and never places
//	ub      highest offset that fits the capacity
//	limit   the highest top that fits the capacity
//	total   per section: the space of its unplaced buffers
//	live    per section: the number of its unplaced pieces
//	cuts    per section: the unplaced buffers that cross to the next section
//	piece   consecutive sections in which a buffer uses one window; most buffers have one piece
//	run     consecutive sections with the same unplaced pieces
//	dirty   a section that inference has to look at again
//	rank    position in the static preordering
//	off     offset of the last placement; (off, rank) is the canonical bound
//	waits   j waits if (lb[j], rank[j]) is below the canonical bound
//
// # Adding an inference
//
// An inference is a method of Kernel in a file of its own, such as notfirst.go. It raises bounds only by tighten, so that
// the trail can undo them, and returns false if no plan is left.
//
// Its conclusions must hold for every completion, canonical or not, in which each unplaced buffer lies at its least
// offset or above, and no waiting buffer lies at its least offset. memo.go and front.go rely on that. The size of a block
// is its effective size (effective.go). State is a group of its own, in the table of Kernel, in makeArrays and in reset.
//
//	component  infer.go calls inferences that look at a whole component, and knows their order
//	section    checkSection in suffixbound.go calls those that look at a section. looks in infer.go and invariants.go
//	           name them. checkSection returns early if top <= slack, and sees only the first section of a run
//	huge       in a huge partition long loops ask late, and members.go switches off what reads the lists of members
//	switch     a field and a row of Declare in common/switches.go, and a row in docs/planners/exact.md
//	tests      saves fails if the inference is off, truthful if it is too strong (technique_test.go)
//	proofs     verify/conclude.go and examples/check_certificate.py draw the same conclusion, which
//	           docs/certificates.md proves. If they do not, Refute in engine/refute.go switches the inference off
package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Section is a section of a partition, counted from the partition's first.
type Section int32

// Piece is the number of a piece: consecutive sections in which a buffer uses one window. Piece j is the first piece of
// buffer j. The further pieces of all buffers come after these. Both kinds are in the order of their first sections.
type Piece int32

// none stands for no piece.
const none Piece = -1

// Kernel is a search in one partition, as a struct of arrays. Its fields are in groups, one for
// each concern. Each group is declared in its home, with a comment for each field. Fields that most files read are
// embedded; the others are reached through the name of their group. Files that only call a method of a group, such as
// place.go for runs, are counted by what the method does.
//
//	group     | home        | also written by                  | also read by
//	problem   | prepare     | kernel, shift                    | most
//	pieces    | prepare     | shift                            | most
//	question  | kernel      |                                  | effective, front, search, section, suffixbound
//	bounds    | trail       | effective, place, prepare        | most
//	remaining | unplaced    | effective, place                 | decompose, near, order, prepare, search, section, stack, suffixbound
//	placement | place       | shift, stack, trail              | kernel
//	inference | infer       |                                  |
//	counters  | kernel      | search, stack                    |
//	caller    | kernel      |                                  | decompose, search, sort, stack
//	trail     | trail       |                                  |
//	ranks     | order       | kernel, score, trail             | search, waiting
//	waiting   | waiting     | search                           | decompose, lifting, memo
//	runs      | dirty       | hot, infer, place, search, trail |
//	members   | members     |                                  | near, suffixbound
//	tops      | suffixbound | infer, place, trail              |
//	hot       | hot         | infer                            |
//	lifting   | lifting     |                                  |
//	floors    | section     |                                  |
//	holes     | holes       |                                  | infer, place, trail
//	effective | effective   |                                  |
//	memo      | memo        | kernel, prepare                  |
//	front     | front       |                                  |
//	splits    | decompose   |                                  |
//	near      | near        |                                  |
//	sorted    | sort        |                                  | order
//
// Also, New and reset in kernel.go make and empty all groups, and the trail restores floors.
type Kernel struct {
	sw     common.Switches
	limits common.Limits

	problem
	pieces
	question
	bounds
	remaining
	placement
	inference
	counters
	caller

	trail     history
	ranks     ranking
	waiting   waitingSet
	runs      runs
	members   memberLists
	tops      tops
	hot       hotSections
	lifting   lifting
	floors    floors
	effective effectiveSizes
	holes     holes
	memo      memo
	front     common.Front // the sets of buffers that have failed
	splits    splits
	near      []Piece         // the result of nearby
	sorted    []common.Buffer // the scratch of sortBy, and of byRank
}

// question is what a run is asked.
type question struct {
	capacity  int64
	limit     int64 // nothing may end above it, in rounded sizes
	nodeLimit int64 // of Nodes
}

// counters count the work of a run. The engine sets them back to 0 after reading them.
type counters struct {
	Nodes      int64
	Backtracks int64
}

// caller is what the engine sets, apart from Answer, which it reads.
type caller struct {
	Watch  *run.Watch     // over when the search must end
	Tick   func()         // called every limits.TickEvery nodes
	Proof  *Proof         // what is refuted and why; nil if nobody asks (proof.go)
	Answer common.Outcome // of a run in a race

	Tell func(p int, kind plan.MoveKind, j common.Buffer, at int64) // called for each move; nil if nobody asks
	Part int                                                        // the partition, for Tell
}

// New prepares a partition for search. It takes O(pieces·sections) steps at worst. If the watch ends meanwhile, the
// kernel is left half prepared, and must not be used.
func New(tl *timeline.Timeline, p *timeline.Partition, sw common.Switches, limits common.Limits,
	watch *run.Watch,
) *Kernel {
	k := &Kernel{sw: sw, limits: limits.OrUsual(), caller: caller{Watch: watch, Tick: func() {}}}
	k.makeArrays(tl, p)
	for _, step := range [...]func(*Kernel, *timeline.Timeline, *timeline.Partition){
		(*Kernel).describe, (*Kernel).describePieces, (*Kernel).initMembers, (*Kernel).initTwins, (*Kernel).countFrom,
		(*Kernel).initEffective, (*Kernel).initHoles,
	} {
		if k.over() {
			break
		}
		step(k, tl, p)
	}
	return k
}

// arrays collects the arrays of all groups by kind. Each group adds its own.
type arrays struct {
	n, m, pieces int // the numbers of buffers, sections and pieces

	numbers common.Arrays[int64]
	counts  common.Arrays[int32]
	words   common.Arrays[uint64]
	buffers common.Arrays[common.Buffer]
	list    common.Arrays[Piece]
}

// makeArrays makes the arrays of all groups, with zeros.
func (k *Kernel) makeArrays(tl *timeline.Timeline, p *timeline.Partition) {
	a := arrays{n: len(p.Buffers), m: int(p.Last - p.First)}
	for _, i := range p.Buffers {
		a.pieces += len(tl.Spans(int(i)))
	}
	k.problem.add(&a)
	k.pieces.add(&a)
	k.bounds.add(&a)
	k.remaining.add(&a)
	k.placement.add(&a)
	k.ranks.add(&a)
	k.waiting.add(&a)
	k.runs.add(&a)
	k.members.add(&a)
	k.tops.add(&a)
	k.lifting.add(&a)
	k.floors.add(&a)
	k.effective.add(&a)
	k.memo.add(&a)
	a.list.Add(a.pieces, &k.near)
	a.buffers.Add(a.n, &k.sorted)
	a.numbers.Make()
	a.counts.Make()
	a.words.Make()
	a.buffers.Make()
	a.list.Make()
	k.trail.most = k.limits.TrailMost
	k.hot.forget()
	k.lb, k.inf, k.floors.of = k.cells[:a.n:a.n], k.cells[a.n:2*a.n:2*a.n], k.cells[2*a.n:]
}

// over reports whether the run must end. If it must, an inference may stop midway and claims nothing: search asks over
// again before it draws a conclusion.
func (k *Kernel) over() bool { return k.Watch.Over() }

// late is over for a pass that takes long only if the partition is huge. In other partitions it is false.
func (k *Kernel) late() bool { return k.huge && k.Watch.Over() }

// say tells of a move. Tell must be set.
func (k *Kernel) say(kind plan.MoveKind, j common.Buffer) {
	k.Tell(k.Part, kind, j, k.best[j]+k.of[j].shift)
}

// Run searches the partition from the start for at most limit nodes. Each buffer alone must fit the capacity.
func (k *Kernel) Run(capacity int64, order string, orderIndex int, limit int64) common.Outcome {
	alone := k.SetCapacity(capacity)
	k.ranks.order = order
	k.memo.run = common.Mix(uint64(capacity)^0x8ebc6af09c88c6e3, uint64(orderIndex)*2+0x589965cc75374cc3)
	k.nodeLimit = k.Nodes + limit
	if k.over() {
		return common.Aborted
	}
	if k.Tell != nil {
		k.Tell(k.Part, plan.MoveBegin, common.Nobody, capacity)
	}
	r, root := common.Exhausted, k.root()
	k.findWaiting(root)
	if alone && k.infer(root) {
		r = k.search(root)
	} else {
		k.Proof.refuted()
	}
	if r == common.Exhausted && k.late() {
		return common.Aborted // an inference may have been left undone
	}
	return r
}

// SetCapacity sets the bounds that follow from the capacity. It reports whether each buffer fits, alone or
// beside the fixed ones.
//
//	ub(j) = capacity - size(j), rounded down to the alignment and into a hole (holes.go), or the fixed offset
//	limit = max over j of ub(j) + size(j), size(j) rounded up to unit
func (k *Kernel) SetCapacity(capacity int64) bool {
	k.capacity, k.limit = capacity, 0
	ok := true
	for j := range k.of {
		b := &k.of[j]
		ub := bound.Down(capacity-b.rawSize, b.align)
		if b.fixed {
			ok = ok && b.start+b.shift <= ub
			ub = b.start + b.shift
		}
		if k.holes.any && !b.fixed {
			at, found := k.holes.below(common.Buffer(j), ub-b.shift)
			ub, ok = at+b.shift, ok && found
		}
		ok = ok && ub >= 0
		k.limit = max(k.limit, ub+bound.Up(b.rawSize, k.unit))
		b.ub = ub - b.shift
	}
	return ok
}

// root puts the state before the first placement and makes all sections dirty. It returns the component of all buffers.
func (k *Kernel) root() component {
	k.reset()
	c := component{first: 0, last: k.m, off: math.MinInt64 / 4, rank: -1}
	k.breakTies(c)
	k.rankAll(c)
	k.ranks.log = k.ranks.log[:0]
	k.runs.markAll()
	return c
}

// reset puts the state before the first placement. Complexity: O(buffers + pieces + sections).
func (k *Kernel) reset() {
	k.resetBounds()
	k.resetRemaining()
	k.placement.reset()
	k.trail.rewind(k.n)
	k.ranks.log = k.ranks.log[:0]
	k.runs.reset(k.span)
	k.tops.reset()
	k.lifting.reset()
	k.splits.reset()
	clear(k.floors.of)
	k.allow()
}
