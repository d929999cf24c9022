// Package order finds the order of a program's operators with the lowest peak of live bytes.
//
// # What is counted
//
// A block is a value with its aliases. In an order of the operators, a block is live from the first operator that
// produces it to the last one that reads or produces it, both included. Inputs are live from before the first
// operator (or from their first reader, [Program.LateInputs]), outputs to the end. Constants are not counted. The
// cost of an operator o that runs after the set S is
//
//	during(o | S) = sizes of all blocks live while o runs + scratch(o) - saved(o | S)
//	saved(o | S)  = heaviest matching of its permits: each result over at most one operand that dies at o,
//	                each operand under at most one result that begins at o
//	saving of a pair = size(result) + size(operand) - max(size(result), distance + size(operand)), at least 0
//
// The peak of an order is the greatest cost of its operators, or the inputs together if that is more. The package
// minimises the peak over all orders in which each operator runs after those that it needs.
//
// # What the peak says about an allocation
//
// The peak is a lower bound for the order. Take offsets at which blocks that are live together are disjoint, except
// for permitted pairs of an operator, at their distance, no block in two such pairs of one operator. While o
// runs, a pair covers at least max(size(result), distance + size(operand)) bytes, everything else its own size, and
// all these are disjoint. So some byte lies at peak or above, or is the last below it. A pair counts at its own
// operator only. So a chain of results, each over the one before, counts right: at each operator one pair of
// it is live.
//
// An allocation may need more: offsets that suit one operator need not suit the next, and alignment adds bytes.
// If no permits are used the peak is the load of the memory problem, which planners usually reach. A value over
// several operands at once (a concatenation in place) is not a permit but an alias.
//
// # How it is found
//
// A state is a set S of operators that have run, closed under "has to run before". What is live after S depends on
// S alone, so the search is for a path from the empty set to the full one whose most expensive step is cheapest
// (search.go). It first looks for bounds (bound.go) and quick orders (greedy.go).
//
// # Why the cuts are sound
//
// Write live(S) for the bytes live after S, and with makers and users of block b for the operators with which b
// begins and those that it outlives:
//
//	live(S) = sum over b of size(b) × ([some maker of b in S] - [all users of b in S])
//
// Lemma 1: live(A ∪ B) + live(A ∩ B) <= live(A) + live(B). The first bracket is submodular in S, the second
// supermodular.
//
// Lemma 2: if p is not in R', and R is in R', then during(p | R') - live(R') <= during(p | R) - live(R). A block that
// has begun in R' but not in R takes its size out of what p begins, and at most its size out of the matching. What
// dies at p after R dies at p after R' too, if it is still there, so pairs are only added.
//
// Lemma 3: if p is in Q but not in R, then during(p | R ∩ Q) + live(R ∪ Q) <= during(p | R) + live(Q). Without
// pairs this is Lemma 1 for the set R with p half done: its makers begun, its users not over. There the right side is
// larger by size(x) for each x whose users are all in R ∪ Q, but neither all in R nor all in Q. The pairs save more
// after R than after R ∩ Q only by operands x that die at p after R but not after R ∩ Q. These are such x, and
// each saves at most size(x).
//
// Theorem 1 (collapse.go): let T run after S within a limit, and let live(S ∪ T) be at most live(S ∪ T') for every
// closed S ∪ T' with T' in T. If S can be completed within the limit, then with T next. Proof: take a
// completion, run T first, then the rest in its order. An operator p that ran after R now runs after R ∪ T, and
//
//	live(R ∪ T) <= live(R) + live(S ∪ T) - live(R ∩ (S ∪ T)) <= live(R)
//
// by Lemma 1, so by Lemma 2 it costs no more. For one operator T' is empty. In a chain, T' is a shorter prefix.
//
// Theorem 2 (tail): let o run last of a closed set E within the limit, with live(E - o) <= live(E). If E can be
// reached within the limit, then with o last. Proof: an operator p that ran after R, o in R, now runs after R - o.
// Lemma 3 with Q = E - o says during(p | R - o) <= during(p | R) + live(E - o) - live(E).
//
// # Names
//
//	S, set       operators that have run
//	block        a value with its aliases
//	maker, user  an operator with which a block begins; one before which it cannot end
//	step         one operator, with all that collapses after it
//	limit        the peak that the search allows at present
package order
