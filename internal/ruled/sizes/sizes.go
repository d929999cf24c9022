// Package sizes plans problems with pools that have one of several sizes, each at a price.
package sizes

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned with the largest size of each pool, without prices. The plan is a plan, and pays what
// its heights cost. If that may not be the best, the search branches on a pool that pays more than the bound of its
// price:
//
//	pool q pays at least as much as in this plan   |   q pays less: it has a smaller size, or is empty
//
// The first branch has a higher bound of the cost. The second is a smaller problem: the largest size of q that costs
// less is its capacity. If there is none, no buffer may be in q.
//
// Invariant: a branch has all plans of its sizes, and these cost at least the bound of the buffers and the bounds of
// the prices.
//
// Complexity: at most relax.MostQuestions problems without prices.
//
// Source: branch and bound for fixed charges, as in facility location (Balinski 1965).

// search is the state of a search.
type search struct {
	relax.Search
	priced bool // the cost is among the measures
}

// state is a branch.
type state struct {
	pools  []model.Pool // with their largest capacities
	closed []bool       // of each pool, whether it is empty
	paid   []int64      // of each pool, the least that it pays
	r      *plan.Result // of the branch before, if it has the same problem
}

// Plan plans a valid problem without evictions.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	if !p.Rules.HasSizes() {
		return planner(ctx, p, o.Options, spent)
	}
	x := &search{Search: relax.New(p, o, spent, planner), priced: slices.Contains(p.Objective(), model.MeasureCost)}
	n := len(p.Rules.Pools)
	s := state{pools: slices.Clone(p.Rules.Pools), closed: make([]bool, n), paid: make([]int64, n)}
	for q := range s.pools {
		s.pools[q].Sizes = nil
		if x.needed(int32(q)) {
			s.paid[q] = p.Rules.Pools[q].PriceOf(1)
		}
	}
	if err := relax.Branch[state](ctx, &x.Search, x, s); err != nil {
		return plan.Result{}, err
	}
	return x.Result("sizes"), nil
}

// needed reports whether some buffer may be in no other pool.
func (x *search) needed(pool int32) bool {
	return slices.ContainsFunc(x.P.Buffers, func(b model.Buffer) bool {
		return len(x.P.Rules.Pools) == 1 || b.Extra != nil && len(b.Extra.Pools) == 1 && b.Extra.Pools[0] == pool
	})
}

// Question returns the problem of a branch; nil if some buffer has no pool.
func (x *search) Question(s *state) (*model.Problem, *plan.Result) {
	p, rules := *x.P, *x.P.Rules
	rules.Pools, p.Rules = s.pools, &rules
	if s.r != nil || !slices.Contains(s.closed, true) {
		return &p, s.r
	}
	p.Buffers = slices.Clone(p.Buffers)
	for i := range p.Buffers {
		b, extra := &p.Buffers[i], model.Extra{}
		if b.Extra != nil {
			extra = *b.Extra
		}
		extra.Pools = nil
		for k := range s.pools {
			if !s.closed[k] && b.MayUse(int32(k)) {
				extra.Pools = append(extra.Pools, int32(k))
			}
		}
		if b.Extra = &extra; len(extra.Pools) == 0 {
			return nil, nil
		}
	}
	return &p, nil
}

// Paid returns the least that each plan of a branch pays for pools.
func (x *search) Paid(s *state) (m model.Measure, all int64) {
	for _, paid := range s.paid {
		all += paid
	}
	return model.MeasureCost, all
}

// Split branches on the pool whose price in the plan of a branch is furthest above its bound.
func (x *search) Split(_ context.Context, s *state, r, asked *plan.Result) ([]state, error) {
	if !x.Take(r) {
		return nil, nil
	}
	dearest, most := -1, int64(0)
	for q, pays := range x.prices(&r.Plan) {
		if pays-s.paid[q] > most {
			dearest, most = q, pays-s.paid[q]
		}
	}
	if !x.O.Least || !x.priced || dearest < 0 {
		x.Close(r)
		return nil, nil
	}
	less := state{slices.Clone(s.pools), slices.Clone(s.closed), s.paid, nil}
	pays := s.paid[dearest] + most
	if less.closed[dearest] = !x.smaller(&less.pools[dearest], dearest, pays); less.closed[dearest] {
		less.paid = slices.Clone(s.paid)
		less.paid[dearest] = 0
	}
	paid := slices.Clone(s.paid)
	paid[dearest] = pays
	return []state{less, {s.pools, s.closed, paid, asked}}, nil
}

// smaller gives a pool its largest size of a lower price. It returns false if there is none.
func (x *search) smaller(q *model.Pool, pool int, price int64) (some bool) {
	was := q.Capacity
	for _, size := range x.P.Rules.Pools[pool].Sizes {
		if size.Price < price && size.Bytes <= was {
			q.Capacity, some = size.Bytes, true
		}
	}
	top := q.Capacity // what is reserved above counts in peaks
	for _, r := range q.Reserved {
		top = max(top, r.Upper)
	}
	if top > q.Capacity {
		q.Reserved = append(slices.Clone(q.Reserved), model.Range{Lower: q.Capacity, Upper: top})
	}
	q.Borders = slices.DeleteFunc(slices.Clone(q.Borders), func(at int64) bool { return at >= q.Capacity })
	q.Capacity = top
	return some
}

// prices returns what each pool pays.
func (x *search) prices(p *model.Plan) []int64 {
	heights := make([]int64, len(x.P.Rules.Pools))
	for i := range x.P.Buffers {
		q := p.PoolOf(i)
		heights[q] = max(heights[q], p.Offsets[i]+x.P.Buffers[i].Size)
	}
	for q := range heights {
		heights[q] = x.P.Rules.Pools[q].PriceOf(heights[q])
	}
	return heights
}
