package auto

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/beam"
	"github.com/stowage-go/stowage/internal/climb"
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/rows"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Invariant: a turn never makes the plan higher or the bound lower. run.Run checks what a
// turn claims, as it checks what any planner claims.

// carryOut carries out the parts of the policy in their order.
func (a *auto) carryOut(ctx context.Context) {
	p := a.firstPlan(ctx)
	if a.heuristics && !a.over() {
		full := a.mergeLook != mergeLook{} && a.full(a.enough())
		if !full {
			p.Quick(a.brief)
			a.adoptFrom(p, "quick orders")
		}
		if a.peak && a.within(peakNear) {
			a.lookAtPeak(ctx)
		}
		if !full && a.brief && !a.over() {
			p.Quick(false)
			a.adoptFrom(p, "more quick orders")
		}
		a.looks(ctx)
		if !full {
			a.lookAtRows(ctx)
			a.planCrests(ctx)
		}
		a.remainingOrders(p)
	}
	a.rounds(ctx, p)
}

// What Options.Turns is told.
const (
	heuristics  = "heuristics"
	shortLook   = "a short look before the remaining orders"
	nextInRound = "the next in the round"
	peaksFirst  = "the peaks first"
)

// enough returns the height at which the heuristics may stop, 0 for the bound.
func (a *auto) enough() int64 {
	if a.o.Minimizing() {
		return 0
	}
	return a.o.Capacity
}

// adoptFrom takes the lowest plan of the heuristics, and tells of their turn.
func (a *auto) adoptFrom(p *greedy.Portfolio, reason string) {
	a.keep(p.Offsets, p.Name)
	a.tell(heuristics, reason, 0)
}

// firstPlan makes a plan to start from, or takes the caller's.
func (a *auto) firstPlan(ctx context.Context) *greedy.Portfolio {
	p := a.portfolio
	p.Begin(ctx, a.tl, a.enough())
	a.infeasible = p.Collided
	a.keep(p.Offsets, p.Name)
	a.keep(a.o.Start, "start")
	a.tell(heuristics, "a plan to start from", 0)
	return p
}

// remainingOrders runs the heuristics that are left.
func (a *auto) remainingOrders(p *greedy.Portfolio) {
	if !a.done() {
		p.Rest()
		a.adoptFrom(p, "the remaining orders")
	}
	if !a.o.Fits(a.height) && a.enough() == 0 && !a.infeasible {
		// The lowest plan in reach does not fit. Any plan that fits will do.
		p.Aim(a.o.Capacity)
		p.Rest()
		a.adoptFrom(p, "any plan that fits will do")
	}
}

// limited reports whether the caller has set a limit.
func (a *auto) limited() bool { return a.o.Timeout > 0 || a.o.NodeLimit > 0 }

// planCrests has climb plan the buffers in the order of their need (climb/crests.go), if there is a limit: without one
// climb does so in its round.
func (a *auto) planCrests(ctx context.Context) {
	if !a.limited() || a.n < thresholds.CoresLeast || a.n > thresholds.OrdersMost || a.round&climbing == 0 || a.over() ||
		a.within(thresholds.CloseBy) || a.inUse(a.tl.LowerBound) >= beamOf {
		return
	}
	ctx, cancel := a.briefly(ctx, crestsShare)
	defer cancel()
	steps := a.share(crestEach) * a.n
	if a.rowed() && a.nearlyFull(a.tl.LowerBound) {
		steps /= grow // most are in need, and rows has more use for the time
	}
	a.turn(ctx, turn{planner: &climb.Planner{Crests: true}, nodes: steps, each: a.n, reason: peaksFirst})
}

// briefly returns a context for one part-th of the time that is left, if there is a deadline.
func (a *auto) briefly(ctx context.Context, part time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Until(end)/part)
	}
	return ctx, func() {}
}

// looks carries out part 3.
func (a *auto) looks(ctx context.Context) {
	if a.over() {
		return
	}
	whole := ctx
	ctx, cancel := a.briefly(ctx, looksShare)
	defer cancel()
	if a.mergeLook != (mergeLook{}) {
		each := a.mergeLook.usual
		if each == 0 || a.packed() {
			each = a.mergeLook.packing
		}
		nodes := a.share(max(a.affordable/mergeLookPart, each*a.n))
		a.together(ctx, nodes, shortLook)
		a.joined(whole, nodes)
	}
	if a.exactLook.part > 0 {
		if nodes := max(a.affordable/a.exactLook.part, a.exactLook.each*a.n); nodes >= fewPlans*a.n {
			a.turn(ctx, turn{planner: &engine.Planner{}, nodes: a.share(nodes), each: 1, reason: shortLook})
		}
	}
}

