package ortools

import (
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/milp"
)

func ask(t *testing.T, problems []*stowage.Problem, args ...string) []Outcome {
	t.Helper()
	return must.Get(Run(t.Context(), problems, args...))(t)
}

func needPeer(t *testing.T) {
	t.Helper()
	if err := Missing(); err != nil {
		t.Skip(err)
	}
}

// TestOracle minimises with CP-SAT and with each of the exact planners, on
// problems that are too large for the brute-force oracle.
func TestOracle(t *testing.T) {
	plantest.Nightly(t)
	needPeer(t)
	var problems []*stowage.Problem
	for seed := range uint64(6) {
		p := must.Get(gen.Generate("random", gen.Options{
			Buffers: 11, Seed: seed, Horizon: 30, MinLife: 4, MaxLife: 18, MaxSize: 12,
			Alignment: 1 + int64(seed%3), Gaps: float64(seed%2) * 0.4,
		}))(t)
		problems = append(problems, p)
	}
	pairs, boxes := ask(t, problems, "--pairs"), ask(t, problems, "--boxes")
	both := ask(t, problems, "--boxes", "--sections", "--processor", "--timeout", "600")
	for k, o := range ask(t, problems) {
		if both[k].Status != o.Status || both[k].Height != o.Height {
			t.Errorf("%s: %s %d with boxes and sections, %s %d with sections", problems[k].Name, both[k].Status,
				both[k].Height, o.Status, o.Height)
		}
		if boxes[k].Status != o.Status || boxes[k].Height != o.Height {
			t.Errorf("%s: %s %d with boxes, %s %d with sections", problems[k].Name, boxes[k].Status, boxes[k].Height,
				o.Status, o.Height)
		}
		if pairs[k].Status != o.Status || pairs[k].Height != o.Height {
			t.Errorf("%s: %s %d with a choice for each pair, %s %d with sections", problems[k].Name, pairs[k].Status,
				pairs[k].Height, o.Status, o.Height)
		}
		if o.Status != "optimal" || o.LowerBound != o.Height {
			t.Fatalf("%s: %s, height %d, bound %d", problems[k].Name, o.Status, o.Height, o.LowerBound)
		}
		for _, name := range []string{"exact", "tela", "milp", "cp", "csp", "meta-csp"} {
			r, err := stowage.Minimize(t.Context(), problems[k], stowage.Options{Planner: name, NodeLimit: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status == stowage.Optimal && r.Height != o.Height || r.Height < o.Height || r.LowerBound > o.Height {
				t.Errorf("%s on %s: %v, height %d, bound %d; CP-SAT proves %d", name, problems[k].Name, r.Status, r.Height,
					r.LowerBound, o.Height)
			}
			if name == "exact" && r.Status != stowage.Optimal {
				t.Errorf("exact on %s: %v", problems[k].Name, r.Status)
			}
		}
	}
}

// TestOracleDecides asks about capacities that are enough, and about ones that are not although the load fits.
func TestOracleDecides(t *testing.T) {
	plantest.Nightly(t)
	needPeer(t)
	var problems []*stowage.Problem
	for seed := range uint64(6) {
		for _, kind := range []string{"infeasible", "perfect"} {
			in := must.Get(gen.New(kind, gen.Options{Buffers: 12, Seed: seed, Capacity: 60, Horizon: 60}))(t)
			problems = append(problems, in.Problem)
		}
	}
	pairs, boxes := ask(t, problems, "--timeout", "600", "--pairs"), ask(t, problems, "--timeout", "600", "--boxes")
	for k, o := range ask(t, problems, "--timeout", "600") {
		if boxes[k].Status != o.Status {
			t.Errorf("%s: %s with boxes, %s with sections", problems[k].Name, boxes[k].Status, o.Status)
		}
		if pairs[k].Status != o.Status {
			t.Errorf("%s: %s with a choice for each pair, %s with sections", problems[k].Name, pairs[k].Status, o.Status)
		}
		want := []string{"infeasible", "feasible"}[k%2]
		if o.Status != want {
			t.Fatalf("%s: CP-SAT says %s", problems[k].Name, o.Status)
		}
		for _, name := range []string{"exact", "tela", "milp", "cp", "csp", "meta-csp"} {
			r := must.Get(stowage.Solve(t.Context(), problems[k], stowage.Options{Planner: name, NodeLimit: 10_000}))(t)
			if r.Status.HasPlan() && want == "infeasible" || r.Status == stowage.Infeasible && want == "feasible" {
				t.Errorf("%s on %s: %v; CP-SAT says %s", name, problems[k].Name, r.Status, want)
			}
		}
	}
}
