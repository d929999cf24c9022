package explain

import (
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Drawable returns a version of p that can be planned and drawn although p does not fit: it
// has no capacity. If two fixed offsets collide, it leaves the second one open. back writes
// that offset into the offsets of a plan again, so that the picture shows the overlap.
func Drawable(p *model.Problem, x *plan.Explanation) (free *model.Problem, back func(offsets []int64)) {
	out := *p
	out.Capacity = 0
	c := x.Collision
	if c == nil {
		return &out, func([]int64) {}
	}
	out.Buffers = slices.Clone(p.Buffers)
	out.Buffers[c.B].Fixed = nil
	return &out, func(offsets []int64) { offsets[c.B] = *p.Buffers[c.B].Fixed }
}
