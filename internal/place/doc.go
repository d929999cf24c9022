// Package place puts buffers where there is room, one after another, and never moves one
// again. Every planner that works so uses it: the greedy planners, the decoders of local
// search, the planners of frameworks, and the step of boxing that closes holes.
//
//	place.go     the kernel: fixed buffers first, then an order, by partition
//	tree.go      the bytes in use, section by section: sets of ranges on a tree
//	ranges.go    such a set: ranges in blocks of a common store
//	pages.go     large sets: blocks that know their widest hole
//	probe.go     the lowest offset at which several sets have room
//	list.go      the same for small problems: one list of the placed buffers
//	finish.go    the rest of a plan, after a limit has come in the middle
//	tlsf.go      the allocator that finish.go uses
//	limit.go     the watch of one placement
//	fixed.go     whether buffers with fixed offsets collide
//	skyline.go   the highest end in each section
//	freelist.go  the free blocks of one moment, for sweeps through time
//
// A plan is a function of problem, order and fit. A height to stay below may end a placement
// early, but it never changes one. If a limit (run.Watch) comes in the middle, the placed
// buffers stay and the rest is stacked above them. So there is a valid plan at any time.
package place
