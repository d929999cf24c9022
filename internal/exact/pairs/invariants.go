package pairs

import "github.com/stowage-go/stowage/internal/invariants"

// check compares the bounds with what was decided. Between propagations
//
//   - each buffer has an offset between its bounds, and low is aligned;
//   - no arc can move a bound any further;
//   - low satisfies every decided pair, and only pairs with arcs are decided.
func (s *Search) check() {
	for i := range s.out {
		if s.low[i] > s.high[i] || !s.fixed[i] && s.low[i]%s.align[i] != 0 {
			invariants.Fail("buffer %d has no offset in [%d, %d]", i, s.low[i], s.high[i])
		}
		for _, a := range s.out[i] {
			if s.low[a.to] < s.low[i]+a.w || s.high[i] > s.high[a.to]-a.w {
				invariants.Fail("the bounds of buffers %d and %d break their order", i, a.to)
			}
		}
	}
	for k, p := range s.pairs {
		if s.decided[k] && s.violated(p) >= p.from {
			invariants.Fail("the decided pair %d, %d is violated", p.i, p.j)
		}
	}
	if len(s.queue) > 0 && s.queued[s.queue[len(s.queue)-1]] {
		invariants.Fail("the queue is not empty")
	}
}
