// Package banks plans problems with lists of buffers that lie at one offset, each in its own pool, and with pools that
// have borders.
//
//	banks.go      which pool each buffer is in
//	heights.go    how high each pool may be, if each buffer has its pool
//	merge.go      several pools as one
//	borders.go    borders as buffers
package banks

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/inorder"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned without lockstep and borders. If the plan keeps them, it is the answer. Otherwise buffers
// are placed one after the other (internal/ruled/inorder). Then each buffer stays in the pool of that first plan, and
// the best plan with these pools is looked for (heights.go). If that may not be the best plan, the search branches on a
// buffer that may be in several pools:
//
//	buffer b is in pool q   |   b is not in q
//
// Invariant: a branch has all plans that keep these rules, with its pools.
//
// Complexity: at most relax.MostQuestions problems without these rules.

// search is the state of a search.
type search struct {
	relax.Search
	pools  []model.Pool
	placed bool            // a plan of an order was looked for
	known  map[string]bool // of pools of all buffers that were tried, whether the outcome is proven
}

// Plan plans a valid problem without evictions.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	if len(p.Rules.Lockstep) == 0 && !p.Rules.HasBorders() {
		return planner(ctx, p, o.Options, spent)
	}
	x := &search{Search: relax.New(p, o, spent, planner), pools: p.AllPools(), known: map[string]bool{}}
	may := make([][]int32, len(p.Buffers))
	for i := range may {
		for q := range x.pools {
			if p.Buffers[i].MayUse(int32(q)) {
				may[i] = append(may[i], int32(q))
			}
		}
	}
	if err := x.branch(ctx, may); err != nil {
		return plan.Result{}, err
	}
	return x.Result("banks"), nil
}

// branch searches the plans whose buffers are in pools in which they may be.
func (x *search) branch(ctx context.Context, may [][]int32) error {
	if x.Over(ctx) {
		return nil
	}
	r, err := x.Ask(ctx, x.question(may))
	if err != nil || r.Status == model.Infeasible || r.Status.HasPlan() && x.O.Least && !x.Hopes(&r) {
		return err
	}
	if !r.Status.HasPlan() {
		x.Cut = true
		return nil
	}
	if Keeps(x.P, &r.Plan) {
		x.Settle(&r)
		return nil
	}
	if !x.placed {
		x.placed = true
		inorder.Offer(ctx, &x.Search, &r)
		if x.Best != nil && !x.O.Least {
			return nil
		}
	}
	of, widest := make([]int32, len(may)), -1
	for i := range may {
		if of[i] = r.PoolOf(i); len(may[i]) > 1 && (widest < 0 || x.P.Buffers[i].Size > x.P.Buffers[widest].Size) {
			widest = i
		}
	}
	proven, err := x.given(ctx, of)
	if err != nil || widest < 0 {
		x.Cut = x.Cut || !proven
		return err
	}
	if x.O.Least && !x.Hopes(&r) {
		return nil
	}
	in, out := slices.Clone(may), slices.Clone(may)
	in[widest] = []int32{of[widest]}
	out[widest] = slices.DeleteFunc(slices.Clone(may[widest]), func(q int32) bool { return q == of[widest] })
	if err := x.branch(ctx, in); err != nil {
		return err
	}
	return x.branch(ctx, out)
}

// question is the problem without these rules, with each buffer in the pools in which it may be.
func (x *search) question(may [][]int32) *model.Problem {
	q, rules := *x.P, *x.P.Rules
	rules.Lockstep, rules.Pools, q.Rules, q.Buffers = nil, slices.Clone(rules.Pools), &rules, slices.Clone(q.Buffers)
	for k := range rules.Pools {
		rules.Pools[k].Borders = nil
	}
	for i := range q.Buffers {
		b := &q.Buffers[i]
		extra := model.Extra{}
		if b.Extra != nil {
			extra = *b.Extra
		}
		if len(rules.Pools) > 0 {
			extra.Pools = may[i]
		}
		b.Extra = &extra
	}
	return &q
}

// Keeps reports whether the buffers of each list are at one offset, and none straddles a border that it may not.
func Keeps(p *model.Problem, plan *model.Plan) bool {
	pools := p.AllPools()
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Straddles(&pools[plan.PoolOf(i)], plan.Offsets[i]) {
			return false
		}
	}
	return !slices.ContainsFunc(p.Rules.Lockstep, func(list []int32) bool {
		return slices.ContainsFunc(list, func(i int32) bool { return plan.Offsets[i] != plan.Offsets[list[0]] })
	})
}

// given looks for the best plan with each buffer in a pool. proven says that it is found, or that there is none.
func (x *search) given(ctx context.Context, of []int32) (proven bool, err error) {
	key := fmt.Sprint(of)
	if proven, known := x.known[key]; known {
		return proven, nil
	}
	m := x.merge(of)
	switch {
	case m == nil:
		return false, nil
	case m.impossible:
		return true, nil
	}
	h := x.newHeights(m)
	err = h.lowest(ctx)
	x.known[key] = !h.open
	return !h.open, err
}
