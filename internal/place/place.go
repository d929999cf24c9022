package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/lent"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: place the buffers with fixed offsets first, then the others in the given order. The
// fit chooses among the places that are free. Partitions do not touch one another, so each is
// placed on its own, in the same relative order. The tree is then as small as the partition.
//
// Invariant: after each step, the placed buffers alone are a valid plan.
//
// Complexity: n queries and insertions of tree.go, or of list.go if a partition is small or
// its buffers have many sections.
//
// Source: offset jumping comes from IREE wave, "Optimizing Shared Memory Allocations". Best
// fit comes from TFLite's greedy-by-size.

// A Fit says which of the free places a buffer takes.
type Fit uint8

// The fits.
const (
	// FirstFit takes the lowest offset.
	FirstFit Fit = iota
	// BestFit takes the offset with the least room left above the buffer, and of several the
	// lowest. The open space at the top comes last.
	BestFit
)

// An Ending says how a placement ended.
type Ending uint8

// The endings.
const (
	Whole    Ending = iota // every buffer has the place that the fit chose
	Cut                    // a limit came; the rest is stacked above the placed buffers
	TooHigh                // a buffer would end at or above the height to stay below
	Collided               // two buffers with fixed offsets use the same bytes at once
)

// Unlimited is a height that every plan is below.
const Unlimited = math.MaxInt64

// Place places the buffers of tl one by one and returns the offset of each, in the order of tl.Problem.Buffers. Fixed
// buffers come first, then the buffers of order, then those that order leaves out, in the order of the input. Hints are
// ignored. There is no capacity, so every buffer finds a place.
//
// No watch (nil) means no limit. The offsets follow from the ending:
//
//	Whole     one for each buffer
//	Cut       one for each buffer; nil if the limit came before fixed buffers were checked
//	TooHigh   nil
//	Collided  nil
func Place(w *run.Watch, tl *timeline.Timeline, order []int32, fit Fit) ([]int64, Ending) {
	offsets, _, end := Below(w, tl, order, fit, Unlimited)
	return offsets, end
}

// Below is Place for a caller that wants a plan only if it is lower than the one it has. It returns the plan and its
// height, if that is below the given height. If not, it returns nil and 0, and stops at the first buffer that is too
// high. The same holds for a plan that a limit has cut.
func Below(w *run.Watch, tl *timeline.Timeline, order []int32, fit Fit, below int64) (offsets []int64, height int64,
	end Ending,
) {
	return new(Memory).Below(w, tl, order, fit, below)
}

// A Memory is what one placement leaves to the next. Who places often has one. Its zero
// value is ready to use, by one goroutine.
type Memory struct {
	offsets    []int64
	list       *List
	shorts     lent.Shelf[int32]
	of, sorted []int32 // scratch of byPartition
	ends       []int32
	used       tree
}

// Keep makes the plan that was made last the caller's. The caller may give another array for it, or nil.
func (m *Memory) Keep(other []int64) { m.offsets = other }

// Below is the function of that name. The plan is of use until the next one, unless it is kept.
func (m *Memory) Below(w *run.Watch, tl *timeline.Timeline, order []int32, fit Fit, below int64) (offsets []int64,
	height int64, end Ending,
) {
	n := len(tl.Problem.Buffers)
	m.shorts.Back()
	m.of, m.sorted, m.ends = m.shorts.Take(n), m.shorts.Take(n), m.shorts.Take(len(tl.Partitions))
	m.offsets = sized(m.offsets, n)
	p := placer{tl: tl, watch: w, fit: fit, offsets: m.offsets, memory: m}
	p.used = m.used
	end = p.place(order, below)
	m.used = p.used
	m.used.tl = nil
	switch end {
	case Whole:
		height = model.HeightOf(tl.Problem, p.offsets)
	case Cut:
		if !p.movable {
			if end := Collide(w, tl); end != Whole {
				return nil, 0, end
			}
		}
		height = Finish(tl, p.offsets)
	default:
		return nil, 0, end
	}
	if height >= below {
		return nil, 0, end
	}
	return p.offsets, height, end
}

