package main

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
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A program is one side of the comparison.
type program struct {
	Name    string   `json:"name"`
	Version string   `json:"version,omitempty"` // as it reports it
	Note    string   `json:"note,omitempty"`
	SHA256  string   `json:"sha256"` // of the binary
	Args    []string `json:"args"`   // with IN, OUT and CAPACITY to fill in

	path    string
	version []string // arguments that make it print its version
	none    []int    // exit codes that mean: no plan was found
}

func ours(path, planner string) program {
	return program{
		Name: "stowage", path: path, version: []string{"version"}, none: []int{3, 4},
		Args: []string{"solve", "--planner", planner, "--workers", "1", "--capacity", "CAPACITY", "--quiet", "-o", "OUT", "IN"},
	}
}

func minimalloc(path string) program {
	return program{
		Name: "minimalloc", path: path, none: []int{1},
		Args: []string{"--capacity=CAPACITY", "--input=IN", "--output=OUT"},
	}
}

// build builds the command as a release does.
func build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/stowage-go/stowage/cmd/stowage")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// identify records which binary this is. It also loads it into memory.
func (p *program) identify(ctx context.Context) error {
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

// A run is one execution.
type run struct {
	seconds float64
	height  int64 // 0 where there is no plan
	outcome string
}

// The outcomes of a run.
const (
	planned  = "planned"
	noPlan   = "no plan" // the program says that it found none
	timedOut = "timed out"
)

// run executes the program on an instance and verifies the plan. The error is
// for a plan that is invalid.
func (p *program) run(ctx context.Context, in experiment.Instance, timeout time.Duration, out string) (run, error) {
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
	r := run{seconds: time.Since(start).Seconds()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case limited.Err() != nil:
		r.outcome = timedOut
		return r, nil
	case errors.As(err, &exit) && slices.Contains(p.none, exit.ExitCode()):
		r.outcome = noPlan
		return r, nil
	case err != nil:
		return r, fmt.Errorf("%s on %s: %w: %s", p.Name, in.Name, err, strings.TrimSpace(stderr.String()))
	}
	offsets, err := format.ReadPlan(out, in.Problem)
	if err != nil {
		return r, fmt.Errorf("%s on %s: %w", p.Name, in.Name, err)
	}
	if report := verify.Check(in.Problem, offsets, in.Capacity); !report.OK() {
		return r, fmt.Errorf("%s on %s: %s", p.Name, in.Name, report.Violations[0].Message)
	}
	r.outcome, r.height = planned, model.HeightOf(in.Problem, offsets)
	return r, nil
}
