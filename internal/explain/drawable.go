package explain

import (
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Drawable returns what can be planned of a problem that does not fit, to draw it: p without
// the capacity. Of two fixed offsets that collide it leaves the second open; back puts that
// into the offsets of a plan again, so that the picture shows where the two meet.
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
