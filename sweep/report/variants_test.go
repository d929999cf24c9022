package report

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/sweep/core"
)

// TestVariants: a planner with options is set against itself without, question by question.
func TestVariants(t *testing.T) {
	made := func(planner, problem, status string, capacity, height, nodes int64) core.Row {
		return core.Row{
			Problem: problem, Name: problem, Load: 100, Planner: planner, Status: status, Capacity: capacity, Height: height,
			Nodes:   nodes,
			Seconds: float64(nodes) / 1000, NodeLimit: 1000,
		}
	}
	const without = "exact --without fronts"
	rows := []core.Row{
		made("exact", "a", "feasible", 120, 110, 10),
		made(without, "a", "feasible", 120, 110, 40),
		made("exact", "b", "infeasible", 120, 0, 10),
		made(without, "b", "infeasible", 120, 0, 90),
		made("exact", "c", "feasible", 120, 110, 10), // lost
		made(without, "c", "unknown", 120, 0, 1000),
		made("exact", "d", "unknown", 120, 0, 1000), // gained
		made(without, "d", "feasible", 120, 120, 10),
		made("exact", "e", "feasible", 0, 100, 10), // without a capacity a plan alone is no answer, but has a height
		made(without, "e", "feasible", 0, 121, 10),
		made("exact", "f", "feasible", 120, 110, 10),                    // the other was not asked
		made("tela --set strategy=size", "a", "feasible", 120, 110, 10), // nor was tela without options
	}
	implied := made("exact", "g", "optimal", 120, 110, 0)
	implied.Implied = true
	rows = append(rows, implied, made(without, "g", "optimal", 120, 110, 500))
	table := newPage(Input{Rows: rows}).variants()
	if table == nil || len(table.Rows) != 1 {
		t.Fatalf("%+v", table)
	}
	if got, want := strings.Join(table.Rows[0], "|"), without+"|4|6|1|1|6.000|6.000|1.066"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if text := write(t, Input{Rows: rows}); !strings.Contains(text, "What options are worth") {
		t.Error("the page has no such table")
	}
	if newPage(Input{Rows: rows[:1]}).variants() != nil {
		t.Error("a table of nothing")
	}
}
