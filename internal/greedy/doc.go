// Package greedy holds the planners that place one buffer after another and
// never move one again.
//
// All of them share one kernel. Place takes an order of the buffers and gives
// each, in turn, an offset where it conflicts with nothing placed before: the
// lowest one (FirstFit) or the one with the least room above it (BestFit). A
// planner is then an order and a fit, in a file of its own. Best runs a handful
// of orders and keeps the lowest plan, for an upper bound on the height.
//
//	place.go     the kernel: fixed buffers first, then the order, by partition
//	occupied.go  what is in use where: interval sets on a tree over sections
//	orders.go    the orders, as a table of sort keys
//	skyline.go   an order that is found while stacking: lowest offset first
//	best.go      the portfolio of orders
//	firstfit.go  the planner first-fit
//
// A greedy planner proves nothing by failing: a plan above the capacity is
// model.Unknown. It does prove infeasibility where fixed offsets collide or end
// above the capacity.
package greedy
