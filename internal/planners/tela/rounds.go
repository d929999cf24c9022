package tela

import "math"

// Idea: a tree of the search is the heuristics, the phases and the number of
// candidates. Which of them holds a plan that is found soon is a matter of luck,
// and the time that it takes has a heavy tail: a tree that has not given a plan
// after some thousand backtracks is unlikely to do so after ten times as many. So
// there are a few trees, each different in one thing, and they take turns: each
// is left after so many backtracks, and all of them get twice as many in the next
// round. The first is the one that the options say, and the paper's.
//
// The others are narrow: a point has three candidates in all, those that failed and
// those of other phases among them. Much is passed over, and what is left is come
// through sooner.
//
// A tree may also run out. With three candidates a point it is finite, and on some
// problems small. Then its next turn has twice as many candidates, and the
// completion has a try, for twice the steps that the tree has just taken: a small
// problem is decided at once, and a proof that nothing fits is found, if it is
// easy, before the trees become large. When no tree is left the completion has all
// steps.
//
// Where a tree that a policy was followed in ends without a plan, tela's own rules
// search the same tree again: a model that skips the part with the plan in it
// costs time, and no more.
//
// Invariant: every turn ends, and the trees are finite, so without limits the
// completion decides in the end.
//
// Complexity: a tree is searched for at most three times the backtracks that it
// would have needed alone, times the number of trees.
//
// Trials: docs/lab/planners.md (trees of mixed width solve more than trees as in the paper or narrow ones alone).
//
// Source: rapid restarts (Gomes, Selman, Kautz, AAAI 1998) and iterative
// broadening (Ginsberg, Harvey, 1992). The paper does not say what happens when
// the search runs out.

// A tree is what a search is done in.
type tree struct {
	set        settings
	candidates int // at first
	phaseOf    []int32
	phases     int32
	shelves    []shelf
	done       bool // no wider one is left
}

// treesOf returns the trees that take turns, the default first.
func treesOf(set settings) []*tree {
	trees := []*tree{{set: set, candidates: set.candidates}}
	if !set.restarts || set.strategy != strategyAll {
		return trees
	}
	add := func(change func(*settings)) {
		t := &tree{set: set}
		change(&t.set)
		t.candidates = t.set.candidates
		if t.set != set && (t.set.lifetime || t.set.size || t.set.area) {
			trees = append(trees, t)
		}
	}
	add(func(s *settings) { s.narrow = true })
	add(func(s *settings) { s.narrow, s.area = true, false })
	add(func(s *settings) { s.narrow = true; s.candidates++ })
	return trees
}

// enter has the search use a tree.
func (s *search) enter(t *tree) {
	if t.shelves == nil {
		t.phaseOf, t.phases = make([]int32, s.n), 1
		if t.set.grouping {
			t.phaseOf, t.phases = phases(s.tl, s.part, t.set.step)
		}
		keys := keysOf(s.tl, s.part, t.set.switches)
		if len(keys) == 0 { // strategy lowest: any list will do
			keys = append(keys, make([]uint64, s.n))
		}
		for _, key := range keys {
			t.shelves = append(t.shelves, newShelf(s.free, int(s.n), t.phaseOf, t.phases, key))
		}
	}
	s.set, s.phaseOf, s.phases, s.shelves = t.set, t.phaseOf, t.phases, t.shelves
}

// insist looks for a plan of the partition within the capacity until there is an
// answer, or nothing is left to try.
func (s *search) insist(capacity int64) outcome {
	for _, t := range s.trees {
		t.done, t.set.candidates = false, t.candidates
	}
	budget := int64(math.MaxInt64)
	if len(s.trees) > 1 {
		budget = s.trees[0].set.restartAfter
	}
	for left := len(s.trees); left > 0; {
		for _, t := range s.trees {
			if t.done {
				continue
			}
			s.enter(t)
			if end := s.turn(t, capacity, budget); end != exhausted && end != abandoned {
				return end
			}
			if t.done {
				left--
			}
		}
		budget = min(budget, math.MaxInt64/2) * 2
	}
	if s.set.completion {
		return s.complete()
	}
	return exhausted
}

// turn searches a tree for so many backtracks. One that runs out has more
// candidates the next time.
func (s *search) turn(t *tree, capacity, budget int64) outcome {
	before := s.limits.steps
	end := s.fit(capacity, budget)
	if policy := s.policy; s.heeded && end == exhausted {
		s.policy = nil
		end = s.fit(capacity, budget)
		s.policy = policy
	}
	if end != exhausted {
		return end
	}
	t.done = !s.set.widening || s.set.strategy != strategyAll || s.set.candidates >= len(s.free)
	t.set.candidates *= 2
	if s.set.completion {
		if end := s.attempt(2*(before-s.limits.steps) + 100); end != limited || s.limits.steps == 0 {
			return end
		}
	}
	return exhausted
}

// attempt runs the completion for so many steps.
func (s *search) attempt(steps int64) outcome {
	left := s.limits.steps
	if steps >= left {
		return s.complete()
	}
	s.limits.steps = steps
	end := s.complete()
	if !s.limits.ended {
		s.limits.steps += left - steps
	}
	return end
}
