// Package bound is the arithmetic of space: rounding, the step of heights, the
// load, and what alignments put above it. It sees the model alone, so that the
// timeline can stand on it; timeline.LowerBound is where it all comes together.
//
//	round.go  multiples and divisors
//	step.go   which heights are worth asking for
//	load.go   the space in use in a row of sections
//	fixed.go  where fixed offsets end
//
// internal/verify and internal/suite's oracle have their own arithmetic, since
// they are there to doubt this one.
package bound
