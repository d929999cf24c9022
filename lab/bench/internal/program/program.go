// Package program runs planners as whole processes, ours and google/minimalloc, and
// verifies their plans. lab/bench/peers times them in turn.
package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/verify"
)

// A Program is one side of a comparison.
type Program struct {
	Name    string   `json:"name"`
	Version string   `json:"version,omitempty"` // as it reports it
	Note    string   `json:"note,omitempty"`
	SHA256  string   `json:"sha256"` // of the binary
	Args    []string `json:"args"`   // with IN, OUT and CAPACITY to fill in

	path    string
	version []string // arguments that make it print its version
	none    []int    // exit codes that mean: no plan was found
}

// Ours is the command at a path, with a planner of it.
func Ours(path, planner string) Program {
	return Program{
		Name: "stowage", path: path, version: []string{"version"}, none: []int{3, 4},
		Args: []string{
			"solve", "--planner", planner, "--workers", "1", "--capacity", "CAPACITY", "--quiet", "-o", "OUT", "IN",
		},
	}
}

// Minimalloc is google/minimalloc's program at a path.
func Minimalloc(path string) Program {
	return Program{
		Name: "minimalloc", path: path, none: []int{1},
		Args: []string{"--capacity=CAPACITY", "--input=IN", "--output=OUT"},
	}
}

// Build builds the command as a release does.
func Build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-trimpath", "-ldflags", "-s -w", "-o", path,
		"github.com/stowage-go/stowage/cmd/stowage")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// Identify records which binary this is. It also loads it into memory.
func (p *Program) Identify(ctx context.Context) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if p.version != nil {
		text, err := exec.CommandContext(ctx, p.path, p.version...).Output()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		p.Version = strings.TrimSpace(string(text))
	}
	return nil
}

// A Run is one execution.
type Run struct {
	Seconds float64
	Height  int64 // 0 without a plan
	Outcome string
}

// The outcomes of a run.
const (
	Planned  = "planned"
	NoPlan   = "no plan" // the program says that it found none
	TimedOut = "timed out"
)

// Run executes the program on an instance and verifies the plan. The error is for a plan that is invalid.
func (p *Program) Run(ctx context.Context, in comparison.Instance, timeout time.Duration, out string) (Run, error) {
	os.Remove(out)
	args := make([]string, len(p.Args))
	fill := strings.NewReplacer("CAPACITY", strconv.FormatInt(in.Capacity, 10), "IN", in.Path, "OUT", out)
	for i, a := range p.Args {
		args[i] = fill.Replace(a)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, p.path, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	r := Run{Seconds: time.Since(start).Seconds()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case limited.Err() != nil:
		r.Outcome = TimedOut
		return r, nil
	case errors.As(err, &exit) && slices.Contains(p.none, exit.ExitCode()):
		r.Outcome = NoPlan
		return r, nil
	case err != nil:
		return r, fmt.Errorf("%s on %s: %w: %s", p.Name, in.Name, err, strings.TrimSpace(stderr.String()))
	}
	placed, err := format.ReadPlan(out, in.Problem)
	if err != nil {
		return r, fmt.Errorf("%s on %s: %w", p.Name, in.Name, err)
	}
	if report := verify.Check(in.Problem, placed.Offsets, in.Capacity); !report.OK() {
		return r, fmt.Errorf("%s on %s: %s", p.Name, in.Name, report.Violations[0].Message)
	}
	r.Outcome, r.Height = Planned, placed.Height
	return r, nil
}
