package place

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: if a limit comes in the middle of a placement, there must still be a plan, at once. So the placed buffers stay,
// and the rest goes above them, as in a program without a plan: a fast allocator (tlsf.go) takes the buffers in the
// order of their starts, and gets each back at its end.
//
//	  ┌─────┬────┐
//	  │  e  │ g  │
//	  ├───┬─┴───┬┘ the rest
//	  │ d │  f  │
//	──┴───┴─────┴─ the top of what is placed
//
// Each partition has a space of its own, so it has a top of its own. Gaps are not used: a
// buffer holds its bytes from its first active section to its last.
//
// Invariant: the live blocks of the allocator are disjoint and above all placed buffers.
//
// Complexity: O(n + sections), without a sort or a search, once or twice. Finish does not look at the limit. Most of
// its time is spent on memory that it is the first to touch (profiles after a signal, 2026-11-21). So it reads
// everything about a plain buffer from the span and copies little. It makes a second plan only if that may be much
// lower.
//
// Trials: docs/lab/place.md (stacking ends at the sum of sizes, slots by size class at five times the load).

// Finish completes a plan and returns its height. A buffer with a fixed offset gets that
// offset. A buffer with a negative offset is stacked above all others. The others keep their
// offsets. The plan is valid if the placed and the fixed buffers are valid together.
//
// If the plan is more than an eighth above the bound, Finish also stacks all buffers that are not fixed from scratch,
// and returns the lower plan. A plan can be that high because large buffers of few sections were placed first and
// lift all the rest. The load of the rest may show beforehand that the plan ends so high. Then Finish stacks all anew
// first, and that plan is mostly the lower one.
func Finish(tl *timeline.Timeline, offsets []int64) (height int64) {
	f := newFinisher(tl)
	if f.placeFixed(offsets); !f.moved {
		return f.stack(offsets, Unlimited) // this stacks all anew
	}
	high := thresholds.Within(tl.LowerBound, thresholds.FarBy)
	least := f.least(offsets) // no plan that keeps what is placed is lower
	height = Unlimited        // of the plan that keeps it, if it is made
	if least <= high {
		if height = f.stack(offsets, Unlimited); height <= high {
			return height
		}
	}
	kept := slices.Clone(offsets)
	for i := range offsets {
		offsets[i] = -1
	}
	f.placeFixed(offsets)
	anew := f.stack(offsets, height) // Unlimited if it is not lower
	if height == Unlimited && anew > least {
		f.placeFixed(kept)
		height = f.stack(kept, anew)
	}
	if anew <= height {
		return anew
	}
	copy(offsets, kept)
	return height
}

// finisher is the state of Finish.
type finisher struct {
	tl    *timeline.Timeline
	space tlsf
	now   int32   // the cells that are due by this section have been given back
	due   []int32 // by section: the first of a list of cells that come back there
	fixed bool    // whether any buffer has a fixed offset
	moved bool    // whether any other buffer has an offset
	high  int64   // the height of the buffers that are fixed or never active
}

func newFinisher(tl *timeline.Timeline) *finisher {
	f := &finisher{tl: tl, due: make([]int32, tl.Sections()+1)}
	buffers := tl.Problem.Buffers
	blocks, most := len(buffers)/3, int64(Unlimited) // in a large training step, a third is live at once
	if len(buffers) < thresholds.FreeListsLeast {
		blocks, most = len(buffers), 1
		for i := range buffers {
			most += buffers[i].Size + buffers[i].Alignment
		}
	}
	f.space.begin(blocks, most)
	return f
}

