// Package framework holds the planners of compilers and runtimes, as in their sources: sort keys, ties, fit rule,
// quirks. They answer the question "what would my framework do with this?". They do not try to be better.
//
// One file holds one framework planner. What they share is little:
//
//	framework.go  the frame: parameters, features, rounding, the registration
//	order.go      stable orders from sort keys
//	arena.go      best-fit over a list by offset, with TFLite's quirk
//	fits.go       first fit and best fit over an order, by package place
//	counter.go    how many buffers the fullest section has
//	objects.go    shared objects: buffers that take turns in one slot
//
// Lifespans are half-open here. A framework with inclusive times sees a buffer [lower, upper) as [lower, upper-1]; all
// comparisons are written for the half-open form.
//
// # What a problem may have that a framework does not know
//
// Alignment is honoured by all: an offset is rounded up to a multiple of the buffer's own alignment, and a shared
// object starts at a multiple of the alignments of all its buffers. Hints are ignored by all.
//
// Gaps are filled for a framework that knows only intervals: the buffer counts as in use through its whole lifespan.
// That is sound and costs height. Frameworks that know conflicts instead of intervals (USMP, XLA, SOMAS) use the gaps.
//
// Fixed offsets are honoured by planners that place buffers around one another: the fixed buffers come first, as in
// TFLite Micro. Planners that build their plan from shared objects, slots or a tree refuse them. The error names the
// planner, the feature and the buffer.
//
// # Rounding
//
// Most frameworks round sizes up (16, 64, 256, 512). The parameter round does that here, and its summary names the
// framework's own number. It is 1 by default, so that heights of planners on one problem can be compared.
package framework
