// Package walls plans problems in which almost every byte is in use, from the moments at which buffers end and begin.
//
//	bytes ┌───────┬──────────┐
//	      │   a   │    d     │   One wall: at this moment a and b end, and d and e
//	      ├───────┤          │   begin in their place. c stays where it is. The stretch
//	      │   b   ├──────────┤   of a and b is contiguous, and as large as that of d
//	      ├───────┤    e     │   and e.
//	      │       └──────────┤
//	      │        c         │
//	      └──────────────────┘ time
//
// The pile is what is active at one moment, from offset 0 upwards. A wall is a stretch
// of bytes in which everything changes at one moment.
//
//	walls.go   the search: from moment to moment, with limits
//	orders.go  the orders of the pile that the walls so far allow, as a tree
//	beam.go    guesses side by side, and which of them are kept
//	groups.go  several walls at one moment: subsets of equal sums
//	free.go    free space, which ends and begins at walls like a buffer
//	back.go    from the last pile back to offsets
package walls