// full reports whether a capacity is so full that no heuristic is likely to get there: see fullOf.
func (a *auto) full(capacity int64) bool {
	if capacity == 0 || a.height <= thresholds.Within(capacity, thresholds.FarBy) {
		return false
	}
	return a.nearlyFull(capacity)
}

// nearlyFull reports whether so much memory would be nearly always full: see fullOf.
func (a *auto) nearlyFull(capacity int64) bool { return a.inUse(capacity) >= float64(fullOf)/fullParts }

// inUse returns the part of so much memory that is in use on average.
func (a *auto) inUse(capacity int64) float64 {
	sum := 0.0
	for _, load := range a.tl.Load {
		sum += float64(load)
	}
	return sum / (float64(capacity) * float64(len(a.tl.Load)))
}

// packed reports whether no byte is ever unused at the height of the bound.
func (a *auto) packed() bool {
	for _, load := range a.tl.Load {
		if load != a.tl.LowerBound {
			return false
		}
	}
	return true
}

// crowded reports whether beam has turns: memory as high as the bound is nearly always full, and beam can plan.
func (a *auto) crowded() bool { return a.nearlyFull(a.tl.LowerBound) && beam.Able(a.tl) }

// windowed reports whether tela has turns. A window of a gap moves through its buffer while others lie beside it, as
// strips of a tensor do. Heuristics and climb see only the lowest place at the moment, and what a place forbids later
// tela's constraints say at once: of 16 problems of strips, 5 were lower by 5 to 14% after 2 s (docs/lab/planners.md).
func (a *auto) windowed() bool {
	return a.tl.HasGaps() && slices.ContainsFunc(a.tl.Problem.Buffers, func(b model.Buffer) bool { return b.HasWindow() })
}

// rounds carries out part 4.
func (a *auto) rounds(ctx context.Context, p *greedy.Portfolio) {
	limited := a.limited()
	ends := a.ends(a.o.Minimizing(), limited)
	// climb lowers more plans than beam if there are many buffers, unless memory is full at almost all times
	crowded, repairs := a.crowded(), a.repairs()
	if a.n > thresholds.LargeAbove && repairs {
		crowded = false
	}
	// nor do orders that take long lower as many if climb can mend: it can where beam is able
	mends := limited && !crowded && a.n > thresholds.LargeAbove && a.round&climbing != 0 && beam.Able(a.tl)
	if !a.rowed() {
		a.round &^= rowing
	}
	rowed := limited && a.round&rowing != 0
	more := mends && a.n > thresholds.HugeAbove || rowed || a.moreOrders(p)
	if more && limited && !mends && !rowed {
		more = a.moreOrders(p) // two such turns take less time than climb's first, and lower more plans
	}
	if ends == peakIfClose || ends == peakOnly {
		if a.within(thresholds.CloseBy) {
			a.lookAtPeak(ctx)
			return
		}
		if ends == peakOnly {
			return
		}
	}
	once := ends != untilAnswer
	exactFirst := a.affordable >= fewPlans*a.n || a.round&climbing == 0
	effort := int64(climbEffort) // of climb's first turn
	if mends {
		effort = max(grow*grow*effort, mendEach*a.n)
	}
	nodes, steps := a.share(a.affordable), min(effort, a.share(effort)*a.n)
	wide := min(climbEffort, steps) // nodes of rows
	if a.tl.HasGaps() {
		steps /= gapsShare
	}
	// local search lowers few plans of mixed alignments, and ejections many
	learns := a.round&exacting != 0 && engine.Learns(a.tl)
	if !crowded && !(learns && beam.Able(a.tl)) {
		a.round &^= beaming
	}
	if !a.windowed() {
		a.round &^= asking
	}
	if learns {
		a.round &^= merging // exact has more use for the time
		nodes, steps = max(nodes/learnShare, 1), steps/learnClimbShare
		if a.round&beaming != 0 {
			steps /= grow // the rest is beam's
		}
	}
	brief := max(steps/learnBeamShare, 1) // beam's steps where exact search learns
	order := a.order(limited && repairs, learns)
	between := order[0] != beaming && order[len(order)-1] != beaming
	if between && !a.over() && !learns && a.round&beaming != 0 && !a.packed() {
		a.beamTurn(ctx, steps/beamLookPart)
	}
	for !a.over() && a.round != 0 {
		a.count++
		for _, member := range order {
			if a.round&member == 0 {
				continue
			}
			switch member {
			case asking:
				a.askTurn(ctx, steps)
			case merging:
				a.mergeTurns(ctx, nodes, once)
			case exacting:
				limit := nodes
				if a.round&climbing == 0 && !once {
					limit = 0 // nobody else waits for a turn
				}
				if exactFirst {
					a.turn(ctx, turn{planner: &engine.Planner{}, nodes: limit, each: 1, reason: nextInRound})
				}
			case rowing:
				if a.rowTurn(ctx, wide, nextInRound); a.rows.Done() {
					a.round &^= rowing
				}
			case beaming:
				if learns {
					brief = a.beamBriefly(ctx, brief)
				} else if limited && a.round&rowing != 0 {
					a.beamTurn(ctx, steps/grow) // rows has more use for the time
				} else {
					a.beamTurns(ctx, steps, once || order[0] != beaming)
				}
			case climbing:
				climber := &climb.Planner{Sweeps: p.Lend()}
				a.turn(ctx, turn{planner: climber, nodes: steps, each: a.n, reason: nextInRound})
			}
		}
		if once {
			return
		}
		exactFirst = true
		nodes, steps, wide = times(grow, nodes), times(grow, steps), times(grow, wide)
		if more {
			more = a.moreOrders(p)
		}
	}
	for more && ends == untilAnswer && !a.over() { // a class without rounds
		more = a.moreOrders(p)
	}
}

