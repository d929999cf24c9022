package exact

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/run"
)

// Idea: which static preordering suits a problem is not known beforehand, and
// the right one often needs a hundredth of the nodes. So they are tried in
// turn with a node limit that starts at half as many again as there are buffers
// and doubles from round to round: the time is within a constant factor of the best one's.
//
// A partition that is solved stays solved, and one that is refuted ends the
// run: google/minimalloc re-solves all partitions in every round. The memo
// outlives the rounds, so a longer run of the same order does not repeat what
// a shorter one has refuted.
//
// Source: google/minimalloc (SolverImpl::RoundRobin).

// firstRound is the node limit of the first round, in halves of the number of
// buffers. Ten of the eleven instances of the challenging suite need no
// second round.
const firstRound = 3

// verdict is what is known of a capacity.
type verdict uint8

const (
	undecided verdict = iota // a limit came first
	fits                     // there is a plan
	refuted                  // there is none: proven
)

// fit decides whether all partitions fit the capacity, in as many rounds as it
// takes.
func (e *engine) fit(capacity int64) verdict {
	for halves := int64(firstRound); ; halves = longer(halves) {
		if v := e.round(capacity, halves); v != undecided || e.over() {
			return v
		}
	}
}

// longer doubles the length of a round, as far as that has any meaning.
func longer(halves int64) int64 { return min(2*halves, unlimited>>32) }

// round tries the capacity once with each order, on every partition that is not
// known to fit it, with a node limit of so many halves of its buffers.
func (e *engine) round(capacity, halves int64) verdict {
	var pending []int
	for p := range e.kernels {
		s := &e.state[p]
		if s.bound > capacity {
			return refuted
		}
		if s.offsets == nil || s.height > capacity {
			pending = append(pending, p)
		}
	}
	// The partition with the least room is the likeliest to be refuted.
	slices.SortStableFunc(pending, func(a, b int) int { return cmp.Compare(e.peak(b), e.peak(a)) })
	answer := fits
	for _, p := range pending {
		switch e.attempt(p, capacity, max(1, halves*int64(e.kernels[p].n)/2)) {
		case refuted:
			e.state[p].bound = capacity + 1
			return refuted
		case undecided:
			answer = undecided
			if e.over() {
				return undecided
			}
		}
	}
	return answer
}

// attempt runs each order on partition p for at most limit nodes: one after the
// other, or side by side where there are workers, until one has an answer.
//
// It is the one place that takes a search's outcome for a verdict. Where windows
// interlock, that there is no canonical plan proves nothing: only the complete
// search can refute, and where it has not run, nothing is decided.
func (e *engine) attempt(p int, capacity, limit int64) verdict {
	x := e.state[p].interlock
	if len(e.orders) == 1 && e.budget == 0 && x == nil {
		limit = unlimited // nothing to take turns with
	}
	r, k := aborted, e.kernels[p]
	if !k.setCapacity(capacity) {
		return refuted // a buffer does not fit even alone
	}
	if e.workers > 1 && len(e.orders) > 1 {
		r, k = e.race(p, capacity, limit)
	} else {
		for i := range e.orders {
			if r = k.run(capacity, e.orders[i], i, e.within(limit)); r != aborted || e.over() {
				break
			}
		}
	}
	switch {
	case r == solved:
		e.keep(p, k.best)
		return fits
	case x == nil && r == exhausted:
		return refuted
	case x == nil || e.over():
		return undecided
	}
	v := x.run(capacity, e.within(limit))
	if v == fits {
		e.keep(p, x.lb)
	}
	return v
}

// unlimited stands for no node limit; adding it to a count does not overflow.
const unlimited = 1 << 62

// within cuts a node limit down to what the budget leaves.
func (e *engine) within(limit int64) int64 {
	if e.budget > 0 {
		limit = min(limit, max(0, e.budget-e.spent()))
	}
	return limit
}

// race runs the orders side by side on kernels of their own. The first answer
// stops the others; the kernel that gave it is returned with it.
func (e *engine) race(p int, capacity, limit int64) (outcome, *kernel) {
	team := e.team(p)
	// The orders share what the budget leaves.
	left := e.within(unlimited)
	each, more := left/int64(len(team)), left%int64(len(team))
	// While the orders run, a kernel's counts are its own: the first one tells
	// progress from its own and from what was spent before.
	others := e.spent() - team[0].nodes
	team[0].tick = func() { e.report(others + team[0].nodes) }
	defer func() { team[0].tick = e.tick }()
	done := run.NewWatch(e.ctx)
	defer done.Close()
	var next atomic.Int32
	var mu sync.Mutex
	answer, winner := aborted, team[0]
	var wait sync.WaitGroup
	for range min(e.workers, len(e.orders)) {
		wait.Go(func() {
			for !done.Over() {
				i := int(next.Add(1)) - 1
				if i >= len(e.orders) {
					return
				}
				share := each
				if int64(i) < more {
					share++
				}
				k := team[i]
				k.watch = done
				r := k.run(capacity, e.orders[i], i, min(limit, share))
				mu.Lock()
				if r != aborted && answer == aborted {
					answer, winner = r, k
					done.Stop()
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return answer, winner
}

// team returns a kernel for each order of partition p.
func (e *engine) team(p int) []*kernel {
	s := &e.state[p]
	if s.team == nil {
		s.team = append(s.team, e.kernels[p])
		for range len(e.orders) - 1 {
			s.team = append(s.team, newKernel(e.tl, e.tl.Partitions[p], e.kernels[p].sw, e.watch))
		}
	}
	return s.team
}

// keep records the plan of partition p.
func (e *engine) keep(p int, offsets []int64) {
	s := &e.state[p]
	s.offsets = append(s.offsets[:0], offsets...)
	s.height = 0
	for j, o := range s.offsets {
		s.height = max(s.height, o+e.kernels[p].rawSize[j])
	}
}

// over reports whether the run as a whole must end.
func (e *engine) over() bool {
	return e.watch.Over() || e.budget > 0 && e.spent() >= e.budget
}

// peak returns the largest load of partition p.
func (e *engine) peak(p int) int64 {
	var most int64
	at := e.tl.Partitions[p]
	for _, load := range e.tl.Load[at.First:at.Last] {
		most = max(most, load)
	}
	return most
}

// run searches the partition from the start for at most limit nodes.
func (k *kernel) run(capacity int64, order string, orderIndex int, limit int64) outcome {
	if !k.setCapacity(capacity) {
		return exhausted
	}
	k.order = order
	k.saltRun = mix(uint64(capacity)^0x8ebc6af09c88c6e3, uint64(orderIndex)*2+0x589965cc75374cc3)
	k.nodeLimit = k.nodes + limit
	k.reset()
	list := k.grab(k.n)
	for j := range list {
		list[j] = int32(j)
	}
	k.rankList(list)
	k.rankLog = k.rankLog[:0]
	k.sortList(list)
	root := component{list: list, first: 0, last: int32(k.m), rank: -1}
	// At the root everything has changed: every buffer's bound is new.
	for j := range list {
		k.set(int32(k.n+j), k.inf[j])
	}
	if !k.infer(root, 0, -1) {
		return exhausted
	}
	return k.search(root)
}
