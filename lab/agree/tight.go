package agree

import (
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// Idea: a capacity far from what is needed tests little. So a pool gets one that is just too small, or just enough: its
// least height, by brute force, or one byte less. With one byte less the problem has no plan.
//
// Invariant: the problem stays valid. If brute force does not decide the least height, it stays as it is.
//
// Complexity: a call of brute force for each pool.

// tight returns a problem with a pool whose capacity is its least height, or one byte less in a third of the cases. If
// p has no plan, its other pools lose their capacities. ok is false if no pool is needed by all plans.
func tight(r *rand.Rand, p *model.Problem) (q *model.Problem, ok bool) {
	pools := p.AllPools()
	for _, k := range r.Perm(len(pools)) {
		asked, rules := *p, *p.Rules
		asked.Rules = &rules
		if rules.Objective = []model.Measure{model.MeasureHeight}; len(pools) > 1 {
			rules.Objective = []model.Measure{model.HeightIn(pools[k].ID)}
		}
		best, _, decided := oracle.Best(&asked, mostNodes)
		changed := p
		if decided && best == nil {
			changed = free(p)
			free := *changed.Rules
			free.Objective, asked.Capacity, asked.Rules = rules.Objective, 0, &free
			best, _, decided = oracle.Best(&asked, mostNodes)
		}
		if !decided || best == nil || best[0] < 2 {
			continue
		}
		capacity := best[0]
		if r.IntN(3) == 0 {
			capacity--
		}
		if q := limited(changed, k, capacity); model.Validate(q) == nil {
			return q, true
		}
	}
	return p, false
}

// free returns a problem without capacities, but for those of pools with sizes.
func free(p *model.Problem) *model.Problem {
	q, rules := *p, *p.Rules
	q.Capacity, q.Rules, rules.Pools = 0, &rules, slices.Clone(rules.Pools)
	for k := range rules.Pools {
		if x := &rules.Pools[k]; len(x.Sizes) == 0 {
			x.Capacity = 0
		}
	}
	return &q
}

// limited returns a problem with another capacity of a pool.
func limited(p *model.Problem, pool int, capacity int64) *model.Problem {
	q, rules := *p, *p.Rules
	q.Rules = &rules
	if len(rules.Pools) == 0 {
		q.Capacity = capacity
		return &q
	}
	rules.Pools = slices.Clone(rules.Pools)
	x := &rules.Pools[pool]
	x.Capacity = capacity
	x.Borders = slices.DeleteFunc(slices.Clone(x.Borders), func(at int64) bool { return at >= capacity })
	if len(x.Sizes) > 0 {
		dearest := x.Sizes[len(x.Sizes)-1].Price
		x.Sizes = slices.DeleteFunc(slices.Clone(x.Sizes), func(s model.Size) bool { return s.Bytes >= capacity })
		x.Sizes = append(x.Sizes, model.Size{Bytes: capacity, Price: dearest})
	}
	return &q
}
