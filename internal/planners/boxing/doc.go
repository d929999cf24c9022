// Package boxing is the planner "boxing": idealloc, an implementation of the (2+ε)-approximation of Buchsbaum, Karloff,
// Kenyon, Reingold and Thorup ("OPT versus LOAD in dynamic storage allocation", STOC 2003).
//
// The algorithm never looks for a place for a buffer. It groups buffers into boxes, boxes into larger boxes, and so on
// until all have one height; boxes of one height are optimally stacked by colouring an interval graph. Opened from the
// outside in, the boxes leave a loose placement; its order is then handed to first fit, which closes the gaps.
//
//	prelude.go      no overlap, or one size: no boxing needed; the heuristics
//	theorem16.go    the outer loop: box what is small against the rest, repeat
//	corollary15.go  sizes within a factor of 1+ε count as one
//	theorem2.go     one size: split time at critical points, box, recurse
//	lemma1.go       buffers live at one moment: strips, cut into boxes
//	colour.go       interval-graph colouring
//	boxes.go        the arena of buffers and boxes
//	unbox.go        boxes to a loose order
//	tighten.go      a loose order to a plan
//	boxing.go       the planner: tries, targets, workers
//	restarts.go     independent random tries
//	mcts.go         tree search over the random choices
//
// Time is counted in sections, doubled. A buffer that is active in the sections [first, last) is the open interval
// (2·first, 2·last). Its ends are even, and an odd number is a section. So a point can lie between two buffers or
// inside one, like a real number in the paper, and even the shortest buffer has a point inside.
//
// A buffer with gaps counts in boxes with its whole size, from its first active section to its last. Tightening
// honours gaps, windows, alignment and fixed offsets.
//
// Words: H is how many units of size fit a box, a row is a colour, a try is one
// run from boxing to a plan, and a point is a moment where Theorem 2 splits.
package boxing
