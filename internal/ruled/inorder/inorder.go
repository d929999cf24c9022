// Package inorder plans problems whose pools have pages or borders by placing one buffer after the other.
package inorder

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/heights"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: pages and borders are hard to say to a planner, and easy to keep for whoever places buffers one after the
// other. So orders are placed and improved (internal/ruled/heights), beginning with the largest buffer first. If the
// objective begins with a height, buffers choose their pools. Otherwise they stay in those of the plan without the two
// rules, whose costs are least and which keep lists of pools.
//
// Invariant: a plan keeps all rules but lockstep, with which nothing is placed. It proves nothing.
//
// Complexity: that of heights.Field.Descend.

// Offer looks for a plan of the problem of a search, and offers it. r is the answer without pages and borders.
func Offer(ctx context.Context, x *relax.Search, r *plan.Result) {
	if len(x.P.Rules.Lockstep) > 0 || large(x.P) {
		return
	}
	goals, stay := heights.Leading(x.P.Objective()), len(x.P.Rules.DifferentPools)+len(x.P.Rules.SamePool) > 0
	if len(goals) == 0 {
		stay = true
		for _, m := range x.P.Objective() {
			if strings.Contains(string(m), "height") || strings.Contains(string(m), "peak") {
				goals = append(goals, m)
			}
		}
	}
	if len(goals) == 0 {
		goals = []model.Measure{model.MeasureHeight}
	}
	if stay && !r.Status.HasPlan() {
		return
	}
	l := lower.New(plain(x.P, r, stay))
	if l.Tangled() && len(x.P.Buffers) > lower.MostClocks {
		return
	}
	choices, why := assign.New(l, places.Find(l.Problem, l.Conflicts))
	if why != "" {
		return
	}
	f := heights.New(l, choices, goals)
	if f == nil {
		return
	}
	f.Keep(x.P, l.Conflicts)
	least := make([]int64, len(goals))
	if !x.O.Least { // the first plan will do
		for k := range least {
			least[k] = math.MaxInt64
		}
	}
	within, end := run.Share(ctx, 4)
	defer end()
	if found := f.Descend(within, least); found != nil {
		y := plan.Result{Status: model.Feasible, Planner: x.O.Name, Objective: x.P.Objective()}
		if y.Offsets = found.Offsets; len(l.Pools) > 1 {
			y.Pools = found.Pools
		}
		y.Measures = model.MeasuresOf(x.P, &y.Plan)
		y.Height = model.ValueOf(y.Measures, model.MeasureHeight)
		x.Offer(&y)
	}
}

// large reports whether offsets might get too large: a buffer of another kind may take a page more.
func large(p *model.Problem) bool {
	most := int64(0)
	for _, q := range p.Rules.Pools {
		if most = max(most, q.Granularity); len(q.Borders) > 0 {
			most = max(most, q.Borders[len(q.Borders)-1])
		}
	}
	return most > model.MaxSum/int64(64*(1+len(p.Buffers)))
}

// plain returns the problem without pages, borders and lists of pools. If stay is set, each buffer stays in its pool
// of r.
func plain(p *model.Problem, r *plan.Result, stay bool) *model.Problem {
	q, rules := *p, *p.Rules
	rules.Kinds, rules.DifferentPools, rules.SamePool = nil, nil, nil
	rules.Pools, q.Rules = slices.Clone(rules.Pools), &rules
	for k := range rules.Pools {
		rules.Pools[k].Granularity, rules.Pools[k].Borders = 0, nil
	}
	if stay && len(rules.Pools) > 0 {
		q.Buffers = relax.Stay(q.Buffers, r.PoolOf)
	}
	return &q
}
