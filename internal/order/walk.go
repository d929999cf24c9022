package order

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: a walk is at a set of operators that have run, closed downwards, and knows what is live there. It runs
// an operator or takes one back in time proportional to what the operator touches. Nothing depends on the order
// in which the set was reached.
//
// Invariants:
//
//	wait[o]  = operators before o that have not run
//	ready    = { o not run : wait[o] = 0 }
//	begun[b] = makers of b that have run, and 1 if b is filled before the first operator
//	left[b]  = users of b that have not run, and 1 if b is an output
//	live     = sum of size[b] over begun[b] > 0, left[b] > 0, and the constant sum of the graph
type walk struct {
	g     *graph
	done  bitset
	ready bitset
	wait  []int32
	begun []int32
	left  []int32
	live  int64
	trail []int32 // operators in the order in which they ran since set or since mark 0
	match matching
}

func newWalk(g *graph) *walk {
	n := g.operators()
	w := &walk{
		g: g, done: newBitset(n), ready: newBitset(n), wait: make([]int32, n),
		begun: make([]int32, len(g.size)), left: make([]int32, len(g.size)), trail: make([]int32, 0, n),
	}
	w.match.init(g.mostOfPair)
	w.clear()
	return w
}

// clear goes back to where nothing has run.
func (w *walk) clear() {
	g := w.g
	clear(w.done)
	clear(w.ready)
	copy(w.begun, g.begun)
	copy(w.left, g.left)
	w.live = g.live
	w.trail = w.trail[:0]
	for o := range w.wait {
		w.wait[o] = int32(len(g.prior.of(int32(o))))
		if w.wait[o] == 0 {
			w.ready.add(int32(o))
		}
	}
}

// set goes to a set that is closed downwards, from wherever the walk is. The trail is empty afterwards. The operators
// in which the two sets differ are run or taken back in any order: each changes the counts and the sum live by the
// same amount, whatever the others did. Only ready depends on all of them, so it is computed at the end.
func (w *walk) set(done bitset) {
	w.trail = w.trail[:0]
	for k, word := range done {
		for back := w.done[k] &^ word; back != 0; back &= back - 1 {
			w.takeBack(int32(k<<6 + bits.TrailingZeros64(back)))
		}
	}
	for k, word := range done {
		for more := word &^ w.done[k]; more != 0; more &= more - 1 {
			w.run(int32(k<<6 + bits.TrailingZeros64(more)))
		}
	}
	for k := range w.ready {
		for word := w.ready[k]; word != 0; word &= word - 1 {
			if o := int32(k<<6 + bits.TrailingZeros64(word)); w.wait[o] > 0 || w.done.has(o) {
				w.ready.drop(o)
			}
		}
	}
	w.trail = w.trail[:0]
	if invariants.Enabled {
		w.check()
	}
}

// cost returns how many bytes are live while o runs, without the savings of the best pairs, and how many afterwards.
// o need not be ready: only the operators that have run count.
func (w *walk) cost(o int32) (during, after int64) {
	g := w.g
	during = w.live + g.scratch[o]
	after = w.live
	for _, b := range g.makes.of(o) {
		if w.begun[b] == 0 {
			during += g.size[b]
			after += g.size[b]
		}
	}
	for _, b := range g.uses.of(o) {
		if w.left[b] == 1 {
			after -= g.size[b]
		}
	}
	if g.pairsFrom[o] != g.pairsFrom[o+1] {
		during -= w.saving(o)
	}
	return during, after
}

// run runs o, which is ready.
func (w *walk) run(o int32) {
	g := w.g
	w.done.add(o)
	w.ready.drop(o)
	for _, b := range g.makes.of(o) {
		if w.begun[b]++; w.begun[b] == 1 {
			w.live += g.size[b]
		}
	}
	for _, b := range g.uses.of(o) {
		if w.left[b]--; w.left[b] == 0 {
			w.live -= g.size[b]
		}
	}
	for _, q := range g.next.of(o) {
		if w.wait[q]--; w.wait[q] == 0 {
			w.ready.add(q)
		}
	}
	w.trail = append(w.trail, o)
}

// takeBack undoes o, after which nothing has run that has to run later than o.
func (w *walk) takeBack(o int32) {
	g := w.g
	for _, q := range g.next.of(o) {
		if w.wait[q] == 0 {
			w.ready.drop(q)
		}
		w.wait[q]++
	}
	for _, b := range g.uses.of(o) {
		if w.left[b] == 0 {
			w.live += g.size[b]
		}
		w.left[b]++
	}
	for _, b := range g.makes.of(o) {
		if w.begun[b]--; w.begun[b] == 0 {
			w.live -= g.size[b]
		}
	}
	w.done.drop(o)
	w.ready.add(o)
}

// undo takes back what ran since the trail had this length.
func (w *walk) undo(mark int) {
	for len(w.trail) > mark {
		last := len(w.trail) - 1
		w.takeBack(w.trail[last])
		w.trail = w.trail[:last]
	}
}