// sized returns n zeros, in the array of a slice if that has room.
func sized(s []int64, n int) []int64 {
	if s == nil || cap(s) < n {
		return make([]int64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// placer places the buffers of one partition after the other.
type placer struct {
	memory  *Memory
	tl      *timeline.Timeline
	watch   *run.Watch
	fit     Fit
	offsets []int64
	movable bool  // no buffer has a fixed offset; set when place begins
	below   int64 // the height to stay below
	used    tree
}

// place sets the offsets up to its ending.
func (p *placer) place(order []int32, below int64) Ending {
	p.below = below
	tl, buffers := p.tl, p.tl.Problem.Buffers
	if p.over() {
		for i := range p.offsets {
			p.offsets[i] = -1
		}
		return Cut
	}
	// A buffer that is never active conflicts with nobody.
	p.movable = true
	for i := range buffers {
		b := &buffers[i]
		if b.Fixed != nil {
			p.offsets[i] = *b.Fixed
			p.movable = false
		}
		if p.offsets[i]+b.Size >= below {
			return TooHigh
		}
	}
	order, ends := p.byPartition(order)
	for k := range tl.Partitions {
		part := &tl.Partitions[k]
		from := int32(0)
		if k > 0 {
			from = ends[k-1]
		}
		if len(part.Buffers) == 1 {
			// Nothing is in its way: it stays at 0 or where it is fixed.
			continue
		}
		if p.over() {
			return p.cut(order[from:])
		}
		if placed, end := p.partition(part, order[from:ends[k]]); end == Cut {
			return p.cut(order[int(from)+placed:])
		} else if end != Whole {
			return end
		}
	}
	return Whole
}

// partition places the buffers of a partition, the fixed ones first, and returns how many of the others are placed.
func (p *placer) partition(part *timeline.Partition, order []int32) (placed int, end Ending) {
	if listable(p.tl, part) {
		return p.listed(part, order)
	}
	p.used.begin(p.tl, part)
	for _, i := range part.Buffers {
		if !p.isFixed(i) {
			continue
		}
		if p.over() {
			return 0, Cut
		}
		if !p.used.fix(int(i)) {
			return 0, Collided
		}
	}
	for k, i := range order {
		if p.over() {
			return k, Cut
		}
		at := p.used.put(int(i), p.fit)
		p.offsets[i] = at
		if at+p.tl.Problem.Buffers[i].Size >= p.below {
			return k, TooHigh
		}
	}
	return len(order), Whole
}

// listed does what partition does, with a list.
func (p *placer) listed(part *timeline.Partition, order []int32) (placed int, end Ending) {
	list := p.memory.list
	if list == nil || len(list.from) < len(part.Buffers) {
		list = NewList(len(part.Buffers))
		p.memory.list = list
	}
	list.Reset()
	for k, i := range order {
		if p.over() {
			return k, Cut
		}
		b := &p.tl.Problem.Buffers[i]
		first, last := p.tl.Extent(int(i))
		at := list.Put(first, last, b.Size, b.Align(), p.fit)
		p.offsets[i] = at
		if at+b.Size >= p.below {
			return k, TooHigh
		}
	}
	return len(order), Whole
}

// over reports whether a limit has come.
func (p *placer) over() bool { return p.watch != nil && p.watch.Over() }

// cut marks the buffers that were not placed when the limit came, for Finish.
func (p *placer) cut(rest []int32) Ending {
	for _, i := range rest {
		p.offsets[i] = -1
	}
	return Cut
}

// byPartition sorts order by partition and keeps the order within each. Partition k ends at sorted[ends[k]].
// byPartition drops fixed buffers, buffers that are never active, and repeats. It adds the buffers that are missing.
func (p *placer) byPartition(order []int32) (sorted, ends []int32) {
	tl := p.tl
	of := p.memory.of // partition + 1 of each buffer; 0 if done, as all are in the end
	ends = p.memory.ends
	total := int32(0)
	for k := range tl.Partitions {
		ends[k] = total // where it begins, for now
		for _, i := range tl.Partitions[k].Buffers {
			if tl.Problem.Buffers[i].Fixed == nil {
				of[i] = int32(k + 1)
				total++
			}
		}
	}
	sorted = p.memory.sorted[:total]
	take := func(i int32) {
		if k := of[i]; k != 0 {
			sorted[ends[k-1]] = i
			ends[k-1]++
			of[i] = 0
		}
	}
	for _, i := range order {
		take(i)
	}
	for i := range of {
		take(int32(i))
	}
	return sorted, ends
}