// order returns the members of a round in the order of their turns. Beam is the last one if climb repairs plans. It is
// the first one if other searches lower few plans: if there are many buffers, or if memory is full at almost all times.
func (a *auto) order(repairs, learns bool) [6]members {
	if learns {
		return [...]members{asking, beaming, merging, exacting, rowing, climbing}
	}
	if repairs && a.round&climbing != 0 {
		return [...]members{asking, merging, exacting, rowing, climbing, beaming}
	}
	if a.round&beaming != 0 && !a.packed() &&
		(a.n >= thresholds.BeamFirstLeast || a.n >= thresholds.BeamFullLeast && a.inUse(a.tl.LowerBound) >= beamOf) {
		return [...]members{beaming, asking, merging, exacting, rowing, climbing}
	}
	return [...]members{asking, merging, exacting, beaming, rowing, climbing}
}

// moreOrders runs heuristics that took too long before. It reports whether some are left.
func (a *auto) moreOrders(p *greedy.Portfolio) bool {
	if !a.heuristics || a.over() {
		return false
	}
	tried := p.Waiting()
	left := p.More()
	if p.Waiting() < tried {
		a.adoptFrom(p, "orders that take longer")
	}
	return left
}

// repairs reports whether climb's repairs lower more plans than beam: there are many buffers, and memory is not full at
// almost all times.
func (a *auto) repairs() bool {
	return a.n >= thresholds.CoresLeast && a.inUse(a.tl.LowerBound) < beamOf
}

// rowed reports whether rows has turns.
func (a *auto) rowed() bool { return a.round&rowing != 0 && a.repairs() && rows.Able(a.tl) }

// lookAtRows has rows make plans with the first width, if there is a limit: without one rows does so in its round.
func (a *auto) lookAtRows(ctx context.Context) {
	if a.limited() && a.rowed() && !a.over() {
		ctx, cancel := a.briefly(ctx, looksShare)
		defer cancel()
		a.rowTurn(ctx, a.share(rowsLook)*a.n, shortLook)
	}
}

// rowTurn has rows make a turn, with the width that it reached before.
func (a *auto) rowTurn(ctx context.Context, nodes int64, reason string) {
	a.turn(ctx, turn{planner: &rows.Planner{Reached: &a.rows}, nodes: nodes, each: a.n, reason: reason})
}

// beamTurn has beam make a turn, with the width that it reached before. steps are climb's in this round.
func (a *auto) beamTurn(ctx context.Context, steps int64) {
	a.turn(ctx, turn{
		planner: &beam.Planner{Reached: &a.beams}, nodes: max(steps/beamShare, 1), each: a.n, seed: uint64(a.count),
		reason: nextInRound,
	})
}

// beamTurns runs turns of beam as long as they lower the plan where memory is full at almost all times, or one turn.
func (a *auto) beamTurns(ctx context.Context, steps int64, once bool) {
	again := !once && a.inUse(a.tl.LowerBound) >= beamOf
	for lowered := true; lowered && !a.over(); {
		before := a.height
		a.beamTurn(ctx, steps)
		lowered = again && a.height < before
	}
}

// beamBriefly has beam make a turn where exact search learns, and returns the steps of the next one: grow times as many
// if the plan is lower now, else twice. Then the proof has more use for the time.
func (a *auto) beamBriefly(ctx context.Context, steps int64) int64 {
	before := a.height
	if a.beamTurn(ctx, steps); a.height < before {
		return times(grow, steps)
	}
	return times(2, steps)
}

