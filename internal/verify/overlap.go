package verify

import (
	"math"
	"sort"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer consists of one or more pieces. A piece is a rectangle of time × bytes, for a stretch between gaps or
// for the window in a gap. A plan is valid if no two rectangles intersect. A line sweeps the addresses upwards. The
// pieces that it crosses are active. A piece that starts meets exactly the active pieces that share a time with it. So
// each pair is found once, at the higher of the two starts.
//
// The active pieces are in a binary tree over all pieces in order of their lower time. A node stores the latest upper
// time of the active pieces under it. A piece shares a time with [lower, upper) if its lower time is below upper and
// its upper time is above lower. The first condition selects a prefix of the leaves. The nodes decide the second.
//
// Invariant: when the line is at an address, the leaf of a piece has its upper time if the
// piece contains the address, and never if not.
//
// Complexity: O((p + k) log p) for p pieces and k pairs that intersect. The walk up from a
// leaf ends at the first node that does not change, which comes soon in a wide tree.
//
// Trials: docs/lab/tests.md (a tree over time cannot name the pairs that overlap).

// never is earlier than any upper time of a piece.
const never = math.MinInt64

// A rectangle is a piece of a buffer with an offset: the buffer uses all its bytes at all its times.
type rectangle struct {
	lower, upper int64 // times [lower, upper)
	start, end   int64 // bytes [start, end); they stop at the largest int64
	buffer       int
}

// An overlap is a range of times and bytes that buffers a < b both use.
type overlap struct {
	a, b         int32
	lower, upper int64 // common times
	start, end   int64 // common bytes
}

// overlaps returns the pairs of buffers that intersect, in ascending order, each with its
// earliest overlap. The search ends after most overlaps, and truncated is then true.
//
// Bytes at and above the largest int64 are left out. No address there is valid, and a
// buffer that reaches it is reported for that.
func overlaps(p *model.Problem, offsets []int64, most int) (pairs []overlap, truncated bool) {
	var m Memory
	m.cut(p, offsets)
	if x, _ := m.clash(); x < 0 {
		return nil, false
	}
	if m.whole != nil {
		m.list(p, offsets)
	}
	return meetings(m.pieces, most)
}

// meetings is overlaps for pieces.
func meetings(pieces []rectangle, most int) (pairs []overlap, truncated bool) {
	return meetingsBut(pieces, most, nil)
}

// meetingsBut is meetings without the pairs of buffers that may share bytes; permitted is nil if
// none may. Each pair of pieces that intersects costs one call.
func meetingsBut(pieces []rectangle, most int, permitted func(a, b int) bool) (pairs []overlap, truncated bool) {
	ordered := make([]rectangle, len(pieces))
	byLower := inOrder(pieces, func(x *rectangle) int64 { return x.lower })
	for k, old := range byLower {
		ordered[k] = pieces[old]
	}
	pieces = ordered
	starts := inOrder(pieces, func(x *rectangle) int64 { return x.start })
	ends := inOrder(pieces, func(x *rectangle) int64 { return x.end })

	active := newActiveSet(pieces, most)
	active.permitted = permitted
	var found []overlap
	for _, k := range starts {
		// Bytes are half-open: a piece that ends at this address leaves before the new one
		// comes. No piece is empty, so each one comes before it leaves.
		for pieces[ends[0]].end <= pieces[k].start {
			active.set(ends[0], never)
			ends = ends[1:]
		}
		found = active.meet(found, k)
		if len(found) >= most {
			return distinct(found), true
		}
		active.set(k, pieces[k].upper)
	}
	return distinct(found), false
}

// cut sets the pieces: those of all buffers or, if offsets is nil, of the buffers with a fixed offset.
func (m *Memory) cut(p *model.Problem, offsets []int64) {
	m.pieces, m.whole, m.at = m.pieces[:0], nil, nil
	if len(offsets) > fewPieces {
		if whole, inOrder := wholeOf(p, offsets); whole {
			m.whole, m.at, m.ordered = p.Buffers, offsets, inOrder
			return
		}
	}
	m.list(p, offsets)
}

// wholeOf reports whether each buffer is one piece, which ends below the largest int64, and if so whether the buffers
// come in ascending order of their lower times.
func wholeOf(p *model.Problem, offsets []int64) (whole, inOrder bool) {
	inOrder = true
	last := int64(math.MinInt64)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if len(b.Gaps) > 0 || b.Lower >= b.Upper || b.Size <= 0 || offsets[i] > math.MaxInt64-b.Size {
			return false, false
		}
		inOrder = inOrder && last <= b.Lower
		last = b.Lower
	}
	return true, inOrder
}

