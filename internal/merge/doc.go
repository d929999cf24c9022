// Package merge holds `merge`, the planner that puts buffers together before it plans:
// what fits so well that it is hardly an accident is taken for one, and exact search
// plans the few composites that are left.
//
//	merge.go     the planner: restarts, attempts, heights
//	forest.go    composites and what they are made of
//	rank.go      which two go together first
//	pinwheel.go  five that go together at once
//	walls.go     what is full, wall by wall
//	orders.go    the orders that walls allow
//	rounds.go    part of it again with other noise
//	roots.go     the problem of the composites, and back
//	dives.go     short searches in orders drawn at random
package merge
