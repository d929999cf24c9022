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
// If all permits of an operator have one result in common, or one operand, then saved may also be a sum over its pairs at
// exact distances, provided that no two of these pairs share the same bytes of it. A concatenation is such an operator if
// its operands lie where it puts them, and a split if its results stay where they are.
//
// The peak of an order is the greatest cost of its operators, or the inputs together if that is more. The package
// minimises the peak over all orders in which each operator runs after those that it needs.
//
// # What the peak says about an allocation
//
// The peak is a lower bound for the order. Take offsets at which blocks that are live together are disjoint. Permitted
// pairs of an operator are an exception, at their distance, if no block is in two pairs of one operator. While o runs,
// a pair covers at least max(size(result), distance + size(operand)) bytes, everything else its own size, and all these
// are disjoint. So the highest end of a block is at least the peak. A pair counts only at its own operator. So a chain
// of results, each over the one before, is counted correctly: at each operator one pair of it is live.
//
// The bound does not hold for an allocation in which a block is in two pairs of one operator, unless they are at exact
// distances as above: a result over parts of two operands that both die. Such an allocation may be lower.
//
// An allocation may need more: offsets that suit one operator need not suit the next, and alignment adds bytes.
// If no permits are used the peak is the load of the memory problem, which planners usually reach.
//
// # How it is found
//
// A state is a set S of operators that have run, closed under "has to run before". What is live after S depends on
// S alone, so the search is for a path from the empty set to the full one whose most expensive step is cheapest
// (search.go). In this order:
//
//	bound.go             bytes that are live during an operator in every order
//	cuts.go              parts between operators that are before or after every other one
//	greedy.go            orders in one pass
//	ends.go, reverse.go  the exact search, from both ends with one rising limit
//	collapse.go          what may run at once, in every step of every search
//	beam.go              if the exact search does not finish: beams from both ends
//	dive.go              after that, limits by bisection
//
// If [Options.States] are used up, or the context is over, the result has the best order so far. Its bound is the
// limit below which everything was refuted.
//
// # Why the rules are sound
//
// live(S) is the number of bytes that are live after S. Block b begins with its makers, and lives until its users
// have run:
//
//	live(S) = sum over b of size(b) × ([some maker of b in S] - [all users of b in S])
//
// Lemma 1: live(A ∪ B) + live(A ∩ B) <= live(A) + live(B). The first bracket is submodular in S, the second
// supermodular.
//
// Lemma 2: if p is not in R', and R is in R', then during(p | R') - live(R') <= during(p | R) - live(R). Take a block
// that has begun in R' but not in R. p does not begin it after R', so its size goes. The matching, or the sum over
// pairs that share different bytes, loses at most that size. A block that dies at p after R dies at p after R' too,
// if it is still there, so no pair is lost.
//
// Theorem 1 (collapse.go): let T run after S within a limit, and let live(S ∪ T) be at most live(S ∪ T') for every
// closed S ∪ T' with T' in T. If S can be completed within the limit, then with T next. Proof: take a
// completion, run T first, then the rest in its order. An operator p that ran after R now runs after R ∪ T, and
//
//	live(R ∪ T) <= live(R) + live(S ∪ T) - live(R ∩ (S ∪ T)) <= live(R)
//
// by Lemma 1, so by Lemma 2 it costs no more. For one operator T' is empty. In a chain, T' is a shorter prefix.
//
// Theorem 2 (reverse.go): an order read backwards is an order of the reversed graph, in which users are makers
// and makers users, at the same costs. All the above holds there: it uses of makers and users only that a block whose
// users have all run has begun. So what may run at once from the end may run last.
//
// # Names
//
//	S, set       operators that have run
//	block        a value with its aliases
//	maker, user  an operator with which a block begins; one before which it cannot end
//	step         one operator, with all that collapses after it
//	limit        the peak that the search allows at present
package order
