package pairs

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the difference of two offsets lies in one of the intervals between the forbidden ranges of the pair. An
// interval chosen for every pair leaves difference constraints (bounds.go), and their least solution is a plan.
//
// The search is lazy. It branches only on a pair that the least offsets violate, the one nearest the ground first, and
// stops if there is none. A pair with one interval left is decided on the way. A pair with none is a failure.
//
// Invariant: low, taken as offsets, satisfies all decided pairs.
//
// Complexity: exponential in the violated pairs; each node costs O(pairs).
//
// Source: disjunctive temporal problems (Stergiou and Koubarakis 1998), as in the meta-CSP
// for rectangle packing (Moffitt and Pollack 2006).
//
// Trials: docs/lab/exact.md (on the engine of package pairwise fewer nodes take longer).

// A Search is the state of one partition. It can be run many times, in one goroutine.
type Search struct {
	bounds
	size    []int64
	start   []int64 // the fixed offset, else 0
	fixed   []bool
	pairs   []pair
	bans    []timeline.Forbidden
	decided []bool // pair → an interval has been chosen

	// Nodes and Backtracks count until the caller sets them back.
	Nodes, Backtracks int64
	last              int64  // the value of Nodes at which the run ends
	tick              func() // called at each node
}

// pair is two buffers that meet, with their forbidden ranges bans[from:to] of offset(j) - offset(i).
type pair struct {
	i, j     int32
	from, to int32
}

// mostBans limits the forbidden ranges of a search: 256 MiB with their tables.
const mostBans = 1 << 23

// New prepares the search of a partition with the given buffers. It calls tick at each
// node. The error is a *TooManyError, or ErrLimit if the watch ended.
func New(w *run.Watch, tl *timeline.Timeline, buffers []int32, tick func(s *Search)) (*Search, error) {
	n := len(buffers)
	s := &Search{fixed: make([]bool, n)}
	s.watch, s.queued = w, make([]bool, n)
	s.tick = func() { tick(s) }
	cells := make([]int64, 6*n) // one array, so that small partitions take few allocations
	for k, of := range []*[]int64{&s.align, &s.start, &s.size, &s.low, &s.high, &s.passes} {
		*of = cells[k*n : (k+1)*n : (k+1)*n]
	}
	arcs := make([][]arc, 2*n)
	s.out, s.in = arcs[:n], arcs[n:]
	for j, i := range buffers {
		b := &tl.Problem.Buffers[i]
		s.align[j], s.size[j] = b.Align(), b.Size
		if b.Fixed != nil {
			s.fixed[j], s.start[j] = true, *b.Fixed
		}
	}
	s.proof = bound.Passes(s.align)
	err := EachByEarlier(w, tl, buffers, mostBans, func(r Range) {
		end := int32(len(s.bans))
		if last := len(s.pairs) - 1; last < 0 || s.pairs[last].i != r.I || s.pairs[last].j != r.J {
			s.pairs = append(s.pairs, pair{r.I, r.J, end, end})
		}
		s.bans = append(s.bans, timeline.Forbidden{Above: r.Above, Below: r.Below})
		s.pairs[len(s.pairs)-1].to++
	})
	if err != nil {
		return nil, err
	}
	s.decided = make([]bool, len(s.pairs))
	return s, nil
}

// Offsets returns the plan of the last run that answered Fits. It is valid until the next run.
func (s *Search) Offsets() []int64 { return s.low }

// Run asks whether a plan fits the capacity, for at most limit nodes.
func (s *Search) Run(capacity, limit int64) common.Verdict {
	s.last = s.Nodes + limit
	// A propagation gets as much patience as the search has nodes, so that in ever longer runs every one ends.
	s.patience = max(64*int64(len(s.align)+2), limit)
	if !s.reset(capacity) {
		return common.Refuted
	}
	switch r := s.search(); {
	case r == common.Solved:
		return common.Fits
	case r == common.Exhausted && !s.gaveUp:
		return common.Refuted
	}
	return common.Undecided
}

