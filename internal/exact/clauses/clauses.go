// Package clauses is a search among pairs of buffers that learns from contradictions. Of two buffers that meet, one
// lies above the other, by a least distance: these are the literals. Bounds of offsets follow from them, and from
// bounds literals that nothing else leaves room for. Each contradiction becomes a clause: literals that cannot all be
// false.
//
// The exact planner runs it on two kinds of partitions. If windows interlock, a buffer may lie inside another's gap, so
// "at a higher offset" no longer means "above", and a plan need not be canonical. If alignments differ, hardly anything
// follows from the buffers below alone, and other searches try many orders that fail for one reason.
//
//	clauses.go     the problem, the capacity, and the loop of decisions
//	trail.go       what holds, since when, and why
//	propagate.go   what follows from literals, bounds and clauses
//	cycle.go       orders that push one another up for ever
//	cliques.go     what follows for buffers that are live at one moment: sizes
//	stacks.go      the same, with all alignments: tables of the lowest stacks
//	explain.go     from a contradiction to a clause
//	learn.go       clauses, restarts, and which pair is next
package clauses

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/exact/pairs"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: decide one pair after another, and follow each decision to its end. A contradiction becomes a clause, all
// decisions that it does not need are taken back, and the clause decides a pair the other way. If all pairs are
// decided, the lower bounds are a plan. If a contradiction needs no decision, there is none.
//
// What was learned under a capacity holds under every lower one. So the search goes down from plan to plan, and the
// pairs are tried first as they are in the best plan.
//
// Invariant: the lower bounds, taken as offsets, satisfy all literals that hold.
//
// Complexity: exponential in the pairs; a decision costs O(pairs of the buffers that move), and tables for their
// cliques.
//
// Source: lazy clause generation (Ohrimenko, Stuckey and Codish 2009) over the disjunctive pairs of scheduling.
//
// Trials: docs/lab/exact.md (intervals without learning; edges beside tables; a capacity in the middle).

// A Search is the state of one partition. It can be run many times, in one goroutine.
type Search struct {
	watch    *run.Watch
	switches common.Switches

	// Buffers.
	size, align, start []int64 // start is the fixed offset, or -1
	period             int64   // a multiple of all alignments

	// Pairs: literal 2p says that first[p] lies below second[p], by its distance at least; 2p+1 the other way round.
	first, second []int32
	distance      []int64
	from          []int32 // halves of buffer j are from[j]:from[j+1]
	other, halves []int32 // the other buffer, and the literal "this below the other"

	// What holds (trail.go).
	value   []int64 // of bound v: 2j is the lower bound of j, 2j+1 the upper one, negated
	at      []int32 // of bound v, the entry that set it
	order   []uint8 // of pair p: 0 open, 1 if literal 2p holds, 2 if 2p+1 does
	orderAt []int32
	trail   []entry
	items   []item
	levels  []int32 // where each level begins in trail
	lists   []int32 // and in items
	head    int32   // the first entry that has not been followed
	fail    []item  // the reason of the last contradiction

	// Cycles (cycle.go).
	stride, alarm int
	met           []int32
	metSum        []int64

	// Cliques (cliques.go, stacks.go).
	cliques              []clique
	cliqueFrom, cliqueTo []int32 // of each buffer, its cliques
	dirty                []bool
	waiting              []int32 // cliques that are dirty, from served on
	served               int
	byBegin, byEnd       []int32
	begun, ended         []int64

	// Clauses (explain.go, learn.go).
	clauses []learnt
	facts   []learnt  // of one literal
	watched [][]watch // of each literal
	learned []int32   // the clause of the last contradiction
	marked  []bool    // of each entry of the trail
	asked   []int64   // the value that is asked of it
	last    int32     // where the last level of the contradiction begins
	top     int32     // the latest entry that is marked
	pending int       // marked entries of the last level
	counted []int64   // of each level, the last contradiction whose clause has a literal of it
	phase   []uint8   // of each pair, what to try first, as order has it
	queue   queue
	gain    float64 // what a pair in a contradiction gains

	plan      []int64
	capacity  int64 // of the last run, 0 before
	conflicts int64
	restarts  int64

	// Tick, if it is not nil, is called now and then.
	Tick func()
	// Nodes and Backtracks count until the caller sets them back.
	Nodes, Backtracks int64
}

// mostPairs limits the pairs of a search: about 256 MiB.
const mostPairs = 1 << 21

// tickMask has the bits that are 0 in the numbers of nodes at which Tick is called.
const tickMask = 1<<10 - 1

// New prepares the search of a partition with the given buffers. The error is a *pairs.TooManyError, or pairs.ErrLimit
// if the watch ended.
func New(w *run.Watch, tl *timeline.Timeline, buffers []int32, switches common.Switches) (*Search, error) {
	n := len(buffers)
	s := &Search{watch: w, switches: switches, size: make([]int64, n), align: make([]int64, n), start: make([]int64, n)}
	for j, i := range buffers {
		b := &tl.Problem.Buffers[i]
		s.size[j], s.align[j], s.start[j] = b.Size, b.Align(), -1
		if b.Fixed != nil {
			s.start[j] = *b.Fixed
		}
	}
	s.period = bound.Period(s.align)
	if err := s.link(tl, buffers); err != nil {
		return nil, err
	}
	count := len(s.first)
	s.order, s.orderAt, s.phase = make([]uint8, count), make([]int32, count), make([]uint8, count)
	s.value, s.at, s.plan = make([]int64, 2*n), make([]int32, 2*n), make([]int64, n)
	s.met, s.metSum = make([]int32, 2*n), make([]int64, 2*n)
	s.watched, s.gain = make([][]watch, 2*count), 1
	s.queue.fill(count)
	s.cliqueFrom, s.cliqueTo = make([]int32, n), make([]int32, n)
	if !tl.HasGaps() { // windows of buffers that are live at one moment need not lie above one another
		s.makeCliques(func(j int32) (first, end int32) { return tl.Extent(int(buffers[j])) })
	}
	return s, nil
}

