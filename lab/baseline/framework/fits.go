package framework

import (
	"github.com/stowage-go/stowage/internal/place"
)

// placeInOrder places the buffers of an order by first fit or best fit, those
// with fixed offsets before all others. The kernel of package place makes the
// plans that a walk over a list of placed buffers makes, in a fraction of the
// time; a test holds the two against each other.
func (t *task) placeInOrder(order []int32, fit place.Fit) error {
	t.offsets, _ = place.Place(t.watch, t.tl, order, fit)
	if t.offsets == nil {
		return errStopped // before it was known whether fixed offsets collide
	}
	return nil
}
