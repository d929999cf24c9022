package exact

import (
	"context"
	"os"
	"testing"

	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// All tests but those of this file are of the planner as programs have it that have auto.
func TestMain(m *testing.M) {
	Interlocking()
	os.Exit(m.Run())
}

// TestAlone has no search for windows that interlock: what is said is true all the same,
// what is said of other problems is as much, and some problems are left open.
func TestAlone(t *testing.T) {
	with := complete
	defer func() { complete = with }()
	open := 0
	for seed := range uint64(3000) {
		p := suite.Wide(seed)
		tl := timeline.New(p)
		complete = with
		want, err := (&Planner{}).Plan(context.Background(), tl, plan.Options{NodeLimit: 20000})
		if err != nil || want.Status != model.Optimal && want.Status != model.Infeasible {
			continue
		}
		complete = nil
		r, err := (&Planner{}).Plan(context.Background(), tl, plan.Options{NodeLimit: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status.HasPlan() {
			if report := verify.Check(p, r.Offsets, 0); !report.OK() || want.Status == model.Optimal && report.Height < model.HeightOf(p, want.Offsets) {
				t.Fatalf("seed %d: %v, height %d:%s", seed, report.Violations, report.Height, suite.Describe(p))
			}
		}
		interlock := false
		for _, part := range tl.Partitions {
			found, _ := tl.Interlocks(part, func() bool { return false })
			interlock = interlock || found
		}
		if r.Status == want.Status {
			if want.Status == model.Optimal && model.HeightOf(p, r.Offsets) != model.HeightOf(p, want.Offsets) {
				t.Fatalf("seed %d: optimal at %d, not %d:%s", seed, model.HeightOf(p, r.Offsets), model.HeightOf(p, want.Offsets), suite.Describe(p))
			}
			continue
		}
		if !interlock || r.Status == model.Optimal || r.Status == model.Infeasible {
			t.Fatalf("seed %d: %v, not %v:%s", seed, r.Status, want.Status, suite.Describe(p))
		}
		open++
	}
	if open == 0 {
		t.Error("no problem is left open")
	}
}
