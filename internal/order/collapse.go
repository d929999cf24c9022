package order

import "math/bits"

// Idea: an operator that fits now and leaves no more bytes live than there were may run at once. No other order
// has to be tried. The same holds for a chain of operators, each a successor of the one before, if it is the
// first prefix of the chain that leaves no more live than there was before it.
//
//	during(o | S) <= limit  and  live(S + o) <= live(S)            one operator
//	during(chain) <= limit  and  live(S + chain) <= live(S)        a chain, no shorter prefix does
//
// Proof: the package comment, theorem 1. Both come from the same inequality, and pairs of a result and an
// operand do not disturb it.
//
// Backwards the same rule holds from the end: an operator may run last if it fits there, and if no more was live
// before it than after it (tail).
//
// Complexity: a pass costs what the ready operators touch; chains that of their successors, to a depth of
// chainMost.
//
// Source: the rule for one operator is ours; Liu 1987 has chains (hills and valleys) for trees.

// chainMost is how many operators a chain has at most.
const chainMost = 16

// collapse runs everything that may run at once within limit.
func (w *walk) collapse(limit int64, off *Techniques) {
	for {
		if !off.Collapse {
			w.collapseSingle(limit)
		}
		if off.Chains || !w.collapseChain(limit) {
			return
		}
	}
}

// collapseSingle runs single operators until none may run at once. The set that it reaches does not depend on
// the order, because what may run at once still may when others have run.
func (w *walk) collapseSingle(limit int64) {
	for again := true; again; {
		again = false
		for k := range w.ready {
			for word := w.ready[k]; word != 0; word &= word - 1 {
				o := int32(k<<6 + bits.TrailingZeros64(word))
				if during, after := w.cost(o); during <= limit && after <= w.live {
					w.run(o)
					again = true
				}
			}
		}
	}
}

// collapseChain runs the first chain that may run at once, and reports whether there is one.
func (w *walk) collapseChain(limit int64) bool {
	base := w.live
	for k := range w.ready {
		for word := w.ready[k]; word != 0; word &= word - 1 {
			if w.chain(int32(k<<6+bits.TrailingZeros64(word)), base, limit, chainMost) {
				return true
			}
		}
	}
	return false
}

// chain runs o and then operators that each need the one before, until no more than base is live. If there is
// no such chain of at most the given length, nothing has run.
func (w *walk) chain(o int32, base, limit int64, length int) bool {
	during, after := w.cost(o)
	if during > limit {
		return false
	}
	w.run(o)
	if after <= base {
		return true
	}
	if length > 1 {
		for _, q := range w.g.next.of(o) {
			if w.wait[q] == 0 && w.chain(q, base, limit, length-1) {
				return true
			}
		}
	}
	w.undo(len(w.trail) - 1)
	return false
}

// tail takes back, from where everything has run, each operator that may run last within limit. It returns
// these in the order in which they then run.
func (w *walk) tail(limit int64) []int32 {
	var last []int32
	g := w.g
	open := make([]int32, g.operators()) // operators after it that have run
	for o := range open {
		open[o] = int32(len(g.next.of(int32(o))))
	}
	for again := true; again; {
		again = false
		for o := int32(g.operators()) - 1; o >= 0; o-- {
			if !w.done.has(o) || open[o] > 0 {
				continue
			}
			live := w.live
			w.takeBack(o)
			if during, _ := w.cost(o); during > limit || w.live > live {
				w.run(o)
				continue
			}
			last = append(last, o)
			again = true
			for _, q := range g.prior.of(o) {
				open[q]--
			}
		}
	}
	for i, j := 0, len(last)-1; i < j; i, j = i+1, j-1 {
		last[i], last[j] = last[j], last[i]
	}
	w.trail = w.trail[:0]
	return last
}
