package eviction

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/evictbound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: few evictions have few sets. The planner is asked about the sets in ascending order of price; a subset comes
// before a set of the same price. A set is left out if
//
//	loads   it does not free the excess of every section (internal/ruled/evictbound)
//	bound   its least values are not below the best plan's (least in eviction.go)
//
// If eviction is the first measure, the first set with a plan has the least price. Only sets of the same price are then
// left, for the measures after it.
//
// Invariant: if a set is left out, it has no plan, or no better plan, or its least values are in the answers.
//
// Complexity: 2^n sets for n evictions, and mostAsked plans.
//
// Trials: docs/lab/ruled.md (leaving out subsets of a set without a plan saves nothing: they were asked before).

// Few is the largest number of evictions for which all sets are asked about, unless Options say otherwise.
const Few = 10

const (
	mostAsked = 500
	// mostAsking is the number of buffers up to which mostAsked plans do not take long.
	mostAsking = 500
)

// few asks about the sets in ascending order of price.
func (e *search) few(ctx context.Context) error {
	n := len(e.all)
	prices := make([]int64, 1<<n)
	order := make([]int, 1<<n)
	for set := range order {
		order[set] = set
		prices[set] = evictbound.Price(e.all, subset(set, n))
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(prices[a], prices[b]), a-b) // a subset has the smaller number
	})
	loads := evictbound.New(e.p, e.all, 0, nil)
	for asked, k := 0, 0; k < len(order); k++ {
		set := order[k]
		taken := subset(set, n)
		least := e.least(taken, prices[set])
		if e.best != nil && slices.Compare(least, e.values) >= 0 {
			continue
		}
		if !loads.Enough(taken) {
			e.by = run.Bound
			continue
		}
		// At least one plan is made. The set of all evictions comes last.
		if asked++; asked > mostAsked || asked > 1 && e.over(ctx) {
			e.answers = append(e.answers, e.least(nil, prices[set]))
			break
		}
		r, err := e.ask(ctx, taken, e.measures, setNodes)
		if err != nil {
			return err
		}
		switch {
		case r.Status == model.Infeasible:
			continue
		case !r.Status.HasPlan():
			e.answers = append(e.answers, least)
			continue
		}
		bounds := make([]int64, len(e.measures))
		for k, m := range e.measures {
			if bounds[k] = r.Bounds[k].Value; m == model.MeasureEviction {
				bounds[k] = prices[set]
			}
		}
		e.answers = append(e.answers, bounds)
		e.keep(&r, taken)
	}
	if e.best == nil && e.room.Status.HasPlan() {
		e.keep(&e.room, subset(1<<n-1, n))
	}
	return nil
}

// subset returns a set, given as bits, as a list of n.
func subset(set, n int) []bool {
	taken := make([]bool, n)
	for k := range taken {
		taken[k] = set>>k&1 == 1
	}
	return taken
}
