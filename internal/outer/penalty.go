package outer

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/model"
)

// Idea: a pair that shares no byte pays nothing. So the penalty of a pool is 0 if and only if there is a plan that keeps all
// penalised pairs apart. If it is proven that there is none, at least the cheapest penalty is paid.
//
// Then pairs are kept apart greedily: from the plan so far, the dearest of the pairs that pay is kept apart too, in
// batches that are halved where no plan is found. Pairs that do not pay in a plan cost nothing, so a plan of fewer pairs
// that happens to pay less is taken, too.
//
// The bound rises by asking for the sets of pairs that may pay, the cheapest set first: if all others cannot be apart, no plan pays just these.
// So the bound is the cost of the first set that is not proven hopeless; a set with a plan is the optimum.
//
// Invariant: the plan never pays more than the one before it. Every set that costs less than the bound is proven
// hopeless.
//
// Complexity: O(pairs · log pairs) runs to keep pairs apart, and mostSets runs for the bound, within the limits of the whole run.
//
// Measured by a prototype: of PyPTO's 370 feasible problems with penalties 310 pay nothing when all pairs are apart, and in the other 60 a
// clique proves that something is paid.

// leastPenalty minimises the penalty pool by pool.
func (s *search) leastPenalty(ctx context.Context) error {
	for k := range s.pools {
		q := &s.pools[k]
		if err := s.leastIn(ctx, q); err != nil {
			return err
		}
		q.settled = true
	}
	return nil
}

func (s *search) leastIn(ctx context.Context, q *pool) error {
	q.paid, q.least = s.paidIn(q), 0
	if len(q.penalties) == 0 {
		return nil
	}
	all := make([]model.Pair, len(q.penalties))
	cheapest := q.penalties[0].Cost
	for k, x := range q.penalties {
		all[k] = x.Buffers
		cheapest = min(cheapest, x.Cost)
	}
	strip := s.Strip(q.index, q.members, all)
	a, err := s.within(allNodes, func() (answer, error) { return s.plan(ctx, strip, q.capacity, false) })
	if err != nil {
		return err
	}
	if a.status.HasPlan() {
		q.strip, q.offsets, q.height, q.paid = strip, a.offsets, a.height, 0
		q.asked = false
		q.bound = max(q.bound, a.bound)
		return nil
	}
	if a.status == model.Infeasible {
		q.least = cheapest
	}
	if q.paid > q.least {
		if err := s.promote(ctx, q); err != nil {
			return err
		}
	}
	if q.least > 0 && q.paid > q.least {
		return s.raise(ctx, q)
	}
	return nil
}

// promote keeps more and more of the pairs apart that pay.
func (s *search) promote(ctx context.Context, q *pool) error {
	var kept []model.Pair
	refused := make(map[model.Pair]bool)
	batch := len(q.penalties)
	for q.paid > q.least && ctx.Err() == nil {
		open := slices.DeleteFunc(s.paying(q), func(x model.Penalty) bool { return refused[x.Buffers] })
		if len(open) == 0 {
			return nil
		}
		slices.SortStableFunc(open, func(x, y model.Penalty) int { return cmp.Compare(y.Cost, x.Cost) })
		batch = max(1, min(batch, len(open)))
		more := slices.Clone(kept)
		for _, x := range open[:batch] {
			more = append(more, x.Buffers)
		}
		strip := s.Strip(q.index, q.members, more)
		a, err := s.within(someNodes, func() (answer, error) { return s.plan(ctx, strip, q.capacity, false) })
		if err != nil {
			return err
		}
		before := q.paid
		if a.status.HasPlan() {
			old := *q
			q.strip, q.offsets, q.height = strip, a.offsets, a.height
			if q.paid = s.paidIn(q); q.paid <= before {
				q.asked, kept = false, more
				continue
			}
			*q = old
		}
		if batch == 1 {
			refused[open[0].Buffers] = true
			continue
		}
		batch /= 2
	}
	return nil
}