// list lists the pieces.
func (m *Memory) list(p *model.Problem, offsets []int64) {
	most := 0 // pieces: a gap makes one more, and its window another
	for i := range p.Buffers {
		most += 1 + len(p.Buffers[i].Gaps)
		for k := range p.Buffers[i].Gaps {
			if p.Buffers[i].Gaps[k].Window != nil {
				most++
			}
		}
	}
	pieces := sized(m.pieces, most)[:0]
	m.ordered = false // not known
	for i := range p.Buffers {
		b, at := &p.Buffers[i], int64(0)
		switch {
		case offsets != nil:
			at = offsets[i]
		case b.Fixed != nil:
			at = *b.Fixed
		default:
			continue
		}
		if len(b.Gaps) == 0 { // one piece, without a call
			if to := add(at, b.Size); at < to && b.Lower < b.Upper {
				pieces = append(pieces, rectangle{b.Lower, b.Upper, at, to, i})
			}
			continue
		}
		b.Pieces(func(x model.Piece) bool {
			if from, to := add(at, x.From), add(at, x.To); from < to {
				pieces = append(pieces, rectangle{x.Lower, x.Upper, from, to, i})
			}
			return true
		})
	}
	m.pieces = pieces
}

// inOrder returns the indices of the pieces in ascending order of a coordinate. Equal pieces keep their order.
func inOrder(pieces []rectangle, of func(x *rectangle) int64) []int32 {
	keys := make([]int64, len(pieces))
	for k := range pieces {
		keys[k] = of(&pieces[k])
	}
	return sorting.Keys(keys)
}

// distinct sorts the overlaps and keeps the earliest of each pair of buffers.
func distinct(found []overlap) []overlap {
	order := sorting.Order(len(found), func(i, j int32) bool {
		x, y := &found[i], &found[j]
		switch {
		case x.a != y.a:
			return x.a < y.a
		case x.b != y.b:
			return x.b < y.b
		case x.lower != y.lower:
			return x.lower < y.lower
		}
		return x.start < y.start
	})
	var kept []overlap
	for _, i := range order {
		if k := len(kept) - 1; k < 0 || kept[k].a != found[i].a || kept[k].b != found[i].b {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// activeSet is the tree of the pieces that the line crosses.
type activeSet struct {
	pieces []rectangle // in order of lower time; piece k is at leaf width+k
	tree   []int64     // tree[1] is the root; node v has the children 2v and 2v+1
	width  int         // number of leaves, a power of two
	most   int         // overlaps after which the search ends
	// permitted says which buffers may share bytes; nil if none may.
	permitted func(a, b int) bool
}

func newActiveSet(pieces []rectangle, most int) *activeSet {
	a := &activeSet{pieces: pieces, width: 1, most: most}
	for a.width < len(pieces) {
		a.width *= 2
	}
	a.tree = make([]int64, 2*a.width)
	for v := range a.tree {
		a.tree[v] = never
	}
	return a
}

// set stores an upper time, or never, in the leaf of piece k.
func (a *activeSet) set(k int32, upper int64) {
	v := a.width + int(k)
	a.tree[v] = upper
	for v /= 2; v >= 1; v /= 2 {
		latest := max(a.tree[2*v], a.tree[2*v+1])
		if a.tree[v] == latest {
			return
		}
		a.tree[v] = latest
	}
}

// meet appends the overlaps of piece k with the active pieces. It stops at most overlaps in all.
func (a *activeSet) meet(found []overlap, k int32) []overlap {
	if a.tree[1] <= a.pieces[k].lower {
		return found
	}
	// Leaves [0, end) have a lower time under this piece's upper.
	upper := a.pieces[k].upper
	end := sort.Search(len(a.pieces), func(q int) bool { return a.pieces[q].lower >= upper })
	return a.visit(found, 1, 0, a.width, end, k)
}

// visit looks for overlaps under node v, which covers the leaves [lo, hi).
func (a *activeSet) visit(found []overlap, v, lo, hi, end int, k int32) []overlap {
	x := &a.pieces[k]
	if lo >= end || a.tree[v] <= x.lower || len(found) >= a.most {
		return found
	}
	if hi-lo > 1 {
		mid := (lo + hi) / 2
		found = a.visit(found, 2*v, lo, mid, end, k)
		return a.visit(found, 2*v+1, mid, hi, end, k)
	}
	y := &a.pieces[lo]
	if x.buffer == y.buffer {
		return found // its gaps overlap one another; model.Validate says so
	}
	if a.permitted != nil && a.permitted(x.buffer, y.buffer) {
		return found
	}
	return append(found, overlapOf(x, y))
}

// overlapOf returns the intersection of two pieces.
func overlapOf(x, y *rectangle) overlap {
	return overlap{
		a: int32(min(x.buffer, y.buffer)), b: int32(max(x.buffer, y.buffer)),
		lower: max(x.lower, y.lower), upper: min(x.upper, y.upper), start: max(x.start, y.start), end: min(x.end, y.end),
	}
}
