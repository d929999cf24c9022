package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/experiment"
)

// Idea: table 2 of the TelaMalloc paper: the least memory with which a heuristic
// succeeds, over the least height there is, and the time of a run. The memory is
// found by bisection between the lower bound and the height that the heuristic
// has without a limit, so that heuristics that use the capacity have their due.
// Bisection trusts that what fits a capacity fits a larger one; where that does
// not hold it finds one threshold of several.

// heuristics are the columns: the paper's, the allocator below it, and one of
// the frameworks' for comparison.
const heuristics = "contention,bfc,first-fit"

func table2(ctx context.Context, f flags) (string, error) {
	all, err := experiment.Load("models", f.files)
	if err != nil {
		return "", err
	}
	planners := known(or(f.planners, heuristics))
	var header []string
	header = append(header, "model", "least height")
	for _, name := range planners {
		header = append(header, name, "ms")
	}
	var rows [][]string
	over := make([][]float64, len(planners))
	for _, in := range all {
		least, err := leastHeight(ctx, in.Problem)
		if err != nil {
			return "", fmt.Errorf("%s: %w", in.Name, err)
		}
		row := []string{in.Name, experiment.Grouped(least)}
		for k, name := range planners {
			memory, seconds, err := leastMemory(ctx, in.Problem, name, f.repeat)
			if err != nil {
				return "", fmt.Errorf("%s on %s: %w", name, in.Name, err)
			}
			ratio := float64(memory) / float64(least)
			over[k] = append(over[k], ratio)
			row = append(row, fmt.Sprintf("%.3f×", ratio), experiment.Milliseconds(seconds))
		}
		rows = append(rows, row)
	}
	mean := []string{"geometric mean", ""}
	for k := range planners {
		mean = append(mean, fmt.Sprintf("%.3f×", experiment.GeometricMean(over[k])), "")
	}
	return experiment.NewTable(header, append(rows, mean)).Markdown(), nil
}

// leastMemory returns the least capacity that a planner fits, and the median
// time of a run at it.
func leastMemory(ctx context.Context, p *stowage.Problem, name string, repeat int) (memory int64, seconds float64, err error) {
	fits := func(capacity int64) (bool, time.Duration, error) {
		r, err := stowage.Solve(ctx, p, stowage.Options{Planner: name, Capacity: capacity})
		if err != nil {
			return false, 0, err
		}
		return r.Status.HasPlan(), r.Stats.Elapsed, ctx.Err()
	}
	free, err := stowage.Solve(ctx, p, stowage.Options{Planner: name})
	if err != nil {
		return 0, 0, err
	}
	low, err := stowage.LowerBound(p)
	if err != nil {
		return 0, 0, err
	}
	// No capacity under low fits; high does.
	for high := free.Height; low < high; {
		middle := low + (high-low)/2
		ok, _, err := fits(middle)
		if err != nil {
			return 0, 0, err
		}
		if ok {
			high = middle
		} else {
			low = middle + 1
		}
	}
	var times []float64
	for range max(repeat, 1) {
		ok, took, err := fits(low)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			return 0, 0, fmt.Errorf("%d bytes fitted once and not again", low)
		}
		times = append(times, took.Seconds())
	}
	return low, experiment.Median(times), nil
}