// reset drops all that was decided. It reports whether every buffer has an offset by itself.
func (s *Search) reset(capacity int64) bool {
	s.steps, s.gaveUp = s.steps[:0], false
	clear(s.decided)
	for j, size := range s.size {
		s.out[j], s.in[j] = s.out[j][:0], s.in[j][:0]
		s.low[j], s.high[j] = s.start[j], bound.Down(capacity-size, s.align[j])
		if s.high[j] < s.low[j] {
			return false
		}
		if s.fixed[j] {
			s.high[j] = s.start[j]
		}
	}
	return true
}

// search looks for a plan below the present node. If it returns Solved, low is the plan. Exhausted says that there is
// none, unless a propagation gave up.
func (s *Search) search() common.Outcome {
	if s.Nodes >= s.last || s.watch.Over() {
		return common.Aborted
	}
	s.Nodes++
	s.tick()
	mark := len(s.steps)
	at, ok := s.decideForced()
	if !ok {
		s.undoTo(mark)
		s.Backtracks++
		return common.Exhausted
	}
	if invariants.Enabled {
		s.check()
	}
	if at < 0 {
		return common.Solved
	}
	// The interval above the violated range first, then the one below it, then the
	// others: the order in which offsets rise.
	p := s.pairs[at]
	k := s.violated(p)
	for d := int32(0); d <= p.to-p.from; d++ {
		for _, c := range [2]int32{k + 1 + d, k - d} {
			if c < p.from || c > p.to || !s.open(p, c) {
				continue
			}
			inner := len(s.steps)
			if s.decide(at, c) {
				if r := s.search(); r != common.Exhausted {
					return r
				}
			}
			s.undoTo(inner)
		}
	}
	s.undoTo(mark)
	s.Backtracks++
	return common.Exhausted
}

// decideForced decides every pair with one open interval, until there is none. It returns the pair that low violates
// nearest the ground, or -1 if low violates none. ok is false if a pair has no interval left.
func (s *Search) decideForced() (at int, ok bool) {
	for again := true; again; {
		again = false
		at = -1
		lowest := int64(math.MaxInt64)
		for k, p := range s.pairs {
			if k&4095 == 4095 && s.watch.Over() {
				s.gaveUp = true
				return 0, false
			}
			if s.decided[k] {
				continue
			}
			open, only := 0, int32(0)
			for c := p.from; c <= p.to; c++ {
				if s.open(p, c) {
					open++
					only = c
				}
			}
			switch {
			case open == 0:
				return 0, false
			case open == 1:
				if !s.decide(k, only) {
					return 0, false
				}
				again = true
			case s.violated(p) >= p.from:
				if level := max(s.low[p.i], s.low[p.j]); level < lowest {
					lowest, at = level, k
				}
			}
		}
	}
	return at, true
}

// violated returns the index of the forbidden range that low violates, or from-1 if low violates none.
func (s *Search) violated(p pair) int32 {
	d := s.low[p.j] - s.low[p.i]
	for c := p.from; c < p.to; c++ {
		if s.bans[c].Above < d && d < s.bans[c].Below {
			return c
		}
	}
	return p.from - 1
}

// ends returns the ends of interval c of a pair: the one under bans[c]. Interval p.to is the one above the last range.
func (s *Search) ends(p pair, c int32) (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if c > p.from {
		low = s.bans[c-1].Below
	}
	if c < p.to {
		high = s.bans[c].Above
	}
	return low, high
}

// open reports whether the difference of the pair can still lie in interval c.
func (s *Search) open(p pair, c int32) bool {
	low, high := s.ends(p, c)
	return s.high[p.j]-s.low[p.i] >= low && s.low[p.j]-s.high[p.i] <= high
}

// decide puts the difference of the pair into interval c and propagates.
func (s *Search) decide(at int, c int32) bool {
	p := s.pairs[at]
	low, high := s.ends(p, c)
	s.decided[at] = true
	s.log(pairChose, int32(at), 0)
	if low != math.MinInt64 {
		s.add(p.i, p.j, low)
	}
	if high != math.MaxInt64 {
		s.add(p.j, p.i, -high)
	}
	return s.propagate(p.i, p.j)
}

// undoTo takes back every step since the mark.
func (s *Search) undoTo(mark int) {
	for k := len(s.steps) - 1; k >= mark; k-- {
		if step := s.steps[k]; step.what == pairChose {
			s.decided[step.at] = false
		} else {
			s.undo(step)
		}
	}
	s.steps = s.steps[:mark]
}
