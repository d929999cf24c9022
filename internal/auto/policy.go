package auto

import (
	"math"

	"github.com/stowage-go/stowage/internal/thresholds"
)

// Idea: this file has the policy of auto: which planners have a turn, in which order, and with which share of the
// effort. The policy depends on the size of the problem, on the goal (any plan that fits, or the lowest) and on whether
// there is a limit. The file has no other code: auto.go and turns.go carry the policy out. greedy.NewPortfolio decides
// what makes the plan to start from, a sweep or first-fit.
//
// A run has four parts. It ends as soon as there is nothing left to look for.
//
//	1 first    a plan to start from, then the quick heuristics
//	2 peak     climb plans the sections around the peak, if the plan is close to the bound
//	3 looks    merge, then exact search, each for a moment. If merge leaves few groups, it goes on as long as that lowers
//	           the plan (joined). With a limit, rows looks, too (lookAtRows). Then climb plans the peaks, and then the rest
//	           (planCrests). The remaining heuristics come last
//	4 rounds   tela (if gaps have windows), merge, exact search, rows, beam (if memory is nearly always full) and climb
//	           in turn, each round with grow times the effort of the round before
//
// If a capacity is too full for heuristics (full), the quick ones wait until the end of part 3.

// classes is the policy by size. Each row has the largest number of buffers that it is for. The
// first row that is large enough applies.
var classes = [...]class{
	// up to            brief  peak   merge's look        exact's look       a round                     no limit:
	// lowest, fits
	{thresholds.LadderMost, false, false, mergeLook{}, exactLook{4, 16}, asking | exacting | climbing, oneRound, untilAnswer},
	{thresholds.MergeLeast - 1, false, false, mergeLook{}, exactLook{100, 16}, asking | exacting | climbing, oneRound, untilAnswer},
	{thresholds.GlanceMost, false, false, mergeLook{4, 32}, exactLook{100, 16}, asking | merging | exacting | beaming | climbing, oneRound, untilAnswer},
	{thresholds.CoresLeast - 1, false, false, mergeLook{4, 32}, exactLook{100, 0}, asking | merging | exacting | beaming | climbing, oneRound, untilAnswer},
	{thresholds.ExactMost, true, true, mergeLook{4, 32}, exactLook{100, 0}, asking | merging | exacting | rowing | beaming | climbing, oneRound, untilAnswer},
	{thresholds.LargeAbove, true, true, mergeLook{4, 16}, exactLook{}, asking | merging | rowing | beaming | climbing, oneRound, oneRound},
	{thresholds.MergeMost, true, true, mergeLook{4, 16}, exactLook{}, asking | merging | rowing | beaming | climbing, peakIfClose, peakIfClose},
	{thresholds.HugeAbove, true, true, mergeLook{0, 4}, exactLook{}, asking | merging | rowing | beaming | climbing, peakIfClose, peakIfClose},
	{math.MaxInt64, true, false, mergeLook{}, exactLook{}, climbing, peakOnly, peakOnly},
}

// A class is a row of the policy.
type class struct {
	upTo int64 // buffers
	// brief says that before part 2 only the quickest heuristics run. They take a tenth of the
	// time of the other quick ones, which run after it.
	brief bool
	// peak says that part 2 takes place.
	peak      bool
	mergeLook mergeLook
	exactLook exactLook
	round     members
	// lowest and fits say how part 4 ends if there is no limit: if the lowest plan is wanted, and if any plan that fits
	// will do. With a limit it ends untilAnswer, that is, with an answer or at the limit.
	lowest, fits ending
}

// members are the planners of a round. auto.order has the order of their turns.
type members uint8

const (
	asking members = 1 << iota // tela, only if gaps have windows
	merging
	exacting
	rowing  // only if climb repairs plans: see repairs
	beaming // only if memory is nearly always full
	climbing
)

// An exactLook is the effort of exact search in part 3: one part-th of its first turn, and at
// least this many nodes for each buffer. A part of 0 means no look. The look is also left out if
// it has fewer than fewPlans nodes for each buffer.
type exactLook struct{ part, each int64 }

// A mergeLook is the effort of merge in part 3: a hundredth of the first turn of exact search,
// and at least this many nodes for each buffer, usually and for a packing. 0 means that merge
// takes no part in the run. In a packing no byte is ever unused, so merge reads few walls at any
// size. A quarter of the packings of 5,000 buffers take 4 to 10 nodes a buffer. On a coarse grid, 1,000 take 2 to 20.
type mergeLook struct{ usual, packing int64 }

// An ending says how part 4 ends.
type ending uint8

const (
	untilAnswer ending = iota // rounds go on until there is an answer
	oneRound                  // after one round
	peakIfClose               // if the plan is close: after one look at the peak; else after one round
	peakOnly                  // after one look at the peak if the plan is close, else at once
)

