package place

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a limit that comes in the middle of a placement must still leave a
// plan, and at once. So what is placed stays, and the rest goes above it, as a
// program would allocate it that plans nothing: in the order of their starts,
// from a fast allocator (tlsf.go), which has each buffer back at its end.
//
//	  ┌─────┬────┐
//	  │  e  │ g  │
//	  ├───┬─┴───┬┘ the rest
//	  │ d │  f  │
//	──┴───┴─────┴─ the top of what is placed
//
// Each partition has a space of its own, and so a top of its own. Gaps are not
// used: a buffer holds its bytes from its first active section to its last.
//
// Invariant: what the allocator gives out is disjoint and above all that is
// placed.
//
// Complexity: O(n + sections), without a sort or a search, once or twice; it does
// not look at the limit.
//
// Tried and dropped: each buffer on top of the one before it, which ends as high
// as the sum of the sizes; slots as large as the buffer that opened them, by
// size class, which ends at five times the load where sizes are many.

// Finish completes a plan: buffers with a fixed offset get it, those of a
// negative offset are stacked above them and above all others, which keep
// theirs. What is placed must be valid together with what is fixed; then the
// plan is valid. It returns offsets.
//
// Where that ends an eighth above the bound and more, all that is not fixed is
// stacked anew as well, and the lower plan is the answer: large buffers of few
// sections, placed first, can lift all the rest for nothing. Where the loads of what is
// left say beforehand that it does, that comes first, and is mostly enough.
func Finish(tl *timeline.Timeline, offsets []int64) []int64 {
	finish(tl, offsets)
	return offsets
}

// finish is Finish; it returns the height.
func finish(tl *timeline.Timeline, offsets []int64) (height int64) {
	f := finisher{tl: tl, space: tlsf{heads: make([]int32, classes)}, due: make([]int32, tl.Sections()+1), sizes: make([]int64, len(offsets))}
	anew, moved := f.read(offsets)
	high := tl.LowerBound + tl.LowerBound/8
	if !moved {
		return f.stack(offsets)
	}
	height, first := f.least(offsets), true
	if height <= high {
		if height, first = f.stack(offsets), false; height <= high {
			return height
		}
	}
	lower := f.stack(anew)
	if first && lower > height {
		height = f.stack(offsets)
	}
	if lower <= height {
		copy(offsets, anew)
	}
	return min(lower, height)
}

// finisher is the state.
type finisher struct {
	tl     *timeline.Timeline
	space  tlsf
	now    int32   // what is due by this section has been given back
	due    []int32 // by section: list of the cells that come back there
	sizes  []int64 // by buffer
	aligns []int64 // the same; nil where no buffer has an alignment
	placed bool    // whether any has an offset
}

// read reads the buffers in the order of the input, once: that of the starts is a random
// one to the cache. It gives an offset to what needs no stacking, and returns a plan in
// which nothing else has one, and whether that is another plan.
func (f *finisher) read(offsets []int64) (anew []int64, moved bool) {
	anew = make([]int64, len(offsets))
	for i := range offsets {
		b := &f.tl.Problem.Buffers[i]
		f.sizes[i] = b.Size
		if b.Alignment > 1 && f.aligns == nil {
			f.aligns = make([]int64, len(offsets))
		}
		if f.aligns != nil {
			f.aligns[i] = b.Alignment
		}
		if first, last := f.tl.Extent(i); b.Fixed != nil {
			offsets[i] = *b.Fixed
			f.placed = true
		} else if first < last {
			anew[i] = -1
			moved = moved || offsets[i] >= 0
			continue
		} else {
			offsets[i] = max(offsets[i], 0) // it conflicts with nobody
		}
		anew[i] = offsets[i]
	}
	f.placed = f.placed || moved
	return anew, moved
}

// top returns how high that reaches which is placed of a partition.
//
//go:noinline
func (f *finisher) top(part *timeline.Partition, offsets []int64) (top int64) {
	if !f.placed {
		return 0
	}
	for _, i := range part.Buffers {
		if offsets[i] >= 0 {
			top = max(top, offsets[i]+f.sizes[i])
		}
	}
	return top
}

// least returns a height that stacking the rest does not end under.
func (f *finisher) least(offsets []int64) (height int64) {
	rest := bound.NewProfile(f.tl.Sections())
	for i, at := range offsets {
		if at < 0 {
			first, last := f.tl.Extent(i)
			rest.Add(first, last, f.sizes[i])
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

// stack gives an offset to what has none, and returns the height.
func (f *finisher) stack(offsets []int64) (height int64) {
	var batch [256]request // apart from what has pointers, which the collector wants a map of
	clear(f.due)
	for k := range f.tl.Partitions {
		part, granule := &f.tl.Partitions[k], int64(1) // all cells begin and end at multiples of it
		if f.aligns != nil {
			granule = bound.CommonAlignment(f.tl.Problem, part.Buffers)
		}
		f.space.reset(bound.Up(f.top(part, offsets), granule))
		f.now = part.First
		for members := part.Buffers; len(members) > 0; {
			n := min(len(members), len(batch))
			f.some(members[:n], &batch, granule, offsets)
			members = members[n:]
		}
	}
	for i, at := range offsets {
		height = max(height, at+f.sizes[i])
	}
	return height
}

// request is what is needed of a buffer.
type request struct {
	first, last         int32
	size, align, offset int64
}

// some places those of the members that have no offset. They come from anywhere
// in memory, so they are read in a loop that waits for none of them.
func (f *finisher) some(members []int32, batch *[256]request, granule int64, offsets []int64) {
	for j, i := range members {
		r := &batch[j]
		r.first, r.last = f.tl.Extent(int(i))
		r.size, r.align, r.offset = f.sizes[i], 1, offsets[i]
		if f.aligns != nil {
			r.align = max(f.aligns[i], 1)
		}
	}
	for j, i := range members {
		if r := &batch[j]; r.offset < 0 {
			offsets[i] = f.put(r, granule)
		}
	}
}

// put allocates a buffer and returns its offset.
func (f *finisher) put(r *request, granule int64) int64 {
	for ; f.now < r.first; f.now++ {
		for k := f.due[f.now+1]; k != 0; {
			next := f.space.cells[k].next
			f.space.give(k)
			k = next
		}
	}
	k := f.space.take(bound.Up(r.size+r.align-granule, granule))
	c := &f.space.cells[k]
	c.next, f.due[r.last] = f.due[r.last], k
	return bound.Up(c.at, r.align)
}
