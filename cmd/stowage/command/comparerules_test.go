package command

import (
	"testing"
	"time"

	"github.com/stowage-go/stowage"
)

// TestSortRuns: first the measures of the objective decide, in their order, then the time. Runs without a plan are
// last.
func TestSortRuns(t *testing.T) {
	run := func(name string, status stowage.Status, elapsed int, cost, height int64) ruledRun {
		r := &stowage.Result{Status: status, Objective: []stowage.Measure{"cost", "height"}}
		r.Measures = []stowage.Value{{Measure: "height", Value: height}, {Measure: "cost", Value: cost}}
		r.Stats.Elapsed = time.Duration(elapsed)
		return ruledRun{planner: name, result: r}
	}
	runs := []ruledRun{
		{planner: "refuses"},
		run("dear", stowage.Feasible, 1, 9, 1), run("none", stowage.Unknown, 1, 0, 0),
		run("high", stowage.Feasible, 1, 5, 8), run("slow", stowage.Optimal, 9, 5, 7), run("best", stowage.Optimal, 3, 5, 7),
	}
	sortRuns(runs)
	for k, want := range []string{"best", "slow", "high", "dear", "refuses", "none"} {
		if runs[k].planner != want {
			t.Errorf("%s is in place %d, not %s", runs[k].planner, k+1, want)
		}
	}
}
