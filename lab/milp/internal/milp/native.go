package milp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Idea: a native solver is a few times as fast as the embedded one, and another solver is a second opinion. The
// command gets the program as an LP file in a folder of its own, and writes the solution to a file. Columns are
// matched by name. The command gets the limit, too, so that it returns its best solution. It is killed if it runs
// much longer than that.
//
// Only HiGHS gets node limits and seeds. CBC prints no bound with a solution file, so it proves only optimality and
// infeasibility.
//
// Source: the command lines and solution files of HiGHS 1.15 and CBC 2.10.

// A command is a native solver.
type command struct{ kind, path string }

// findCommand returns the command of an engine; native stands for the first command that is installed.
func findCommand(engine string) (command, error) {
	kinds := []string{engine}
	if engine == "native" {
		kinds = []string{"highs", "cbc"}
	}
	for _, kind := range kinds {
		if path, err := exec.LookPath(kind); err == nil {
			return command{kind, path}, nil
		}
	}
	return command{}, fmt.Errorf("planner milp: parameter engine: no command %s is on the PATH",
		strings.Join(kinds, " or "))
}

// solve runs the command on a program.
func (c command) solve(ctx context.Context, f *formulation, l limits) (answer, error) {
	none := answer{bound: math.Inf(-1)}
	dir, err := os.MkdirTemp("", "stowage-milp-")
	if err != nil {
		return none, fmt.Errorf("planner milp: %w", err)
	}
	defer os.RemoveAll(dir)
	program, solution := filepath.Join(dir, "program.lp"), filepath.Join(dir, "solution.txt")
	if err := f.writeFile(program); err != nil {
		return none, fmt.Errorf("planner milp: %w", err)
	}
	args, err := c.arguments(ctx, dir, program, solution, l)
	if err != nil {
		return none, fmt.Errorf("planner milp: %w", err)
	}
	// The command has its own time limit, so it is killed only after the grace.
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if _, timed := ctx.Deadline(); !timed || context.Cause(ctx) != context.DeadlineExceeded {
			cancel() // interrupted: it does not know
			return
		}
		select {
		case <-time.After(grace):
			cancel()
		case <-hard.Done():
		}
	})
	defer stop()
	cmd := exec.CommandContext(hard, c.path, args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return none, nil
		}
		return none, fmt.Errorf("planner milp: %s: %w: %s", c.kind, err, lastLine(output.String()))
	}
	file, err := os.Open(solution)
	if err != nil {
		if ctx.Err() != nil {
			return none, nil
		}
		return none, fmt.Errorf("planner milp: %s wrote no solution file: %s", c.kind, lastLine(output.String()))
	}
	defer file.Close()
	if c.kind == "cbc" {
		return readCBC(file, f.names())
	}
	a, err := readHiGHS(file, f.names())
	if err == nil {
		a.scan(output.String())
	}
	return a, err
}

