package pools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/penalty"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: ruin (internal/ruled/penalty) lowers the penalty of the plan so far: first in a short run, and at the end for
// as long as the limits allow. In between, slots proves the least penalty if the pool has few bodies on a coarse grid.
// For other pools the planner is asked about strips with more pairs apart, since a pair that shares no byte pays
// nothing:
//
//	all pairs apart       no plan: at least the cheapest penalty is paid; a plan: nothing is
//	all but a set apart   the cheapest set first; no plan: no plan pays just this set
//
// So the bound is the cost of the first set that is not proven hopeless. If that set has a plan, its cost is the
// optimum.
//
// If the pool is too large for ruin, pairs are kept apart greedily. The dearest pairs that pay are kept apart, in
// batches. A batch is halved if no plan is found.
//
// Invariant: the plan never pays more than the one before it. Every set that costs less than the bound is proven
// hopeless.
//
// Complexity: one run for all pairs, mostSets runs for the bound, and ruin for what the limits leave. The runs for the
// bound may take a quarter of the time, and slots half of it.
//
// Trials: docs/lab/ruled.md (of PyPTO's 370 problems 310 have a plan that pays nothing).

// leastPenalty minimises the penalty pool by pool.
func (s *Search) leastPenalty(ctx context.Context) error {
	left := 0 // how many tasks share the rest of the limits: pools, and measures after this one
	if order := s.Lowering.Problem.Objective(); order[len(order)-1] != model.MeasurePenalty {
		left++
	}
	for k := range s.pools {
		if len(s.pools[k].penalties) > 0 {
			left++
		}
	}
	for k := range s.pools {
		q := &s.pools[k]
		q.minimised = true
		q.paid, q.least = s.paidIn(q), 0
		if q.paid > 0 && q.mostObjects == 0 && !q.strip.TooMany {
			if err := s.leastIn(ctx, q, left); err != nil {
				return err
			}
		}
		if len(q.penalties) > 0 {
			left--
		}
	}
	return nil
}

// leastIn minimises the penalty of a pool whose plan pays. left is how many tasks share the rest of the limits.
func (s *Search) leastIn(ctx context.Context, q *pool, left int) error {
	f := penalty.New(q.strip, q.capacity, s.Lowering.Problem, q.penalties)
	if f != nil {
		s.recreate(ctx, q, f, 100*int64(f.Bodies()), 8*left)
	}
	if q.paid == 0 {
		return nil
	}
	if f != nil {
		q.least = max(q.least, f.LeastByCliques(ctx))
		if s.bySlots(ctx, q, f); q.paid <= q.least {
			return nil
		}
	}
	if q.least == 0 {
		if err := s.apart(ctx, q); err != nil || q.paid <= q.least {
			return err
		}
	}
	if q.least > 0 {
		if err := s.sparing(ctx, 8, func(ctx context.Context) error { return s.raise(ctx, q) }); err != nil ||
			q.paid <= q.least {
			return err
		}
	}
	if f == nil {
		return s.promote(ctx, q)
	}
	steps := 1_000 * int64(f.Bodies())
	if s.kept != nil {
		steps /= 10
	} else if _, limited := ctx.Deadline(); limited || s.options.NodeLimit > 0 {
		steps *= 20
	}
	s.recreate(ctx, q, f, steps, left)
	return nil
}

// recreate lets ruin improve the plan of a pool, for at most so many steps and 1/parts of what the limits leave.
func (s *Search) recreate(ctx context.Context, q *pool, f *penalty.Field, steps int64, parts int) {
	share := steps
	if s.options.NodeLimit > 0 {
		share = min(steps, (s.options.NodeLimit-s.stats.Nodes)/int64(parts))
	}
	var until time.Time
	if end, limited := ctx.Deadline(); limited && s.options.NodeLimit == 0 {
		until = time.Now().Add(time.Until(end) / time.Duration(parts))
	}
	offsets, paid, taken := f.Improve(ctx, q.offsets, s.options.Seed,
		penalty.Limits{Enough: q.least, Steps: share, Until: until})
	s.stats.Nodes += taken
	if paid < q.paid {
		q.use(q.strip, offsets)
		q.paid = paid
	}
	switch {
	case paid <= q.least:
	case taken >= share && share < steps:
		run.Cut(ctx, plan.StopNodes)
	case taken < share && !until.IsZero():
		run.Cut(ctx, plan.StopTimeout)
	}
}

// bySlots lets the search by slots look for the least penalty.
func (s *Search) bySlots(ctx context.Context, q *pool, f *penalty.Field) {
	nodes := int64(penalty.SlotNodes)
	if s.kept != nil {
		nodes /= 100
	} else if _, limited := ctx.Deadline(); limited {
		nodes *= 20
	}
	share := nodes
	if s.options.NodeLimit > 0 {
		share = min(nodes, (s.options.NodeLimit-s.stats.Nodes)/4)
	}
	_ = s.sparing(ctx, 2, func(ctx context.Context) error {
		offsets := slices.Clone(q.offsets)
		bound, taken := f.LeastBySlots(ctx, offsets, share)
		if s.stats.Nodes += taken; taken >= share && share < nodes {
			run.Cut(ctx, plan.StopNodes)
		}
		q.least = max(q.least, bound)
		if paid := f.Paid(offsets); paid < q.paid {
			q.use(q.strip, offsets)
			q.paid = paid
		}
		return nil
	})
}

