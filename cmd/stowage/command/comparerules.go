package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/model"
)

// A problem with rules has several measures, and no load to divide a height by. So each has a table of its own:
// planners with their status, the measures of the objective, and the time. A planner that refuses the problem is named
// below it, with its reason.

// A ruledRun is the outcome of one planner.
type ruledRun struct {
	planner string
	result  *stowage.Result // nil if the planner refuses the problem
	refused error
}

// checkRuled refuses what does not go with rules.
func (c *compareFlags) checkRuled(files []*format.File, inputs []string) error {
	for k, f := range files {
		if !f.Problem.Ruled() {
			return usagef("%s has no rules, and others have: compare takes one kind at a time", inputs[k])
		}
	}
	if len(c.paths) > 0 || c.format != "" && c.format != "json" || c.resume != "" || c.repeat > 1 {
		return usagef("-o, --format, --resume and --repeat do not go with rules: compare prints a table, or JSON with --json")
	}
	return nil
}

// runRuled compares planners on problems with rules.
func (c *compareFlags) runRuled(cmd *cobra.Command, files []*format.File, inputs, planners []string) error {
	if err := c.checkRuled(files, inputs); err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	all := []ruledJSON{}
	for k, f := range files {
		var runs []ruledRun
		for _, planner := range planners {
			if ctx.Err() != nil {
				return outcome(exitUndecided)
			}
			o := stowage.Options{
				Planner: planner, Timeout: time.Duration(c.timeout), NodeLimit: c.nodes, Workers: c.workers, Seed: c.seed,
			}
			r, err := solve(ctx, cmd.ErrOrStderr(), c.quiet, f.Problem, o)
			switch {
			case errors.Is(err, stowage.ErrUnsupported):
				runs = append(runs, ruledRun{planner: planner, refused: err})
			case errors.Is(err, stowage.ErrInvalidPlan):
				return internalError{err}
			case err != nil:
				return err
			default:
				runs = append(runs, ruledRun{planner: planner, result: r})
			}
		}
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return outcome(exitUndecided)
		}
		sortRuns(runs)
		if c.format == "json" {
			all = append(all, jsonOf(nameOf(inputs[k]), f.Problem, runs))
			continue
		}
		err := writeText(cmd, "", func(w io.Writer) error {
			if k > 0 {
				fmt.Fprintln(w)
			}
			return writeRuns(w, columns(cmd.OutOrStdout()), nameOf(inputs[k]), f.Problem, runs)
		})
		if err != nil {
			return err
		}
	}
	if c.format == "json" {
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, all) })
	}
	return nil
}

// ruledJSON is a problem with its runs, the best first. The keys are a contract with scripts.
type ruledJSON struct {
	Problem string         `json:"problem"`
	Buffers int            `json:"buffers"`
	Runs    []ruledRunJSON `json:"runs"`
}

type ruledRunJSON struct {
	Planner  string           `json:"planner"`
	Status   string           `json:"status,omitempty"`
	Measures map[string]int64 `json:"measures,omitempty"`
	Seconds  float64          `json:"seconds"`
	Refused  string           `json:"refused,omitempty"`
}

func jsonOf(name string, p *stowage.Problem, runs []ruledRun) ruledJSON {
	out := ruledJSON{Problem: name, Buffers: len(p.Buffers), Runs: []ruledRunJSON{}}
	for _, run := range runs {
		one := ruledRunJSON{Planner: run.planner}
		if run.refused != nil {
			one.Refused = run.refused.Error()
		}
		if r := run.result; r != nil {
			one.Status, one.Seconds = r.Status.String(), r.Stats.Elapsed.Seconds()
			if r.Status.HasPlan() {
				one.Measures = map[string]int64{}
				for _, m := range p.Objective() {
					one.Measures[string(m)] = model.ValueOf(r.Measures, m)
				}
			}
		}
		out.Runs = append(out.Runs, one)
	}
	return out
}

// sortRuns puts the best plan first: by the measures of the objective, then by time. Runs without a plan are behind.
func sortRuns(runs []ruledRun) {
	slices.SortStableFunc(runs, func(a, b ruledRun) int {
		x, y := a.result, b.result
		has := func(r *stowage.Result) bool { return r != nil && r.Status.HasPlan() }
		switch {
		case has(x) && !has(y):
			return -1
		case !has(x) && has(y):
			return 1
		case !has(x):
			return 0
		}
		for _, m := range x.Objective {
			if by := cmp.Compare(model.ValueOf(x.Measures, m), model.ValueOf(y.Measures, m)); by != 0 {
				return by
			}
		}
		return cmp.Compare(x.Stats.Elapsed, y.Stats.Elapsed)
	})
}

func writeRuns(w io.Writer, width int, name string, p *stowage.Problem, runs []ruledRun) error {
	fmt.Fprintf(w, "%s: %s\n", name, count(len(p.Buffers), "buffer"))
	header := []any{"planner", "status"}
	for _, m := range p.Objective() {
		header = append(header, cell(string(m)))
	}
	t := newTable(append(header, "seconds")...)
	for _, run := range runs {
		if run.result == nil {
			continue
		}
		row := table.Row{run.planner, run.result.Status.String()}
		for _, m := range p.Objective() {
			if run.result.Status.HasPlan() {
				row = append(row, model.ValueOf(run.result.Measures, m))
			} else {
				row = append(row, "")
			}
		}
		t.AppendRow(append(row, strconv.FormatFloat(run.result.Stats.Elapsed.Seconds(), 'f', 3, 64)))
	}
	_, err := fmt.Fprintln(w, fit(t, width))
	var reasons []string
	by := map[string][]string{}
	for _, run := range runs {
		if run.refused == nil {
			continue
		}
		reason := strings.TrimPrefix(run.refused.Error(), "planner "+run.planner+" ")
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], run.planner)
	}
	for _, reason := range reasons {
		_, err = fmt.Fprintf(w, "\nrefused by %s: %s\n", strings.Join(by[reason], ", "), cell(reason))
	}
	return err
}