func (f *formulation) writeFile(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(file)
	f.write(b)
	err = b.Flush()
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// arguments returns the command line.
func (c command) arguments(ctx context.Context, dir, program, solution string, l limits) ([]string, error) {
	seconds := ""
	if deadline, ok := ctx.Deadline(); ok {
		seconds = strconv.FormatFloat(max(0.01,
			time.Until(deadline).Seconds()-min(early.Seconds(), time.Until(deadline).Seconds()/10)), 'f', 3, 64)
	}
	if c.kind == "cbc" {
		args := []string{program, "-ratioGap", "0", "-allowableGap", strconv.FormatFloat(gap, 'g', -1, 64)}
		if seconds != "" {
			args = append(args, "-sec", seconds)
		}
		if l.first {
			args = append(args, "-maxSolutions", "1")
		}
		return append(args, "-solve", "-solution", solution), nil
	}
	var o strings.Builder
	fmt.Fprintf(&o, "mip_rel_gap = 0\nmip_abs_gap = %g\nmip_feasibility_tolerance = %g\nthreads = 1\nrandom_seed = %d\n",
		gap, l.tolerance, l.seed&math.MaxInt32)
	if l.nodes > 0 {
		fmt.Fprintf(&o, "mip_max_nodes = %d\n", min(l.nodes, math.MaxInt32))
	}
	if l.first {
		o.WriteString("mip_max_improving_sols = 1\n")
	}
	if seconds != "" {
		fmt.Fprintf(&o, "time_limit = %s\n", seconds)
	}
	options := filepath.Join(dir, "options.txt")
	if err := os.WriteFile(options, []byte(o.String()), 0o600); err != nil {
		return nil, err
	}
	return []string{"--model_file", program, "--solution_file", solution, "--options_file", options}, nil
}

// readHiGHS reads a solution file in HiGHS's raw style: the status, then, if there is a solution, a line with name
// and value for each column.
func readHiGHS(r io.Reader, names []string) (answer, error) {
	a := answer{bound: math.Inf(-1)}
	column := index(names)
	lines := bufio.NewScanner(r)
	status, primal, section := "", "", ""
	var values []float64
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "Model status":
			section = "status"
		case strings.HasPrefix(line, "# Primal solution values"):
			section = "primal"
		case strings.HasPrefix(line, "# Columns"):
			section, values = "columns", make([]float64, len(names))
		case strings.HasPrefix(line, "#"):
			section = ""
		case section == "status" && line != "":
			status, section = line, ""
		case section == "primal" && primal == "":
			primal = line
		case section == "columns":
			if err := set(values, column, strings.Fields(line)); err != nil {
				return a, fmt.Errorf("planner milp: highs: %w", err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return a, fmt.Errorf("planner milp: highs: %w", err)
	}
	if primal == "Feasible" && values != nil {
		a.verdict, a.values = feasible, values
	}
	switch {
	case status == "Infeasible":
		a.verdict, a.values = infeasible, nil
	case status == "Optimal" && a.verdict == feasible:
		a.verdict = optimal
	case status == "":
		return a, errors.New("planner milp: highs: the solution file has no model status")
	}
	return a, nil
}

// scan reads the bound and the nodes from HiGHS's report, if it has them.
func (a *answer) scan(report string) {
	for line := range strings.Lines(report) {
		text, value := strings.TrimSpace(line), ""
		if i := strings.LastIndexByte(text, ' '); i >= 0 {
			text, value = strings.TrimSpace(text[:i]), text[i+1:]
		}
		switch text {
		case "Dual bound":
			if x, err := strconv.ParseFloat(value, 64); err == nil {
				a.bound = x
			}
		case "Nodes":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				a.nodes = n
			}
		}
	}
}

// readCBC reads CBC's solution file: a line with the status and the objective,
// then number, name, value and cost of each column that is not 0.
func readCBC(r io.Reader, names []string) (answer, error) {
	a := answer{bound: math.Inf(-1)}
	column := index(names)
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		return a, errors.New("planner milp: cbc: the solution file is empty")
	}
	head := lines.Text()
	status, objective, _ := strings.Cut(head, " - objective value ")
	values := make([]float64, len(names))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 0 && fields[0] == "**" { // the row or bound is broken
			fields = fields[1:]
		}
		if len(fields) < 3 {
			continue
		}
		if err := set(values, column, fields[1:]); err != nil {
			return a, fmt.Errorf("planner milp: cbc: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return a, fmt.Errorf("planner milp: cbc: %w", err)
	}
	switch {
	case strings.HasPrefix(status, "Optimal"):
		a.verdict, a.values = optimal, values
		if x, err := strconv.ParseFloat(strings.TrimSpace(objective), 64); err == nil {
			a.bound = x - gap
		}
	case strings.HasPrefix(status, "Infeasible"), strings.HasPrefix(status, "Integer infeasible"):
		a.verdict = infeasible
	case strings.Contains(head, "no integer solution"):
	case strings.HasPrefix(status, "Stopped"):
		a.verdict, a.values = feasible, values
	default:
		return a, fmt.Errorf("planner milp: cbc: unknown status %q", head)
	}
	return a, nil
}

func index(names []string) map[string]int {
	column := make(map[string]int, len(names))
	for k, name := range names {
		column[name] = k
	}
	return column
}

// set reads name and value; columns of other names are an error.
func set(values []float64, column map[string]int, fields []string) error {
	if len(fields) < 2 {
		return nil
	}
	k, ok := column[fields[0]]
	if !ok {
		return fmt.Errorf("the solution file has a column %q", fields[0])
	}
	x, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return fmt.Errorf("column %s: %w", fields[0], err)
	}
	values[k] = x
	return nil
}

// lastLine returns the last line that is not empty.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
