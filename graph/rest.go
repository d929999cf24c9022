package graph

import (
	"context"
	"math"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a timeout must not make permits or other orders harmful. If all runs shared the time equally, the plan
// without permits would have less time than if it were asked for alone, and could be higher. So the first run of each
// kind shares a quarter of the time. After that, it is known which kinds may still have a lower plan:
//
//	a kind with the lower bound L is open  <=>  L < the height of the best plan so far
//
// The rest of the time goes to the weakest open kind: first without permits, then in place, then with all permits,
// each in the given order. Each run starts from the plan of the run before. If none is open, no weaker option can
// lead to a plan below the best one.
//
// Other orders come after that. The given order leaves them a fifth of the time, and all that it does not need. The
// search for orders gets half of the remaining time, because it cannot be interrupted everywhere. Time that is left
// at the end goes to the lowest plan.
//
// Invariant: a kind that is not open has no plan below the best one. An open kind has three quarters of the time if
// no weaker kind is open, or 11/20 before the search for other orders.
//
// If any plan within a capacity will do, the kinds that are open share the time alike.
//
// Complexity: as many runs as there are kinds, twice, and one more.
//
// Trials: docs/lab/graph.md (equal shares without a rest, or other orders first, end higher).

// leastPart: less than 1 of so many parts of the timeout is not worth a run.
const leastPart = 50

// part returns a part of the timeout; 0 for none.
func (m *maker) part(n, of time.Duration) time.Duration {
	if m.o.Run.Timeout == 0 {
		return 0
	}
	return max(m.o.Run.Timeout/of*n, 1)
}

// share returns the time limit of the next run; 0 for none.
func (m *maker) share() time.Duration {
	if m.until == 0 {
		return 0
	}
	limit := max((m.until-time.Since(m.began))/time.Duration(max(m.runs, 1)), 1)
	m.runs--
	return limit
}

// lowest returns the height of the lowest plan of all orders; math.MaxInt64 if there is none.
func lowest(tried [][]mode) int64 {
	height := int64(math.MaxInt64)
	for _, modes := range tried {
		for _, x := range modes {
			if x.result != nil && x.result.Status.HasPlan() {
				height = min(height, x.result.Height)
			}
		}
	}
	return height
}

// open reports whether a mode was cut by the timeout and may still have a plan below a height.
func (x *mode) open(height int64) bool {
	return x.result != nil && x.result.Stopped == plan.StopTimeout && x.result.LowerBound < height
}

// rest plans again what the timeout has cut, with the time that is left until then. The first order is that of the
// graph.
func (m *maker) rest(ctx context.Context, tried [][]mode, until time.Duration) error {
	for k := 0; k < len(tried[0]); k++ {
		height := lowest(tried)
		if height < math.MaxInt64 && !m.o.Run.Minimizing() {
			return nil
		}
		if !tried[0][k].open(height) {
			continue
		}
		alike := time.Duration(1)
		for n := k + 1; n < len(tried[0]) && !m.o.Run.Minimizing(); n++ {
			if tried[0][n].open(height) {
				alike++
			}
		}
		if err := m.again(ctx, tried[0], k, until, alike); err != nil {
			return err
		}
	}
	height := lowest(tried)
	for _, modes := range tried[1:] {
		if k := len(modes) - 1; modes[k].open(height) && modes[k].result.Height == height {
			return m.again(ctx, modes, k, until, 1)
		}
	}
	return nil
}

// again runs mode k with a part of the time that is left until then.
func (m *maker) again(ctx context.Context, modes []mode, k int, until, parts time.Duration) error {
	left := until - time.Since(m.began)
	if left < until/leastPart || until == 0 {
		return nil
	}
	return m.run(ctx, modes, k, left/parts)
}
