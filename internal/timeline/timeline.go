// Package timeline prepares a problem for planning. A sweep line over the lifespans finds
// the maximal sections, the partitions that can be planned apart, the load of each section
// and lower bounds. Conflicts between buffers follow from these, without a quadratic table.
//
// Planners ask this package which buffers conflict and how closely. They never compare lifespans themselves.
//
// # Example
//
// Five buffers (the running example of the MiniMalloc paper), time across:
//
//	 0     3           9                       21
//	 |-----|-----------|-----------------------|
//	 |  b1 |     b2    |                       |
//	 |        b3       |           b4          |
//	 |                   b5                    |
//
//	sections:  0 = {b1,b3,b5}   1 = {b2,b3,b5}   2 = {b4,b5}
//	spans:     b1 [0,1)  b2 [1,2)  b3 [0,2)  b4 [2,3)  b5 [0,3)
//	load:      12, 12, 8        partitions: one, sections [0,3)
package timeline

import (
	"sync"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/lent"
	"github.com/stowage-go/stowage/model"
)

// A Span is a range of sections in which a buffer is active with one window.
// A buffer without gaps has exactly one span, with the window [0, size).
type Span struct {
	First, Last int32 // sections [First, Last)
	Lower       int64 // first byte in use, relative to the buffer's offset
	Upper       int64 // one past the last byte in use
}

// A Partition is a set of buffers whose lifespans touch those of no other partition.
type Partition struct {
	Buffers     []int32 // indices into Problem.Buffers, in order of first section
	First, Last int32   // sections [First, Last)
}

// A Timeline is a problem prepared for planning. It is immutable and safe for concurrent use.
type Timeline struct {
	Problem *model.Problem

	// Starts and Ends bound each section in logical time: in the slots
	// [Starts[s], Ends[s]) exactly the section's buffers are active at once.
	Starts, Ends []int64
	// Load is the space in use in each section: the sum of its windows.
	Load []int64
	// Partitions hold the buffers that are ever active.
	Partitions []Partition
	// LowerBound is a height that no plan can be below.
	LowerBound int64
	// MaxLoad is the largest Load: the contention peak.
	MaxLoad int64
	// Plain says that no buffer has a gap, an alignment or a fixed offset.
	Plain bool

	spans  []Span     // all spans, buffer by buffer; nil if there are many buffers, without gaps (many.go)
	spanAt []int32    // spans of buffer i are spans[spanAt[i]:spanAt[i+1]]; nil if each buffer has one
	single bool       // the span of buffer i is spans[i]
	extent [][2]int32 // sections [first, last) of each buffer, its gaps included; 0, 0 if never active
	sizes  []int64    // of the buffers, if spans is nil
	many   many

	indexOnce sync.Once
	index     conflictIndex
}

// New sweeps the problem. The problem must be valid (model.Validate) and must
// not change as long as the timeline is in use.
func New(p *model.Problem) *Timeline { return NewUnless(p, nil) }

// NewUnless is New under a limit. It calls over between steps. If over returns true,
// NewUnless stops and returns nil. A problem of at most thresholds.PreparedMost pieces takes a few
// milliseconds, so NewUnless then always returns a timeline.
func NewUnless(p *model.Problem, over func() bool) *Timeline { return new(Memory).New(p, over) }

// A Memory makes one timeline after another in the same memory. Its zero value is ready to use, by one goroutine.
type Memory struct {
	t             Timeline
	s             sweeper
	longs         lent.Shelf[int64]
	shorts        lent.Shelf[int32]
	spans         lent.Shelf[Span]
	pairs         lent.Shelf[[2]int32]
	parts         []Partition
	tails, others []int64 // scratch of alignedLoad
}

// New is NewUnless. The timeline is of use until the next one is made.
func (m *Memory) New(p *model.Problem, over func() bool) *Timeline {
	m.Forget()
	t, s := &m.t, &m.s
	t.Problem = p
	*s = sweeper{t: t, m: m, over: over}
	s.sweep()
	if s.over() {
		return nil
	}
	t.partition(m)
	if s.over() {
		return nil
	}
	t.bound(m)
	if s.over() {
		return nil
	}
	if invariants.Enabled {
		t.check()
	}
	return t
}

// Forget lets go of the problem, and keeps the memory.
func (m *Memory) Forget() {
	m.t, m.s = Timeline{}, sweeper{}
	m.longs.Back()
	m.shorts.Back()
	m.spans.Back()
	m.pairs.Back()
}

// Sections returns the number of maximal sections.
func (t *Timeline) Sections() int { return len(t.Load) }

// Spans returns the ranges of sections in which buffer i is active, ascending.
// It returns none only for a buffer whose gaps cover its whole lifespan.
func (t *Timeline) Spans(i int) []Span {
	if t.single {
		return t.spans[i : i+1 : i+1] // without a call
	}
	return t.otherSpans(i)
}

// otherSpans is Spans if there are gaps, or many buffers.
func (t *Timeline) otherSpans(i int) []Span {
	if t.spanAt == nil {
		return t.manySpans()[i : i+1 : i+1]
	}
	return t.spans[t.spanAt[i]:t.spanAt[i+1]:t.spanAt[i+1]]
}

// Extent returns the sections [first, last) from buffer i's first active one to its last.
func (t *Timeline) Extent(i int) (first, last int32) {
	e := &t.extent[i]
	return e[0], e[1]
}

// Size returns the size of buffer i. The sizes of many buffers are closer together in memory than the buffers are.
func (t *Timeline) Size(i int32) int64 {
	if t.sizes != nil {
		return t.sizes[i]
	}
	return t.Problem.Buffers[i].Size
}

// HeightOf is model.HeightOf of the problem.
func (t *Timeline) HeightOf(offsets []int64) (height int64) {
	if t.HasGaps() {
		return model.HeightOf(t.Problem, offsets)
	}
	for i := range t.spans { // closer together in memory than the buffers are
		height = max(height, offsets[i]+t.spans[i].Upper)
	}
	for i, size := range t.sizes {
		height = max(height, offsets[i]+size)
	}
	return height
}

// HasGaps reports whether any buffer has more than one span or a window.
func (t *Timeline) HasGaps() bool { return t.spanAt != nil }
