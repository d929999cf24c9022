package tflm

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: this is the runtime's own planner. Buffers that an offline plan pins go first. The others go by decreasing
// size. Among equal sizes the last one of the input goes first, because the runtime lists them in reverse and its
// sort is stable. Each takes the first hole that holds it, from the bottom up. The baseline tflm-greedy does the same
// for any problem; a test of the laboratory compares the two.
//
// Complexity: that of place.Place; the runtime's own is O(n²).
//
// Source: TensorFlow Lite Micro, greedy_memory_planner (90b983c).

// Greedy returns the offsets and the height that the runtime's planner makes of a problem. A buffer is pinned if its
// offset in pins is not tflite.Online; pins may be nil. If ctx ends, the other buffers are stacked. The error is for
// an invalid problem, and for pinned buffers that collide.
func Greedy(ctx context.Context, p *model.Problem, pins []int64) (offsets []int64, height int64, err error) {
	q := &model.Problem{Name: p.Name, Buffers: slices.Clone(p.Buffers)}
	for k, at := range pins {
		if at != tflite.Online {
			q.Buffers[k].Fixed = &pins[k]
		}
	}
	if err := model.Validate(q); err != nil {
		return nil, 0, err
	}
	watch := run.NewWatch(ctx)
	defer watch.Close()
	order := make([]int32, len(q.Buffers))
	for i := range order {
		order[i] = int32(len(order) - 1 - i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(q.Buffers[b].Size, q.Buffers[a].Size) })
	offsets, end := place.Place(watch, timeline.New(q), order, place.FirstFit)
	switch {
	case end == place.Collided:
		return nil, 0, errors.New("tflm: the pinned tensors collide")
	case offsets == nil:
		return nil, 0, context.Cause(ctx)
	}
	return offsets, model.HeightOf(q, offsets), nil
}
