package merge

import "github.com/stowage-go/stowage/internal/thresholds"

// Idea: if little fits together, hundreds of roots are left, and rounds and dives take too long. But where memory is
// not full everywhere, exact search often ends without a wrong turn, in a node for each root. So it has a few nodes
// more, and a plan or none tells where to look next:
//
//	the goal first; then halfway between the highest target that failed and the lowest plan
//
// A turn ends with the second attempt that fails. After halvesMost of them in a row there are no more: in memories that
// are full, none finds a plan.
//
// Complexity: at most halveNodes nodes for each root, and about a second, for an attempt.
//
// Source: Stowage. Of six problems of 1,000 buffers in a step that repeats, three ended at their load in 4 s without
// it.

// halveNodes is the limit of an attempt, in nodes for each root. halvesMost is how many fail in a row.
const halveNodes, halvesMost = 2, 4

// halving is what these attempts have found out.
type halving struct {
	low    int64 // the highest target that failed, 0 before the first one
	missed int   // attempts in a row that failed
}

// halve makes attempts until two fail.
func (s *search) halve(m *merger) {
	h := &s.halving
	if !s.set.halving || len(m.live) > thresholds.MergeAttemptsMost || !s.brief(m) {
		return
	}
	most := 2
	if h.low == 0 && s.alones() {
		most = 1 // the rest of the turn is for ejections (lone.go)
	}
	for missed := 0; !s.done() && missed < most && h.missed < halvesMost; {
		target := s.goal
		if h.low > 0 {
			target = h.low + (s.height-h.low)/2/s.step*s.step
		}
		if target <= h.low || !s.o.Minimizing() && h.low > 0 {
			return
		}
		if !s.reach(m, target, halveNodes) {
			h.low = target
			h.missed++
			missed++
			continue
		}
		h.missed = 0
	}
}

// brief reports whether an attempt takes a second at most. A node takes about ten nanoseconds for each buffer in each
// of its sections.
func (s *search) brief(m *merger) bool {
	const most = 100_000_000
	sum := int64(0)
	for i := range s.tl.Problem.Buffers {
		for _, x := range s.tl.Spans(i) {
			sum += int64(x.Last - x.First)
		}
	}
	return sum*halveNodes*int64(len(m.live)) <= most
}
