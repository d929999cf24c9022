// Package bound is the arithmetic of space: rounding, the step of heights, loads, and what fixed offsets and alignments
// add to a load. It imports only the model, so the timeline can use it. timeline.LowerBound combines its parts.
//
//	round.go   multiples and divisors
//	step.go    which heights are worth asking for
//	load.go    the space in use per section
//	fixed.go   where fixed offsets end
//	passes.go  when a propagation of bounds is proven to run for ever
//
// internal/verify and the oracle of internal/testkit/oracle have their own arithmetic, because they check this one.
package bound
