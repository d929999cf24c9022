package climb

import (
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants each order that critical takes is looked through, and its height is
// computed anew. A difference is a panic.

// check checks that order has each buffer once, that height is the height of offsets and of first fit in that order,
// and that the chain leads from the top of the plan to a buffer that rests on none.
func (w *worker) check() {
	c := &w.critical
	in := make([]bool, len(c.order))
	for _, i := range c.order {
		invariants.Must(!in[i], "twice in the order is buffer", int(i))
		in[i] = true
	}
	height := model.HeightOf(w.tl.Problem, c.offsets)
	invariants.Equal(c.height, height, "height of the offsets")
	if w.watch.Over() {
		return // a limit may have cut the placement or the chain
	}
	_, height, end := place.Below(nil, w.tl, c.order, place.FirstFit, place.Unlimited)
	invariants.Must(end == place.Whole, "first fit in the order has no plan")
	invariants.Equal(c.height, height, "height of first fit in the order")
	above := -1
	for _, link := range c.chain {
		i := int(c.order[link])
		invariants.Must(w.under(i, above), "no link of the chain are buffers", i, above)
		above = i
	}
}

// check checks that nothing is out, and that no two buffers that are live together share bytes.
func (m *mender) check() {
	for i, b := range m.tl.Problem.Buffers {
		k := m.number[i]
		s := m.spots[k]
		invariants.Equal(s.at+b.Size, s.top, "end of a buffer")
		invariants.Must(s.price > 0 && s.at%b.Align() == 0, "out, or not aligned, is buffer", i)
		for _, j := range m.neighbours(k).low {
			invariants.Must(s.top <= m.spots[j].at || m.spots[j].top <= s.at, "in each other's way are buffers", i, int(m.starts[j]))
		}
	}
}
