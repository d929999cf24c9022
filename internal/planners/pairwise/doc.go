// Package pairwise is about pairs of buffers that conflict: one of the two lies above the other. Package exact/pairs
// lists the pairs. This package uses the list in two forms:
//
//   - An Engine, for planners that search among orders and offsets with
//     propagation: tela and cp.
//   - An Encoding, for planners that bring a solver of their own: csp, meta-csp and
//     milp. It is scaled to the largest unit, and Least turns their choices into
//     exact offsets.
//
// # Model
//
// A pair of buffers with one forbidden range of offset(b) - offset(a) is one choice between two literals,
//
//	a below b:  offset(b) >= offset(a) + distance(a, b)
//	b below a:  offset(a) >= offset(b) + distance(b, a)
//
// and buffers whose windows interlock are several such pairs, one for each forbidden range. Without windows distance(a,
// b) is the size of a. Offsets are multiples of the alignment; the capacity bounds them from above.
//
// # Propagation
//
//	a below b holds           ⇒  lb(b) rises over lb(a), ub(a) sinks under ub(b)
//	lb(a) + distance > ub(b)  ⇒  a below b cannot be: b below a holds
//	lb(a) > ub(a)             ⇒  conflict
//	a below b below … below a ⇒  conflict
//
//	offset
//	  ^   +---------+  a is placed at 8. c, of size 6, cannot go under it once
//	8 |   |    a    |  its lower bound is above 2: then it goes on top.
//	  |   +---------+
//	  |      hole      At a fixpoint lb(c) is the lowest offset that no placed
//	4 |   +------+     buffer forbids, holes included.
//	  |   |  b   |
//	  +---+------+---+--> time
//
// All bounds only tighten below a level and return when it is popped. The
// fixpoint does not depend on the order in which rules fire.
//
// # Explanations
//
// Every bound and every order on the trail knows the entries it follows from. After a failure, Conflict walks back from
// it, asks each bound for no more than the argument needs, and returns the levels whose decisions are left.
//
// # Room to grow
//
// A propagator of another kind (edge finding over sections, a learned clause) needs three things, all in one place: a
// call from propagate at the pairs' fixpoint, raise with a why of its own, and a case in explain.go that turns such an
// entry into the entries it follows from. A literal is the number 2*pair or 2*pair+1, and its negation differs in the
// last bit, so clauses can index by it.
//
// # Legend
//
//	n       buffers of the partition; j, k number them
//	v       bound variable: 2j is lb(j), 2j+1 is -ub(j), so that both only rise
//	value   of each v; at: the trail entry that set it
//	pair    one forbidden range; literal 2p "first below second", 2p+1 the other
//	order   of each pair: 0 open, 1 literal 2p holds, 2 literal 2p+1 holds
//	half    a pair as one of its buffers sees it; CSR from `from`
//	level   number of decisions on the trail; level 0 is the root
//
//	pairs.go      the table of pairs
//	encoding.go   Encoding: pairs in the largest unit
//	least.go      Encoding: from a choice for each pair to the lowest offsets
//	engine.go     the arrays, and what a capacity sets
//	propagate.go  bounds and orders to fixpoint
//	cycle.go      orders that would raise bounds for ever
//	trail.go      decisions and their undoing; only Pop undoes
//	explain.go    which decisions a failure follows from
//	ranges.go     free ranges of offsets, on demand
//	invariants.go what must hold at a fixpoint, checked with the build tag invariants
package pairwise
