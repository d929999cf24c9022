// Package canonical is the search over canonical plans and its inferences: one partition, one
// capacity, one order at a time. Package engine says which, and what follows from the answers.
package canonical

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Section is a section of a partition, counted from the partition's first.
type Section int32

// Piece is a stretch of sections in which a buffer uses one window. Piece j is
// the first one of buffer j; where there are gaps, the further ones of all
// buffers come after them, again in the order of their first sections.
type Piece int32

// none stands for no piece.
const none Piece = -1

// Kernel is a search in one partition, as a struct of arrays. Its fields are in
// groups by how long they hold.
type Kernel struct {
	sw       common.Switches
	static   // the partition; New sets it
	question // what a run is asked; run sets it
	state    // the search; place, infer and undo change it
	learned  // what outlives a run; wrong entries cost time, never soundness
	scratch  // holds within one call

	Nodes      int64 // of the runs that the engine has not counted yet
	Backtracks int64
	Answer     common.Outcome // in a race
	Watch      *run.Watch     // over when this search must end
	Proof      *Proof         // what is refuted and why (proof.go); nil where nobody asks
	Tick       func()         // called every few thousand nodes

	Tell func(p int, kind plan.MoveKind, j common.Buffer, at int64) // as engine.tell
	Part int                                                        // the partition
}

// static is the partition in arrays by buffer, by piece and by section.
type static struct {
	n common.Buffer // how many buffers
	m Section       // how many sections

	buffers []model.Buffer // of the problem
	id      []int32        // buffer j is buffers[id[j]]
	of      []fact
	size    []int64         // rounded up to unit: the distance to whatever lies above
	begins  []common.Buffer // per section: how many extents begin before it, so the first buffer that does not
	ends    []common.Buffer // per section: how many extents end before it or with it
	salt    []uint64        // two random words for each buffer, for the memo

	span  []span
	owner []common.Buffer // per piece
	next  []Piece         // the next one of the same buffer
	more  []Piece         // per section: the first of the further pieces that does not begin before it

	members  []Piece // of section s, in any order: members[memberAt[s]:memberAt[s+1]] (members.go)
	memberAt []int32

	// plain says that no buffer has gaps: each has one piece, its extent, with
	// the window [0, size).
	plain bool
	// stackable says that any order of stacking a section gives the same
	// height, but for the rounding of the topmost size (stack.go).
	stackable bool
	// windowed says that distances differ from sizes; distances then has those of
	// all pairs, row by row, where there are not too many.
	Windowed  bool
	effective bool // pieces have effective sizes (effective.go)
	Shifted   bool // offsets are counted so that all distances are above zero (shift.go)
	distances []int64
	// huge says that one pass over all buffers and their sections takes long
	// enough for a limit to come meanwhile: passes then look for it.
	huge   bool
	forgot bool // maxRounds has left sections dirty: what is settled is not all that could be inferred

	unit int64 // divides every offset
}

// fact is what the search asks of a buffer but seldom.
type fact struct {
	rawSize     int64
	align       int64
	start       int64 // the fixed offset, else 0, less shift
	shift       int64 // what offsets are less than in the plan (shift.go)
	ub          int64 // the highest offset that fits the capacity
	first, last Section
	twin        common.Buffer // the preceding identical buffer
	fixed       bool
}

// span is where a piece is: in sections [first, last), from byte lower of its
// buffer on.
type span struct {
	first, last Section
	lower       int64
}

// question is a capacity, an order and a node limit.
type question struct {
	capacity  int64
	limit     int64                                      // the level that nothing may end above, in rounded sizes
	order     string                                     // the static preordering
	score     func(j common.Buffer, total int64) float64 // in place of the order, where set (score.go)
	saltRun   uint64                                     // salts the memo by order and capacity
	nodeLimit int64
}

