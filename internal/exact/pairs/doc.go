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
// Package pairwise has a propagation of its own, for the baselines tela and cp. The two share the list of forbidden
// ranges and the proof that a propagation never ends (bound.Passes), and nothing else, because they ask for different
// things. Here a pair with several forbidden ranges is one choice between intervals, and nothing is propagated before
// only one interval is left. There each range is a choice of its own between two literals, a bound is passed on as soon
// as one literal is refuted, and each bound keeps its reason, from which tela learns where to jump back.
//
// Trials: docs/lab/exact.md (this Search on that engine takes fewer nodes and more time).
//
// # Files
//
//	list.go     forbidden ranges of a set of buffers, in either order
//	bounds.go   bounds of offsets under differences, and their undoing
//	search.go   the search among intervals
package pairs
