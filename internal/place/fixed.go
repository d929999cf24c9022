package place

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: place the buffers with fixed offsets before all others. Check for each whether its place is free.
//
// Complexity: that of a placement of the fixed buffers.

// Collide returns Collided if two buffers with fixed offsets use the same bytes at once, and Whole if none do. If there
// are more than thresholds.CollideMost of them and a limit comes first, it returns Cut. No watch (nil) means no limit.
func Collide(w *run.Watch, tl *timeline.Timeline) Ending {
	p := placer{tl: tl, watch: w}
	count := 0
	for i := range tl.Problem.Buffers {
		if p.isFixed(int32(i)) {
			count++
		}
	}
	switch {
	case count <= 1:
		return Whole
	case count <= thresholds.CollideMost:
		p.watch = nil
	}
	p.offsets = make([]int64, len(tl.Problem.Buffers))
	for k := range tl.Partitions {
		part := &tl.Partitions[k]
		if slices.ContainsFunc(part.Buffers, p.isFixed) {
			if _, end := p.partition(part, nil); end != Whole {
				return end
			}
		}
	}
	return Whole
}

// FixedFit reports whether each buffer with a fixed offset ends within the capacity. A
// capacity of 0 means that there is none.
func FixedFit(p *model.Problem, capacity int64) bool {
	_, end := bound.TopFixed(p)
	return capacity == 0 || end <= capacity
}

// isFixed reports whether buffer i has a fixed offset.
func (p *placer) isFixed(i int32) bool { return p.tl.Problem.Buffers[i].Fixed != nil }