// state is restored by undo: what is in cells from the trail, ranks from their
// log, the rest by the inverse operation.
type state struct {
	cells []int64 // lb, inf and floor, one after the other
	lb    []int64 // lowest offset above everything placed; exact for placed ones
	inf   []int64 // inferred lower bound of the offset, for pruning only
	floor []int64 // per section: the top of what is placed
	rank  []int32
	best  []int64 // offsets of what is placed, and of solved components

	// What is unplaced: a set of buffers, and sums of it.
	unplaced  []uint64
	total     []int64 // per section: the space of its pieces
	live      []int32 // per section: the number of its pieces
	cuts      []int32 // per section s: extents that cross from s to s+1
	edges     []int32 // per section: pieces that begin or end there (dirty.go)
	runs      []uint64
	allowance []int64 // per section, not above zero: what is counted twice of the topmost piece (effective.go)
	top       []int64 // per section: no piece starts above it (suffixbound.go)

	path []common.Buffer // what is placed, in the order of its placement

	// block has where each piece starts by the inferred bound of its buffer, and
	// how much space it takes: what an inference reads of a piece, side by side.
	block []block

	trail   history
	rankLog []rankChange
	parts   []component // a stack
	slacks  []int64     // as parts: what orders the parts of a split
}

// block is the space of a piece.
type block struct{ start, size int64 }

// gone is where the pieces of placed buffers start: above all others, so that
// they are last among the members of a section.
const gone = math.MaxInt64 / 8 * 7

// learned has what helps later nodes and runs.
type learned struct {
	memo    memo
	front   common.Front
	hot     [4]Section // the latest to fail first; -1 for none
	witness []witness  // per buffer (lifting.go)
}

// scratch is named by the file that owns it.
type scratch struct {
	// near.go, decompose.go, sort.go
	near   []Piece
	bounds []Section
	list   []common.Buffer
	sorted []common.Buffer

	// order.go
	totals []int64 // the key T of each buffer
	tie    []int32 // the order of those with one total, where tied
	tied   bool    // T, or a score, is what counts first

	// search.go
	calm bool // the candidate that is tried comes before all others of its component

	// dirty.go, members.go
	dirty   []uint64
	apart   []Piece
	highest int64 // where inference has let a piece start, since the last placement or its undoing
	raised  int64 // how often inference has raised a bound

	// section.go
	low []int64 // per section

	// lifting.go
	waiting []uint64
	open    []common.Buffer
	openEnd []int64
	seen    []int64
	epoch   int64
}

// rankChange is an entry of the rank log: rank[j] was old.
type rankChange struct {
	j   common.Buffer
	old int32
}

// over reports whether the run must end; passes over what is huge ask it.
// Whoever is told so may leave its work undone and claim nothing: search asks
// again before it draws a conclusion.
func (k *Kernel) over() bool { return k.Watch.Over() }

// late is over for passes that take long in a huge partition only.
func (k *Kernel) late() bool { return k.huge && k.Watch.Over() }

// say tells of a move, where tell is set.
func (k *Kernel) say(kind plan.MoveKind, j common.Buffer) {
	k.Tell(k.Part, kind, j, k.best[j]+k.of[j].shift)
}

// Run searches the partition from the start for at most limit nodes. Each buffer
// alone fits the capacity.
func (k *Kernel) Run(capacity int64, order string, orderIndex int, limit int64) common.Outcome {
	k.SetCapacity(capacity)
	k.order = order
	k.saltRun = common.Mix(uint64(capacity)^0x8ebc6af09c88c6e3, uint64(orderIndex)*2+0x589965cc75374cc3)
	k.nodeLimit = k.Nodes + limit
	if k.over() {
		return common.Aborted
	}
	if k.Tell != nil {
		k.Tell(k.Part, plan.MoveBegin, common.Nobody, capacity)
	}
	r, root := common.Exhausted, k.root()
	k.findWaiting(root)
	if k.infer(root) {
		r = k.search(root)
	} else {
		k.Proof.refuted()
	}
	if r == common.Exhausted && k.late() {
		return common.Aborted // an inference may have been left undone
	}
	return r
}

// root puts the state before the first placement, where all is new to the
// inferences, and returns all buffers.
func (k *Kernel) root() component {
	k.reset()
	c := component{first: 0, last: k.m, off: math.MinInt64 / 4, rank: -1}
	k.breakTies(c)
	k.rankAll(c)
	k.rankLog = k.rankLog[:0]
	copy(k.dirty, k.runs)
	return c
}

// SetCapacity sets the bounds that follow from the capacity and reports
// whether each buffer alone fits.
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
		ok = ok && ub >= 0
		k.limit = max(k.limit, ub+bound.Up(b.rawSize, k.unit))
		b.ub = ub - b.shift
	}
	return ok
}

