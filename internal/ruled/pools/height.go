package pools

import (
	"context"

	"github.com/stowage-go/stowage/internal/ruled/penalty"
	"github.com/stowage-go/stowage/model"
)

// Idea: this file is for an objective in which the penalty comes before the height, and for pools that must pay some
// penalty. The lowest plan that pays no more may pay for other pairs than the plan so far. So the question about the
// height becomes a question about the penalty:
//
//	no plan within height - 1 pays as little   if and only if   height is the lowest
//
// The search asks for a plan within a capacity just below the plan so far. If none fits, the height is proven.
// Otherwise ruin and slots lower the penalty of a plan that fits. They stop if it pays no more than the plan so far, or
// if it is proven that no plan does.
//
// Invariant: each new plan is lower, and pays no more.
//
// Complexity: at most mostDrops capacities.
//
// Trials: docs/lab/ruled.md (even a few pairs have too many sets to ask about each).

// mostDrops is the most capacities that are tried.
const mostDrops = 100

// lowerPaying lowers the plan of a pool whose penalty has been minimised, and raises the bound of its height.
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
