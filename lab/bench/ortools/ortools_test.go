package ortools

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/verify"
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/milp"
)

func ask(t *testing.T, problems []*stowage.Problem, args ...string) []Outcome {
	t.Helper()
	outcomes, err := Run(t.Context(), problems, args...)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
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
	needPeer(t)
	var problems []*stowage.Problem
	for seed := range uint64(6) {
		p, err := gen.Generate("random", gen.Options{
			Buffers: 11, Seed: seed, Horizon: 30, MinLife: 4, MaxLife: 18, MaxSize: 12,
			Alignment: 1 + int64(seed%3), Gaps: float64(seed%2) * 0.4,
		})
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, p)
	}
	pairs, boxes := ask(t, problems, "--pairs"), ask(t, problems, "--boxes")
	for k, o := range ask(t, problems) {
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

// TestOracleDecides asks whether a capacity is enough, where it is and where it
// is not although the load would fit.
func TestOracleDecides(t *testing.T) {
	needPeer(t)
	var problems []*stowage.Problem
	for seed := range uint64(6) {
		for _, kind := range []string{"infeasible", "perfect"} {
			in, err := gen.New(kind, gen.Options{Buffers: 12, Seed: seed, Capacity: 60, Horizon: 60})
			if err != nil {
				t.Fatal(err)
			}
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
			r, err := stowage.Solve(t.Context(), problems[k], stowage.Options{Planner: name, NodeLimit: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status.HasPlan() && want == "infeasible" || r.Status == stowage.Infeasible && want == "feasible" {
				t.Errorf("%s on %s: %v; CP-SAT says %s", name, problems[k].Name, r.Status, want)
			}
		}
	}
}

// TestProve claims plans that are the lowest, and plans that are not: each model
// alone refutes a byte less than most of the first, and never a byte less than the second.
func TestProve(t *testing.T) {
	needPeer(t)
	var problems []*stowage.Problem
	var lowest, higher [][]int64
	var heights []int64
	for seed := range uint64(9) {
		p := drawn.Awkward(seed)
		r, err := stowage.Minimize(t.Context(), p, stowage.Options{Planner: "exact", NodeLimit: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != stowage.Optimal {
			continue
		}
		// The buffer that ends highest goes up by its alignment, if it may.
		top, up := 0, slices.Clone(r.Offsets)
		for i, o := range r.Offsets {
			if o+p.Buffers[i].Size > r.Offsets[top]+p.Buffers[top].Size {
				top = i
			}
		}
		up[top] += p.Buffers[top].Align()
		if !verify.CheckHeight(p, up, 0, r.Height+p.Buffers[top].Align()).OK() {
			continue
		}
		problems, heights = append(problems, p), append(heights, r.Height)
		lowest, higher = append(lowest, r.Offsets), append(higher, up)
	}
	for _, models := range []string{"chain", "ranks", "orders", "sections", "flow", "cubes", "plain", "layers"} {
		proven := 0
		outcomes, err := Prove(t.Context(), problems, lowest, "--timeout", "0.5", "--models", models)
		if err != nil {
			t.Fatal(err)
		}
		for k, o := range outcomes {
			if o.Height != heights[k] {
				t.Errorf("%s on %s: a plan of %d, though %d is the lowest", models, problems[k].Name, o.Height, heights[k])
			}
			if o.Status == "optimal" {
				proven++
			}
		}
		if outcomes, err = Prove(t.Context(), problems, higher, "--timeout", "0.5", "--models", models); err != nil {
			t.Fatal(err)
		}
		for k, o := range outcomes {
			if o.Status == "optimal" {
				t.Errorf("%s on %s: %d as the lowest, which is %d", models, problems[k].Name, o.Height, heights[k])
			}
		}
		t.Logf("%s: %d of %d", models, proven, len(problems))
		if proven == 0 {
			t.Errorf("%s proves nothing", models)
		}
	}
	if _, err := Prove(t.Context(), problems[:1], [][]int64{make([]int64, len(lowest[0]))}); err == nil {
		t.Error("a claim in which all lie on the ground is accepted")
	}
}
