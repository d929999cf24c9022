package place

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/tune"
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
// not look at the limit. Most of the time goes for memory that is touched first
// (`go run ./lab/bench/late -signal -profiles DIR`): so what is needed of a plain buffer is
// read from one place, its span, nothing is copied that need not be, and there is no second
// plan where one will do.
//
// Tried and dropped: each buffer on top of the one before it, which ends as high
// as the sum of the sizes; slots as large as the buffer that opened them, by
// size class, which ends at five times the load where sizes are many.

// Finish completes a plan: buffers with a fixed offset get it, those of a
// negative offset are stacked above them and above all others, which keep
// theirs. What is placed must be valid together with what is fixed; then the
// plan is valid. It returns the height.
//
// Where that ends an eighth above the bound and more, all that is not fixed is
// stacked anew as well, and the lower plan is the answer: large buffers of few
// sections, placed first, can lift all the rest for nothing. Where the loads of what is
// left say beforehand that it does, that comes first, and is mostly enough.
func Finish(tl *timeline.Timeline, offsets []int64) (height int64) {
	f := newFinisher(tl)
	if f.settle(offsets); !f.moved {
		return f.stack(offsets, Unlimited) // that is all anew
	}
	high, below := tl.LowerBound+tl.LowerBound/8, int64(Unlimited)
	height = f.least(offsets)
	first := height > high
	if !first {
		if height = f.stack(offsets, Unlimited); height <= high {
			return height
		}
		below = height
	}
	kept := slices.Clone(offsets)
	for i := range offsets {
		offsets[i] = -1
	}
	f.settle(offsets)
	if lower := f.stack(offsets, below); lower <= height {
		return lower
	} else if first {
		f.settle(kept)
		if height = f.stack(kept, lower); height >= lower {
			return lower
		}
	}
	copy(offsets, kept)
	return height
}

// finisher is the state.
type finisher struct {
	tl    *timeline.Timeline
	space tlsf
	now   int32   // what is due by this section has been given back
	due   []int32 // by section: list of the cells that come back there
	fixed bool    // whether any buffer has a fixed offset
	moved bool    // whether any other has one
	high  int64   // where the highest of these ends that need no stacking
}

func newFinisher(tl *timeline.Timeline) *finisher {
	f := &finisher{tl: tl, due: make([]int32, tl.Sections()+1)}
	buffers := tl.Problem.Buffers
	blocks, most := len(buffers)/3, int64(Unlimited) // so many are live at once in a large training step
	if len(buffers) < tune.FreeListsLeast {
		blocks, most = len(buffers), 1
		for i := range buffers {
			most += buffers[i].Size + buffers[i].Alignment
		}
	}
	f.space.begin(blocks, most)
	return f
}

// settle gives an offset to what needs no stacking, and sees what else has one.
func (f *finisher) settle(offsets []int64) {
	f.moved, f.high = false, 0
	for i, at := range offsets {
		if !f.tl.Plain {
			b := &f.tl.Problem.Buffers[i]
			first, last := f.tl.Extent(i)
			if b.Fixed != nil || first == last {
				at = max(at, 0) // what is never active conflicts with nobody
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

// top returns how high that reaches which is placed of a partition.
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

// size is the size of a buffer. What the timeline has of it is closer together.
func (f *finisher) size(i int) int64 {
	if f.tl.Plain {
		return f.tl.Span(int32(i)).Upper
	}
	return f.tl.Problem.Buffers[i].Size
}

// least returns a height that stacking the rest does not end under.
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

// stack gives an offset to what has none, and returns the height. It ends where that
// is not below the given one, and returns Unlimited.
func (f *finisher) stack(offsets []int64, below int64) (height int64) {
	var batch [256]request // apart from what has pointers, which the collector wants a map of
	height = f.high
	clear(f.due)
	for k := range f.tl.Partitions {
		part, granule := &f.tl.Partitions[k], int64(1) // all cells begin and end at multiples of it
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

// request is what is needed of a buffer.
type request struct {
	first, last  int32
	size, offset int64
	align        int64
}

// some places those of the members that have no offset, and returns where the highest
// ends. They come from anywhere in memory, so they are read in a loop that waits for none
// of them.
func (f *finisher) some(members []int32, batch *[256]request, granule int64, offsets []int64) (height int64) {
	for j, i := range members {
		r := &batch[j]
		r.offset = offsets[i]
		if f.tl.Plain {
			s := f.tl.Span(i)
			r.first, r.last, r.size, r.align = s.First, s.Last, s.Upper, 1
			continue
		}
		b := &f.tl.Problem.Buffers[i]
		r.first, r.last = f.tl.Extent(int(i))
		r.size, r.align = b.Size, b.Align()
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

// put allocates a buffer and returns its offset.
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
