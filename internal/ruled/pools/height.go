package pools

import (
	"context"

	"github.com/stowage-go/stowage/internal/ruled/penalty"
	"github.com/stowage-go/stowage/model"
)

// Idea: the penalty comes before the height, and some penalty has to be paid. The lowest plan that pays so little may
// pay for other pairs than the plan so far. So the question about the height becomes one about the penalty:
//
//	no plan within height - 1 pays as little   if and only if   height is the lowest
//
// Capacities just below the plan are tried. If no plan fits one, that is the proof. Otherwise ruin and slots lower the
// penalty of a plan that fits, until it pays no more than the plan so far, or until it is proven that none does.
//
// Invariant: the plan pays no more than before, and each one is lower.
//
// Complexity: at most mostDrops capacities.
//
// Trials: docs/lab/ruled.md (even a few pairs have too many sets to ask about each).

// mostDrops is the most capacities that are tried.
const mostDrops = 100

// lowerPaying lowers the plan of a pool whose penalty has been minimised, and its bound rises.
func (s *Search) lowerPaying(ctx context.Context, q *pool) error {
	strip := s.Lowering.Strip(q.index, q.members, nil)
	for range mostDrops {
		if q.height <= q.bound || ctx.Err() != nil {
			return nil
		}
		a, err := s.within(someNodes, func() (answer, error) { return s.plan(ctx, strip, q.height-1, false) })
		if err != nil {
			return err
		}
		if a.status == model.Infeasible {
			q.bound = q.height
			return nil
		}
		f := penalty.New(strip, q.height-1, s.Lowering.Problem, q.penalties)
		if f == nil || !a.status.HasPlan() {
			return nil
		}
		drop := pool{index: q.index, members: q.members, penalties: q.penalties, strip: strip, least: q.paid}
		drop.use(strip, a.offsets)
		drop.paid = f.Paid(a.offsets)
		if drop.paid > q.paid {
			s.recreate(ctx, &drop, f, 100*int64(f.Bodies()), 8)
		}
		if drop.paid > q.paid {
			if drop.least = f.LeastByCliques(ctx); drop.least <= q.paid {
				s.bySlots(ctx, &drop, f)
			}
			if drop.least > q.paid {
				q.bound = q.height
				return nil
			}
		}
		if drop.paid > q.paid {
			return nil
		}
		q.use(strip, drop.offsets)
		q.asked = true
	}
	return nil
}
