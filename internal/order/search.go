package order

import (
	"cmp"
	"math/bits"
	"slices"
)

// Idea: states are sets of operators that have run. The search looks for a way from the empty set to the full one
// whose largest step is least: a shortest path whose length is its maximum. limit rises from a lower bound. At each
// limit, everything that steps within it can reach is explored, deepest and lowest first. Each state remembers its
// least step above the limit. If nothing is left, the least of these steps becomes the limit (ends.go).
//
// Invariant: each state is reached within limit, and every state within limit that matters is kept, is reached from
// one on the stack, or is behind a step in later. So if no order has a peak below limit, the first way to the full
// set is best.
//
// A state that is opened again under a higher limit first collapses again: more operators may run at once.
//
// Complexity: O(states × what a state's ready operators touch), states at most the sets closed downwards.
//
// Source: dynamic programming over downward closed sets as in SERENITY (Ahn et al., MLSys 2020) and Liberis and
// Lane (arXiv 1910.05110), here best first, as bottleneck shortest paths are. What Ahn et al. call the soft
// budget is limit. Partial expansion is from Yoshizumi, Miura and Ishida (AAAI 2000).

// search is the exact search of a graph.
type search struct {
	g      *graph
	off    *Techniques
	w      *walk
	states *states
	opened []int64 // per state: the limit under which its steps have been taken, -1 at first
	stack  []int32 // states to open under limit
	later  blocked // states with steps that exceed limit
	steps  []step  // scratch of open

	limit int64
	below int64 // an order with this peak is known; only lower ones are sought
	full  bool  // the full set is reached, from last by first
	last  int32
	first int32
}

// step is an operator to run, and what is live afterwards with all that collapses.
type step struct {
	state int32
	live  int64
}

// blocked is a heap of states by the least step that exceeds the limit, then the latest state.
type blocked []blockedState

type blockedState struct {
	least int64
	state int32
}

func (a blockedState) before(b blockedState) bool {
	return a.least < b.least || a.least == b.least && a.state > b.state
}

func (h *blocked) push(e blockedState) {
	*h = append(*h, e)
	all := *h
	for k := len(all) - 1; k > 0; {
		up := (k - 1) / 2
		if !all[k].before(all[up]) {
			return
		}
		all[k], all[up] = all[up], all[k]
		k = up
	}
}

func (h *blocked) pop() blockedState {
	all := *h
	top, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	*h = all
	for k := 0; ; {
		least := k
		for c := 2*k + 1; c <= 2*k+2 && c < last; c++ {
			if all[c].before(all[least]) {
				least = c
			}
		}
		if least == k {
			return top
		}
		all[k], all[least] = all[least], all[k]
		k = least
	}
}

// newSearch prepares a search for an order with a peak less than below. No order has a peak less than limit, or
// none that matters.
func newSearch(g *graph, limit, below int64, off *Techniques) *search {
	s := &search{g: g, off: off, w: newWalk(g), states: newStates(g.operators()), limit: limit, below: below}
	s.w.collapse(limit, off)
	s.enter(none, none)
	s.push()
	return s
}

// enter adds the state that the walk is at. If it is the full set, the search is over.
func (s *search) enter(parent, first int32) {
	if s.full {
		return
	}
	if s.w.done.count() == s.g.operators() {
		s.full, s.last, s.first = true, parent, first
		return
	}
	k, fresh := s.states.add(s.w.done, s.w.live, s.limit, parent, first, !s.off.Memory)
	if fresh {
		s.opened = append(s.opened, -1)
		s.steps = append(s.steps, step{k, s.w.live})
	}
}

// raise lets steps within a higher limit be taken.
func (s *search) raise(limit int64) {
	s.limit = limit
	from := len(s.stack)
	for len(s.later) > 0 && s.later[0].least <= limit {
		s.stack = append(s.stack, s.later.pop().state)
	}
	slices.Reverse(s.stack[from:]) // the one with the least step, then the latest, is on top
}

// push puts the states in steps on the stack, those with the fewest live bytes on top.
func (s *search) push() {
	slices.SortStableFunc(s.steps, func(a, b step) int { return cmp.Compare(b.live, a.live) })
	for _, e := range s.steps {
		s.stack = append(s.stack, e.state)
	}
	s.steps = s.steps[:0]
}

// open takes the steps within limit of the state on top of the stack that were not taken before.
func (s *search) open() {
	top := len(s.stack) - 1
	k := s.stack[top]
	s.stack = s.stack[:top]
	w, since := s.w, s.opened[k]
	w.set(s.states.set(k))
	if s.states.limit[k] < s.limit { // more may run at once than when it was reached
		if w.collapse(s.limit, s.off); len(w.trail) > 0 {
			s.enter(k, none)
			s.push()
			return
		}
	}
	s.opened[k] = s.limit
	least := s.below
	for i := range w.ready {
		for word := w.ready[i]; word != 0; word &= word - 1 {
			o := int32(i<<6 + bits.TrailingZeros64(word))
			during, _ := w.cost(o)
			if during > s.limit {
				least = min(least, during)
				continue
			}
			if during <= since {
				continue
			}
			w.run(o)
			w.collapse(s.limit, s.off)
			s.enter(k, o)
			w.undo(0)
			if s.full {
				return
			}
		}
	}
	s.push()
	if least < s.below {
		s.later.push(blockedState{least, k})
	}
}

// way returns the order that was found, in the graph's numbers.
func (s *search) way() []int32 {
	var chain []int32 // states from the last to the first
	for k := s.last; k >= 0; k = s.states.parent[k] {
		chain = append(chain, k)
	}
	w := s.w
	order := make([]int32, 0, s.g.operators())
	replay := func(from bitset, first int32, limit int64) {
		if from == nil {
			w.clear()
		} else {
			w.set(from)
		}
		if first >= 0 {
			w.run(first)
		}
		w.collapse(limit, s.off)
		order = append(order, w.trail...)
	}
	var from bitset
	for i := len(chain) - 1; i >= 0; i-- {
		k := chain[i]
		replay(from, s.states.first[k], s.states.limit[k])
		from = s.states.set(k)
	}
	replay(from, s.first, s.limit)
	return order
}
