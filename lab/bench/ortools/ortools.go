// Package ortools is an outside peer: peer.py plans with OR-Tools CP-SAT, with one no-overlap for each maximal
// section. Where Python has ortools (pip install ortools), the tests here compare the exact planners with it, and
// lab/bench/outside makes it a planner of stowage-lab: it shares no code with them.
package ortools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/lab/bench/internal/script"
)

// Peer is the script.
//
//go:embed peer.py
var Peer []byte

// An Outcome is what peer.py says of a problem.
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

// Run plans problems with peer.py, each for its own capacity if it has one. args are peer.py's flags. An invalid plan
// is an error, too.
func Run(ctx context.Context, problems []*stowage.Problem, args ...string) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "stowage-ortools")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "peer.py")
	if err := os.WriteFile(path, Peer, 0o600); err != nil {
		return nil, err
	}
	return script.Run(ctx, Python(), path, problems, args...)
}