// use makes offsets of bodies the plan of a pool. The plan keeps to the given strip.
func (q *pool) use(st *lower.Strip, offsets []int64) {
	q.strip, q.offsets, q.height, q.asked = st, offsets, 0, false
	for i, at := range offsets {
		q.height = max(q.height, at+st.Problem.Buffers[i].Size)
	}
}

// apart asks for a plan that keeps all pairs apart. Such a plan exists if and only if some plan pays nothing.
func (s *Search) apart(ctx context.Context, q *pool) error {
	all := make([]model.Pair, len(q.penalties))
	cheapest := q.penalties[0].Cost
	for k, x := range q.penalties {
		all[k] = x.Buffers
		cheapest = min(cheapest, x.Cost)
	}
	strip := s.Lowering.Strip(q.index, q.members, all)
	var a answer
	err := s.sparing(ctx, 8, func(ctx context.Context) (err error) {
		a, err = s.within(allNodes, func() (answer, error) { return s.plan(ctx, strip, q.capacity, false) })
		return err
	})
	if err != nil {
		return err
	}
	if a.status.HasPlan() {
		q.use(strip, a.offsets)
		q.paid = 0
		q.bound = max(q.bound, a.bound)
	}
	if a.status == model.Infeasible {
		q.least = max(q.least, cheapest)
	}
	return nil
}

// sparing calls ask with 1/parts of the time that is left.
func (s *Search) sparing(ctx context.Context, parts int, ask func(context.Context) error) error {
	ctx, cancel := run.Share(ctx, parts)
	defer cancel()
	return ask(ctx)
}

// promote keeps apart more and more of the pairs that pay.
func (s *Search) promote(ctx context.Context, q *pool) error {
	var kept []model.Pair
	refused := make(map[model.Pair]bool)
	batch := len(q.penalties)
	for q.paid > q.least && ctx.Err() == nil {
		open := slices.DeleteFunc(s.paying(q), func(x model.Penalty) bool { return refused[x.Buffers] })
		if len(open) == 0 {
			return nil
		}
		sorting.Structs(open, func(x, y model.Penalty) int { return cmp.Compare(y.Cost, x.Cost) })
		batch = max(1, min(batch, len(open)))
		more := slices.Clone(kept)
		for _, x := range open[:batch] {
			more = append(more, x.Buffers)
		}
		strip := s.Lowering.Strip(q.index, q.members, more)
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
func (s *Search) paying(q *pool) (paid []model.Penalty) {
	if len(q.penalties) == 0 || q.offsets == nil {
		return nil
	}
	offsets := make([]int64, len(s.Lowering.Problem.Buffers))
	q.strip.Lift(q.offsets, offsets)
	for _, x := range q.penalties {
		i, j := x.Buffers[0], x.Buffers[1]
		a, b := offsets[i], offsets[j]
		if a < b+s.Lowering.Problem.Buffers[j].Size && b < a+s.Lowering.Problem.Buffers[i].Size {
			paid = append(paid, x)
		}
	}
	return paid
}

// paidIn returns the sum of the penalties that the plan of a pool pays.
func (s *Search) paidIn(q *pool) (sum int64) {
	for _, x := range s.paying(q) {
		sum += x.Cost
	}
	return sum
}

// allNodes is the most nodes of the run with all pairs apart, which may prove that something has to be paid.
// someNodes is the limit of a run for one of the many batches of pairs.
const allNodes, someNodes = 200_000, 20_000

// within calls ask with a limit of so many further nodes.
func (s *Search) within(nodes int64, ask func() (answer, error)) (answer, error) {
	old := s.options.NodeLimit
	if limit := s.stats.Nodes + nodes; old == 0 || limit < old {
		s.options.NodeLimit = limit
	}
	a, err := ask()
	s.options.NodeLimit = old
	return a, err
}

// keeping returns the strip of a pool. If the penalty has been minimised, the strip keeps apart every pair that pays
// nothing now, so none of its plans pays more than the current plan.
func (s *Search) keeping(q *pool) *lower.Strip {
	if !q.minimised || len(q.penalties) == 0 {
		return q.strip
	}
	var apart []model.Pair
	paying := s.paying(q)
	for _, x := range q.penalties {
		if !slices.Contains(paying, x) {
			apart = append(apart, x.Buffers)
		}
	}
	return s.Lowering.Strip(q.index, q.members, apart)
}

// mostSets is the most sets of pairs that are asked for.
const mostSets = 400

// raise asks for a plan for each set of pairs that may pay, in order of cost, until a set has a plan or is left
// undecided.
func (s *Search) raise(ctx context.Context, q *pool) error {
	order := slices.Clone(q.penalties)
	sorting.Structs(order, func(x, y model.Penalty) int { return cmp.Compare(x.Cost, y.Cost) })
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
		if x.cost < q.least {
			sets = append(sets, x.after(order)...) // hopeless already
			continue
		}
		if q.least = x.cost; q.least >= q.paid {
			q.least = q.paid
			return nil
		}
		var apart []model.Pair
		for k := range order {
			if !slices.Contains(x.pairs, k) {
				apart = append(apart, order[k].Buffers)
			}
		}
		strip := s.Lowering.Strip(q.index, q.members, apart)
		a, err := s.within(someNodes, func() (answer, error) { return s.plan(ctx, strip, q.capacity, false) })
		if err != nil {
			return err
		}
		if a.status.HasPlan() {
			q.use(strip, a.offsets)
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

// payers are pairs that may pay, as indices in an order by ascending cost.
type payers struct {
	cost  int64
	pairs []int
}

// after returns the two sets that follow a set: one adds the next pair, the other replaces the last pair by the next.
// Every set follows from the first set in exactly one way, and no set is cheaper than its predecessor.
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
