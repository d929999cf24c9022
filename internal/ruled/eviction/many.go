package eviction

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/ruled/evictbound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: with many evictions there is time for few plans only, so the loads choose the sets (internal/ruled/evictbound).
// A set that frees just the excess may have no plan, because holes are left between buffers. So the loads must fit a
// capacity that is smaller by a slack. The slack starts at 0 and doubles until there is a plan. Then the search halves
// the interval between the largest slack without a plan and the least slack with one.
//
// At the end, evictions of the cheapest plan are left out in batches, the dearest first, as long as there is a plan.
//
// Heights before eviction in the objective are minimised with all evictions taken, and become the capacity of the
// pools.
//
// Invariant: a new best plan is never dearer than the last. The bound is from the loads.
//
// Complexity: about 2 · log2(1024) + mostLeft plans, within the limits of the run.
//
// Trials: docs/lab/ruled.md (starting with all evictions needs a plan for each batch and ends dearer).

const (
	// finestSlack: the least slack is 1/finestSlack of the capacity.
	finestSlack = 1024
	// mostLeft is the most plans for leaving out evictions.
	mostLeft = 40
	// manyBuffers: with more buffers, a plan of a set gets fewer nodes than setNodes, but at least leastNodes. The time
	// of a node of local search grows with the buffers.
	manyBuffers, leastNodes = 200, 100
	// mostTries is the most plans with a slack.
	mostTries = 24
)

// many chooses among many evictions.
func (e *search) many(ctx context.Context, every []bool) error {
	at := slices.Index(e.measures, model.MeasureEviction)
	wanted := e.measures // of each plan
	exact := true        // every best plan keeps the capacities
	if before := e.measures[:at]; !slices.ContainsFunc(before, func(m model.Measure) bool { return !ofHeight(m) }) {
		wanted = []model.Measure{model.MeasureEviction}
		if at > 0 {
			r, err := e.ask(ctx, every, before, wholeNodes)
			if err != nil {
				return err
			}
			if r.Status.HasPlan() {
				e.room = r
				e.ground, exact = narrowed(e.p, &r.Plan, before, r.Measures)
			}
		}
	}
	bound := int64(0)
	over := e.share(ctx)
	loads := evictbound.New(e.ground, e.all, 0, over)
	if exact {
		bound = loads.Least()
	}
	e.answers = append(e.answers, e.least(nil, bound))
	if e.room.Status.HasPlan() {
		e.keep(&e.room, every)
	}
	if err := e.slacken(ctx, wanted, at, bound, loads); err != nil {
		return err
	}
	if e.best == nil {
		return nil
	}
	if err := e.leaveOut(ctx, wanted, at, bound, loads); err != nil {
		return err
	}
	if e.values[at] > bound && exact && !e.over(ctx) {
		bound = max(bound, loads.LeastOfWhole(e.share(ctx)))
		e.answers[0] = e.least(nil, bound)
	}
	if at < e.own-1 && len(wanted) < len(e.measures) {
		// The measures after eviction.
		r, err := e.ask(ctx, e.taken, e.measures, wholeNodes)
		if err != nil {
			return err
		}
		if r.Status.HasPlan() {
			e.keep(&r, e.taken)
		}
	}
	return nil
}

// narrowed returns the problem with the reached heights as capacities. exact says that every plan that reaches the
// same measures keeps these capacities.
func narrowed(p *model.Problem, reached *model.Plan, measures []model.Measure,
	values []model.Value,
) (*model.Problem, bool) {
	q, exact := *p, true
	pools := slices.Clone(p.AllPools())
	heights := make([]int64, len(pools))
	for k := range pools {
		if heights[k] = model.ValueOf(values, model.HeightIn(pools[k].ID)); pools[k].ID == "" {
			heights[k] = reached.Height
		}
	}
	limit := func(k int, most int64) {
		if most > 0 && (pools[k].Capacity == 0 || most < pools[k].Capacity) {
			pools[k].Capacity = most
		}
	}
	for _, m := range measures {
		name, id, one := strings.Cut(string(m), ":")
		for k := range pools {
			switch {
			case one && pools[k].ID != id:
			case one || len(pools) == 1 || strings.HasPrefix(name, "max_"):
				limit(k, model.ValueOf(values, m))
			default:
				// Another plan may divide the sum among the pools in another way.
				exact = false
				most := heights[k]
				if name == string(model.MeasurePeak) {
					for _, r := range pools[k].Reserved {
						most = max(most, r.Upper)
					}
				}
				limit(k, most)
			}
		}
	}
	if len(p.Rules.Pools) == 0 {
		q.Capacity = pools[0].Capacity
		return &q, exact
	}
	r := *p.Rules
	r.Pools = pools
	q.Rules = &r
	return &q, exact
}

