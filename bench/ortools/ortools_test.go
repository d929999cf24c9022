package ortools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/verify"
	_ "github.com/stowage-go/stowage/planner/milp"
)

// outcome is a line of peer.py.
type outcome struct {
	Name       string
	Status     string
	Height     int64
	LowerBound int64 `json:"lower_bound"`
	Offsets    map[string]int64
}

// ask runs peer.py on problems, each in a file of its own.
func ask(t *testing.T, problems []*stowage.Problem, args ...string) []outcome {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"peer.py"}, args...)
	for k, p := range problems {
		path := filepath.Join(dir, fmt.Sprintf("p%d.csv", k))
		if p.Capacity > 0 {
			path = filepath.Join(dir, fmt.Sprintf("p%d.%d.csv", k, p.Capacity))
		}
		var text bytes.Buffer
		if err := csv.Write(&text, p, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command(python(), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var outcomes []outcome
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var o outcome
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, o)
	}
	if len(outcomes) != len(problems) {
		t.Fatalf("%d lines for %d problems:\n%s", len(outcomes), len(problems), out)
	}
	for k, p := range problems {
		o := outcomes[k]
		if o.Offsets == nil {
			continue
		}
		offsets := make([]int64, len(p.Buffers))
		for i := range p.Buffers {
			offsets[i] = o.Offsets[p.Buffers[i].ID]
		}
		if report := verify.CheckHeight(p, offsets, p.Capacity, o.Height); !report.OK() {
			t.Fatalf("%s: peer.py's plan: %v", p.Name, report.Violations)
		}
	}
	return outcomes
}

// python is STOWAGE_PYTHON, else python3.
func python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

func needPeer(t *testing.T) {
	t.Helper()
	if err := exec.Command(python(), "-c", "import ortools.sat.python.cp_model").Run(); err != nil {
		t.Skip(python() + " has no ortools (pip install ortools)")
	}
}

// TestOracle minimises with CP-SAT and with each of the exact planners, on
// problems that are too large for the brute-force oracle.
func TestOracle(t *testing.T) {
	needPeer(t)
	var problems []*stowage.Problem
	for seed := range uint64(6) {
		p, err := suite.Generate("random", suite.Options{
			Buffers: 11, Seed: seed, Horizon: 30, MinLife: 4, MaxLife: 18, MaxSize: 12,
			Alignment: 1 + int64(seed%3), Gaps: float64(seed%2) * 0.4,
		})
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, p)
	}
	for k, o := range ask(t, problems) {
		if o.Status != "optimal" || o.LowerBound != o.Height {
			t.Fatalf("%s: %s, height %d, bound %d", problems[k].Name, o.Status, o.Height, o.LowerBound)
		}
		for _, name := range []string{"exact", "tela", "milp", "cp", "csp", "meta-csp"} {
			r, err := stowage.Minimize(t.Context(), problems[k], stowage.Options{Planner: name, Timeout: 500 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status == stowage.Optimal && r.Height != o.Height || r.Height < o.Height || r.LowerBound > o.Height {
				t.Errorf("%s on %s: %v, height %d, bound %d; CP-SAT proves %d", name, problems[k].Name, r.Status, r.Height, r.LowerBound, o.Height)
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
			in, err := suite.New(kind, suite.Options{Buffers: 12, Seed: seed, Capacity: 60, Horizon: 60})
			if err != nil {
				t.Fatal(err)
			}
			problems = append(problems, in.Problem)
		}
	}
	for k, o := range ask(t, problems, "--timeout", "20") {
		want := []string{"infeasible", "feasible"}[k%2]
		if o.Status != want {
			t.Fatalf("%s: CP-SAT says %s", problems[k].Name, o.Status)
		}
		for _, name := range []string{"exact", "tela", "milp", "cp", "csp", "meta-csp"} {
			r, err := stowage.Solve(t.Context(), problems[k], stowage.Options{Planner: name, Timeout: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status.HasPlan() && want == "infeasible" || r.Status == stowage.Infeasible && want == "feasible" {
				t.Errorf("%s on %s: %v; CP-SAT says %s", name, problems[k].Name, r.Status, want)
			}
		}
	}
}
