// Package ortools is an outside peer: peer.py plans with OR-Tools CP-SAT, with one
// no-overlap for each maximal section. Where Python has ortools (pip install
// ortools), the tests here hold the exact planners against it, and bench/paper
// has it as a column: it shares no code with them. decide.py asks CP-SAT with other
// models whether a plan that somebody claims to be the lowest is that.
package ortools

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/verify"
)

//go:embed *.py
var scripts embed.FS

// An Outcome is what peer.py says of a problem.
type Outcome struct {
	Name       string
	Status     string // as stowage's
	Height     int64
	LowerBound int64 `json:"lower_bound"`
	Seconds    float64
	Model      string           // what decided: peer, or one of decide.py's
	Offsets    map[string]int64 // by id; nil without a plan
}

// Python returns the interpreter to run: STOWAGE_PYTHON, else python3.
func Python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

// Missing returns why the peer cannot run, nil where it can.
func Missing() error {
	if err := exec.Command(Python(), "-c", "import ortools.sat.python.cp_model").Run(); err != nil {
		return fmt.Errorf("%s has no ortools (pip install ortools)", Python())
	}
	return nil
}

// Run plans problems with peer.py, each for its own capacity where it has one. args
// are peer.py's flags. The error is also for a plan that is not valid.
func Run(ctx context.Context, problems []*stowage.Problem, args ...string) ([]Outcome, error) {
	return run(ctx, "peer.py", problems, nil, args)
}

// Prove asks whether any plan is lower than the one that is claimed for each problem,
// with decide.py and its flags: optimal where CP-SAT refutes a byte less, feasible
// where it does not end or has found a lower plan. The error is also for a claim that CP-SAT does
// not take for a plan.
func Prove(ctx context.Context, problems []*stowage.Problem, claims [][]int64, args ...string) ([]Outcome, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return nil, err
	}
	return run(ctx, "decide.py", problems, text, args)
}

// run runs a script on the problems, with claims where there are any.
func run(ctx context.Context, script string, problems []*stowage.Problem, claims []byte, args []string) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "stowage-ortools")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, scripts); err != nil {
		return nil, err
	}
	args = append([]string{filepath.Join(dir, script)}, args...)
	if claims != nil {
		path := filepath.Join(dir, "claims.json")
		if err := os.WriteFile(path, claims, 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--claims", path)
	}
	for k, p := range problems {
		path := filepath.Join(dir, fmt.Sprintf("p%d.csv", k))
		if p.Capacity > 0 {
			path = filepath.Join(dir, fmt.Sprintf("p%d.%d.csv", k, p.Capacity))
		}
		var text bytes.Buffer
		if err := csv.Write(&text, p, nil); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			return nil, err
		}
		args = append(args, path)
	}
	cmd := exec.CommandContext(ctx, Python(), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", script, err, stderr.Bytes())
	}
	var outcomes []Outcome
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var o Outcome
		if err := d.Decode(&o); err != nil {
			return nil, fmt.Errorf("%s: %w", script, err)
		}
		outcomes = append(outcomes, o)
	}
	if len(outcomes) != len(problems) {
		return nil, fmt.Errorf("%s: %d lines for %d problems:\n%s", script, len(outcomes), len(problems), out)
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
			return nil, fmt.Errorf("%s: %s's plan: %v", p.Name, script, report.Violations)
		}
	}
	return outcomes, nil
}
