package tela

import "math"

// Idea: heuristics, phases and the number of candidates decide the tree that is searched. It is a matter of luck which
// tree gives a plan soon, and the time has a heavy tail: a tree without a plan after some thousand backtracks is
// unlikely to give one after ten times as many. So there are a few trees, each different in one thing, and they take
// turns. A turn ends after so many backtracks, and in the next round each turn has twice as many. The first tree is
// that of the options, and of the paper.
//
// The others are narrow: a point has three candidates in all, failed candidates and candidates of other phases
// included. A narrow tree leaves out many plans, and is searched sooner.
//
// A tree may also be exhausted: with three candidates a point it is finite, and on some problems small. Then its next
// turn has twice as many candidates. The completion also has a turn, for twice the steps that the tree has just taken.
// So a small problem is decided at once, and an easy proof that nothing fits is found before the trees become large. If
// no tree is left, the completion has all steps.
//
// Invariant: every turn ends, and the trees are finite, so without limits the completion decides in the end.
//
// Complexity: a tree is searched for at most three times the backtracks that it
// would have needed alone, times the number of trees.
//
// Trials: docs/lab/planners.md (trees of mixed width solve more than trees as in the paper or narrow ones alone).
//
// Source: rapid restarts (Gomes, Selman, Kautz, AAAI 1998) and iterative broadening (Ginsberg, Harvey, 1992). The paper
// does not say what happens if the tree is exhausted.

// A tree is a choice of heuristics, phases and number of candidates.
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

// enter makes the search use a tree.
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

// insist looks for a plan of the partition within the capacity until there is an answer, or no tree is left.
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

// turn searches a tree for at most budget backtracks. A tree that is exhausted has more candidates the next time.
func (s *search) turn(t *tree, capacity, budget int64) outcome {
	before := s.limits.steps
	end := s.fit(capacity, budget)
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
