// Package verify checks a plan against its problem. It imports the model only
// and shares no code with any planner or with the timeline, so that a mistake
// there cannot hide here.
//
// The rules of one buffer (sign, alignment, fixed offset, capacity) are checked
// in this file; that no two buffers meet is seen in disjoint.go, and who meets
// whom in overlap.go.
package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Kind says which rule a plan breaks.
type Kind string

// The rules.
const (
	WrongCount   Kind = "count"     // the plan has more or fewer offsets than the problem has buffers
	Negative     Kind = "negative"  // an offset is below zero
	Misaligned   Kind = "alignment" // an offset is not a multiple of its buffer's alignment
	Moved        Kind = "fixed"     // a buffer with a fixed offset is elsewhere
	OverCapacity Kind = "capacity"  // a buffer ends above the capacity, or above every int64
	Overlap      Kind = "overlap"   // two buffers use the same bytes at the same time
	WrongHeight  Kind = "height"    // the height claimed is not the largest offset + size
)

const (
	// MaxViolations is the number of violations that a report keeps; the rest
	// are only counted.
	MaxViolations = 1000
	// MaxOverlaps is the number of places at which buffers meet after which a
	// check looks for no more, since n buffers at one offset make n²/2 of them.
	// Report.Truncated tells.
	MaxOverlaps = 1 << 20
)

// A Violation is one breach of one rule.
type Violation struct {
	Kind Kind
	// A and B index the buffers at fault; B is -1 unless Kind is Overlap, and
	// both are -1 where no buffer is at fault. A < B where both are set.
	A, B int
	// Message names the buffers and the numbers.
	Message string
}

// A Report is the outcome of a check.
type Report struct {
	// Height is the largest offset + size, recomputed. It is 0 where there are
	// no buffers or the number of offsets is wrong, and stops at the largest
	// int64 where an offset + size does not fit.
	Height int64
	// Violations are the first MaxViolations, in the order of the buffers.
	Violations []Violation
	// Total is how many violations there are in all. Two buffers that meet more
	// than once count once.
	Total int
	// Truncated says that MaxOverlaps was reached: Total is a lower bound, and
	// overlaps of earlier buffers may be missing from Violations.
	Truncated bool
}

// OK reports whether the plan is valid.
func (r *Report) OK() bool { return r.Total == 0 }

// Check checks offsets, in the order of p.Buffers, against the problem and a
// capacity in bytes (0 for no limit; p.Capacity does not count). Each buffer
// uses [offset, offset+size) in each slot of its lifespan, only its window in a
// gap with a window, and nothing in a gap without one; no two may use a byte at
// once. The offsets may be anything; the problem should be one that
// model.Validate accepts.
//
// It takes O(n log n) time for n buffers, and O(log n) more for each overlap.
func Check(p *model.Problem, offsets []int64, capacity int64) *Report {
	var c checker
	if c.count(p, offsets) {
		c.buffers(p, offsets, capacity)
	}
	return c.report()
}

// CheckHeight is Check for a plan that comes with a height: it also holds that
// against the height recomputed.
func CheckHeight(p *model.Problem, offsets []int64, capacity, height int64) *Report {
	var c checker
	if c.count(p, offsets) {
		c.buffers(p, offsets, capacity)
		if height != c.height {
			c.add(Violation{
				Kind: WrongHeight, A: -1, B: -1,
				Message: fmt.Sprintf("the height claimed is %d, but the largest offset + size is %d", height, c.height),
			})
		}
	}
	return c.report()
}

// checker gathers violations in any order.
type checker struct {
	height     int64
	violations []Violation
	total      int // violations found, kept or not
	singles    int // violations kept that are of one buffer
	truncated  bool
}

func (c *checker) add(v Violation) {
	c.total++
	c.violations = append(c.violations, v)
}

// report sorts the violations by buffer, where -1 comes first. The sort is
// stable, so the rules of one buffer keep their order, and its overlaps follow.
func (c *checker) report() *Report {
	slices.SortStableFunc(c.violations, func(x, y Violation) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	if len(c.violations) > MaxViolations {
		c.violations = slices.Clip(c.violations[:MaxViolations])
	}
	return &Report{Height: c.height, Violations: c.violations, Total: c.total, Truncated: c.truncated}
}

func (c *checker) count(p *model.Problem, offsets []int64) bool {
	if len(offsets) == len(p.Buffers) {
		return true
	}
	c.add(Violation{
		Kind: WrongCount, A: -1, B: -1,
		Message: fmt.Sprintf("the plan has %d offsets, but the problem has %d buffers", len(offsets), len(p.Buffers)),
	})
	return false
}

// buffers checks every rule but the count and the height claimed.
func (c *checker) buffers(p *model.Problem, offsets []int64, capacity int64) {
	for i := range p.Buffers {
		b, at := &p.Buffers[i], offsets[i]
		end := add(at, b.Size)
		c.height = max(c.height, end)
		if at < 0 {
			c.single(i, Negative, "buffer %q is at offset %d, below zero", b.ID, at)
		}
		if b.Alignment > 1 && at%b.Alignment != 0 {
			c.single(i, Misaligned, "buffer %q is at offset %d, not a multiple of its alignment %d", b.ID, at, b.Alignment)
		}
		if b.Fixed != nil && *b.Fixed != at {
			c.single(i, Moved, "buffer %q is at offset %d, but is fixed at %d", b.ID, at, *b.Fixed)
		}
		if at > math.MaxInt64-max(b.Size, 0) {
			c.single(i, OverCapacity, "buffer %q of size %d is at offset %d and ends above %d, the largest address", b.ID, b.Size, at, int64(math.MaxInt64))
		} else if capacity != 0 && end > capacity {
			c.single(i, OverCapacity, "buffer %q of size %d is at offset %d and ends at %d, above the capacity %d", b.ID, b.Size, at, end, capacity)
		}
	}
	pairs, truncated := overlaps(p, offsets)
	c.total += len(pairs)
	c.truncated = truncated
	for _, o := range pairs[:min(len(pairs), MaxViolations)] {
		x, y := &p.Buffers[o.a], &p.Buffers[o.b]
		c.violations = append(c.violations, Violation{
			Kind: Overlap, A: int(o.a), B: int(o.b),
			Message: fmt.Sprintf("buffers %q (size %d at offset %d) and %q (size %d at offset %d) both use bytes [%d, %d) at times [%d, %d)",
				x.ID, x.Size, offsets[o.a], y.ID, y.Size, offsets[o.b], o.start, o.end, o.lower, o.upper),
		})
	}
}

// single records a violation of one buffer. They come in the order of the
// buffers, so those past MaxViolations can only be counted.
func (c *checker) single(i int, kind Kind, format string, args ...any) {
	c.total++
	if c.singles < MaxViolations {
		c.singles++
		c.violations = append(c.violations, Violation{Kind: kind, A: i, B: -1, Message: fmt.Sprintf(format, args...)})
	}
}

// add returns x + y, or the nearest int64 where that overflows.
func add(x, y int64) int64 {
	switch s := x + y; {
	case y > 0 && s < x:
		return math.MaxInt64
	case y < 0 && s > x:
		return math.MinInt64
	default:
		return s
	}
}
