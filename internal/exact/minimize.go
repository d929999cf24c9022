package exact

import (
	"math"

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
	step := e.step()
	bound := roundUp(e.tl.LowerBound, step)
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
	// ask tries one capacity and moves bound or height.
	ask := func(capacity int64, try func(int64) verdict) verdict {
		v := try(capacity)
		switch v {
		case fits:
			take(e.offsets())
		case refuted:
			bound = max(bound, roundUp(capacity+1, step))
			e.bound = bound
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
	for best != nil && bound < height && !e.over() {
		moved := false
		for _, pick := range []func() int64{
			func() int64 { return bound },
			func() int64 { return bound + (height-bound)/2/step*step },
			func() int64 { return height - 1 - (height-1)%step },
		} {
			if bound >= height || e.over() {
				break
			}
			if ask(max(bound, pick()), once) != undecided {
				moved = true
			}
		}
		if !moved {
			halves = longer(halves)
		}
	}
	r.Stats = e.stats()
	r.LowerBound = min(bound, height)
	if best == nil {
		r.Status = model.Unknown
		r.LowerBound = e.tl.LowerBound
		return r
	}
	r.Offsets, r.Status = best, model.Feasible
	if bound >= height {
		r.Status = model.Optimal
	}
	return r
}

// step returns a number that divides the height of every canonical plan.
func (e *engine) step() int64 {
	var g int64
	add := func(x int64) {
		for x != 0 {
			g, x = x, g%x
		}
	}
	buffers := e.tl.Problem.Buffers
	for i := range buffers {
		b := &buffers[i]
		add(b.Size)
		if b.Fixed != nil {
			add(*b.Fixed)
		}
		for _, gap := range b.Gaps {
			if gap.Window != nil {
				add(gap.Window.Lower)
				add(gap.Window.Upper)
			}
		}
	}
	// Rounding up to an alignment keeps multiples of g where it divides g or is a
	// multiple of it. An alignment that is neither takes g down to a divisor,
	// which others may not divide any more.
	for before := int64(0); before != g; {
		before = g
		for i := range buffers {
			if a := buffers[i].Align(); g%a != 0 {
				add(a)
			}
		}
	}
	return max(g, 1)
}