// link lists the pairs. Offsets differ by multiples of what both alignments divide, so distances are rounded up to it.
func (s *Search) link(tl *timeline.Timeline, buffers []int32) error {
	n := len(buffers)
	s.from = make([]int32, n+1)
	err := pairs.EachByEarlier(s.watch, tl, buffers, mostPairs, func(r pairs.Range) {
		g := bound.GCD(s.align[r.I], s.align[r.J])
		s.first, s.second = append(s.first, r.I), append(s.second, r.J)
		s.distance = append(s.distance, bound.Up(r.Below, g), bound.Up(-r.Above, g))
		s.from[r.I+1]++
		s.from[r.J+1]++
	})
	if err != nil {
		return err
	}
	for j := range n {
		s.from[j+1] += s.from[j]
	}
	s.other, s.halves = make([]int32, 2*len(s.first)), make([]int32, 2*len(s.first))
	next := slices.Clone(s.from)
	for p := range int32(len(s.first)) {
		i, j := s.first[p], s.second[p]
		s.other[next[i]], s.halves[next[i]] = j, 2*p
		s.other[next[j]], s.halves[next[j]] = i, 2*p+1
		next[i]++
		next[j]++
	}
	return nil
}

// Offsets returns the plan of the last run that answered Fits. It is valid until the next run.
func (s *Search) Offsets() []int64 { return s.plan }

// Prefer has each pair tried first as it is in a plan.
func (s *Search) Prefer(offsets []int64) {
	for p := range s.phase {
		s.phase[p] = 2
		if offsets[s.first[p]] < offsets[s.second[p]] {
			s.phase[p] = 1
		}
	}
}

// Run asks whether a plan fits the capacity, for at most limit nodes.
func (s *Search) Run(capacity, limit int64) common.Verdict {
	if !s.reset(capacity) {
		s.drop()
		return common.Refuted
	}
	last := s.Nodes + limit
	restart := s.conflicts + restartUnit*luby(s.restarts)
	for {
		if !s.propagate() {
			s.Backtracks++
			s.conflicts++
			level, ok := s.analyse()
			if !ok {
				s.drop()
				return common.Refuted
			}
			s.back(level)
			s.add()
			continue
		}
		if invariants.Enabled {
			s.check()
		}
		if s.conflicts >= restart {
			s.restarts++
			restart = s.conflicts + restartUnit*luby(s.restarts)
			s.back(0)
			s.reduce()
			continue
		}
		if s.Nodes >= last || s.watch.Over() {
			s.back(0)
			return common.Undecided
		}
		s.Nodes++
		if s.Nodes&tickMask == 0 && s.Tick != nil {
			s.Tick()
		}
		p := s.next()
		if p < 0 {
			for j := range s.plan {
				s.plan[j] = s.value[2*j]
			}
			s.back(0)
			return common.Fits
		}
		s.open()
		s.set(s.preferred(p), decided, 0, 0)
	}
}

// preferred returns the literal of a pair that is tried first.
func (s *Search) preferred(p int32) int32 {
	if s.phase[p] == 2 || s.phase[p] == 0 && s.value[2*s.first[p]] > s.value[2*s.second[p]] {
		return 2*p + 1
	}
	return 2 * p
}

// reset begins anew with a capacity. It reports whether each buffer fits by itself, and no fact is against another.
func (s *Search) reset(capacity int64) bool {
	s.back(0)
	s.clean()
	if capacity > s.capacity || len(s.trail) == 0 {
		tighter := func(c learnt) bool { return c.capacity < capacity }
		s.clauses, s.facts = slices.DeleteFunc(s.clauses, tighter), slices.DeleteFunc(s.facts, tighter)
		s.drop()
		if !s.renew() {
			return false
		}
	}
	if capacity != s.capacity {
		s.capacity = capacity
		for k := range s.cliques {
			s.stack(&s.cliques[k], 1)
		}
	}
	s.head = 0
	for j, size := range s.size {
		high := bound.Down(capacity-size, s.align[j])
		if s.start[j] >= 0 {
			if high < s.start[j] {
				return false
			}
			high = s.start[j]
		}
		if !s.raise(int32(2*j+1), -high, given, 0, 0) {
			return false
		}
	}
	return true
}

// renew makes the trail anew, with the least bounds and the facts. It reports whether no fact is against another.
func (s *Search) renew() bool {
	clear(s.order)
	for p := range s.order {
		s.queue.put(int32(p))
	}
	for v := range s.value {
		x := int64(math.MinInt64 / 4)
		if v&1 == 0 {
			x = max(0, s.start[v/2])
		}
		s.value[v], s.at[v] = x, int32(v)
		s.trail = append(s.trail, entry{v: int32(v), prev: -1, value: x})
	}
	s.watchAll()
	for _, c := range s.facts {
		switch m := c.literals[0]; {
		case s.refuted(m):
			return false
		case !s.holds(m):
			s.set(m, given, 0, 0)
		}
	}
	return true
}

// drop forgets what holds.
func (s *Search) drop() {
	s.trail, s.items, s.levels, s.lists = s.trail[:0], s.items[:0], s.levels[:0], s.lists[:0]
}