// reset puts the state before the first placement. Sums are taken from where
// pieces and extents begin and end: O(buffers + pieces + sections).
func (k *Kernel) reset() {
	for j := range k.of {
		k.lb[j], k.inf[j] = k.of[j].start, k.of[j].start
	}
	clear(k.floor)
	clear(k.unplaced)
	clear(k.total)
	clear(k.live)
	clear(k.cuts)
	clear(k.edges)
	clear(k.runs)
	for j := range k.witness {
		k.witness[j].by = common.Nobody
	}
	k.trail.rewind(k.n)
	k.path, k.rankLog, k.parts, k.slacks = k.path[:0], k.rankLog[:0], k.parts[:0], k.slacks[:0]
	for x := range k.span {
		s, b := &k.span[x], &k.block[x]
		b.start = k.inf[k.owner[x]] + s.lower
		k.total[s.first] += b.size
		k.total[s.last] -= b.size
		k.live[s.first]++
		k.live[s.last]--
		k.edges[s.first]++
		k.edges[s.last]++
	}
	for j := range k.of {
		b := &k.of[j]
		k.unplaced[j>>6] |= 1 << (j & 63)
		k.cuts[b.first]++
		k.cuts[b.last-1]--
	}
	for s := range k.m {
		if s > 0 {
			k.total[s] += k.total[s-1]
			k.live[s] += k.live[s-1]
			k.cuts[s] += k.cuts[s-1]
		}
		k.top[s] = gone
	}
	k.allow()
	for s, edges := range k.edges {
		if edges > 0 {
			k.runs[s>>6] |= 1 << (s & 63)
		}
	}
}

// placed reports whether buffer j is.
func (k *Kernel) placed(j common.Buffer) bool { return k.unplaced[j>>6]>>(j&63)&1 == 0 }

// buffersOf returns the numbers [low, high) that the buffers of c are among: all
// that are unplaced and begin in its sections end there too.
func (k *Kernel) buffersOf(c component) (low, high common.Buffer) {
	return k.begins[c.first], k.begins[c.last]
}

// wordOf returns word w of the set of unplaced buffers, as far as they are
// numbered from low to high.
func (k *Kernel) wordOf(w, low, high common.Buffer) uint64 {
	return masked(k.unplaced[w], int(w), int(low), int(high))
}

// masked returns word w of a bit set without what is outside [low, high).
func masked(word uint64, w, low, high int) uint64 {
	if at := low - w<<6; at > 0 {
		word &= math.MaxUint64 << uint(at)
	}
	if at := high - w<<6; at < 64 {
		word &= 1<<uint(at) - 1
	}
	return word
}

// any reports whether c has any buffer.
func (k *Kernel) any(c component) bool {
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		if k.wordOf(w, low, high) != 0 {
			return true
		}
	}
	return false
}

// listOf returns the buffers of c in ascending order, until the next call.
func (k *Kernel) listOf(c component) []common.Buffer {
	list := k.list[:0]
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			list = append(list, w<<6+common.Buffer(bits.TrailingZeros64(rest)))
		}
	}
	k.list = list
	return list
}

// distance returns the least difference of offsets with which j lies above i;
// ok is false where they never meet.
func (k *Kernel) distance(i, j common.Buffer) (d int64, ok bool) {
	if a, b := &k.of[i], &k.of[j]; b.first >= a.last || a.first >= b.last {
		return 0, false
	}
	if k.plain {
		return k.size[i], true
	}
	if k.distances != nil {
		d = k.distances[int(i)*int(k.n)+int(j)]
		return d, d != math.MinInt64
	}
	for x, y := Piece(i), Piece(j); x != none && y != none; {
		a, b := &k.span[x], &k.span[y]
		if a.first < b.last && b.first < a.last {
			if end := a.lower + k.block[x].size - b.lower; !ok || end > d {
				d, ok = end, true
			}
		}
		if a.last <= b.last {
			x = k.next[x]
		} else {
			y = k.next[y]
		}
	}
	return d, ok
}

// alignUp rounds an offset up to buffer j's alignment.
func (k *Kernel) alignUp(j common.Buffer, offset int64) int64 {
	f := &k.of[j]
	return bound.Up(offset+f.shift, f.align) - f.shift
}

// Twin returns the preceding buffer that is identical to j, or nobody.
func (k *Kernel) Twin(j common.Buffer) common.Buffer { return k.of[j].twin }
