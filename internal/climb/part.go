package climb

import (
	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: both core and window hand a part of the problem to the exact planner:
// some buffers that are free, with their sections as time, and what is fixed
// around them. What is fixed is cut to the time of the free, and buffers of one
// stretch of time that touch are one, so that thousands of long-lived buffers
// become a few.
//
// Invariant: offsets that are valid for the part, together with the fixed ones,
// are valid for the problem.
//
// Complexity: O(k log k) for k spans that reach into the time of the part.

// part is a problem for the exact planner. It belongs to one worker.
type part struct {
	tl      *timeline.Timeline
	problem model.Problem
	blocks  []fixedBlock
}

// fixedBlock is a rectangle in use.
type fixedBlock struct {
	first, last int32
	from, to    int64
}

// begin empties the part.
func (p *part) begin() {
	p.problem.Buffers, p.blocks = p.problem.Buffers[:0], p.blocks[:0]
}

// free adds a free buffer, cut to the sections [low, high). Gaps and windows
// stay.
func (p *part) free(i, low, high int32) {
	p.tl.Part(p.add(), int(i), low, high)
}

// add adds an empty buffer.
//
//go:noinline
func (p *part) add() *model.Buffer {
	p.problem.Buffers = append(p.problem.Buffers, model.Buffer{})
	return &p.problem.Buffers[len(p.problem.Buffers)-1]
}

// fixed adds what buffer i uses at offset in the sections [low, high).
func (p *part) fixed(i int, offset int64, low, high int32) {
	for _, s := range p.tl.Spans(i) {
		if first, last := max(s.First, low), min(s.Last, high); first < last {
			p.blocks = append(p.blocks, fixedBlock{first: first, last: last, from: offset + s.Lower, to: offset + s.Upper})
		}
	}
}

// end merges the fixed blocks. The free buffers come first.
func (p *part) end() {
	order := sorting.Order(len(p.blocks), func(i, j int32) bool {
		a, b := &p.blocks[i], &p.blocks[j]
		if a.first != b.first {
			return a.first < b.first
		}
		if a.last != b.last {
			return a.last < b.last
		}
		return a.from < b.from
	})
	for k := 0; k < len(order); {
		b := &p.blocks[order[k]] // stays where it is until begin
		for k++; k < len(order); k++ {
			next := &p.blocks[order[k]]
			if next.first != b.first || next.last != b.last || next.from != b.to {
				break
			}
			b.to = next.to
		}
		a := p.add()
		a.Lower, a.Upper, a.Size, a.Fixed = int64(b.first), int64(b.last), b.to-b.from, &b.from
	}
}

// exactly has the exact planner plan the part under the target, if it is of so many buffers
// at most and the steps that are left allow a node: one counts as many as there are buffers.
func (w *worker) exactly(target int64, most int) []int64 {
	w.part.end()
	n := len(w.part.problem.Buffers)
	size := max(int64(n), 1)
	// The fixed buffers take a node each.
	nodes := min(w.sw.nodes+2*size, (w.most-w.taken)/size)
	if n > most || nodes < 1 {
		return nil
	}
	offsets, taken := exact.Fit(w.ctx, timeline.New(&w.part.problem), target, nodes, 1)
	w.taken += taken * size
	return offsets
}
