package pairwise

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the state of a partition as flat arrays over bounds and pairs. lb(j) is kept as value[2j] and ub(j) as
// value[2j+1] = -ub(j): both then only rise, and every rule is written once for both sides.
//
// Invariant between calls, unless the last one failed: the queue is empty, every
// rule is at its fixpoint, and value[2j] + value[2j+1] <= 0 for all j.
//
// Complexity: a decision costs the number of halves of the buffers whose bounds
// move; memory is 29 bytes a pair and 24 more if there are windows.
//
// Source: the encoding of TelaMalloc (ASPLOS 2023), sections 5.1 and 5.5.

// An Engine holds the constraints of one partition. It is not safe for
// concurrent use. Buffers are numbered from 0 to Len()-1, see ID.
type Engine struct {
	id    []int32 // buffer → index in Problem.Buffers
	size  []int64
	align []int64
	fixed []int64 // the fixed offset, -1 for none

	// Pairs; set by link, never changed.
	from          []int32 // halves of buffer j are from[j]:from[j+1]
	other         []int32 // half → the other buffer
	literal       []int32 // half → the literal "this buffer below the other"
	first, second []int32 // pair → its buffers
	distance      []int64 // literal → distance; nil if it is the lower one's size
	reach         []int64 // v → the largest distance of a literal that v can refute

	// Bounds and orders; trail.go restores them.
	value     []int64 // v → bound
	at        []int32 // v → trail entry that set it
	order     []uint8 // pair → 0 open, 1 literal 2p, 2 literal 2p+1
	orderAt   []int32 // pair → trail entry that set it; valid where order is not 0
	trail     []entry
	levels    []mark
	root      int32 // trail entries below this hold whatever is decided
	isPlaced  []bool
	undecided []int32 // buffer → open pairs
	pushing   []int32 // v → true literals along which v pushes
	open      int64   // sum of undecided over the placed buffers
	peak      [2]int64

	// queue is a ring of bound variables whose halves are to be looked at.
	queue      []int32
	head, tail int
	queued     []bool

	failedA, failedB int32   // entries of the bounds that met, after a failure
	cycle            []int32 // or literals that are a contradiction by themselves
	failed           bool

	watch *run.Watch
	work  int // halves looked at since the last look at the watch

	// cycle.go: entries of the trail at which to look for a cycle, and by how many
	// the next look is later; the rest is scratch.
	alarm, stride int
	period        int64   // multiple of all alignments
	met           []int32 // v → entry on the chain, plus 1; 0 for none
	metSum        []int64 // v → distances from there to the end of the chain

	// Scratch of explain.go, parallel to the trail.
	need   []int64
	marked []bool
	seen   []bool // level → already in the conflict

	blocks []span // scratch of ranges.go
}

// DefaultMaxPairs is a bound on the pairs of an engine: about 240 MB.
const DefaultMaxPairs = 8 << 20

// trailReserve bounds what is set aside for the trail at once: 32 MB.
const trailReserve = 1 << 20

// New builds the constraints of a partition, without a capacity: call Reset before anything else. maxPairs bounds the
// memory. The error is a *TooManyPairsError, or ErrLimit if the watch ended before all were built.
//
// The watch also ends propagation, which then reports a contradiction that may be false. So no failure is a proof if
// the watch is over.
func New(w *run.Watch, tl *timeline.Timeline, p *timeline.Partition, maxPairs int) (*Engine, error) {
	n := len(p.Buffers)
	e := &Engine{
		watch: w,
		id:    p.Buffers, size: make([]int64, n), align: make([]int64, n), fixed: make([]int64, n),
		value: make([]int64, 2*n), at: make([]int32, 2*n),
		isPlaced: make([]bool, n), undecided: make([]int32, n), pushing: make([]int32, 2*n),
		queue: make([]int32, 2*n+1), queued: make([]bool, 2*n),
	}
	for j, i := range p.Buffers {
		b := &tl.Problem.Buffers[i]
		e.size[j], e.align[j], e.fixed[j] = b.Size, b.Align(), -1
		if b.Fixed != nil {
			e.fixed[j] = *b.Fixed
		}
	}
	e.period = bound.Period(e.align)
	if err := e.link(tl, maxPairs); err != nil {
		return nil, err
	}
	return e, nil
}

// Len returns the number of buffers.
func (e *Engine) Len() int { return len(e.size) }

// ID returns the index in Problem.Buffers of buffer j.
func (e *Engine) ID(j int32) int32 { return e.id[j] }

// Pairs returns the number of pairs.
func (e *Engine) Pairs() int { return len(e.order) }

// Pair returns the buffers of a pair: literal 2p says that first lies below
// second, literal 2p+1 that second lies below first.
func (e *Engine) Pair(p int32) (first, second int32) { return e.first[p], e.second[p] }

// Decided returns the literal that holds for a pair, -1 if it is open.
func (e *Engine) Decided(p int32) int32 {
	if o := e.order[p]; o != 0 {
		return 2*p + int32(o) - 1
	}
	return -1
}

// Neighbours returns the buffers that j has pairs with; one with several
// forbidden ranges comes several times. The slice is the engine's.
func (e *Engine) Neighbours(j int32) []int32 { return e.other[e.from[j]:e.from[j+1]] }

// Range returns the bounds of buffer j's offset. Until the next decision lo is
// the lowest offset that conflicts with no placed buffer, and hi the highest.
func (e *Engine) Range(j int32) (lo, hi int64) { return e.value[2*j], -e.value[2*j+1] }

// Placed reports whether buffer j has been placed or is fixed.
func (e *Engine) Placed(j int32) bool { return e.isPlaced[j] }

// Reset drops all decisions, sets the capacity in bytes and propagates. It returns false if there is a contradiction.
// Then no plan fits, unless the watch is over.
func (e *Engine) Reset(capacity int64) bool {
	if e.trail == nil {
		// A plan decides every pair; growing to that would copy it five times over.
		e.trail = make([]entry, 0, min(2*len(e.value)+len(e.order), trailReserve))
	}
	e.trail, e.levels = e.trail[:0], e.levels[:0]
	clear(e.order)
	clear(e.pushing)
	clear(e.isPlaced)
	e.drain()
	e.open, e.failed, e.cycle = 0, false, e.cycle[:0]
	e.peak = [2]int64{math.MinInt64 / 4, math.MinInt64 / 4}
	for j := range e.size {
		lo, hi := int64(0), bound.Down(capacity-e.size[j], e.align[j])
		if at := e.fixed[j]; at >= 0 {
			lo, hi = at, min(at, hi)
			e.isPlaced[j] = true
		}
		e.value[2*j], e.value[2*j+1] = lo, -hi
		e.undecided[j] = e.from[j+1] - e.from[j]
		if e.isPlaced[j] {
			e.open += int64(e.undecided[j])
		}
	}
	for v, x := range e.value {
		e.trail = append(e.trail, entry{v: int32(v), prev: -1, value: x})
		e.at[v] = int32(v)
		if s := v & 1; !e.isPlaced[v>>1] && x > e.peak[s] {
			e.peak[s] = x
		}
		e.enqueue(int32(v))
	}
	e.root = int32(len(e.trail))
	for v := 0; v < len(e.value); v += 2 {
		if e.value[v]+e.value[v+1] > 0 {
			return e.fail(int32(v), int32(v+1))
		}
	}
	ok := e.propagate()
	e.root = int32(len(e.trail))
	return ok
}
