package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/suite"
)

// models returns the public TFLite models at a multiple of their least height,
// as sections 7.2 of the TelaMalloc and 8.1 of the MiniMalloc paper have theirs.
func models(ctx context.Context, files []string, factor float64) ([]experiment.Instance, error) {
	all, err := experiment.Load("models", files)
	if err != nil {
		return nil, err
	}
	var problems []experiment.Instance
	for _, in := range all {
		least, err := leastHeight(ctx, in.Problem)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		capacity := int64(math.Floor(float64(least) * factor))
		problems = append(problems, experiment.NewInstance(fmt.Sprintf("%s@%g", in.Name, factor), in.Problem, capacity))
	}
	return problems, nil
}

// patience is how long the exact planner may take for a least height.
const patience = 20 * time.Second

// leastHeight returns the least height of a problem by the exact planner; where
// that is not proven in time, it says so and returns the best one known.
func leastHeight(ctx context.Context, p *stowage.Problem) (int64, error) {
	r, err := stowage.Minimize(ctx, p, stowage.Options{Planner: "exact", Timeout: patience})
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if r.Status != stowage.Optimal {
		fmt.Fprintf(os.Stderr, "bench/papers: %s: the least height is not proven: %d is known, %d is the bound\n", p.Name, r.Height, r.LowerBound)
	}
	return r.Height, nil
}

// synthetic returns each problems of each step-th size of the synthetic suite
// (0: all 25): one of each size, then another of each, so that a sweep that is
// cut short has seen all sizes alike.
func synthetic(each, step int) []experiment.Instance {
	if each <= 0 || each > suite.SyntheticEach {
		each = suite.SyntheticEach
	}
	ranks := make([][]experiment.Instance, each) // k-th problems of each size
	sizes, of, last := -1, 0, 0
	for in := range suite.Synthetic() {
		if n := len(in.Problem.Buffers); n != last {
			sizes, of, last = sizes+1, 0, n
		}
		if sizes%max(step, 1) == 0 && of < each {
			ranks[of] = append(ranks[of], experiment.NewInstance(in.Problem.Name, in.Problem, in.Problem.Capacity))
		}
		of++
	}
	return slices.Concat(ranks...)
}
