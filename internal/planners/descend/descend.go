// Package descend turns a search that answers one question, "is there a plan of this partition within this height?",
// into a planner: partitions apart, with or without a capacity, down to the lowest plan.
package descend

import (
	"context"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the height of a plan is that of its highest partition, so only this partition is asked again, for one unit
// less. If the search finds a plan, the plan becomes lower. If it refutes the height, the run ends, since no plan is
// lower. The run also ends if every partition is at the lower bound. The first plan comes from the heuristics
// (greedy.Best), as in the systems of the papers.
//
// Invariant: the offsets in hand are a valid plan, and no plan is lower than the bound. A search that stops at a
// limit changes neither. A refutation counts only if no limit has come by its end.
//
// Complexity: one search for each improvement and one for the proof.
//
// Trials: docs/lab/planners.md (bisection goes first to where these searches are slowest, just under the optimum).

// An Outcome is the answer of a search.
type Outcome uint8

// The outcomes.
const (
	Stopped Outcome = iota // a limit came first
	Found
	Refuted // proven, unless the budget has ended by then: no plan is as low
)

// A Searcher answers for the partitions of one timeline.
type Searcher interface {
	// Fit looks for a plan of partition k with a height of at most height bytes. The offsets are in the order of
	// tl.Partitions[k].Buffers; they are nil unless the outcome is Found.
	Fit(k int, height int64) ([]int64, Outcome)
}

// Run makes a plan for the options with the searcher. step divides every height worth asking for; start says whether
// minimising may begin with the plan of the heuristics. The budget is the one that the searcher counts in.
func Run(ctx context.Context, tl *timeline.Timeline, o plan.Options, s Searcher, b *Budget, step int64,
	start bool,
) plan.Result {
	d := descent{tl: tl, o: o, s: s, b: b, step: max(step, 1), bound: tl.LowerBound}
	d.offsets, d.heights = make([]int64, len(tl.Problem.Buffers)), make([]int64, len(tl.Partitions))
	for i := range d.offsets {
		if at := tl.Problem.Buffers[i].Fixed; at != nil {
			d.offsets[i] = *at
		}
	}
	// Buffers that are never active are in no partition: no search moves them.
	d.rest = d.height(never(tl))
	r := d.run(ctx, start)
	r.Stats.Nodes, r.Stats.Backtracks = b.Nodes, b.Backtracks
	return r
}

type descent struct {
	tl      *timeline.Timeline
	o       plan.Options
	s       Searcher
	b       *Budget
	step    int64
	bound   int64
	offsets []int64
	heights []int64 // of the partitions
	rest    int64   // height of the buffers that are in no partition
}

func (d *descent) run(ctx context.Context, start bool) plan.Result {
	tl, o := d.tl, d.o
	if o.Capacity > 0 && d.rest > o.Capacity {
		return plan.Result{Status: model.Infeasible}
	}
	if !o.Minimizing() {
		return d.fit()
	}
	if r, ended := d.first(ctx, start); ended {
		return r
	}
	for k := range tl.Partitions {
		d.heights[k] = d.height(tl.Partitions[k].Buffers)
	}
	return d.improve()
}

// first takes a first plan: the caller's, the heuristics', or one search without a roof. The run may end with it.
func (d *descent) first(ctx context.Context, start bool) (r plan.Result, ended bool) {
	switch tl := d.tl; {
	case d.o.Start != nil:
		d.adopt(d.o.Start)
	case start:
		offsets, _, _ := greedy.Best(ctx, tl, d.o.Capacity)
		if offsets == nil {
			// Either fixed offsets collide, or a limit came first.
			if place.Collide(d.b.Watch, tl) == place.Collided {
				return plan.Result{Status: model.Infeasible}, true
			}
			return plan.Result{}, true
		}
		if d.b.Ended() {
			return d.untouched(offsets), true
		}
		d.adopt(offsets)
	default:
		for k := range tl.Partitions {
			if out := d.ask(k, d.roof(k)); out == Refuted {
				return plan.Result{Status: model.Infeasible}, true
			} else if out == Stopped {
				return plan.Result{}, true
			}
		}
	}
	return plan.Result{}, false
}

// improve lowers the partition that reaches highest, until it is at the bound, the search
// says that no plan of it is lower, or a limit comes.
func (d *descent) improve() plan.Result {
	o := d.o
	for {
		top, height := -1, d.rest
		for k, h := range d.heights {
			if h > height {
				top, height = k, h
			}
		}
		r := plan.Result{Plan: model.Plan{Offsets: d.offsets, Height: height}, LowerBound: min(d.bound, height)}
		fits := o.Fits(height)
		switch {
		case top < 0 || height <= d.bound:
			r.Status = model.Optimal
			return r
		case fits:
			r.Status = model.Feasible
		default:
			r = plan.Result{LowerBound: d.bound}
		}
		if d.b.Over() {
			return r
		}
		d.report(height, fits)
		next := height - 1
		if !fits {
			next = o.Capacity
		}
		if next = max(bound.Down(next, d.step), d.bound); !fits {
			next = min(next, o.Capacity)
		}
		switch d.ask(top, next) {
		case Stopped:
			return r
		case Refuted:
			if !fits {
				return plan.Result{Status: model.Infeasible, LowerBound: o.Capacity + 1}
			}
			// No plan of this partition is lower, so none of all is.
			d.bound = height
		}
	}
}

// untouched returns a plan as it is: to look at its partitions takes long if there are many buffers.
func (d *descent) untouched(offsets []int64) (r plan.Result) {
	r.LowerBound = d.bound
	if height := model.HeightOf(d.tl.Problem, offsets); d.o.Fits(height) {
		r.Status, r.Offsets, r.Height = model.Feasible, offsets, height
		r.LowerBound = min(d.bound, height)
	}
	return r
}

// fit answers with any plan within the capacity.
func (d *descent) fit() plan.Result {
	r := plan.Result{Status: model.Feasible}
	if s := d.o.Start; s != nil && d.o.Fits(model.HeightOf(d.tl.Problem, s)) {
		copy(d.offsets, s)
		r.Offsets = d.offsets
		return r
	}
	for k := range d.tl.Partitions {
		switch d.ask(k, d.o.Capacity) {
		case Refuted:
			return plan.Result{Status: model.Infeasible, LowerBound: d.o.Capacity + 1}
		case Stopped:
			// Another partition may still be refuted, but not without a budget.
			r.Status = model.Unknown
		}
		if d.b.Over() && r.Status == model.Unknown {
			return r
		}
	}
	if r.Status == model.Feasible {
		r.Offsets = d.offsets
	}
	return r
}

// adopt takes over the partitions of a plan. Buffers that are in no partition go to their lowest places, because no
// search would bring them down.
func (d *descent) adopt(offsets []int64) {
	for k := range d.tl.Partitions {
		for _, i := range d.tl.Partitions[k].Buffers {
			d.offsets[i] = offsets[i]
		}
	}
}

// ask runs the search and keeps what it finds.
func (d *descent) ask(k int, height int64) Outcome {
	offsets, out := d.s.Fit(k, height)
	if out == Refuted && d.b.Ended() {
		out = Stopped // once a limit has come, contradictions may be none
	}
	if out == Found {
		for j, i := range d.tl.Partitions[k].Buffers {
			d.offsets[i] = offsets[j]
		}
		d.heights[k] = d.height(d.tl.Partitions[k].Buffers)
	}
	return out
}

// roof returns a height that a stack of the partition's buffers does not pass.
func (d *descent) roof(k int) int64 {
	var fixed, sum int64
	for _, i := range d.tl.Partitions[k].Buffers {
		b := &d.tl.Problem.Buffers[i]
		if b.Fixed != nil {
			fixed = max(fixed, *b.Fixed+b.Size)
		} else {
			sum += b.Size + b.Align() - 1
		}
	}
	roof := fixed + sum
	if d.o.Capacity > 0 {
		roof = min(roof, d.o.Capacity)
	}
	return roof
}

func (d *descent) height(buffers []int32) int64 {
	var h int64
	for _, i := range buffers {
		h = max(h, d.offsets[i]+d.tl.Problem.Buffers[i].Size)
	}
	return h
}

func (d *descent) report(height int64, fits bool) {
	if d.o.Progress == nil {
		return
	}
	if !fits {
		height = 0
	}
	var offsets []int64
	if fits {
		offsets = d.offsets
	}
	d.b.Report(height, d.bound, offsets)
}

// never returns the buffers that are never active.
func never(tl *timeline.Timeline) []int32 {
	var idle []int32
	for i := range tl.Problem.Buffers {
		if first, last := tl.Extent(i); first == last {
			idle = append(idle, int32(i))
		}
	}
	return idle
}
