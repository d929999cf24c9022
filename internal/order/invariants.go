package order

import "github.com/stowage-go/stowage/internal/invariants"

// Under the tag invariants a walk computes anew what it keeps up to date, whenever it goes to a set, and a search
// compares its order with the limit. A difference is a panic.

// check computes everything that the walk knows from the set of operators that have run.
func (w *walk) check() {
	g, live := w.g, w.g.constant()
	for b, size := range g.size {
		begun, left := g.begun[b], g.left[b]
		for _, o := range g.makers.of(int32(b)) {
			if w.done.has(o) {
				begun++
			}
		}
		for _, o := range g.users.of(int32(b)) {
			if w.done.has(o) {
				left--
			}
		}
		invariants.Equal(w.begun[b], begun, "makers that have run of block", b)
		invariants.Equal(w.left[b], left, "users that have not run of block", b)
		if begun > 0 && left > 0 {
			live += size
		}
	}
	invariants.Equal(w.live, live, "number of live bytes")
	for k := range w.wait {
		o, wait := int32(k), int32(0)
		for _, q := range g.prior.of(o) {
			if !w.done.has(q) {
				wait++
			}
		}
		invariants.Equal(w.wait[o], wait, "operators that have not run before operator", k)
		invariants.Must(!w.done.has(o) || wait == 0, "not ready when it ran was operator", k)
		invariants.Equal(w.ready.has(o), wait == 0 && !w.done.has(o), "readiness of operator", k)
	}
}

// checkOrder checks that an order runs and has the peak that is said of it.
func (g *graph) checkOrder(order []int32, peak int64) {
	if err := g.runs(order); err != nil {
		invariants.Fail("the order found does not run: %v", err)
	}
	got := g.peak(newWalk(g), order)
	invariants.Equal(peak, got, "peak of the order")
}
