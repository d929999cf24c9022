// Package greedy holds the planners that place one buffer after another and never move one again.
//
// All of them share the kernel of package place: a planner is an order and a fit, in a file of its own. Best runs a
// handful of orders and keeps the lowest plan, for an upper bound on the height.
//
//	orders.go    the orders, as a table of sort keys
//	skyline.go   an order that is found while stacking: lowest offset first
//	best.go      the portfolio of orders
//	firstfit.go  the planner first-fit
//	sweep.go     one pass through time with a free list
//	outward.go   sweeps from the peak to both ends of time
//
// A greedy planner proves nothing by failing: a plan above the capacity is model.Unknown. It does prove infeasibility
// where fixed offsets collide or end above the capacity.
package greedy
