//go:build invariants

package climb

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants each order that critical takes is looked through, and its height is
// computed anew. A difference is a panic.

// check checks that order has each buffer once, that height is the height of offsets and of
// first fit in that order, and that the chain leads from the top of the plan to a buffer that
// rests on none.
func (w *worker) check() {
	must := func(ok bool, what string, got, want any) {
		if !ok {
			panic(fmt.Sprintf("climb: invariant broken: %s is %v, from scratch %v", what, got, want))
		}
	}
	c := &w.critical
	in := make([]bool, len(c.order))
	for _, i := range c.order {
		must(!in[i], "place of a buffer in the order", "double", i)
		in[i] = true
	}
	height := model.HeightOf(w.tl.Problem, c.offsets)
	must(c.height == height, "height of the offsets", c.height, height)
	if w.watch.Over() {
		return // a limit may have cut the placement or the chain
	}
	_, height, end := place.Below(nil, w.tl, c.order, place.FirstFit, place.Unlimited)
	must(end == place.Whole && c.height == height, "height of first fit in the order", c.height, height)
	above := -1
	for _, link := range c.chain {
		i := int(c.order[link])
		must(w.under(i, above), "a link of the chain", i, above)
		above = i
	}
}
