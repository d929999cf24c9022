package canonical

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// This file puts the partition into arrays before the first search. For a million buffers that takes longer than a run
// may outlast its limit, so each step asks whether the run is over. A kernel that is half prepared must not be used:
// its watch is over, and a later question to the watch has the same answer.

// problem is the partition, in arrays by buffer and by section. Nothing changes it after New, except that SetCapacity
// sets the highest offsets.
type problem struct {
	n common.Buffer // how many buffers
	m Section       // how many sections

	buffers []model.Buffer  // of the whole problem
	id      []int32         // buffer j is buffers[id[j]]
	of      []fact          // per buffer
	size    []int64         // per buffer: the largest distance from it up to another buffer
	begins  []common.Buffer // per section: how many buffers begin before it
	ends    []common.Buffer // per section: how many buffers have ended when it begins

	unit      int64 // divides every offset
	plain     bool  // no buffer has gaps: each has one piece, with the window [0, size)
	stackable bool  // all orders of stacking a section give the same height, except for the rounding on top (stack.go)
	huge      bool  // a pass over all buffers and sections takes long, so passes look for the limit

	Windowed  bool    // distances differ from sizes, because of gaps or windows
	Shifted   bool    // offsets are counted so that all distances are above zero (shift.go)
	distances []int64 // if Windowed: distance(i, j) at i*n+j; nil if there are too many pairs (shift.go)
}

// fact has the properties of a buffer that the search seldom reads. The others have arrays of their own.
type fact struct {
	rawSize     int64
	align       int64
	start       int64 // the fixed offset, else 0, less shift
	shift       int64 // offset in the plan - offset in the kernel (shift.go)
	ub          int64 // the highest offset that fits the capacity
	first, last Section
	twin        common.Buffer // the preceding identical buffer
	fixed       bool
}

func (p *problem) add(a *arrays) {
	p.n, p.m = common.Buffer(a.n), Section(a.m)
	p.of = make([]fact, a.n)
	a.numbers.Add(a.n, &p.size)
	a.buffers.Add(a.m+1, &p.begins, &p.ends)
}

// pieces are the pieces of all buffers. Nothing changes them after New.
type pieces struct {
	span  []span          // per piece
	owner []common.Buffer // per piece
	next  []Piece         // per piece: the next one of the same buffer
	more  []Piece         // per section: the first of the further pieces that does not begin before it
}

// span is where a piece is: in sections [first, last), from byte lower of its buffer on.
type span struct {
	first, last Section
	lower       int64
}

func (p *pieces) add(a *arrays) {
	p.span = make([]span, a.pieces)
	a.buffers.Add(a.pieces, &p.owner)
	a.list.Add(a.pieces, &p.next)
	a.list.Add(a.m+1, &p.more)
}

// pollEvery is the number of buffers after which a loop asks again whether the run is over.
const pollEvery = 1 << 12

// describe copies what the search asks of each buffer.
func (k *Kernel) describe(tl *timeline.Timeline, p *timeline.Partition) {
	k.buffers, k.id, k.unit = tl.Problem.Buffers, p.Buffers, bound.CommonAlignment(tl.Problem, p.Buffers)
	k.plain = true
	rng := uint64(0x9e3779b97f4a7c15)
	incidences := 0
	k.stackable = true
	for j, i := range p.Buffers {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		b, f := &tl.Problem.Buffers[i], &k.of[j]
		f.rawSize, f.align = b.Size, b.Align()
		k.size[j] = bound.Up(b.Size, k.unit)
		if b.Fixed != nil {
			f.fixed, f.start = true, *b.Fixed
		}
		first, last := tl.Extent(int(i))
		f.first, f.last = Section(first-p.First), Section(last-p.First)
		incidences += int(last - first)
		spans := tl.Spans(int(i))
		if len(spans) != 1 {
			k.plain = false
		}
		for _, s := range spans {
			if s.Lower != 0 || s.Upper != b.Size {
				k.plain, k.Windowed = false, true
			}
		}
		if f.fixed || f.align != k.unit {
			k.stackable = false
		}
		k.memo.salt[2*j], k.memo.salt[2*j+1] = splitmix.Next(&rng), splitmix.Next(&rng)|1
		k.begins[f.first]++
		k.ends[f.last]++
	}
	sumBefore(k.begins)
	for s := range k.m {
		k.ends[s+1] += k.ends[s]
	}
	k.stackable = k.stackable && k.plain
	k.huge = incidences >= k.limits.HugeFrom
}

// sumBefore replaces each number by the sum of the numbers before it.
func sumBefore[T ~int32](numbers []T) {
	var sum T
	for s, n := range numbers {
		numbers[s] = sum
		sum += n
	}
}

// describePieces copies the pieces: the first piece of each buffer, then the further pieces by first section.
func (k *Kernel) describePieces(tl *timeline.Timeline, p *timeline.Partition) {
	for _, i := range p.Buffers {
		if k.huge && k.late() {
			return
		}
		for _, s := range tl.Spans(int(i))[1:] {
			k.more[s.First-p.First]++
		}
	}
	sumBefore(k.more)
	for s := range k.more {
		k.more[s] += Piece(k.n)
	}
	for j, i := range p.Buffers {
		if k.huge && k.late() {
			return
		}
		x := Piece(j)
		for at, s := range tl.Spans(int(i)) {
			if at > 0 {
				before := x
				x = k.more[s.First-p.First]
				k.more[s.First-p.First]++
				k.next[before] = x
			}
			size := s.Upper - s.Lower
			if !k.Windowed {
				size = k.size[j]
			}
			k.span[x] = span{Section(s.First - p.First), Section(s.Last - p.First), s.Lower}
			k.block[x].size, k.owner[x] = size, common.Buffer(j)
		}
		k.next[x] = none
	}
	// Filling has moved each entry of more to where the next one began. So all of them move back by one.
	copy(k.more[1:], k.more)
	k.more[0] = Piece(k.n)
}

// initTwins sets twin. Two buffers are identical if they have the same pieces, size and alignment, and no fixed offset.
// A plan stays a plan if two identical buffers change places, so the search explores only one order of them.
func (k *Kernel) initTwins(tl *timeline.Timeline, _ *timeline.Partition) {
	list := k.list[:0]
	for j := range k.of {
		k.of[j].twin = common.Nobody
		if !k.of[j].fixed {
			list = append(list, common.Buffer(j))
		}
	}
	k.sortBy(list, func(i, j common.Buffer) bool {
		c := k.shape(i, j)
		return c < 0 || c == 0 && i < j
	})
	for at := 1; at < len(list); at++ {
		i, j := list[at-1], list[at]
		if k.shape(i, j) == 0 && (k.plain || sameSpans(tl.Spans(int(k.id[i])), tl.Spans(int(k.id[j])))) {
			k.of[j].twin = i
		}
	}
}

// shape compares the extents, sizes and alignments of two buffers.
func (k *Kernel) shape(i, j common.Buffer) int64 {
	a, b := &k.of[i], &k.of[j]
	if a.first != b.first {
		return int64(a.first - b.first)
	}
	if a.last != b.last {
		return int64(a.last - b.last)
	}
	if a.rawSize != b.rawSize {
		return a.rawSize - b.rawSize
	}
	return a.align - b.align
}

func sameSpans(a, b []timeline.Span) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Twin returns the preceding buffer that is identical to j, or nobody.
func (k *Kernel) Twin(j common.Buffer) common.Buffer { return k.of[j].twin }
