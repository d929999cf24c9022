package engine

import (
	"github.com/stowage-go/stowage/internal/exact/canonical"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/plan"
)

// Idea: it is not known beforehand which static preordering suits a problem, and the right one often
// needs a hundredth of the nodes. So the orders are tried in turn with a node limit:
//
//	limit(round r) = 1.5 · buffers · 2ʳ
//
// The total time is within a constant factor of the best order's time.
//
// A partition that is solved stays solved, and a partition that is refuted ends the run.
// google/minimalloc solves all partitions again in every round. The memo outlives the rounds, so a
// longer run of an order does not repeat what a shorter run has refuted.
//
// Source: google/minimalloc (SolverImpl::RoundRobin).

// firstRound is the node limit of the first round, in halves of the number of
// buffers. With it ten of the eleven instances of the challenging suite need no
// second round (sweep/specs/ablation.yaml counts their nodes: all but A stay below it).
const firstRound = 3

// shareUntil is the node limit, in buffers, up to which each order runs in each round of a small partition.
const shareUntil = 8

// fit decides whether all partitions fit the capacity. It runs rounds until there is an answer or the run is over.
func (e *engine) fit(capacity int64) common.Verdict {
	for halves := int64(firstRound); ; halves = longer(halves) {
		if v := e.round(capacity, halves); v != common.Undecided || e.over() {
			return v
		}
		e.composes(capacity, false, halves)
	}
}

// longer doubles the length of a round, up to a length that no run reaches.
func longer(halves int64) int64 { return min(2*halves, common.Unlimited>>32) }

// round tries the capacity once with each order on every partition that is not known to fit it. The
// node limit is halves/2 times the number of buffers.
func (e *engine) round(capacity, halves int64) common.Verdict {
	for p := range e.parts {
		if e.parts[p].bound > capacity {
			if e.flaw == nil {
				e.flaw = e.tl.Partitions[p].Buffers
			}
			return common.Refuted
		}
	}
	answer := common.Fits
	for _, p := range e.byPeak {
		s := &e.parts[p]
		if s.offsets != nil && s.height <= capacity {
			continue
		}
		before := e.stats.Nodes
		v := e.attempt(int(p), capacity, max(1, halves*int64(len(e.tl.Partitions[p].Buffers))/2))
		if v == common.Undecided && !e.over() && !s.learning {
			v = e.inStretches(int(p), capacity, halves)
		}
		if v == common.Fits && e.tell != nil {
			e.tell(int(p), plan.MovePlan, common.Nobody, 0)
		}
		s.spent += e.stats.Nodes - before
		switch v {
		case common.Refuted:
			s.bound = max(s.bound, capacity+1)
			if e.flaw == nil {
				e.flaw = e.tl.Partitions[p].Buffers
			}
			return common.Refuted
		case common.Undecided:
			answer = common.Undecided
			if e.over() {
				return common.Undecided
			}
		}
	}
	return answer
}

// attempt runs three searches on partition p until one has an answer: the search for small partitions
// (ladders.go), then each order for at most limit nodes, then the complete search if windows interlock.
//
// This is the only place that turns the outcome of the canonical search into a verdict. If windows
// interlock, the absence of a canonical plan proves nothing. Then only a complete search can refute.
// If none has run, the partition stays undecided.
func (e *engine) attempt(p int, capacity, limit int64) common.Verdict {
	if len(e.tl.Partitions[p].Buffers) == 1 {
		return e.alone(p, capacity)
	}
	k := e.kernel(p)
	if k == nil {
		return common.Undecided
	}
	if !k.SetCapacity(capacity) {
		return common.Refuted // a buffer does not fit even alone
	}
	if len(e.orders) == 1 && e.budget == common.Unlimited && !k.Windowed &&
		(len(e.tl.Partitions[p].Buffers) > thresholds.LadderMost || !e.Switches.Ladders) {
		limit = common.Unlimited // nothing to take turns with
	}
	if v := e.ladder(p, capacity, limit); v != common.Undecided || e.over() {
		return v
	}
	if e.learns(p, limit) {
		return e.askClauses(p, capacity, max(1, limit/clauseCost*int64(len(e.orders))))
	}
	r, k := e.canonical(p, capacity, limit)
	if r == common.Solved {
		e.keep(p, k.Plan())
		return common.Fits
	}
	if k.Windowed {
		w := e.interlocks(p)
		if !w.known {
			return common.Undecided
		}
		if w.interlock {
			return e.complete(p, capacity, limit, r)
		}
	}
	if r == common.Exhausted {
		return common.Refuted
	}
	return common.Undecided
}

