// Package place puts buffers where there is room, one after another, and never
// moves one again. Every planner that does so stands on it: the greedy ones,
// the decoders of local search, the framework planners, and the closing up of
// boxes.
//
//	place.go     the kernel: fixed buffers first, then an order, by partition
//	tree.go      what is in use where: interval sets on a tree over sections
//	ranges.go    such a set: ranges in pages that know their widest hole
//	probe.go     the lowest offset at which several sets have room
//	list.go      the same for small problems: one list of what is placed
//	finish.go    the rest of a plan where a limit comes in the middle
//	tlsf.go      the allocator that finishes
//	limit.go     the watch of one placement
//	fixed.go     whether buffers with fixed offsets collide
//	skyline.go   the highest end in each section
//	freelist.go  the free blocks of one moment, for sweeps through time
//
// A plan is a function of problem, order and fit. A height to stay below ends a
// placement early and never changes it. A limit (run.Watch) that comes in the
// middle leaves what is placed where it is and stacks the rest above, so that
// there is a valid plan at any time.
package place