// placeFixed gives an offset to the buffers that are fixed or never active. It notes whether others have one.
func (f *finisher) placeFixed(offsets []int64) {
	f.moved, f.high = false, 0
	for i, at := range offsets {
		if !f.tl.Plain {
			b := &f.tl.Problem.Buffers[i]
			first, last := f.tl.Extent(i)
			if b.Fixed != nil || first == last {
				at = max(at, 0) // a buffer that is never active conflicts with none
				if b.Fixed != nil {
					at, f.fixed = *b.Fixed, true
				}
				offsets[i], f.high = at, max(f.high, at+b.Size)
				continue
			}
		}
		f.moved = f.moved || at >= 0
	}
}

// top returns the height of the placed buffers of a partition.
func (f *finisher) top(part *timeline.Partition, offsets []int64) (top int64) {
	if !f.fixed && !f.moved {
		return 0
	}
	for _, i := range part.Buffers {
		if offsets[i] >= 0 {
			top = max(top, offsets[i]+f.size(int(i)))
		}
	}
	return top
}

// size returns the size of a buffer.
func (f *finisher) size(i int) int64 { return f.tl.Size(int32(i)) }

// least returns a lower bound of the height after the rest is stacked:
//
//	max over the partitions of top + largest load of the rest
func (f *finisher) least(offsets []int64) (height int64) {
	rest := bound.NewLoads(f.tl.Sections())
	for i, at := range offsets {
		if at < 0 {
			first, last := f.tl.Extent(i)
			rest.Add(first, last, f.size(i))
		}
	}
	load := rest.Sum()
	for k := range f.tl.Partitions {
		part := &f.tl.Partitions[k]
		most, _ := bound.Peak(load[part.First:part.Last])
		height = max(height, f.top(part, offsets)+most)
	}
	return height
}

// stack gives an offset to each buffer without one, and returns the height. If the height is
// not below the given one, stack ends early and returns Unlimited.
func (f *finisher) stack(offsets []int64, below int64) (height int64) {
	var batch [256]request // not in finisher: it has no pointers, so the collector need not scan it
	height = f.high
	clear(f.due)
	for k := range f.tl.Partitions {
		part, granule := &f.tl.Partitions[k], int64(1) // all cells begin and end at multiples of granule
		if !f.tl.Plain {
			granule = bound.CommonAlignment(f.tl.Problem, part.Buffers)
		}
		top := f.top(part, offsets)
		height = max(height, top)
		f.space.reset(bound.Up(top, granule))
		f.now = part.First
		for members := part.Buffers; len(members) > 0; {
			n := min(len(members), len(batch))
			if height = max(height, f.some(members[:n], &batch, granule, offsets)); height >= below {
				return Unlimited
			}
			members = members[n:]
		}
	}
	return height
}

// request is what the allocator needs to know of a buffer.
type request struct {
	first, last  int32
	size, offset int64
	align        int64
}

// some places the members that have no offset, and returns the end of the highest. The members lie anywhere in
// memory. So a separate loop reads them, in which no read waits for another.
func (f *finisher) some(members []int32, batch *[256]request, granule int64, offsets []int64) (height int64) {
	for j, i := range members {
		r := &batch[j]
		r.offset = offsets[i]
		r.first, r.last = f.tl.Extent(int(i))
		if r.size, r.align = f.tl.Size(i), 1; !f.tl.Plain {
			r.align = f.tl.Problem.Buffers[i].Align()
		}
	}
	for j, i := range members {
		if r := &batch[j]; r.offset < 0 {
			at := f.put(r, granule)
			offsets[i] = at
			height = max(height, at+r.size)
		}
	}
	return height
}

// put gives back the cells that are due, allocates a buffer, and returns its offset.
func (f *finisher) put(r *request, granule int64) int64 {
	cells := f.space.cells
	for ; f.now < r.first; f.now++ {
		for k, next := f.due[f.now+1], int32(0); k != 0; k = next {
			next = cells[k].next
			f.space.give(k)
		}
	}
	k := f.space.take(bound.Up(r.size+r.align-granule, granule))
	c := &f.space.cells[k]
	c.next, f.due[r.last] = f.due[r.last], k
	return bound.Up(c.at, r.align)
}