// askTurn has tela make a turn. It has none any more if there are too many pairs for it. steps are climb's.
func (a *auto) askTurn(ctx context.Context, steps int64) {
	a.turn(ctx, turn{planner: tela.Planner{}, nodes: max(steps/askShare, 1), each: 1, seed: uint64(a.count), reason: nextInRound})
	if errors.Is(a.err, plan.ErrUnsupported) {
		a.err = nil
		a.round &^= asking
	}
}

// mergeTurns runs turns of merge as long as they lower the plan, or one turn if there is only one round. nodes is the
// node limit of exact search in this round.
func (a *auto) mergeTurns(ctx context.Context, nodes int64, once bool) {
	packed := a.packed()
	for lowered := true; lowered && !a.over(); {
		share := int64(mergeShare)
		if (packed || a.learned.Alone() || a.learned.Lowers()) && a.o.NodeLimit == 0 && !once {
			share *= grow
		}
		before := a.height
		a.together(ctx, times(share, nodes), nextInRound)
		lowered = a.height < before && !once
	}
}

// joined has merge go on after its look, if groups are much fewer than buffers, as long as that lowers the plan. Each
// turn has grow times the nodes of the one before. Without a limit they end with those that merge has in the first
// round. Where beam has turns and memory is full at almost all times, it needs the time more: groups of two sizes are
// few, too.
func (a *auto) joined(ctx context.Context, nodes int64) {
	limited := a.limited()
	nodes = times(grow, nodes)
	lowered := a.learned.Joined() && !(a.crowded() && a.inUse(a.tl.LowerBound) >= beamOf)
	for lowered && !a.over() && (limited || nodes <= times(mergeShare, a.affordable)) {
		before := a.height
		a.together(ctx, a.share(nodes), "the groups are few")
		lowered, nodes = a.height < before, times(grow, nodes)
	}
}

// times returns x·k, or the largest multiple of k below 2^63 if that is smaller.
func times(k, x int64) int64 { return min(x, math.MaxInt64/k) * k }

// share returns what a first turn may take of nodes: a part of the node limit at most.
func (a *auto) share(nodes int64) int64 {
	if a.o.NodeLimit > 0 {
		nodes = min(nodes, max(a.o.NodeLimit/shares, 1))
	}
	return nodes
}

// lookAtPeak has climb plan the sections around the peak. With a limit others wait, who may do so again.
func (a *auto) lookAtPeak(ctx context.Context) {
	effort := int64(climbEffort)
	if a.limited() {
		effort /= grow
	}
	a.turn(ctx, turn{
		planner: &climb.Planner{Cores: true, Sweeps: a.portfolio.Lend()}, nodes: effort, each: a.n,
		reason: "the plan is close to the bound: its peak",
	})
}

// together has merge make a turn, with other restarts than before.
func (a *auto) together(ctx context.Context, nodes int64, reason string) {
	a.turn(ctx, turn{planner: &merge.Planner{Learned: &a.learned}, nodes: nodes, each: 1, seed: a.restarts, reason: reason})
	a.restarts++
}

// A turn is one run of a member.
type turn struct {
	planner run.Planner
	nodes   int64  // of the planner; 0 for no limit but the caller's
	each    int64  // this many nodes of the planner count as one of auto's
	seed    uint64 // is added to the caller's
	reason  string // for Options.Turns
}

// turn runs a planner from the best plan so far, and takes what it finds.
func (a *auto) turn(ctx context.Context, t turn) {
	if a.over() {
		return
	}
	o := a.optionsOf(t)
	r, err := run.Run(ctx, t.planner, a.tl, o)
	if a.err = err; err != nil {
		return
	}
	a.r.Stats.Nodes += (r.Stats.Nodes + t.each - 1) / t.each
	a.r.Stats.Backtracks += r.Stats.Backtracks
	if a.infeasible = r.Status == model.Infeasible; a.infeasible || r.LowerBound > a.r.LowerBound {
		a.r.LowerBound, a.r.ProvedBy = max(a.r.LowerBound, r.LowerBound), t.planner.Name()
	}
	if r.Status.HasPlan() {
		a.keep(r.Offsets, t.planner.Name())
	}
	a.report(plan.Progress{}, 1)
	a.tell(t.planner.Name(), t.reason, o.NodeLimit)
}

// optionsOf returns the options of a turn.
func (a *auto) optionsOf(t turn) plan.Options {
	o := *a.o
	o.NodeLimit = t.nodes
	if a.o.NodeLimit > 0 {
		left := times(t.each, a.o.NodeLimit-a.r.Stats.Nodes)
		if t.nodes == 0 || t.nodes > left {
			o.NodeLimit = left
		}
	}
	o.Seed += t.seed
	o.Start, o.Without, o.Turns = a.r.Offsets, nil, nil
	if a.o.Progress != nil {
		o.Progress = func(q plan.Progress) { a.report(q, t.each) }
	}
	return o
}
