package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/sweep/core"
)

// WriteRuns writes rows as a file of runs, as `stowage compare --resume` and lab/bench/paper keep them: a line of JSON
// for each run. Rows that are implied were not run and are left out, so the file has the runs that a reader could make
// again. It has the version, and not the host: such files are published.
func WriteRuns(w io.Writer, rows []core.Row) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for k := range rows {
		r := &rows[k]
		if r.Implied {
			continue
		}
		run := comparison.Run{
			Problem: r.Problem, Name: r.Name, Planner: r.Planner, Capacity: r.Capacity, Timeout: r.Timeout, Nodes: r.NodeLimit,
			Workers: 1, Seed: uint64(r.Seed), Solve: r.Capacity > 0,
			Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Seconds: r.Seconds, Message: r.Message,
			Visited: r.Nodes, On: r.Version,
		}
		if err := e.Encode(run); err != nil {
			return err
		}
	}
	return out.Flush()
}
