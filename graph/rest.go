package graph

import (
	"context"
	"math"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a timeout must not make permits or other orders harmful. If each run had the same part of the time, the plan
// without permits would have less than if it were asked for alone, and could be higher for it. So the first run of
// each kind shares a quarter of the time. By then it is known which kinds may still be lower:
//
//	a kind with the lower bound L is open  <=>  L < the height of the best plan so far
//
// The rest of the time goes to the weakest kind that is open: without permits, then in place, then all permits, each in
// the order given. Each starts from the plan of the one before. If none is open, nothing that a weaker option could
// find is below the best plan, and the rest of the time goes to the order of that plan.
//
// Invariant: a kind that is not open has no plan below the best one, whatever time it has. One that is open has three
// quarters of the time if no weaker one is.
//
// If any plan within a capacity will do, the kinds that are open share the rest of the time alike.
//
// Complexity: as many runs as there are kinds, and one more.
//
// Tried and dropped: the same part of the time for each run, without a rest. A graph of 10,000 operators had 936,828
// bytes with permits after one second, and 931,105 without.

// Parts of the timeout.
const (
	firstPart = 4  // the first runs share 1 of so many parts
	leastPart = 50 // less than 1 of so many parts is not worth a run
)

// share returns the time limit of the next of the first runs; 0 for none.
func (m *maker) share() time.Duration {
	if m.first == 0 {
		return 0
	}
	limit := max((m.first-time.Since(m.began))/time.Duration(max(m.runs, 1)), 1)
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

// rest plans again what the timeout has cut, with the time that is left. The first order is that of the graph.
func (m *maker) rest(ctx context.Context, tried [][]mode) error {
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
		if err := m.again(ctx, tried[0], k, alike); err != nil {
			return err
		}
	}
	height := lowest(tried)
	for _, modes := range tried[1:] {
		if k := len(modes) - 1; modes[k].open(height) && modes[k].result.Height == height {
			return m.again(ctx, modes, k, 1)
		}
	}
	return nil
}

// again runs mode k with a part of the time that is left.
func (m *maker) again(ctx context.Context, modes []mode, k int, parts time.Duration) error {
	limit := m.o.Run.Timeout
	left := limit - time.Since(m.began)
	if left < limit/leastPart {
		return nil
	}
	return m.run(ctx, modes, k, left/parts)
}
