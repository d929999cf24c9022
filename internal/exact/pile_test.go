package exact

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

func init() { Finish = pile }

// pile stacks all of a partition that is not placed.
func pile(tl *timeline.Timeline, offsets []int64) (height int64) {
	for i := range tl.Problem.Buffers {
		if b := &tl.Problem.Buffers[i]; b.Fixed != nil {
			offsets[i] = *b.Fixed
		} else if first, last := tl.Extent(i); first == last {
			offsets[i] = 0 // never active: it conflicts with nobody
		}
	}
	for p := range tl.Partitions {
		top := int64(0)
		for _, i := range tl.Partitions[p].Buffers {
			if offsets[i] >= 0 {
				top = max(top, offsets[i]+tl.Problem.Buffers[i].Size)
			}
		}
		for _, i := range tl.Partitions[p].Buffers {
			if b := &tl.Problem.Buffers[i]; offsets[i] < 0 {
				offsets[i] = bound.Up(top, b.Align())
				top = offsets[i] + b.Size
			}
		}
	}
	return model.HeightOf(tl.Problem, offsets)
}
