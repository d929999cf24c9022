// Package ortools is an outside peer: peer.py plans with OR-Tools CP-SAT, with one
// no-overlap for each maximal section. Where Python has ortools (pip install
// ortools), the tests here hold the exact planners against it, and lab/bench/outside
// has it as a column: it shares no code with them. decide.py asks CP-SAT with other
// models whether a plan that somebody claims to be the lowest is that.
package ortools

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/lab/bench/internal/script"
)

//go:embed *.py
var scripts embed.FS

// An Outcome is what peer.py or decide.py says of a problem.
type Outcome = script.Outcome

// Python returns the interpreter to run: STOWAGE_PYTHON, else python3.
func Python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

// Missing returns why the peer cannot run, nil if it can.
func Missing() error {
	if err := exec.Command(Python(), "-c", "import ortools.sat.python.cp_model").Run(); err != nil {
		return fmt.Errorf("%s has no ortools (pip install ortools)", Python())
	}
	return nil
}

// Run plans problems with peer.py, each for its own capacity if it has one. args
// are peer.py's flags. The error is also for a plan that is not valid.
func Run(ctx context.Context, problems []*stowage.Problem, args ...string) ([]Outcome, error) {
	return run(ctx, "peer.py", problems, nil, args)
}

// Prove asks whether any plan is lower than the one that is claimed for each problem,
// with decide.py and its flags: optimal where CP-SAT refutes a byte less, feasible
// if it does not end or has found a lower plan. The error is also for a claim that CP-SAT does
// not take for a plan.
func Prove(ctx context.Context, problems []*stowage.Problem, claims [][]int64, args ...string) ([]Outcome, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return nil, err
	}
	return run(ctx, "decide.py", problems, text, args)
}

// run runs a script on the problems, with claims if there are any.
func run(ctx context.Context, name string, problems []*stowage.Problem, claims []byte,
	args []string,
) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "stowage-ortools")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, scripts); err != nil {
		return nil, err
	}
	if claims != nil {
		path := filepath.Join(dir, "claims.json")
		if err := os.WriteFile(path, claims, 0o600); err != nil {
			return nil, err
		}
		args = append(slices.Clone(args), "--claims", path)
	}
	return script.Run(ctx, Python(), filepath.Join(dir, name), problems, args...)
}
