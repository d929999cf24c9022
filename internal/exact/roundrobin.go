package exact

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
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

// fit decides whether all partitions fit the capacity, in as many rounds as it
// takes.
func (e *engine) fit(capacity int64) outcome {
	for halves := int64(firstRound); ; halves *= 2 {
		if r := e.round(capacity, halves); r != aborted || e.over() {
			return r
		}
	}
}

// round tries the capacity once with each order, on every partition that is not
// known to fit it, with a node limit of so many halves of its buffers.
func (e *engine) round(capacity, halves int64) outcome {
	var pending []int
	for p := range e.kernels {
		s := &e.state[p]
		if s.bound > capacity {
			return failed
		}
		if s.offsets == nil || s.height > capacity {
			pending = append(pending, p)
		}
	}
	// The partition with the least room is the likeliest to fail.
	slices.SortStableFunc(pending, func(a, b int) int { return cmp.Compare(e.peak(b), e.peak(a)) })
	answer := solved
	for _, p := range pending {
		switch e.attempt(p, capacity, max(1, halves*int64(e.kernels[p].n)/2)) {
		case failed:
			e.state[p].bound = capacity + 1
			return failed
		case aborted:
			answer = aborted
			if e.over() {
				return aborted
			}
		}
	}
	return answer
}

// attempt runs each order on partition p for at most limit nodes: one after the
// other, or side by side where there are workers, until one has an answer.
func (e *engine) attempt(p int, capacity, limit int64) outcome {
	x := e.state[p].interlock
	if len(e.orders) == 1 && e.budget == 0 && x == nil {
		limit = unlimited // nothing to take turns with
	}
	r, k := aborted, e.kernels[p]
	if e.workers > 1 && len(e.orders) > 1 {
		r, k = e.race(p, capacity, limit)
	} else {
		for i := range e.orders {
			if r = k.run(capacity, e.orders[i], i, e.within(limit)); r != aborted || e.over() {
				break
			}
		}
	}
	if r == solved {
		e.keep(p, k.best)
	}
	// Where windows interlock, failure of the canonical search proves nothing.
	if x != nil && r != solved && !e.over() {
		if r = x.run(capacity, e.within(limit)); r == solved {
			e.keep(p, x.lb)
		}
	}
	return r
}

// unlimited stands for no node limit; adding it to a count does not overflow.
const unlimited = 1 << 62

// within cuts a node limit down to what the budget leaves.
func (e *engine) within(limit int64) int64 {
	if e.budget > 0 {
		limit = min(limit, e.budget-e.spent())
	}
	return limit
}

// race runs the orders side by side on kernels of their own. The first answer
// stops the others; the kernel that gave it is returned with it.
func (e *engine) race(p int, capacity, limit int64) (outcome, *kernel) {
	team := e.team(p)
	limit = e.within(limit)
	// While the orders run, a kernel's counts are its own: the first one tells
	// progress from its own and from what was spent before.
	others := e.spent() - team[0].nodes
	team[0].tick = func() { e.report(others + team[0].nodes) }
	defer func() { team[0].tick = e.tick }()
	var next atomic.Int32
	var mu sync.Mutex
	answer, winner := aborted, team[0]
	var done atomic.Bool
	var wait sync.WaitGroup
	for range min(e.workers, len(e.orders)) {
		wait.Go(func() {
			for !done.Load() && !e.stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(e.orders) {
					return
				}
				k := team[i]
				k.halt = &done
				r := k.run(capacity, e.orders[i], i, limit)
				mu.Lock()
				if r != aborted && answer == aborted {
					answer, winner = r, k
					done.Store(true)
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
			k := newKernel(e.tl, e.tl.Partitions[p], e.kernels[p].sw)
			k.stop = &e.stop
			s.team = append(s.team, k)
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
	return e.stop.Load() || e.budget > 0 && e.spent() >= e.budget
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
		return failed
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
		return failed
	}
	return k.search(root)
}
