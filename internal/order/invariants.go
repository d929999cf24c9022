//go:build invariants

package order

import "fmt"

// Under the tag invariants a walk computes anew what it keeps up to date, whenever it goes to a set, and a search
// holds its order against the limit. A difference is a panic. Without the tag the calls are empty
// (invariants_off.go).

func must(ok bool, what string, k, got, want any) {
	if !ok {
		panic(fmt.Sprintf("order: invariant broken: %s %v is %v, from scratch %v", what, k, got, want))
	}
}

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
		must(w.begun[b] == begun, "makers that have run of block", b, w.begun[b], begun)
		must(w.left[b] == left, "users that have not run of block", b, w.left[b], left)
		if begun > 0 && left > 0 {
			live += size
		}
	}
	must(w.live == live, "number of", "live bytes", w.live, live)
	for k := range w.wait {
		o, wait := int32(k), int32(0)
		for _, q := range g.prior.of(o) {
			if !w.done.has(q) {
				wait++
			}
		}
		must(w.wait[o] == wait, "operators that have not run before operator", o, w.wait[o], wait)
		must(w.done.has(o) == false || wait == 0, "operator", o, "run", "not ready")
		must(w.ready.has(o) == (wait == 0 && !w.done.has(o)), "readiness of operator", o, w.ready.has(o), wait)
	}
}

// checkOrder checks that an order runs and has the peak that is said of it.
func (g *graph) checkOrder(order []int32, peak int64) {
	if err := g.runs(order); err != nil {
		must(false, "order", "found", err, "runs")
	}
	got := g.peak(newWalk(g), order)
	must(got == peak, "peak of", "the order", peak, got)
}