// share returns a function that reports whether a quarter of the time that is left is over, or a limit has come. A plan
// needs the rest of the time.
func (e *search) share(ctx context.Context) func() bool {
	end, limited := ctx.Deadline()
	if limited {
		end = time.Now().Add(time.Until(end) / 4)
	}
	return func() bool {
		if e.over(ctx) {
			return true
		}
		late := limited && time.Now().After(end)
		if late {
			run.Cut(ctx, plan.StopTimeout)
		}
		return late
	}
}

// try asks for a plan of a set, within few nodes if there are many buffers and within a third of the time that is left:
// there may be other sets.
func (e *search) try(ctx context.Context, taken []bool, wanted []model.Measure) (plan.Result, error) {
	ctx, cancel := run.Share(ctx, 3)
	defer cancel()
	return e.ask(ctx, taken, wanted, max(leastNodes, setNodes*manyBuffers/int64(max(manyBuffers, len(e.p.Buffers)))))
}

// slacken looks for the least slack with a plan.
func (e *search) slacken(ctx context.Context, wanted []model.Measure, at int, bound int64,
	loads *evictbound.Loads,
) error {
	finest := int64(math.MaxInt64)
	for _, q := range e.ground.AllPools() {
		if q.Capacity > 0 {
			finest = min(finest, q.Capacity)
		}
	}
	if finest == math.MaxInt64 {
		finest = 0
	}
	finest = max(1, finest/finestSlack)
	r := rand.New(rand.NewPCG(25, 7))
	// none is the largest slack without a plan, and some the least slack with a plan; -1 if there is none.
	none, some := int64(-1), int64(-1)
	slack := int64(0)
	for range mostTries {
		over := e.share(ctx)
		if slack > 0 {
			loads = evictbound.New(e.ground, e.all, slack, over)
		}
		taken, ok := make([]bool, len(e.all)), true
		if !loads.Fit() {
			taken, ok = loads.Cheap(bound, r, over)
		}
		planned := false
		if ok && (e.best == nil || at > 0 || evictbound.Price(e.all, taken) < e.values[at]) {
			x, err := e.try(ctx, taken, wanted)
			if err != nil {
				return err
			}
			if planned = x.Status.HasPlan(); planned {
				e.keep(&x, taken)
			}
		} else {
			planned = true // it is no better
		}
		switch {
		case planned:
			some = slack
		default:
			none = slack
		}
		switch {
		case some == 0 || e.over(ctx) || some > 0 && some-none <= finest:
			return nil
		case some < 0:
			slack = max(finest, 2*slack)
		default:
			slack = (none + some) / 2
		}
	}
	return nil
}

// leaveOut leaves out evictions of the best plan.
func (e *search) leaveOut(ctx context.Context, wanted []model.Measure, at int, bound int64,
	loads *evictbound.Loads,
) error {
	var order []int
	for n, x := range e.taken {
		if x {
			order = append(order, n)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.all[b].Cost, e.all[a].Cost) })
	asked := 0
	for batch := (len(order) + 1) / 2; batch > 0; batch /= 2 {
		for k := 0; k < len(order); k += batch {
			less := slices.Clone(e.taken)
			for _, n := range order[k:min(k+batch, len(order))] {
				less[n] = false
			}
			if slices.Equal(less, e.taken) || !loads.Enough(less) {
				continue
			}
			if asked++; asked > mostLeft || e.over(ctx) || at == 0 && e.values[0] <= bound {
				return nil
			}
			r, err := e.try(ctx, less, wanted)
			if err != nil {
				return err
			}
			if r.Status.HasPlan() {
				e.keep(&r, less)
			}
		}
	}
	return nil
}
