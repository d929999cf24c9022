// Package session plans memory for a program that changes: buffers come, go, grow and shift, and the
// plan follows with as little movement as possible.
//
//	s, err := session.Open(ctx, problem, nil, session.Options{Capacity: 1 << 20})
//	a, err := s.Fits(ctx, model.Buffer{ID: "t7", Lower: 3, Upper: 9, Size: 4096}) // changes nothing
//	a, err = s.Add(ctx, model.Buffer{ID: "t7", Lower: 3, Upper: 9, Size: 4096})
//	m := s.Mark()
//	a, err = s.Resize(ctx, "t3", 8192)
//	err = s.Rollback(m)
//
// # What each call keeps
//
//   - After each call the plan is valid, or the call changed nothing. Each plan passes internal/verify.
//   - A pinned buffer (Buffer.Fixed) never moves.
//   - An answer Infeasible is a proof, and an answer Unknown is none.
//   - The same calls with the same options give the same offsets, unless a timeout or the context
//     ends a call.
//   - If the context ends, the call changes nothing.
//
// # How a place is found
//
// A call tries the steps below in this order, and stops at the first that succeeds or at
// Options.Effort. Before the first step the load over time is looked up: if it exceeds the
// capacity, the answer is Infeasible after O(log n).
//
//	keep     every buffer keeps its offset
//	fit      the changed buffer goes into a free place; no other buffer moves
//	repair   the changed buffer takes the place of others, for which there is room elsewhere
//	window   all buffers near in time are planned again; the window of time grows; then others walk, as far as it takes
//	hints    all buffers are planned again, with their old offsets as hints
//	fresh    all buffers are planned again
//
// A picture of repair: x needs 4 bytes, a and b move, and c stays.
//
//	bytes
//	  |  [ c ]            |  [ c ]
//	  |      [ a ]        |  [ x x x ]
//	  |  [ b ]            |      [ b ]
//	  |                   |  [ a ]
//	  +---------- time    +---------- time
//
// # Rules
//
// A problem with model.Rules opens a session with rules: several pools, ties, pairs, distances, clocks, a period. It takes the same
// calls, and those of rules.go. Its steps are the same, over bodies and pools. What has a price is refused.
//
// # Files
//
//	session.go   Open, options, snapshots
//	change.go    Add, Remove, Resize and the others: one transaction each
//	answer.go    what a call answers
//	journal.go   marks and rollback: the one file that undoes
//	load.go      the load over time, in a balanced tree
//	ranges.go    where a buffer may lie beside those that are placed
//	steps.go     the order of the steps
//	repair.go    the step repair, by a search over ejections
//	shelf.go     the placed buffers by their ends, for these searches
//	walks.go     the step repair by walks, in turn; with long walks, the end of window
//	guided.go    a walk over ejections
//	overlap.go   a walk in which buffers may overlap for a while
//	settle.go    what ends such a walk early: a plan in the order of the present offsets
//	homing.go    bringing back what walks and planners have moved, by short walks
//	spare.go     exact search ahead of the windows and long walks: a proof of no, or a spare plan
//	least.go     the step repair for few buffers: the least movement, proven
//	window.go    the steps that call a planner: window, hints, fresh
//	merged.go    the end of fresh: merge, with one seed after the other
//	movement.go  how much a new plan moves, and moving back what may stay
//	home.go      moving back where only moved buffers are in the way
//
// With rules:
//
//	rules.go        the calls that only such a session has
//	ruled.go        its state, and how a call changes it
//	draft.go        edits of the problem: buffers and rules come and leave
//	between.go      where a body may lie beside those that are placed
//	ruledsteps.go   the order of the steps; keep and fit
//	ruledleast.go   the step repair for few bodies: the least movement, proven
//	ruledwalk.go    the step repair for many: a walk over ejections
//	ruledwindow.go  the steps that call a planner
package session
