package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bench/internal/record"
	"github.com/stowage-go/stowage/bench/ortools"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/suite"
)

// cpSAT is the column of the outside peer.
const cpSAT = "cp-sat"

// figure sweeps planners over problems and makes the mode's table.
func figure(ctx context.Context, mode string, f flags) (string, error) {
	if f.results == "" {
		f.results = filepath.Join("bench", "results", fmt.Sprintf("papers-%s.jsonl", mode))
	}
	if mode == "synthetic" {
		f.repeat = 1
	}
	var problems []experiment.Instance
	var err error
	switch mode {
	case "models":
		problems, err = models(ctx, f.files, f.factor)
	case "synthetic":
		problems = synthetic(f.each, f.step)
	case "challenging":
		problems, err = experiment.Load("challenging", f.files)
	}
	if err != nil {
		return "", err
	}
	c, err := sweep(ctx, problems, known(or(f.planners, solvers)), f)
	if err != nil {
		return "", err
	}
	if mode == "synthetic" {
		return bySize(c, f.limit.Seconds()), nil
	}
	return byProblem(c, f.limit.Seconds()), nil
}

// sweep runs what is missing.
func sweep(ctx context.Context, problems []experiment.Instance, planners []string, f flags) (*experiment.Comparison, error) {
	cache, err := experiment.Open(f.results)
	if err != nil {
		return nil, err
	}
	defer cache.Close()
	s := experiment.Sweep{
		Planners: planners, Instances: problems, Repeat: f.repeat, Jobs: f.jobs,
		Ask:     experiment.Run{Timeout: f.limit.Seconds(), Workers: 1, Solve: true},
		Peers:   map[string]experiment.Peer{cpSAT: peer},
		Visited: true, On: record.ThisMachine().String() + ", " + record.Today(),
		Begin: func(k int) {
			fmt.Fprintf(os.Stderr, "bench/papers: %d of %d: %s\n", k+1, len(problems), problems[k].Name)
		},
	}
	if err := warm(ctx, planners); err != nil {
		return nil, err
	}
	c, err := s.Run(ctx, cache)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = c.Err()
	}
	if err == nil {
		err = cache.Close()
	}
	return c, err
}

// warm runs each planner once: compiling HiGHS and the like is no part of the
// first problem's time.
func warm(ctx context.Context, planners []string) error {
	for _, name := range planners {
		if name == cpSAT {
			continue
		}
		if _, err := stowage.Solve(ctx, suite.MiniMalloc(), stowage.Options{Planner: name, Timeout: time.Minute}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// peer runs CP-SAT. Its time is that of its model and solver and not that of
// starting Python.
func peer(ctx context.Context, in *experiment.Instance, r *experiment.Run) {
	p := *in.Problem
	p.Capacity = in.Capacity
	out, err := ortools.Run(ctx, []*stowage.Problem{&p}, "--timeout", fmt.Sprint(r.Timeout))
	if err != nil {
		r.Status, r.Message = experiment.Failed, fmt.Sprintf("%s: %v", cpSAT, err)
		return
	}
	r.Status, r.Height, r.LowerBound, r.Seconds = out[0].Status, out[0].Height, out[0].LowerBound, out[0].Seconds
}
