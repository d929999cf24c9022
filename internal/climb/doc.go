// Package climb is the planner "climb": local search for problems that exact
// search does not end on and heuristics leave above the bound.
//
// It starts from a plan (Options.Start, or the best of greedy's orders) and
// lowers it by two kinds of move, in turn, as long as they pay:
//
//	core.go      plan the sections around the peak exactly, then all else
//	             by sweeps from there
//	critical.go  find what the height rests on, a chain of buffers from the
//	             peak down to the ground, and change the order there
//	orders.go    try all orders, if there are few buffers
//	climb.go     the planner: turns, workers, limits
//
// Words: a plan's order is that of its offsets. The target is a height to get down to.
// Effort is counted in steps, about one look at one buffer each, so that turns and
// limits do not depend on the clock.
package climb
