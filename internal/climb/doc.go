// Package climb is the planner "climb": local search, for problems that are too hard for exact
// search and whose plans by heuristics stay above the bound.
//
// It starts from a plan (Options.Start, or the best of greedy's orders) and lowers it by three techniques in turn:
//
//	core.go      plan the sections around the peak exactly, then the other buffers
//	             by sweeps from there
//	mend.go      take out the buffers that end too high, and put them back, where
//	             each displaces what is cheapest
//	rebuild.go   a part of mend: where it finds no place for a buffer, plan the time
//	             around its peak anew
//	critical.go  find a chain of buffers that sets the height, from the top of the
//	             plan down to the ground, and change the order of its buffers
//	orders.go    try all orders, if there are few buffers
//	climb.go     the planner: turns, workers, limits
//
// Words: the order of a plan is its buffers by offset. The target is a height to reach. Effort is counted in steps,
// about one step for each buffer that is read, so that turns and limits do not depend on the clock.
package climb