// The efforts of the first turns, and what follows from them.
const (
	// exactEffort is the first turn of exact search: nodes times the incidences of all buffers and sections. With its
	// rounds of inference, a node costs about ten nanoseconds for each incidence, so that is about a second.
	exactEffort = 1e8
	// mergeLookPart is the part of that effort that the look of merge gets.
	mergeLookPart = 100
	// mergeShare is how many times as many nodes as exact search the turns of merge in a
	// round get: composites are fewer than buffers, and so are the incidences of a node.
	mergeShare = 4
	// climbEffort is the first turn of climb in its steps: it takes three to eight million
	// in a second on problems of hundreds of buffers.
	climbEffort = 1e7
	// mendEach is how many steps for each buffer climb's first turn has at least if it comes before the orders that take
	// long.
	mendEach = 4000
	// crestEach is how many steps for each buffer climb has to plan the peaks first.
	crestEach = 4000
	// fewPlans is how many nodes for each buffer exact search needs to try a few complete
	// plans. If its first turn has fewer, climb has the first turn alone.
	fewPlans = 4
	// grow is how much longer each turn is than the one before.
	grow = 4
	// shares is the part of a node limit that each first turn gets at most, so that every search has its turn.
	shares = 8
	// looksShare is the part of a time limit that the looks get. If 10 ms are all there is, and
	// half of them go to other programs, most heuristics would never run otherwise.
	looksShare = 4
	// crestsShare is the part that climb has to plan the peaks first.
	crestsShare = 2
	// beamShare is the part of climb's steps that beam gets as nodes: a node takes about four times as long.
	beamShare = 4
	// rowsLook is how many nodes for each buffer rows has before the first round: the first width, for hundreds of live
	// buffers.
	rowsLook = 256
	// askShare is the part of climb's steps that tela gets as nodes: a node takes 10 to 20 microseconds.
	askShare = 64
	// beamLookPart is the part of its first turn that beam gets before the first round if it is not the first in a
	// round.
	beamLookPart = 25
	// learnShare is the part of its first turn that exact search gets where it learns clauses: they close most problems
	// within it. Climb and beam lower the plans of the others. Climb's part is learnClimbShare. Beam's is that, divided by
	// learnBeamShare: a node of beam takes as long as 30 of climb's steps there.
	learnShare, learnClimbShare, learnBeamShare = 64, 4, 8
	// gapsShare is the part of its turn that climb gets if there are gaps: a placement then takes twice as long.
	gapsShare = 2
)

// peakNear is how close to the bound a plan is for part 2, as one part of the bound. Quick plans of
// training graphs are within it. What peakIfClose and peakOnly call close is thresholds.CloseBy.
const peakNear = 50

// A memory is nearly always full if fullOf of fullParts of it are in use on average: beam then has turns, if it is as
// high as the bound. A capacity is too full for heuristics if it would be nearly always full, and
// first-fit ends far above it (thresholds.FarBy). Of 135 problems of 20 and 100 buffers at their bound,
// and of A-K at their capacity, the heuristics solved no such problem of 48 buffers or more.
const fullOf, fullParts = 2, 3

// beamOf is how much of a memory is in use on average where merge leaves the time to beam, although its groups are few,
// and where beam has turns as long as they lower the plan. Below it climb comes before beam from thresholds.CoresLeast
// buffers on, and above thresholds.LargeAbove beam has no turns: random problems with 500 live at once, 0.9 in use, end
// lower by repairs (docs/lab/climb.md).
// J of the challenging suite has 0.87, and merge is better there. The kinds full and steady of lab/bench/stalls have
// 0.96 to 0.99.
const beamOf = 0.95

// policy returns the row for a problem of n buffers, without the techniques that are off.
// packed tells whether the problem is a packing; it is called only if that matters.
func (s *settings) policy(n int64, packed func() bool) class {
	k := 0
	for n > classes[k].upTo {
		k++
	}
	c := classes[k]
	if !s.climb {
		c.round, c.peak, c.lowest, c.fits = c.round&^climbing|exacting, false, oneRound, untilAnswer
	}
	if !s.exact {
		c.round, c.exactLook, c.fits = c.round&^exacting, exactLook{}, c.lowest // climb never has an answer
	}
	if !s.beam {
		c.round &^= beaming
	}
	if !s.rows {
		c.round &^= rowing
	}
	if !s.tela {
		c.round &^= asking
	}
	if !s.merge || c.mergeLook.usual == 0 && (c.mergeLook.packing == 0 || !packed()) {
		c.round, c.mergeLook = c.round&^merging, mergeLook{}
	}
	if c.round&^(rowing|beaming|asking) == merging {
		c.round &^= merging // merge has no turns by itself
	}
	return c
}

// ends returns how part 4 ends.
func (c *class) ends(minimize, limited bool) ending {
	switch {
	case limited:
		return untilAnswer
	case minimize:
		return c.lowest
	}
	return c.fits
}
