// Package script runs outside planners through scripts in Python. Such a script takes CSV files, in the form that the
// command writes, and prints one JSON object a line for each: an Outcome. Every plan is verified here.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/verify"
)

// An Outcome is a script's result for a problem.
type Outcome struct {
	Name       string
	Status     string // as stowage's
	Height     int64
	LowerBound int64 `json:"lower_bound"`
	Seconds    float64
	Model      string           // what decided, if the script has several
	Offsets    map[string]int64 // by id; nil without a plan
}

// Run runs a script on problems, with its flags in front of the files. A problem's file has its capacity in its name
// if it has one. An invalid plan is an error, too.
func Run(ctx context.Context, python, script string, problems []*stowage.Problem, args ...string) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "stowage-script")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Base(script)
	args = append([]string{script}, args...)
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
	cmd := exec.CommandContext(ctx, python, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, stderr.Bytes())
	}
	var outcomes []Outcome
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var o Outcome
		if err := d.Decode(&o); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		outcomes = append(outcomes, o)
	}
	if len(outcomes) != len(problems) {
		return nil, fmt.Errorf("%s: %d lines for %d problems:\n%s", name, len(outcomes), len(problems), out)
	}
	for k, p := range problems {
		o := outcomes[k]
		if o.Offsets == nil {
			continue
		}
		offsets := make([]int64, len(p.Buffers))
		for i := range p.Buffers {
			at, ok := o.Offsets[p.Buffers[i].ID]
			if !ok {
				return nil, fmt.Errorf("%s: %s's plan has no %q", p.Name, name, p.Buffers[i].ID)
			}
			offsets[i] = at
		}
		if report := verify.CheckHeight(p, offsets, p.Capacity, o.Height); !report.OK() {
			return nil, fmt.Errorf("%s: %s's plan: %v", p.Name, name, report.Violations)
		}
	}
	return outcomes, nil
}
