package main

import (
	"errors"
	"fmt"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
)

// planOf returns the plan that a file carries with its problem: the JSON's
// plan, else the offset column of a CSV where it is complete. It is nil where
// there is none; missing then counts the buffers without an offset.
func planOf(p *stowage.Problem, offsets []int64) (plan []int64, missing int) {
	if offsets != nil {
		return offsets, 0
	}
	plan = make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		if at := p.Buffers[i].Fixed; at != nil {
			plan[i] = *at
		} else {
			missing++
		}
	}
	if missing > 0 {
		return nil, missing
	}
	return plan, 0
}

// readOwnPlan reads a problem and the plan in the same file.
func readOwnPlan(path string) (*stowage.Problem, []int64, error) {
	p, offsets, err := format.ReadProblem(path)
	if err != nil {
		return nil, nil, err
	}
	plan, missing := planOf(p, offsets)
	switch {
	case missing == len(p.Buffers) && missing > 0:
		return nil, nil, fmt.Errorf("%s: has no plan: neither an offset column nor, in JSON, a plan", path)
	case missing > 0:
		return nil, nil, fmt.Errorf("%s: is no plan: %d of %d buffers have no offset", path, missing, len(p.Buffers))
	}
	return p, plan, nil
}

// readPlan reads the plan of another file and matches it to p by ID.
func readPlan(path string, p *stowage.Problem) ([]int64, error) {
	if path == "-" {
		return nil, errors.New("the plan cannot come from standard input together with its problem")
	}
	return format.ReadPlan(path, p)
}
