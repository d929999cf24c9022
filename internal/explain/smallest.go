package explain

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: implicit hitting sets. The complement of a set that fits is a correction set: each infeasible set has one of
// its buffers. So an infeasible set is at least as large as the smallest set that hits all known correction sets
// (hitting.go). If this hitting set does not fit, it is a smallest infeasible set. If it fits, it is grown until
// nothing can be added. The buffers left out are one more correction set, which it does not hit.
//
// Buffers of different partitions never meet, so a smallest set lies in one partition. All partitions are searched for
// a set of two buffers, then of three and so on. The first set that is found is the answer.
//
// Invariant: no infeasible set has fewer than s.proven buffers, and s.best is infeasible. If
// the run on a set stays undecided, the set counts as one that fits and proven is frozen. A
// set found later may be smaller than best, but is not proven to be smallest.
//
// Complexity: exponential in hitting sets and in runs. Usually a reason of a few buffers takes a few dozen runs.
//
// Source: Ignatiev, Previti, Liffiton, Marques-Silva, "Smallest MUS extraction
// with minimal hitting set dualization", CP 2015.
//
// Trials: docs/lab/explain.md (partitions one after the other leave only the last bound if a limit comes).

// Smallest is Irreducible with a subset of the fewest buffers. If a limit comes before that
// is proven, Explanation.AtLeast has the bound that is proven. o.NodeLimit limits each run of
// the planner and each search for a hitting set.
func Smallest(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) (*plan.Explanation, error) {
	ctx, cancel := limited(ctx, o.Timeout)
	defer cancel()
	e, t, err := irreducible(ctx, p, planner, o, 2)
	if err != nil || e.Status != model.Infeasible {
		return e, err
	}
	// A single buffer that does not fit, or a pair that collides, has been found already. Other sets have at least two.
	s := &hunt{trial: t, best: e.Buffers, proven: min(2, len(e.Buffers)), irreducible: e.Irreducible}
	if s.proven < len(s.best) {
		s.run(ctx)
		if t.err != nil {
			return nil, t.err
		}
		e.Runs = 1 + t.runs
		describe(e, p, s.best)
	}
	e.AtLeast = s.proven
	e.Smallest = s.proven == len(s.best)
	e.Irreducible = s.irreducible || e.Smallest
	return e, nil
}

// minGrowNodes is the smallest node limit of a run that only grows a set that fits. An
// undecided run costs a larger correction set.
const minGrowNodes = 1000

type hunt struct {
	*trial
	watch       *run.Watch
	best        []int // ascending
	irreducible bool  // whether best is irreducible
	proven      int
	frozen      bool // a set stayed undecided, so proven can rise no more
	parts       []*part
}

// A part is the search in one partition.
type part struct {
	least  int     // every infeasible set of its suspects has at least so many
	hitter *hitter // nil if there are too many suspects
}

func (s *hunt) run(ctx context.Context) {
	s.watch = run.NewWatch(ctx)
	defer s.watch.Close()
	s.ctx = ctx
	if few := crowd(s.tl, s.options.Capacity, math.MaxInt, s.watch.Over); few != nil && len(few) < len(s.best) {
		// Alignment and fixed offsets may make fewer of them infeasible.
		s.best, s.irreducible = s.polish(ascending(few))
	}
	s.climb()
	if !s.irreducible && s.proven < len(s.best) && !s.over() {
		s.best, s.irreducible = s.polish(s.best)
	}
}

// climb searches for a set of k buffers, then of k+1, until one is found or the next is no smaller than best.
func (s *hunt) climb() {
	if !s.prepare() {
		return
	}
	for k := s.proven; k < len(s.best); k++ {
		for _, p := range s.parts {
			set, known := s.level(p, k)
			switch {
			case !known:
				return
			case set != nil:
				s.best, s.irreducible = set, false
				return
			}
		}
		if !s.frozen {
			s.proven = k + 1
		}
	}
}

// prepare finds the suspects of each partition. It reports false if a limit came.
func (s *hunt) prepare() bool {
	c := newCounter(s.tl, s.options.Capacity, s.watch.Over)
	// Bounds that need no search come first, because a limit may come in the rest.
	least := len(s.best)
	for k := range s.tl.Partitions {
		if s.watch.Over() {
			return false
		}
		adds := stacked(s.tl, members(&s.tl.Partitions[k]), s.options.Capacity)
		least = min(least, leastOver(adds, s.options.Capacity))
	}
	s.proven = max(s.proven, least)
	for k := range s.tl.Partitions {
		left, known := c.filter(members(&s.tl.Partitions[k]), len(s.best)-1)
		if !known {
			return false
		}
		if len(left) < s.proven {
			continue
		}
		left = ascending(left)
		p := &part{least: leastOver(stacked(s.tl, left, s.options.Capacity), s.options.Capacity)}
		if len(left) <= maxSuspects {
			suspects := c.suspects(left)
			if suspects == nil {
				return false
			}
			p.hitter = newHitter(suspects, s.options.Capacity, s.watch.Over, s.options.NodeLimit)
		}
		s.parts = append(s.parts, p)
	}
	return true
}

// members returns the buffers of a partition.
func members(p *timeline.Partition) []int {
	buffers := make([]int, len(p.Buffers))
	for k, i := range p.Buffers {
		buffers[k] = int(i)
	}
	return buffers
}

// leastOver returns the smallest number of the given sizes that exceed the capacity.
func leastOver(adds []int64, capacity int64) int {
	for k, i := range sorting.Order(len(adds), func(a, b int32) bool { return adds[a] > adds[b] }) {
		if capacity -= adds[i]; capacity < 0 {
			return k + 1
		}
	}
	return len(adds) + 1
}

// level returns an infeasible set of k buffers of the partition. It returns nil if there is none, or if a set stayed
// undecided and s.frozen is set. known is false if a limit ended the search.
func (s *hunt) level(p *part, k int) (set []int, known bool) {
	if k < p.least {
		return nil, true
	}
	h := p.hitter
	if h == nil {
		s.frozen = true
		return nil, true
	}
	for {
		hits, ok, known := h.find(k)
		if !known {
			// A search that its own node limit ended says nothing about larger sets.
			s.frozen = true
			return nil, !s.over() && !s.watch.Over()
		}
		if !ok {
			return nil, true
		}
		set := h.names(hits)
		switch s.ask(set) {
		case model.Infeasible:
			return set, true
		case model.Unknown:
			if s.over() || s.watch.Over() {
				return nil, false
			}
			s.frozen = true
			h.add(h.rest(hits))
		default:
			h.add(h.rest(s.grow(h, hits)))
		}
	}
}

// grow adds suspects to a set that fits until short runs find no more to add. Suspects that were left out most often
// come first, so that correction sets have little in common. Then small ones come before large ones.
func (s *hunt) grow(h *hitter, hits []int32) []int32 {
	rest := h.rest(hits)
	sorting.By(rest, func(a, b int32) bool {
		if h.often[a] != h.often[b] {
			return h.often[a] > h.often[b]
		}
		return h.stack[a] < h.stack[b]
	})
	var add func(more []int32)
	add = func(more []int32) {
		if len(more) == 0 || s.watch.Over() {
			return
		}
		all := slices.Concat(hits, more)
		if s.askWithin(h.names(all), s.growNodes).HasPlan() {
			hits = all
			return
		}
		if half := len(more) / 2; half > 0 {
			add(more[:half])
			add(more[half:])
		}
	}
	add(rest)
	return hits
}
