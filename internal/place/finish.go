package place

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
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
// sections, placed first, can lift all the rest for nothing.
func Finish(tl *timeline.Timeline, offsets []int64) []int64 {
	buffers := tl.Problem.Buffers
	placed := false
	for i, at := range offsets {
		placed = placed || at >= 0 && buffers[i].Fixed == nil
	}
	stack(tl, offsets)
	if height := model.HeightOf(tl.Problem, offsets); placed && height > tl.LowerBound+tl.LowerBound/8 {
		anew := make([]int64, len(offsets))
		for i := range anew {
			anew[i] = -1
		}
		if stack(tl, anew); model.HeightOf(tl.Problem, anew) < height {
			copy(offsets, anew)
		}
	}
	return offsets
}

// stack completes a plan and moves nothing.
func stack(tl *timeline.Timeline, offsets []int64) {
	buffers := tl.Problem.Buffers
	// All that can be done in the order of the input is done in it: the order of
	// the starts is a random one to the cache.
	var batch [256]request // apart from what has pointers, which the collector wants a map of
	f := finisher{space: tlsf{heads: make([]int32, classes)}, due: make([]int32, tl.Sections()+1), next: make([]int32, 1), sizes: make([]int64, len(buffers))}
	placed, aligned := false, false
	for i := range buffers {
		b := &buffers[i]
		if b.Fixed != nil {
			offsets[i] = *b.Fixed
		}
		placed = placed || offsets[i] >= 0
		f.sizes[i] = b.Size
		aligned = aligned || b.Alignment > 1
	}
	if aligned {
		f.aligns = make([]int64, len(buffers))
		for i := range buffers {
			f.aligns[i] = buffers[i].Align()
		}
	}
	tops := make([]int64, len(tl.Partitions))
	if placed {
		of := make([]int32, tl.Sections()) // section → partition
		for k := range tl.Partitions {
			for s := tl.Partitions[k].First; s < tl.Partitions[k].Last; s++ {
				of[s] = int32(k)
			}
		}
		for i, at := range offsets {
			if first, last := tl.Extent(i); at >= 0 && first < last {
				tops[of[first]] = max(tops[of[first]], at+f.sizes[i])
			}
		}
	}
	for i, at := range offsets {
		if first, last := tl.Extent(i); at < 0 && first == last {
			offsets[i] = 0 // never active: it conflicts with nobody
		}
	}
	for k := range tl.Partitions {
		part := &tl.Partitions[k]
		granule := int64(1)
		if aligned {
			granule = bound.CommonAlignment(tl.Problem, part.Buffers)
		}
		f.begin(part.First, tops[k], granule)
		for members := part.Buffers; len(members) > 0; {
			n := min(len(members), len(batch))
			f.some(tl, members[:n], batch[:n], offsets)
			members = members[n:]
		}
	}
}

// some places those of the members that have no offset. They come from anywhere
// in memory, so they are read in a loop that waits for none of them.
func (f *finisher) some(tl *timeline.Timeline, members []int32, batch []request, offsets []int64) {
	for j, i := range members {
		r := &batch[j]
		r.first, r.last = tl.Extent(int(i))
		r.size, r.align, r.offset = f.sizes[i], 1, offsets[i]
		if f.aligns != nil {
			r.align = f.aligns[i]
		}
	}
	for j := range members {
		if r := &batch[j]; r.offset < 0 {
			r.offset = f.put(r)
		}
	}
	for j, i := range members {
		offsets[i] = batch[j].offset
	}
}

// finisher is the state: of one partition, and what all share.
type finisher struct {
	space   tlsf
	granule int64   // all cells begin and end at multiples of it
	now     int32   // what is due by this section has been given back
	due     []int32 // by section: list of the cells that come back there
	next    []int32 // by cell: the next in its list, 0 for none
	sizes   []int64 // by buffer
	aligns  []int64 // the same; nil where no buffer has an alignment
}

// request is what is needed of a buffer.
type request struct {
	first, last         int32
	size, align, offset int64
}

// begin drops the partition before, which ended by section first.
func (f *finisher) begin(first int32, top, granule int64) {
	f.space.reset(bound.Up(top, granule))
	f.now, f.granule = first, granule
}

// put allocates a buffer and returns its offset.
func (f *finisher) put(r *request) int64 {
	for ; f.now < r.first; f.now++ {
		for k := f.due[f.now+1]; k != 0; k = f.next[k] {
			f.space.give(k)
		}
	}
	k := f.space.take(bound.Up(r.size+r.align-f.granule, f.granule))
	for int(k) >= len(f.next) {
		f.next = append(f.next, 0)
	}
	f.next[k], f.due[r.last] = f.due[r.last], k
	return bound.Up(f.space.cells[k].at, r.align)
}