// paying returns the penalties that the plan of a pool pays.
func (s *search) paying(q *pool) (paid []model.Penalty) {
	if len(q.penalties) == 0 || q.offsets == nil {
		return nil
	}
	offsets := make([]int64, len(s.Problem.Buffers))
	q.strip.Lift(q.offsets, offsets)
	for _, x := range q.penalties {
		i, j := x.Buffers[0], x.Buffers[1]
		a, b := offsets[i], offsets[j]
		if a < b+s.Problem.Buffers[j].Size && b < a+s.Problem.Buffers[i].Size {
			paid = append(paid, x)
		}
	}
	return paid
}

// paidIn returns the sum of these.
func (s *search) paidIn(q *pool) (sum int64) {
	for _, x := range s.paying(q) {
		sum += x.Cost
	}
	return sum
}

// allNodes and someNodes are the most nodes of one run: for all pairs apart, which may prove that nothing or something is
// paid, and for a batch of pairs. There are many batches.
const allNodes, someNodes = 2_000_000, 20_000

// within asks for an answer within so many nodes more.
func (s *search) within(nodes int64, ask func() (answer, error)) (answer, error) {
	old := s.options.NodeLimit
	if limit := s.stats.Nodes + nodes; old == 0 || limit < old {
		s.options.NodeLimit = limit
	}
	a, err := ask()
	s.options.NodeLimit = old
	return a, err
}

// keeping returns the strip in which no plan pays more than the one that there is, if the penalty has been minimised: every
// pair that pays nothing now is kept apart.
func (s *search) keeping(q *pool) *lower.Strip {
	if !q.settled || len(q.penalties) == 0 {
		return q.strip
	}
	var apart []model.Pair
	paying := s.paying(q)
	for _, x := range q.penalties {
		if !slices.Contains(paying, x) {
			apart = append(apart, x.Buffers)
		}
	}
	return s.Strip(q.index, q.members, apart)
}

// mostSets is the most sets of pairs that are asked for.
const mostSets = 400

// raise asks for the sets of pairs that may pay, in order of their cost, until one has a plan or cannot be answered.
func (s *search) raise(ctx context.Context, q *pool) error {
	order := slices.Clone(q.penalties)
	slices.SortStableFunc(order, func(x, y model.Penalty) int { return cmp.Compare(x.Cost, y.Cost) })
	sets := []payers{{order[0].Cost, []int{0}}}
	for range mostSets {
		if len(sets) == 0 || ctx.Err() != nil {
			return nil
		}
		next := 0
		for k := range sets {
			if sets[k].cost < sets[next].cost {
				next = k
			}
		}
		x := sets[next]
		sets = slices.Delete(sets, next, next+1)
		if q.least = max(q.least, x.cost); q.least >= q.paid {
			q.least = q.paid
			return nil
		}
		var apart []model.Pair
		for k := range order {
			if !slices.Contains(x.pairs, k) {
				apart = append(apart, order[k].Buffers)
			}
		}
		strip := s.Strip(q.index, q.members, apart)
		a, err := s.within(someNodes, func() (answer, error) { return s.plan(ctx, strip, q.capacity, false) })
		if err != nil {
			return err
		}
		if a.status.HasPlan() {
			q.strip, q.offsets, q.height, q.asked = strip, a.offsets, a.height, false
			q.paid = s.paidIn(q)
			return nil
		}
		if a.status != model.Infeasible {
			return nil
		}
		sets = append(sets, x.after(order)...)
	}
	return nil
}

// payers are pairs that may pay, as places in an order by cost, ascending.
type payers struct {
	cost  int64
	pairs []int
}

// after returns the two sets that follow: with the next pair as well, and with it in place of the last. Every set follows from
// the first in one way, and none is cheaper than the one that it follows from.
func (x payers) after(order []model.Penalty) (sets []payers) {
	last := x.pairs[len(x.pairs)-1]
	if last+1 == len(order) {
		return nil
	}
	more := append(slices.Clone(x.pairs), last+1)
	other := slices.Clone(x.pairs)
	other[len(other)-1] = last + 1
	return []payers{
		{x.cost + order[last+1].Cost, more},
		{x.cost + order[last+1].Cost - order[last].Cost, other},
	}
}
