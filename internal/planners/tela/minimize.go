package tela

import (
	"math"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the search answers whether a capacity fits, so the lowest plan comes by asking for less and less. The first
// question is the lower bound itself, which is often reached. The next ones lie halfway between the bound and the
// best plan. If a capacity takes too many steps, it counts as too low for this round. The next round has four times
// the steps for each question. The first round is worth a few dives. Without a limit of time or nodes, the last round
// has as many steps as the parameter effort says.
//
// Invariant: after the first plan, offsets is a plan, as high as the largest of heights. bound is proven; floor is
// only assumed.
//
// Complexity: O(log(height)) searches a round, O(log(effort)) rounds. Only
// partitions that are higher than what is asked for are searched again.
//
// Trials: docs/lab/planners.md (one round with all the effort spends a node limit on the first capacity).

// minimize looks for the lowest plan within o.Capacity.
func (r *job) minimize(o *plan.Options) (plan.Result, error) {
	capacity := o.Capacity
	if capacity == 0 {
		capacity = r.enough()
	}
	if !r.start(o, capacity) {
		result, err := r.solve(capacity)
		if err != nil || result.Status != model.Feasible {
			if o.Capacity == 0 && result.Status == model.Infeasible {
				result.LowerBound = r.tl.LowerBound // fixed offsets collide, at any height
			}
			if err == nil && r.limits.ended && result.Status == model.Unknown {
				r.stack(capacity, &result)
			}
			return result, err
		}
	}
	endless := o.Timeout == 0 && o.NodeLimit == 0
	last := r.set.effort
	if !endless {
		last = math.MaxInt64
	}
	for effort := min(last, firstEffort(r.tl)); r.height() > r.bound; effort *= 4 {
		if err := r.descend(min(effort, last)); err != nil {
			return plan.Result{}, err
		}
		if r.limits.ended || r.limits.steps == 0 || effort >= last || effort > math.MaxInt64/8 {
			break
		}
	}
	result := plan.Result{Status: model.Feasible, LowerBound: r.bound}
	result.Offsets = r.offsets
	if r.height() <= r.bound {
		result.Status = model.Optimal
	}
	return result, nil
}

// stack makes a plan without a search if the clock has left no time for one.
func (r *job) stack(capacity int64, result *plan.Result) {
	if offsets, _, _ := place.Below(r.limits.watch, r.tl, nil, place.FirstFit, capacity+1); offsets != nil {
		result.Status, result.Offsets = model.Feasible, offsets
	}
}

// firstEffort is the effort of the first round: a few dives.
func firstEffort(tl *timeline.Timeline) int64 { return 4*int64(len(tl.Problem.Buffers)) + 100 }

// descend asks for lower and lower plans, with so many steps for each.
func (r *job) descend(effort int64) error {
	floor := r.bound
	for target := floor; floor < r.height(); target = floor + (r.height()-floor)/2 {
		end, err := r.improve(target, effort)
		if err != nil {
			return err
		}
		switch {
		case end == refuted:
			r.bound = max(r.bound, target+1)
			floor = target + 1
		case end != found:
			floor = target + 1
		}
		if r.limits.ended || r.limits.steps == 0 {
			break
		}
	}
	return nil
}

// improve asks every partition that is higher than the target to come down to it.
func (r *job) improve(target, effort int64) (outcome, error) {
	end := found
	for k := range r.parts {
		if r.heights[k] <= target {
			continue
		}
		left := r.limits.steps
		r.limits.steps = min(left, effort)
		given := r.limits.steps
		one, err := r.fit(k, target)
		if err != nil {
			return end, err
		}
		if used := given - r.limits.steps; r.limits.ended {
			r.limits.steps = 0
		} else {
			r.limits.steps = left - used
		}
		if one == refuted {
			return refuted, nil
		}
		if one != found {
			end = one
		}
	}
	return end, nil
}

// start takes over o.Start if it fits the capacity.
func (r *job) start(o *plan.Options, capacity int64) bool {
	if len(o.Start) != len(r.offsets) || model.HeightOf(r.tl.Problem, o.Start) > capacity {
		return false
	}
	// A buffer that is never active keeps its place, since it costs nothing.
	for k := range r.parts {
		for _, i := range r.parts[k].Buffers {
			r.offsets[i] = o.Start[i]
			r.heights[k] = max(r.heights[k], o.Start[i]+r.tl.Problem.Buffers[i].Size)
		}
	}
	return true
}

// enough returns a capacity that has room for all buffers on top of one another, above all fixed ones.
func (r *job) enough() int64 {
	var top, sum int64
	for i := range r.tl.Problem.Buffers {
		b := &r.tl.Problem.Buffers[i]
		if b.Fixed != nil {
			top = max(top, *b.Fixed+b.Size)
		}
		sum += b.Size + b.Align() - 1
	}
	return top + sum
}
