// Package tela is the planner `tela`: TelaMalloc's search (Maas, Beaunon, Chauhan, Ilbeyi, ASPLOS 2023), heuristics
// that choose, and a constraint engine that detects wrong choices early.
//
// # Algorithm
//
//	search(partition, capacity):
//	  point 0: nothing is placed
//	  at point d:
//	    for each candidate: the longest, largest and widest unplaced buffer, of
//	    the phase of the buffer placed last, then of the other phases:
//	      place it at the lowest offset that the engine leaves it
//	      no contradiction: go on at point d+1
//	      else: undo it, keep the conflict set that the engine names  (minor backtrack)
//	    none is left: go back to the point of the latest of the set (major backtrack)
//	      that is not the candidate itself, with this point's candidates in front
//
//	points   0 ── 1 ── 2 ── 3 ── 4 ✗   all candidates of 4 fail
//	              │         conflict set: the buffers placed at points 1 and 0
//	              └── 2' …  so points 2 and 3 are not tried in other ways
//
// A partition of one buffer needs no search. If no candidate is left at point 0, nothing is proven, since each point
// tries a few buffers and one offset for each. The search then goes on with more candidates. In turn with it, a
// complete search over the orders of pairs decides.
//
// # Where this is not the paper's search
//
// These differences are choices:
//
//   - Six techniques are Stowage's own: starved, sections, twins, widening, restarts
//     and completion. Without all six the techniques are the paper's.
//   - A phase's threshold is a share of the partition's own peak. The paper's is a
//     share of the capacity (phases.go).
//   - A conflict set is the union over all candidates of a point. The paper keeps
//     the reason of the last failure (backtrack.go).
//   - A stuck search goes back to the deepest point that has had too many backtracks.
//     The paper says "the lowest such point", which can be read in both ways. We take
//     the lowest in the tree, which keeps the most of what is placed.
//
// No switch turns off the last three.
//
// # Legend
//
//	point    a node of the tree on the current path: d buffers are placed
//	step     a placement that is tried: the unit of Options.NodeLimit
//	minor    a candidate that contradicts at once
//	major    a point without candidates left
//	conflict set  placements that a contradiction follows from
//	phase    buffers that meet in one stretch of high contention
//
//	planner.go     Info and entry: a capacity, all partitions
//	options.go     techniques and parameters
//	minimize.go    capacities downwards
//	search.go      the loop above, for one partition and capacity
//	phases.go      contention phases (figure 9)
//	candidates.go  who is next
//	backtrack.go   where to go back to
//	sections.go    placements that leave a section too little room
//	rounds.go      several trees in turn, wider ones when they have run out
//	complete.go    search over orders of pairs, after the heuristics
package tela
