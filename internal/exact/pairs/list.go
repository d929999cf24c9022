package pairs

import (
	"errors"
	"fmt"
	"math"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the buffers are in the order of their first sections. So the later buffers that buffer I may meet directly
// follow I, up to the first buffer that begins after I ends. This lists the pairs by the earlier buffer. To list them
// by the later buffer J, a list is kept of the earlier buffers that have not ended before J begins. Both orders are
// needed, since searches choose in the order of their pairs.
//
// Complexity: O(n + pairs), and a merge of spans for each two buffers whose extents meet, if any buffer has gaps.
//
// Trials: docs/lab/exact.md (listing pairs anew on each visit leaves no place for decided orders).

// A Range says that offset(J) - offset(I) is not between Above and Below, both
// exclusive. I and J are numbers in the list of buffers, and I < J.
type Range struct {
	I, J         int32
	Above, Below int64
}

// A TooManyError says that buffers have more forbidden ranges than the limit.
type TooManyError struct {
	Buffers int // how many buffers there are
	Limit   int // forbidden ranges that are allowed
}

// Error names the limit.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d buffers that depend on one another have more than %d conflicting pairs", e.Buffers, e.Limit)
}

// ErrLimit says that the watch ended before all pairs were there.
var ErrLimit = errors.New("a limit came while the pairs were being listed")

// Most is the largest limit: indices of 32 bits have room for no more.
const Most = math.MaxInt32/4 - 1

// EachByEarlier calls add with each forbidden range of the buffers, ordered by I, then by J, then ascending. The
// buffers are in the order of their first sections, as in a partition. The error is a *TooManyError, or ErrLimit.
func EachByEarlier(w *run.Watch, tl *timeline.Timeline, buffers []int32, limit int, add func(Range)) error {
	l := newLister(w, tl, buffers, limit, add)
	for i := range int32(len(buffers)) {
		_, end := tl.Extent(int(buffers[i]))
		j := i + 1
		for ; j < int32(len(buffers)); j++ {
			if begin, _ := tl.Extent(int(buffers[j])); begin >= end {
				break
			}
			if err := l.pair(i, j); err != nil {
				return err
			}
		}
		if !l.look(int(j - i)) {
			return ErrLimit
		}
	}
	return nil
}

// EachByLater is EachByEarlier ordered by J, then by I, then ascending.
func EachByLater(w *run.Watch, tl *timeline.Timeline, buffers []int32, limit int, add func(Range)) error {
	l := newLister(w, tl, buffers, limit, add)
	var active []int32 // the earlier buffers that have not ended before j begins
	for j := range int32(len(buffers)) {
		begin, _ := tl.Extent(int(buffers[j]))
		if !l.look(len(active) + 1) {
			return ErrLimit
		}
		kept := active[:0]
		for _, i := range active {
			if _, end := tl.Extent(int(buffers[i])); end <= begin {
				continue
			}
			kept = append(kept, i)
			if err := l.pair(i, j); err != nil {
				return err
			}
		}
		active = append(kept, j)
	}
	return nil
}

// pollListing is how much work passes between looks at the watch: a fraction of a millisecond.
const pollListing = 1 << 15

// lister is what a list in either order keeps.
type lister struct {
	watch   *run.Watch
	tl      *timeline.Timeline
	buffers []int32
	gaps    bool // some buffer has gaps
	limit   int
	count   int // forbidden ranges so far
	work    int // since the last look at the watch
	add     func(Range)
}

func newLister(w *run.Watch, tl *timeline.Timeline, buffers []int32, limit int, add func(Range)) *lister {
	return &lister{watch: w, tl: tl, buffers: buffers, gaps: tl.HasGaps(), limit: min(limit, Most), add: add}
}

// look adds to the work and reports whether the list may go on.
func (l *lister) look(work int) bool {
	if l.work += work; l.work < pollListing {
		return true
	}
	l.work = 0
	return !l.watch.Over()
}

// pair adds the forbidden ranges of buffers i and j, whose extents meet.
func (l *lister) pair(i, j int32) error {
	first, second := int(l.buffers[i]), int(l.buffers[j])
	if !l.gaps {
		return l.one(i, j, timeline.Forbidden{
			Above: -l.tl.Problem.Buffers[second].Size, Below: l.tl.Problem.Buffers[first].Size,
		})
	}
	if !l.look(len(l.tl.Spans(first)) + len(l.tl.Spans(second))) {
		return ErrLimit
	}
	for _, f := range l.tl.Forbid(first, second) {
		if err := l.one(i, j, f); err != nil {
			return err
		}
	}
	return nil
}

// one adds a forbidden range, if the limit lets it.
func (l *lister) one(i, j int32, f timeline.Forbidden) error {
	if l.count++; l.count > l.limit {
		return &TooManyError{len(l.buffers), l.limit}
	}
	l.add(Range{I: i, J: j, Above: f.Above, Below: f.Below})
	return nil
}
