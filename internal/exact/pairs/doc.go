// Package pairs lists the pairs of buffers that meet: the difference of their two offsets must avoid one or more
// forbidden ranges. All that searches among pairs starts from such a list: package clauses, which learns, and the engine
// and the encoding of package pairwise.
//
//	list.go   forbidden ranges of a set of buffers, in either order
package pairs
