package boxing

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: take the buffers in their loose order and put each where it fits, first
// or best, among those already placed. For up to a few thousand buffers one
// list of all placed buffers by offset is scanned from the bottom, which costs
// little and allocates nothing; above, and where there are gaps, windows or
// fixed offsets, greedy's tree of interval sets does it.
//
// Invariant: after each step the placed buffers are a valid plan of themselves;
// the list is sorted by offset.
//
// Complexity: O(n²) steps of a nanosecond for the list; O(n log² n) for the
// tree, of which most is memory traffic. Measured on A–K a plan of the list
// takes a third of the time of one of the tree; they meet at some 2,500
// buffers.
//
// Source: do_best_fit of idealloc (a21f84d), which sorts the placed conflicts
// of each buffer, from an interference graph. That is quadratic memory where
// lifespans are long: S_1 has 43 million pairs.

// listLimit is the number of buffers up to which the list is used.
const listLimit = 2048

// tightener places buffers in an order. It belongs to one worker.
type tightener struct {
	tl      *timeline.Timeline
	list    bool // whether the list will do
	fit     greedy.Fit
	offsets []int64 // by buffer of the problem; the answer of the list

	// The columns of the list, by ascending offset.
	from, to    []int64
	first, last []int32
}

func newTightener(tl *timeline.Timeline, fit greedy.Fit) *tightener {
	n := len(tl.Problem.Buffers)
	t := &tightener{tl: tl, fit: fit, list: n <= listLimit && !tl.HasGaps()}
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			t.list = false
		}
	}
	if t.list {
		t.offsets = make([]int64, n)
		t.from, t.to = make([]int64, 0, n), make([]int64, 0, n)
		t.first, t.last = make([]int32, 0, n), make([]int32, 0, n)
	}
	return t
}

// place returns the plan of the order and its height, or nil where that is not
// under below or ctx ends. The offsets are valid until the next call.
func (t *tightener) place(ctx context.Context, order []int32, below int64) ([]int64, int64) {
	if !t.list {
		return greedy.PlaceBelow(ctx, t.tl, order, t.fit, below)
	}
	t.from, t.to, t.first, t.last = t.from[:0], t.to[:0], t.first[:0], t.last[:0]
	var height int64
	for _, i := range order {
		b := &t.tl.Problem.Buffers[i]
		first, last := t.tl.Extent(int(i))
		offset := t.put(first, last, b.Size, b.Align())
		t.offsets[i] = offset
		if height = max(height, offset+b.Size); height >= below {
			return nil, 0
		}
	}
	return t.offsets, height
}

// put finds an offset for a buffer and enters it into the list.
func (t *tightener) put(first, last int32, size, align int64) int64 {
	from := t.from
	to, firsts, lasts := t.to[:len(from)], t.first[:len(from)], t.last[:len(from)]
	best, least := int64(-1), int64(math.MaxInt64)
	at := int64(0) // what is in use below ends at or under it, aligned
	for k, offset := range from {
		if firsts[k] >= last || lasts[k] <= first {
			continue
		}
		if room := offset - at - size; room >= 0 {
			if t.fit == greedy.FirstFit {
				best = at
				break
			}
			if room < least {
				best, least = at, room
			}
		}
		if to[k] > at {
			at = bound.Up(to[k], align)
		}
	}
	if best < 0 {
		best = at
	}
	// Enter it behind those at or under its offset.
	low, high := 0, len(from)
	for low < high {
		mid := (low + high) / 2
		if from[mid] <= best {
			low = mid + 1
		} else {
			high = mid
		}
	}
	t.from = insert(t.from, low, best)
	t.to = insert(t.to, low, best+size)
	t.first = insert(t.first, low, first)
	t.last = insert(t.last, low, last)
	return best
}

// insert is slices.Insert of one value into a slice with room for it.
func insert[T any](s []T, k int, v T) []T {
	s = s[:len(s)+1]
	copy(s[k+1:], s[k:])
	s[k] = v
	return s
}
