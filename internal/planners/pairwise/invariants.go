package pairwise

import "github.com/stowage-go/stowage/internal/invariants"

// Idea: propagation is incremental, and so are its counters. At a fixpoint, and after each
// Pop, check works everything out from scratch.
//
// Complexity: O(n + pairs) a call. An engine with more than checkedMost pairs is not checked,
// since a call comes at each decision.

const checkedMost = 1 << 13

// check panics if an invariant of the engine does not hold.
func (e *Engine) check() {
	if len(e.order) > checkedMost {
		return
	}
	e.must(e.head == e.tail, "the queue is not empty", 0)
	e.checkBounds()
	e.checkPairs()
	e.checkCounts()
}

// checkBounds compares the bounds with their trail entries:
//
//	value[2j] + value[2j+1] <= 0   and   value[v] = trail[at[v]].value
func (e *Engine) checkBounds() {
	for v, x := range e.value {
		e.must(x+e.value[v^1] <= 0, "a buffer has no offset between its bounds", v>>1)
		at := e.trail[e.at[v]]
		e.must(at.v == int32(v) && at.value == x, "a bound is not that of its trail entry", v)
	}
}

// checkPairs compares each pair with the bounds of its buffers: a literal that holds has passed the bounds on, and an
// open pair may still go either way.
func (e *Engine) checkPairs() {
	for literal := range int32(2 * len(e.order)) {
		lower, upper := e.first[literal>>1], e.second[literal>>1]
		if literal&1 == 1 {
			lower, upper = upper, lower
		}
		d := e.dist(literal, lower)
		switch e.Decided(literal >> 1) {
		case literal:
			e.must(e.value[2*upper] >= e.value[2*lower]+d, "a lower bound breaks the order of pair", int(literal>>1))
			e.must(e.value[2*lower+1] >= e.value[2*upper+1]+d, "an upper bound breaks the order of pair", int(literal>>1))
			entry := e.trail[e.orderAt[literal>>1]]
			e.must(entry.v == ^literal, "the order is not that of its trail entry at pair", int(literal>>1))
		case -1:
			e.must(e.Slack(literal) >= 0, "an open pair has one order left: pair", int(literal>>1))
		}
	}
}

// checkCounts counts open pairs and pushing literals again.
func (e *Engine) checkCounts() {
	undecided, pushing, open := make([]int32, len(e.size)), make([]int32, len(e.value)), int64(0)
	for p := range int32(len(e.order)) {
		lower, upper := e.first[p], e.second[p]
		literal := e.Decided(p)
		if literal < 0 {
			undecided[lower]++
			undecided[upper]++
			continue
		}
		if literal&1 == 1 {
			lower, upper = upper, lower
		}
		pushing[2*lower]++
		pushing[2*upper+1]++
	}
	for j, count := range undecided {
		e.must(e.undecided[j] == count, "the open pairs are not counted of buffer", j)
		e.must(e.pushing[2*j] == pushing[2*j] && e.pushing[2*j+1] == pushing[2*j+1],
			"the pushes are not counted of buffer", j)
		if e.isPlaced[j] {
			open += int64(count)
		}
	}
	e.must(e.open == open, "the open pairs of placed buffers are not counted: there are", int(open))
}

func (e *Engine) must(ok bool, what string, at int) {
	if !ok {
		invariants.Fail("at level %d: %s %d", len(e.levels), what, at)
	}
}
