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
// In the reversed graph (reverse.go) the same rule says what may run last.
//
// Complexity: a pass costs the blocks that the ready operators touch. Chains cost those of their successors, to a
// depth of chainMost.
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

// collapseChain runs the first chain of two or more that may run at once, and reports whether there is one.
func (w *walk) collapseChain(limit int64) bool {
	base := w.live
	for k := range w.ready {
		for word := w.ready[k]; word != 0; word &= word - 1 {
			o := int32(k<<6 + bits.TrailingZeros64(word))
			if _, after := w.cost(o); after > base && w.chain(o, base, limit, chainMost) {
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
