// Package merge holds `merge`. It finds buffers that fit together too well for chance, treats each group as one buffer
// (a composite), and plans the composites that are left by exact search.
//
//	merge.go     the planner: restarts, attempts, heights
//	forest.go    composites and what they are made of
//	rank.go      which two composites are merged first
//	pinwheel.go  merge five composites at once
//	aside.go     sections of rules such as pairs apart, which interrupt lives
//	settle.go    arrange what is in the composites, so that such rules hold
//	loosen.go    take composites with such rules apart, level by level
//	halve.go     a few attempts if little fits together
//	walls/       problems in which almost every byte is in use, moment by moment
//	rounds.go    take a part of the composites apart, and merge again
//	roots.go     the composites as a problem, and back
//	ejections.go mend the lowest plan: groups that are too high displace others
//	untied.go    the same with rules such as pairs apart
//	dives.go     short searches in orders drawn at random
//	learned.go   what one run passes on to the next
package merge
