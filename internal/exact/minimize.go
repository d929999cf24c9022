package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the least height is the least capacity that fits. Every answer moves
// one end of the interval between a proven bound and the incumbent: a plan
// lowers the incumbent to its own height, a refutation raises the bound, and a
// run that reaches its limit moves nothing, so it is never mistaken for a
// refutation (google/minimalloc's --minimize_capacity does that).
//
// Each round asks three capacities with the same node limit: the bound itself,
// since most real problems fit their load; the middle; and just under the
// incumbent, which is the easiest to satisfy. A round without any progress
// doubles the limit.
//
// Heights are multiples of the greatest common divisor of all sizes, fixed
// offsets and windows, as far as alignments respect it, so the capacities asked
// are too.

// minimize looks for the lowest plan within the capacity, if one is set.
func (e *engine) minimize(o plan.Options) plan.Result {
	r := plan.Result{LowerBound: e.tl.LowerBound}
	if len(e.kernels) == 0 {
		r.Status, r.Offsets = model.Optimal, e.offsets()
		return r
	}
	step := bound.Step(e.tl.Problem)
	proven := bound.Up(e.tl.LowerBound, step)
	var best []int64
	height := int64(math.MaxInt64) // of best
	roof := o.Capacity
	if roof == 0 {
		roof = model.MaxSum
	}
	take := func(offsets []int64) {
		if h := model.HeightOf(e.tl.Problem, offsets); h <= roof && h < height {
			best, height = offsets, h
			e.height = h
		}
	}
	if o.Start != nil {
		take(o.Start)
		for p, k := range e.kernels {
			part := make([]int64, k.n)
			for j, i := range k.id {
				part[j] = o.Start[i]
			}
			e.keep(p, part)
		}
	}
	// ask tries one capacity and moves proven or height.
	ask := func(capacity int64, try func(int64) verdict) verdict {
		v := try(capacity)
		switch v {
		case fits:
			take(e.offsets())
		case refuted:
			proven = max(proven, bound.Up(capacity+1, step))
			e.bound = proven
		}
		return v
	}
	if best == nil {
		// Anything fits a roof this high without backtracking.
		if ask(roof, e.fit) == refuted {
			r.Status, r.LowerBound = model.Infeasible, roof+1
			r.Stats = e.stats()
			return r
		}
	}
	halves := int64(firstRound)
	once := func(capacity int64) verdict { return e.round(capacity, halves) }
	for best != nil && proven < height && !e.over() {
		moved := false
		for _, pick := range []func() int64{
			func() int64 { return proven },
			func() int64 { return proven + bound.Down((height-proven)/2, step) },
			func() int64 { return bound.Down(height-1, step) },
		} {
			if proven >= height || e.over() {
				break
			}
			if ask(max(proven, pick()), once) != undecided {
				moved = true
			}
		}
		if !moved {
			halves = longer(halves)
		}
	}
	r.Stats = e.stats()
	r.LowerBound = min(proven, height)
	if best == nil {
		r.Status = model.Unknown
		r.LowerBound = e.tl.LowerBound
		return r
	}
	r.Offsets, r.Status = best, model.Feasible
	if proven >= height {
		r.Status = model.Optimal
	}
	return r
}
