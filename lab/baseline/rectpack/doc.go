// Package rectpack holds two planners that come from rectangle packing, adapted as in section 8 of the MiniMalloc
// paper: time is given, so only one coordinate is left to find.
//
// csp places buffers at absolute offsets, one after another, largest first. meta-csp decides for each two buffers
// that overlap in time which one lies above, and finds offsets only at the end. Both answer whether a height is
// possible; internal/planners/descend makes planners of them.
//
//	offset              csp guesses     meta-csp guesses
//	  ^  +-----+ +--+   c at 4          c above a
//	4 |  |  c  | |b |   a at 0          c beside b: no pair, no guess
//	  |  +-----+ |  |   b at 2          b above a
//	2 |  +--+----+  |
//	  |  |  a    +--+
//	  +--+-------+-----> time
//
// csp is slow if units are small, because there are many offsets. meta-csp is slow if there are many buffers, because
// there are many pairs.
//
//	csp.go        the planner csp, and its search
//	strips.go     csp: free space in a section that cannot be filled
//	dominance.go  csp: slide down, mirror, identical buffers, sums of sizes
//	metacsp.go    the planner meta-csp, and its search
//	matrix.go     meta-csp: all differences between offsets, kept closed
//	forward.go    meta-csp: sides of a pair that are ruled out or implied
package rectpack
