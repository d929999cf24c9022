// Package poollists plans problems with lists of buffers that are in different pools, or all in one.
//
//	poollists.go   the search
//	classes.go     which buffers are in one pool, which are not, and what follows from that
package poollists

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned without the lists. If the plan keeps them, it is the answer. Otherwise the search
// branches on what the plan breaks:
//
//	a and b are in pool q, and must not be   a is in q, so b is not  |  a is not in q
//	a class is in several pools, one is q    all of it is in q       |  none of it is in q
//
// Each branch is a problem without lists whose buffers may be in fewer pools. Pools that can be exchanged count as one:
// if a is not in q, it is in none of these. From each plan a second one is made whose buffers keep the lists, by moving
// those that break them.
//
// Invariant: a branch has all plans that keep the lists and its pools. So the bounds of its problem hold for these, and
// a branch ends if they are no better than the best plan.
//
// Complexity: at most relax.MostQuestions problems without lists.
//
// Source: branch and bound by relaxation; the branches are those of graph coloring (Zykov 1949).

// search is the state of a search.
type search struct {
	relax.Search
	c *classes
}

// Plan plans a valid problem without evictions.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	if !p.Rules.ListsPools() {
		return planner(ctx, p, o.Options, spent)
	}
	c, may := newClasses(p)
	x := &search{relax.New(p, o, spent, planner), c}
	if may != nil {
		if err := relax.Branch[choices](ctx, &x.Search, x, may); err != nil {
			return plan.Result{}, err
		}
	}
	return x.Result("pools"), nil
}

// Question returns the problem of a branch: each class is in pools in which it may be.
func (x *search) Question(may *choices) (*model.Problem, *plan.Result) {
	if !x.c.narrow(*may) {
		return nil, nil
	}
	return x.c.question(*may), nil
}

// Paid returns nothing: the lists have no price.
func (x *search) Paid(*choices) (model.Measure, int64) { return "", 0 }

// Split branches on a class that breaks a list in the plan of a branch.
func (x *search) Split(ctx context.Context, may *choices, r, _ *plan.Result) ([]choices, error) {
	if !r.Status.HasPlan() {
		// No plan says what to branch on. Each class that has its pool is a step.
		if k, pool := x.c.widest(*may); k >= 0 {
			return x.split(*may, k, pool), nil
		}
		x.Cut = true
		return nil, nil
	}
	k, pool := x.c.broken(r.Pools)
	if k < 0 {
		x.Settle(r)
		return nil, nil
	}
	if moved := x.c.repaired(*may, r.Pools); moved != nil && !x.Over(ctx) {
		s, err := x.Ask(ctx, x.c.question(moved))
		if err != nil {
			return nil, err
		}
		if s.Status.HasPlan() {
			x.Offer(&s)
		}
		if x.O.Least && !x.Hopes(r) {
			return nil, nil
		}
	}
	return x.split(*may, k, pool), nil
}

// split makes two branches: a class is in a pool, or it is not.
func (x *search) split(may choices, k int32, pool int32) []choices {
	in, out := may.clone(), may.clone()
	alike := x.c.alike(may, pool)
	for q := range in[k] {
		in[k][q] = int32(q) == pool
		out[k][q] = out[k][q] && !slices.Contains(alike, int32(q))
	}
	return []choices{in, out}
}
