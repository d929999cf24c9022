package agree

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/plan"
)

// TestNodeLimitHolds has no search report more nodes than its limit, auto over all that it runs. A heuristic counts
// placements and looks at its limit between plans only, some of which take three passes.
func TestNodeLimitHolds(t *testing.T) {
	t.Parallel()
	seeds := plantest.Share[uint64](250, 30, 60)
	judge := new(oracle.Orders)
	limited := map[string]int{}
	for seed := range seeds {
		c := CaseOf(seed, judge)
		n := int64(len(c.Problem.Buffers))
		for _, planner := range run.All() {
			info := planner.Info()
			if info.Name == "milp" {
				continue // takes seconds a problem
			}
			search := info.Exact || info.Name == "climb" || info.Name == "merge"
			for _, limit := range []int64{1, 2, 3, 7, 20, 49, 200} {
				for _, o := range []plan.Options{
					{}, {Capacity: c.Height}, {Capacity: max(c.Height-1, 1)}, {Capacity: c.Height, Minimize: true},
				} {
					o.NodeLimit = limit
					r, err := run.Run(context.Background(), planner, c.tl, o)
					if err != nil {
						continue // does not take this problem
					}
					most := limit
					if !search {
						most = limit + 3*n - 1
					}
					if r.Stats.Nodes > most {
						t.Fatalf("seed %d: %s, capacity %d: %d nodes with a limit of %d", seed, info.Name, o.Capacity,
							r.Stats.Nodes, limit)
					}
					if r.Stopped == plan.StopNodes {
						limited[info.Name]++
					}
				}
			}
		}
	}
	for _, name := range []string{"auto", "exact", "climb", "merge", "csp", "tela"} {
		if limited[name] == 0 {
			t.Errorf("no limit came for %s", name)
		}
	}
}
