// Package figures has the outcome of a run as figures and single words: what `stowage solve
// --stats` writes. The C library writes the same. The package for npm has the words.
package figures

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Figures are the outcome of a run. The keys are a contract; new ones go to the end.
type Figures struct {
	Status     model.Status `json:"status"`
	Height     int64        `json:"height"` // bytes; 0 if there is no plan
	LowerBound int64        `json:"lower_bound"`
	Capacity   int64        `json:"capacity"` // bytes; 0 if there is none
	Planner    string       `json:"planner"`
	Buffers    int          `json:"buffers"`
	Nodes      int64        `json:"nodes"`
	Backtracks int64        `json:"backtracks"`
	Seconds    float64      `json:"seconds"` // wall-clock time in the planner
	// Stopped says why the run ended without an answer; it is empty if there is an answer.
	Stopped plan.Stop `json:"stopped"`
	// Enough and NotEnough are set only if the status is unknown. Enough is the smallest capacity that is known to be
	// enough, 0 if none is. NotEnough is the largest capacity that is proven not to be enough.
	Enough    int64 `json:"enough,omitempty"`
	NotEnough int64 `json:"not_enough,omitempty"`
	// Reason says in words why nothing fits. It is set only if the status is infeasible.
	Reason string `json:"reason,omitempty"`
	// FoundBy, ProvedBy and Ended are single words: see the functions of these names, and plan.Result.
	FoundBy  string `json:"found_by"`
	ProvedBy string `json:"proved_by"`
	Ended    string `json:"ended"`
	// Objective, Measures and Bounds are set only if the problem has rules.
	Objective []model.Measure         `json:"objective,omitempty"`
	Measures  map[model.Measure]int64 `json:"measures,omitempty"`
	Bounds    map[model.Measure]int64 `json:"bounds,omitempty"`
	// Ends says how the ends of lifespans in a file were read: inclusive or half-open. It is empty if the name of the
	// column alone says it.
	Ends string `json:"ends,omitempty"`
	// TimeScale is what the times of a file were multiplied by, because they have fractions; 0 if they have none.
	TimeScale int64 `json:"time_scale,omitempty"`
}

// Read sets how the times of a file were read. A scale of 1 is none.
func (f *Figures) Read(ends string, scale int64) {
	if f.Ends = ends; scale > 1 {
		f.TimeScale = scale
	}
}

// Of returns the figures of a run. p.Capacity is the capacity that the run had to fit, and
// minimize is Options.Minimize.
func Of(r *plan.Result, p *model.Problem, minimize bool) Figures {
	f := Figures{
		Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Capacity: p.Capacity,
		Planner: r.Planner, Buffers: len(p.Buffers),
		Nodes: r.Stats.Nodes, Backtracks: r.Stats.Backtracks, Seconds: r.Stats.Elapsed.Seconds(),
		Stopped: r.Stopped, FoundBy: FoundBy(r), ProvedBy: r.ProvedBy, Ended: Ended(r, p.Capacity, minimize),
	}
	if r.Status == model.Unknown {
		f.Enough, f.NotEnough = r.Enough, max(0, r.LowerBound-1)
	}
	f.Objective, f.Measures, f.Bounds = r.Objective, byName(r.Measures), byName(r.Bounds)
	if r.Status == model.Infeasible {
		f.Reason = explain.Reason(p, p.Capacity, r.LowerBound, func(id string) string { return id })
	}
	return f
}

func byName(values []model.Value) map[model.Measure]int64 {
	if values == nil {
		return nil
	}
	of := make(map[model.Measure]int64, len(values))
	for _, v := range values {
		of[v.Measure] = v.Value
	}
	return of
}

// FoundBy returns who found the plan: the part of the planner, or the planner itself. It is empty if there is no plan.
func FoundBy(r *plan.Result) string {
	if !r.Status.HasPlan() {
		return ""
	}
	return cmp.Or(r.Member, r.Planner)
}

// The words of Ended for a run that no limit ended.
const (
	Proof = "proof" // the plan is proven to be the lowest, or it is proven that none fits
	Fits  = "fits"  // the plan fits the capacity, and a lower one was not asked for
	Done  = "done"  // a heuristic came to its end
)

// Ended says in one word why a run ended: Proof, Fits, Done or what r.Stopped says. capacity
// is the one that the run had to fit, 0 for none, and minimize is Options.Minimize.
func Ended(r *plan.Result, capacity int64, minimize bool) string {
	switch {
	case r.Stopped != plan.Finished:
		return string(r.Stopped)
	case r.Status == model.Optimal || r.Status == model.Infeasible:
		return Proof
	case r.Status == model.Feasible && (capacity > 0 && !minimize || len(r.Objective) > 0):
		return Fits // with rules, a run that minimises and proves nothing says what stopped it
	}
	return Done
}
