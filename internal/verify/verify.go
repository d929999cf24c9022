// Package verify checks a plan against its problem. It imports the model and a sort, and shares no other code with the
// planners or the timeline. So a mistake there cannot hide here.
//
//	verify.go       the rules of one buffer: sign, alignment, fixed offset, capacity
//	disjoint.go     whether any two buffers overlap
//	moved.go        a plan of which only some buffers have changed
//	overlap.go      which buffers overlap, and where
//	rules.go        plans of problems with rules: pools, pairs, bodies, parts and measures
//	certificate.go  certificates: proofs that no plan fits a capacity
//	conclude.go     the conclusions that a certificate may use
package verify

import (
	"fmt"
	"math"
	"strconv"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

const (
	// MaxViolations is the number of violations that a report keeps; the rest are only counted.
	MaxViolations = 1000
	// MaxOverlaps is the number of overlaps after which a check ends, because n buffers at
	// one offset make n²/2 of them. Report.Truncated says so.
	MaxOverlaps = 1 << 20
)

// Check checks offsets, in the order of p.Buffers, against the problem and a capacity in bytes. A capacity of 0 means
// no limit; p.Capacity is not used. A buffer uses [offset, offset+size) during its lifespan. In a gap it uses its
// window, or nothing if the gap has no window. No two buffers may use a byte at the same time. The offsets may be any
// numbers. The problem should be one that model.Validate accepts.
//
// It takes O(n log n) time for n buffers, and O(log n) more for each overlap.
func Check(p *model.Problem, offsets []int64, capacity int64) *model.Report {
	var c checker
	if c.count(p, offsets) {
		c.buffers(p, offsets, capacity)
	}
	return c.report()
}

// CheckHeight is Check for a plan that claims a height. It also compares that height with the actual one.
func CheckHeight(p *model.Problem, offsets []int64, capacity, height int64) *model.Report {
	var c checker
	if c.count(p, offsets) {
		c.buffers(p, offsets, capacity)
		c.claimed(height)
	}
	return c.report()
}

// First returns the first violation that it finds as text, or "" if the plan is valid. It
// checks the same rules as CheckHeight but collects no list. A negative height is not
// checked. The problem should be one that model.Validate accepts.
func First(p *model.Problem, offsets []int64, capacity, height int64) string {
	return new(Memory).First(p, offsets, capacity, height)
}

// A Memory checks one plan after another in the same memory. Its zero value is ready to use, by one goroutine.
type Memory struct {
	checker checker
	pieces  []rectangle
	whole   []model.Buffer // the pieces, if each is a buffer and there are many; else nil
	at      []int64        // their offsets
	ordered bool           // whole is known to be in ascending order of lower times
	bands   []band
	turns   []rectangle // the pieces as they come, with bands for buffers
	rank    []int32
	keys    []int64
	orders  [2][]int32
	inUse   ranks
}

// First is the function of that name.
func (m *Memory) First(p *model.Problem, offsets []int64, capacity, height int64) string {
	m.checker = checker{}
	c := &m.checker
	if c.count(p, offsets) {
		c.each(p, offsets, capacity)
		if height >= 0 {
			c.claimed(height)
		}
	}
	if len(c.violations) > 0 {
		return c.violations[0].Message
	}
	defer m.forget()
	m.cut(p, offsets)
	if x, y := m.clash(); x >= 0 {
		a, b := m.piece(int32(x)), m.piece(int32(y))
		o := overlapOf(&a, &b)
		return meeting(p, offsets, &o)
	}
	return ""
}

// forget lets go of the problem and the plan, and keeps the memory.
func (m *Memory) forget() { m.whole, m.at = nil, nil }

// sized returns a list of n entries, in the array of a list if that has room. The entries have any values.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Collide returns two buffers with fixed offsets that use the same bytes at the same time, or nil if there are none.
// It returns such a pair whose common bytes begin lowest. The problem should be one that model.Validate accepts.
func Collide(p *model.Problem) *model.Collision {
	// clash finds the earliest pair. With times and bytes exchanged, that is the lowest.
	var m Memory
	m.cut(p, nil)
	pieces := m.pieces
	for k := range pieces {
		x := &pieces[k]
		x.lower, x.upper, x.start, x.end = x.start, x.end, x.lower, x.upper
	}
	x, y := m.clash()
	if x < 0 {
		return nil
	}
	o := overlapOf(&pieces[x], &pieces[y])
	return &model.Collision{A: int(o.a), B: int(o.b), Lower: o.start, Upper: o.end, Start: o.lower, End: o.upper}
}

// checker gathers violations in any order.
type checker struct {
	height     int64
	violations []model.Violation
	total      int // violations found, kept or not
	singles    int // violations that concern one buffer
	truncated  bool
}

func (c *checker) add(rule model.Rule, a, b int, message string) {
	c.total++
	c.violations = append(c.violations, model.Violation{Rule: rule, A: a, B: b, Message: message})
}

// report sorts the violations by buffer, with -1 first. The sort is stable: the violations
// of one buffer keep the order of the rules, and its overlaps follow.
func (c *checker) report() *model.Report {
	order := sorting.Order(len(c.violations), func(i, j int32) bool {
		x, y := &c.violations[i], &c.violations[j]
		return x.A < y.A || x.A == y.A && x.B < y.B
	})
	var kept []model.Violation
	for _, i := range order[:min(len(order), MaxViolations)] {
		kept = append(kept, c.violations[i])
	}
	return &model.Report{Height: c.height, Violations: kept, Total: c.total, Truncated: c.truncated}
}

func (c *checker) count(p *model.Problem, offsets []int64) bool {
	if len(offsets) == len(p.Buffers) {
		return true
	}
	c.add(model.RuleCount, -1, -1,
		fmt.Sprintf("the plan has %d offsets, but the problem has %d buffers", len(offsets), len(p.Buffers)))
	return false
}

// claimed checks the height claimed.
func (c *checker) claimed(height int64) {
	if height != c.height {
		c.add(model.RuleHeight, -1, -1,
			fmt.Sprintf("the height claimed is %d, but the largest offset + size is %d", height, c.height))
	}
}

// buffers checks every rule but the count and the height claimed.
func (c *checker) buffers(p *model.Problem, offsets []int64, capacity int64) {
	c.each(p, offsets, capacity)
	pairs, truncated := overlaps(p, offsets, MaxOverlaps)
	c.total += len(pairs)
	c.truncated = truncated
	for k := range pairs[:min(len(pairs), MaxViolations)] {
		o := &pairs[k]
		c.violations = append(c.violations,
			model.Violation{Rule: model.RuleOverlap, A: int(o.a), B: int(o.b), Message: meeting(p, offsets, o)})
	}
}

// meeting says in words where two buffers meet.
func meeting(p *model.Problem, offsets []int64, o *overlap) string {
	return "buffers " + placed(&p.Buffers[o.a], offsets[o.a]) + " and " + placed(&p.Buffers[o.b], offsets[o.b]) +
		" both use bytes " + interval(o.start, o.end) + " at times " + interval(o.lower, o.upper)
}

// each checks the rules that concern one buffer.
func (c *checker) each(p *model.Problem, offsets []int64, capacity int64) {
	for i := range p.Buffers {
		b, at := &p.Buffers[i], offsets[i]
		end := add(at, b.Size)
		c.height = max(c.height, end)
		if at < 0 {
			c.single(i, model.RuleSign, b, at, false, ", below zero")
		}
		if b.Alignment > 1 && at%b.Alignment != 0 {
			c.single(i, model.RuleAlignment, b, at, false, fmt.Sprintf(", not a multiple of its alignment %d", b.Alignment))
		}
		if b.Fixed != nil && *b.Fixed != at {
			c.single(i, model.RuleFixed, b, at, false, fmt.Sprintf(", but is fixed at %d", *b.Fixed))
		}
		if at > math.MaxInt64-max(b.Size, 0) {
			c.single(i, model.RuleCapacity, b, at, true,
				fmt.Sprintf(" and ends above %d, the largest address", int64(math.MaxInt64)))
		} else if capacity != 0 && end > capacity {
			c.single(i, model.RuleCapacity, b, at, true, fmt.Sprintf(" and ends at %d, above the capacity %d", end, capacity))
		}
	}
}

// single records a violation of one buffer; sized adds the buffer's size to the text. The
// calls come in the order of the buffers, so those past MaxViolations need only be counted.
func (c *checker) single(i int, rule model.Rule, b *model.Buffer, at int64, sized bool, what string) {
	if c.singles++; c.singles > MaxViolations {
		c.total++
		return
	}
	size := ""
	if sized {
		size = fmt.Sprintf(" of size %d", b.Size)
	}
	c.add(rule, i, -1, fmt.Sprintf("buffer %s%s is at offset %d%s", quote(b.ID), size, at, what))
}

// add returns x + y, or the nearest int64 if the sum overflows.
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

// placed says where a buffer is.
func placed(b *model.Buffer, at int64) string {
	return fmt.Sprintf("%s (size %d at offset %d)", quote(b.ID), b.Size, at)
}

func interval(from, to int64) string { return fmt.Sprintf("[%d, %d)", from, to) }

func quote(id string) string { return strconv.Quote(id) }
