package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage"
)

// A Result is the outcome of planners × instances.
type Result struct {
	Planners  []string
	Instances []Instance
	Cells     [][]Cell // by instance, then by planner
	Extra     []*Run   // by instance: exact search, if it ran for the optimum alone
}

// A Cell is the runs of a planner on an instance. The first run counts. There are none if the request did not come to
// them.
type Cell []Run

// Median returns the median time of a cell; ok is false, and the time infinite, if it has no answer.
func (c Cell) Median() (seconds float64, ok bool) {
	if len(c) == 0 || !c[0].Solved() {
		return math.Inf(1), false
	}
	var all []float64
	for k := range c {
		all = append(all, c[k].Seconds)
	}
	return Median(all), true
}

// Spread returns the least and the greatest time of a cell that has several runs with
// an answer; ok is false for any other.
func (c Cell) Spread() (least, most float64, ok bool) {
	if len(c) < 2 || !c[0].Solved() {
		return 0, 0, false
	}
	least, most = c[0].Seconds, c[0].Seconds
	for k := range c {
		least, most = min(least, c[k].Seconds), max(most, c[k].Seconds)
	}
	return least, most, true
}

// seconds is the time of a cell: the median of its runs, or the time of the only run.
func (c Cell) seconds() float64 {
	if median, ok := c.Median(); ok {
		return median
	}
	return c[0].Seconds
}

// secondsText is seconds with the spread, if there is one.
func (c Cell) secondsText() string {
	s := secondsText(c.seconds())
	if least, most, ok := c.Spread(); ok {
		s += " (" + secondsText(least) + "–" + secondsText(most) + ")"
	}
	return s
}

// repeated reports whether there is a cell of several runs.
func (c *Result) repeated() bool {
	for _, cells := range c.Cells {
		for _, cell := range cells {
			if _, _, ok := cell.Spread(); ok {
				return true
			}
		}
	}
	return false
}

// At returns the run of a planner on an instance that counts, nil if it was not made.
func (c *Result) At(instance, planner int) *Run {
	if cell := c.Cells[instance][planner]; len(cell) > 0 {
		return &cell[0]
	}
	return nil
}

// runs yields the runs that count on an instance, then the one for the optimum.
func (c *Result) runs(instance int) func(yield func(*Run) bool) {
	return func(yield func(*Run) bool) {
		for k := range c.Planners {
			if r := c.At(instance, k); r != nil && !yield(r) {
				return
			}
		}
		if r := c.Extra[instance]; r != nil {
			yield(r)
		}
	}
}

// proven reports whether a run has proven the lowest height of an instance, or that there is no plan.
func (c *Result) proven(instance int) bool {
	for r := range c.runs(instance) {
		if r.proven() {
			return true
		}
	}
	return false
}

// Optimum returns the proven lowest height of an instance, or 0. The proof is an optimal run, or a plan as low as a
// bound of another run.
func (c *Result) Optimum(instance int) int64 {
	lowest, bound := int64(math.MaxInt64), c.Instances[instance].LowerBound
	for r := range c.runs(instance) {
		if r.HasPlan() {
			lowest = min(lowest, r.Height)
		}
		if !r.Is(stowage.Infeasible) { // its bound is about a capacity
			bound = max(bound, r.LowerBound)
		}
	}
	if lowest <= bound {
		return lowest
	}
	return 0
}

// Err is the error for the runs that show a mistake: plans that the verifier refused, and planners that died.
func (c *Result) Err() error {
	var errs []error
	for k := range c.Instances {
		for r := range c.runs(k) {
			if r.broken() {
				errs = append(errs, fmt.Errorf("%s: %s", c.Instances[k].Name, r.Message))
			}
		}
	}
	return errors.Join(errs...)
}

// A line is a planner with its plans, for the order of the rows.
type line struct {
	planner int
	ratios  []float64 // height over load, of the instances it has a plan for
	mean    float64   // geometric
}

// lines returns the planners, those that planned most first, then the lowest.
func (c *Result) lines() []line {
	lines := make([]line, len(c.Planners))
	for k := range lines {
		l := &lines[k]
		l.planner = k
		for i := range c.Instances {
			if r := c.At(i, k); r != nil && r.HasPlan() {
				l.ratios = append(l.ratios, c.Instances[i].Ratio(r.Height))
			}
		}
		l.mean = GeometricMean(l.ratios)
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(len(b.ratios), len(a.ratios)), cmp.Compare(a.mean, b.mean))
	})
	return lines
}
