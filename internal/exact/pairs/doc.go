// Package pairs is about pairs of buffers that meet: the difference of their two
// offsets must avoid one or more forbidden ranges. It has two parts:
//
//   - EachByEarlier and EachByLater list the forbidden ranges of a set of buffers.
//     All that searches among pairs starts from such a list: the search below, and
//     the engine and the encoding of package pairwise.
//   - A Search decides whether a partition fits a capacity. The exact planner runs it
//     on partitions whose windows interlock. There a buffer may lie inside another's
//     gap, so "at a higher offset" no longer means "above", and a plan need not be
//     canonical.
//
// # Two searches, one list
//
// Package pairwise has a propagation of its own, for the baselines tela and cp. The two
// share the list of forbidden ranges and the proof that a propagation never settles
// (bound.Passes), and nothing else, because they ask for different things. Here a pair
// with several forbidden ranges is one choice between intervals, and nothing is propagated
// before only one interval is left. There each range is a choice of its own between two
// literals, a bound is passed on as soon as one literal is refuted, and each bound keeps
// its reason, from which tela learns where to jump back. This Search on that engine, with
// jumps back, was tried: 2,500 problems of drawn.Wide whose windows interlock, minimised
// with a timeout of 0.3 s each, took 0.53 million nodes in place of 1.35 million, but 1.5
// to 2.2 s in place of 1.3 to 1.4 s, and 2 or 3 were left undecided in place of 1 or 2. It
// also changes the plans under a node limit. tela and cp on this Search would lose their
// reasons and their placements. The price of two: about 190 lines of propagation and trail
// here beside 460 there.
//
// # Files
//
//	list.go     forbidden ranges of a set of buffers, in either order
//	bounds.go   bounds of offsets under differences, and their undoing
//	search.go   the search among intervals
package pairs
