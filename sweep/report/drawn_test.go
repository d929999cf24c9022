package report

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/sweep/core"
)

// row makes a row of problem p, whose load is 1000 × (p+1), at a percentage of the load; 0 for none.
func row(problem int, planner string, percent int64, status string, height int64) core.Row {
	load := int64(1000 * (problem + 1))
	r := core.Row{
		Task: fmt.Sprintf("%s-%d", planner, problem), Problem: fmt.Sprintf("d%03d", problem),
		Name:    fmt.Sprintf("problem-%d", problem),
		Buffers: 10, Load: load, Planner: planner, Capacity: load * percent / 100, Status: status, Height: height,
		LowerBound: load,
		Seconds:    0.001, Nodes: 100, NodeLimit: 1000, Attempt: 1, Host: "a", Version: "v1",
	}
	r.Share = float64(r.Capacity) / float64(load)
	return r
}

// drawn has rows of so many planners on problems at capacities, with every status.
func drawn(planners, problems int, percents ...int64) (rows []core.Row) {
	state := uint64(7)
	draw := func(n uint64) uint64 { return splitmix.Next(&state) % n }
	for k := range planners {
		for p := range problems {
			load := int64(1000 * (p + 1))
			height := load + load*int64(draw(uint64(10*(k+1)+1)))/100
			for _, percent := range percents {
				r := row(p, fmt.Sprintf("planner-%02d", k), percent, "feasible", height)
				r.Seconds, r.Nodes = float64(1+draw(1000))/1e5*float64(k+1), int64(draw(1000))
				switch {
				case percent > 0 && height > r.Capacity && (k == 0 || draw(3) == 0) && p%2 == 0:
					r.Status, r.Height = "unknown", 0
					r.Stopped = []string{"nodes", "timeout", "effort"}[draw(3)]
				case percent > 0 && height > r.Capacity:
					r.Status, r.Height, r.Stopped = "unknown", 0, "nodes"
				case percent > 100 && draw(4) == 0:
					r.Implied, r.Seconds, r.Nodes = true, 0, 0
				case draw(40) == 0:
					r.Status, r.Height, r.Message = "refused", 0, "planner refuses gaps"
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}
