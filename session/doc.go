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
// A call tries the steps below in this order, and stops at the first that succeeds or at Options.Effort. Before the
// first step the load over time is looked up: if it exceeds the capacity, the answer is Infeasible after O(log n).
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
// # Bodies and pools
//
// What is placed is a body: buffers that ties hold at fixed distances, or one buffer by itself. Its place is a pool and
// an origin. Most problems have one pool and no rules: then each buffer is a body, and lists of lifespans say who is in
// its way. A problem with model.Rules may have several pools, ties, pairs, distances, clocks and a period; then the
// packages that know rules say it. The state, the calls and the steps are the same. Some techniques take only buffers
// by themselves: the list in steps.go says which. What has a price is refused.
//
// # Files
//
// Calls and state:
//
//	session.go   Open, options, snapshots
//	change.go    Add, Remove, Resize and the others: one transaction each
//	rules.go     the calls about rules, and what a problem with rules may have
//	ruleedit.go  how rules come and leave
//	answer.go    what a call answers
//	journal.go   marks and rollback: the one file that undoes
//	play.go      the calls of a trace
//	load.go      the load over time, in a balanced tree
//
// Where a body may lie:
//
//	bodies.go    bodies, and places for all of them
//	ground.go    who is in the way: the questions, and the answers without rules
//	ranges.go    the offsets that placed buffers forbid, without rules
//	between.go   the answers with rules
//	loads.go     the loads as a proof, with rules
//
// Techniques:
//
//	steps.go     the list of them; a call from begin to end
//	keep.go      the steps keep and fit
//	least.go     the step repair for few bodies: the least movement, proven
//	repair.go    the step repair by a search over ejections
//	shelf.go     the placed buffers by their ends, for these searches
//	walks.go     the step repair by walks, in turn; with long walks, the end of window
//	guided.go    a walk over ejections
//	overlap.go   a walk in which buffers may overlap for a while
//	pack.go      what ends such a walk early: a plan in the order of the present offsets
//	bodywalk.go  a walk over ejections with rules
//	spare.go     exact search ahead of the windows and long walks: a proof of no, or a spare plan
//	window.go    the steps that call a planner: window, hints, fresh
//	merged.go    the end of fresh: merge, with one seed after the other
//
// How what has moved goes back:
//
//	movement.go  how much a plan moves; back to free places
//	swapback.go  back where only moved buffers are in the way, which get free places
//	walkback.go  back by short walks
package session
