package order

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// Idea: a caller that needs more than peaks sees all orders within a limit, operator by operator, and says which
// beginnings are hopeless. Beginnings are extended depth first, at each step with the operator that leaves the fewest
// bytes live. If no order within the limit goes on from a set of operators, the set is remembered and not entered
// again: the live bytes depend on the set alone. A beginning that the caller rejects says nothing about its set.
//
// Invariant: the limit only falls, so a remembered set stays hopeless.
//
// Complexity: O(steps × what the ready operators touch). Memory is that of the sets that are remembered, at most one
// a step.
//
// The technique collapse is not used. To run an operator at once gives the lowest peak, but not the same lifespans. So
// a caller that needs more than peaks has to see the other orders, too.

// A Visitor is shown orders by [Each].
type Visitor interface {
	// Enter says that operator o runs next. If it returns false, no order that begins so is shown.
	Enter(o int32) bool
	// Leave takes back the last Enter that was true and has not been taken back.
	Leave()
	// Full says that all operators have run. It returns the limit from here on, not above the one before, and how
	// many of the operators stay: no other order is shown that has the same first keep+1 operators. With a limit
	// below 0 no more orders are shown.
	Full() (limit int64, keep int)
}

// Each shows v all orders of the operators whose peak, as [Program.Peak] counts it, is at most limit. It ends after
// steps calls of Enter, or with the context. It reports whether it has shown all orders except those that v rejected.
// The error is that of [Program.Check].
func Each(ctx context.Context, p *Program, limit int64, steps int, v Visitor) (bool, error) {
	if err := p.Check(); err != nil {
		return false, err
	}
	g := newGraph(p)
	e := each{ctx: ctx, w: newWalk(g), v: v, limit: limit, steps: steps, dead: make(map[string]struct{})}
	if least := max(g.least(newWalk(g)), g.footprint()); least <= limit {
		e.extend(0, least)
	}
	return !e.cut, nil
}

type each struct {
	ctx   context.Context
	w     *walk
	v     Visitor
	limit int64
	steps int                 // that are left
	cut   bool                // steps are used up, or the context has ended
	keep  int                 // how many operators stay, while it goes back
	back  bool                // it goes back to keep operators
	dead  map[string]struct{} // sets of operators from which no order within the limit goes on
}

// extend shows all orders that begin as the walk does: with ran operators, and a peak within the limit. It reports
// whether it knows that no order within the limit goes on from this set.
func (e *each) extend(ran int, peak int64) (none bool) {
	w := e.w
	if ran == w.g.operators() {
		limit, keep := e.v.Full()
		e.limit, e.keep, e.back = min(e.limit, limit), keep, true
		return false
	}
	type next struct {
		o             int32
		during, after int64
	}
	var open []next
	for k := range w.ready {
		for word := w.ready[k]; word != 0; word &= word - 1 {
			o := int32(k<<6 + bits.TrailingZeros64(word))
			if during, after := w.cost(o); during <= e.limit {
				open = append(open, next{o, during, after})
			}
		}
	}
	slices.SortStableFunc(open, func(a, b next) int {
		return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.during, b.during))
	})
	none = true
	for _, x := range open {
		if x.during > e.limit { // which has fallen
			none = false
			continue
		}
		if e.steps--; e.steps < 0 || e.ctx.Err() != nil {
			e.cut = true
			return false
		}
		mark := len(w.trail)
		w.run(x.o)
		switch {
		case e.isDead():
		case !e.v.Enter(x.o):
			none = false
		default:
			if e.extend(ran+1, max(peak, x.during)) {
				e.dead[e.w.done.key()] = struct{}{}
			} else {
				none = false
			}
			e.v.Leave()
		}
		w.undo(mark)
		if e.cut || e.back && e.keep < ran || peak > e.limit {
			return false
		}
		e.back = false // so many operators stay
	}
	return none
}

func (e *each) isDead() bool {
	_, dead := e.dead[e.w.done.key()]
	return dead
}
