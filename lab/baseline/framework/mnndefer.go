package framework

import "github.com/stowage-go/stowage/internal/greedy"

// Idea: MNN plans the memory of a run in advance, as a row of chunks without addresses. A request takes the smallest
// chunk that holds it, or else the largest, which grows. The code is in package greedy, since the portfolio uses it,
// too.
//
// At equal times releases come before requests, both in the order of the input, and
// releases at the end in the order of the ends.
//
// Source: MNN, source/core/BufferAllocator.cpp, DeferBufferAllocator (4d40bdb), which is its default for what a run
// needs. Sizes are multiples of 64 there, the parameter round; here they are also rounded up to a common multiple of
// the alignments, for a chunk that moves must stay aligned.

func init() {
	register(planner{
		name:    "mnn-defer",
		summary: "chunks without an address yet: best fit, or else the largest chunk grows",
		source:  "MNN, DeferBufferAllocator (4d40bdb)",
		round:   64,
		place: func(t *task) error {
			sizes, err := t.units()
			if err != nil {
				return err
			}
			if t.offsets = greedy.Deferred(t.watch, t.tl, t.sorted(t.earlier), t.sorted(t.endsEarlier),
				sizes); t.offsets == nil {
				return errStopped
			}
			return nil
		},
	})
}
