package arena_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	trace "github.com/stowage-go/stowage/format/arena"
)

// TestCompare draws cycles. A planner that sees the future gets the problem of the plan, so it never takes less than
// the lowest plan.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 40))
	above := 0
	for range 300 {
		period := 3 + r.Int64N(6)
		var lane trace.Lane
		for range 3 + r.IntN(6) {
			lower := r.Int64N(period)
			lane.Allocations = append(lane.Allocations, trace.Allocation{
				Size: 64 * (1 + r.Int64N(3)), Alignment: 64, Lower: lower, Upper: lower + 1 + r.Int64N(period), Offset: trace.None,
			})
		}
		plans := []trace.Plan{{Name: "step", Period: period, Alignment: 64, Lanes: []trace.Lane{lane}}}
		least, err := stowage.Minimize(t.Context(), trace.Heaps(plans)[0].Problem, stowage.Options{})
		if err != nil || least.Status != stowage.Optimal {
			t.Fatalf("%v, %+v", err, least)
		}
		found, err := arena.Compare(t.Context(), plans, []string{arena.CachingName, "first-fit", "exact"})
		if err != nil || len(found) != 3 || found[0].Name != arena.CachingName || found[1].Name != "first-fit" {
			t.Fatalf("%v, %+v", err, found)
		}
		for _, b := range found {
			switch {
			case b.Bytes < least.Height && !arena.Roams(b.Name):
				t.Fatalf("%s takes %d, the least plan %d: %+v", b.Name, b.Bytes, least.Height, lane)
			case b.Name == "exact" && b.Bytes != least.Height:
				t.Fatalf("exact takes %d, the least plan %d: %+v", b.Bytes, least.Height, lane)
			}
		}
		if h := trace.Heaps(plans)[0]; arena.Load(&h) < least.Height {
			above++
		}
	}
	if t.Logf("%d above the load", above); above < 5 {
		t.Error("the test is lopsided")
	}
}
