package tela

// Idea: with three candidates a point the tree is finite, and on some problems
// small: the search may run out of it after a few hundred steps. Then it starts
// again with twice as many candidates, which is another tree and a larger one.
//
// In between the completion has a try, for twice the steps that the search has
// just taken: a small problem is decided at once, and a proof that nothing fits
// is found, if it is easy, before the trees become large. Once a point may have
// all buffers as candidates the completion has all steps that are left.
//
// Where a tree that a policy was followed in ends without a plan, tela's own rules
// search the same tree again: a model that skips the part with the plan in it
// costs time, and no more.
//
// Invariant: every round but the last ends by running out of something finite,
// and the last is complete, so without limits the question is decided.
//
// Complexity: O(log n) searches, each up to the limit.
//
// Tried and dropped: leaving a tree after 300 to 3,000 backtracks for another one,
// by more candidates or by chance (224 to 255 of 295 inputs solved in 50,000
// steps, in up to twice the time; without it 251).
//
// Source: iterative broadening (Ginsberg, Harvey, 1992). The paper does not say
// what happens when the search runs out.

// insist looks for a plan of the partition within the capacity until there is an
// answer, or nothing is left to try.
func (s *search) insist(capacity int64) outcome {
	policy, candidates := s.policy, s.set.candidates
	defer func() { s.policy, s.set.candidates = policy, candidates }()
	for {
		left := s.limits.steps
		end := s.fit(capacity)
		if end != exhausted {
			return end
		}
		if s.policy != nil {
			s.policy = nil
			continue
		}
		last := !s.set.widening || s.set.strategy != strategyAll || s.set.candidates >= len(s.free)
		if s.set.completion {
			end = s.attempt(2*(left-s.limits.steps)+100, last)
			if end != limited || s.limits.steps == 0 {
				return end
			}
		} else if last {
			return exhausted
		}
		s.set.candidates *= 2
		s.policy = policy
	}
}

// attempt runs the completion for so many steps, or, where it is the last, for
// all that are left.
func (s *search) attempt(steps int64, last bool) outcome {
	left := s.limits.steps
	if last || steps >= left {
		return s.complete()
	}
	s.limits.steps = steps
	end := s.complete()
	if !s.limits.ended {
		s.limits.steps += left - steps
	}
	return end
}