// alone plans a partition of one buffer, which needs no search.
func (e *engine) alone(p int, capacity int64) common.Verdict {
	if e.within(1) == 0 {
		return common.Undecided
	}
	e.stats.Nodes++
	if e.tell != nil {
		e.tell(p, plan.MoveBegin, common.Nobody, capacity)
	}
	b := &e.tl.Problem.Buffers[e.tl.Partitions[p].Buffers[0]]
	at := int64(0)
	if b.Fixed != nil {
		at = *b.Fixed
	}
	if at+b.Size > capacity {
		return common.Refuted
	}
	e.keep(p, []int64{at})
	return common.Fits
}

// canonical runs the orders until one has an answer: one after the other, or side by side if there are
// several workers. It returns the kernel that gave the answer.
func (e *engine) canonical(p int, capacity, limit int64) (r common.Outcome, k *canonical.Kernel) {
	if e.workers > 1 && len(e.orders) > 1 {
		return e.race(p, capacity, limit)
	}
	s := &e.parts[p]
	k = s.kernel
	// If the orders share what they refute, then one order a round runs once each had its chance: a
	// refutation needs all nodes in one run.
	alone := k.Dominates() && limit > shareUntil*int64(len(e.tl.Partitions[p].Buffers))
	s.turn++
	for i, order := range e.orders {
		if alone && i != s.turn%len(e.orders) {
			continue
		}
		r = k.Run(capacity, order, i, e.within(limit))
		e.count(&k.Nodes, &k.Backtracks)
		if r != common.Aborted || e.over() {
			break
		}
	}
	return r, k
}

// within cuts a node limit down to what the budget leaves.
func (e *engine) within(limit int64) int64 {
	return min(limit, max(0, e.budget-e.stats.Nodes))
}

// race runs the orders side by side, each on a kernel of its own. The first answer stops the others. It
// is returned with the kernel that gave it.
func (e *engine) race(p int, capacity, limit int64) (common.Outcome, *canonical.Kernel) {
	team := e.team(p)
	// The orders share what the budget leaves.
	left := e.within(common.Unlimited)
	each, more := left/int64(len(team)), left%int64(len(team))
	done := run.Stoppable(e.ctx)
	defer done.Close()
	ended := make(chan *canonical.Kernel)
	next, running := 0, 0
	answer, winner := common.Aborted, team[0]
	for {
		for next < len(team) && running < e.workers && answer == common.Aborted && !done.Over() {
			share := each
			if int64(next) < more {
				share++
			}
			k := team[next]
			k.Watch = done
			go compete(k, capacity, e.orders[next], next, min(limit, share), ended)
			next++
			running++
		}
		if running == 0 {
			break
		}
		k := <-ended
		running--
		if k.Answer != common.Aborted && answer == common.Aborted {
			answer, winner = k.Answer, k
			done.Stop()
		}
	}
	for _, k := range team {
		e.count(&k.Nodes, &k.Backtracks)
	}
	return answer, winner
}

// compete is one runner of a race. It leaves the answer in the kernel and sends that.
func compete(k *canonical.Kernel, capacity int64, order string, orderIndex int, limit int64,
	ended chan<- *canonical.Kernel,
) {
	k.Answer = k.Run(capacity, order, orderIndex, limit)
	ended <- k
}

// team returns a kernel for each order of partition p, and fewer if the run is over.
func (e *engine) team(p int) []*canonical.Kernel {
	s := &e.parts[p]
	if s.team == nil {
		s.team = append(s.team, s.kernel)
	}
	for len(s.team) < len(e.orders) {
		k := canonical.New(e.tl, &e.tl.Partitions[p], e.Switches, e.limits, e.watch)
		if e.watch.Over() {
			break
		}
		s.team = append(s.team, k)
	}
	return s.team
}

// count adds the effort of a search to that of the run. It reports progress for searches that are too
// short to report their own.
func (e *engine) count(nodes, backtracks *int64) {
	before := e.stats.Nodes
	e.stats.Nodes += *nodes
	e.stats.Backtracks += *backtracks
	*nodes, *backtracks = 0, 0
	if before/e.limits.TickEvery != e.stats.Nodes/e.limits.TickEvery {
		e.report(0)
	}
}

// keep records the plan of partition p.
func (e *engine) keep(p int, offsets []int64) {
	s := &e.parts[p]
	s.offsets = append(s.offsets[:0], offsets...)
	s.height, s.by = 0, ""
	for j, i := range e.tl.Partitions[p].Buffers {
		s.height = max(s.height, offsets[j]+e.tl.Problem.Buffers[i].Size)
	}
}

// over reports whether the run as a whole must end.
func (e *engine) over() bool {
	return e.stuck || e.stats.Nodes >= e.budget || e.watch.Over()
}
