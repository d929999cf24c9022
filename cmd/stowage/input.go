package main

import (
	"errors"
	"fmt"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
)

// An owned plan is a problem with the plan that its file carries: the JSON's
// plan, or the offset column of a CSV.
type owned struct {
	problem *stowage.Problem
	offsets []int64 // nil where the file has no plan, or one in part
	missing int     // buffers without an offset, where it has none
}

// readOwned reads a problem and the plan in the same file.
//
// A complete offset column is the plan rather than a constraint: taken as
// fixed, the offsets would make the plan's own height the lower bound.
func readOwned(path string) (owned, error) {
	p, offsets, err := format.ReadProblem(path)
	if err != nil {
		return owned{}, err
	}
	if offsets != nil {
		return owned{problem: p, offsets: offsets}, nil
	}
	missing := 0
	offsets = make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		if at := p.Buffers[i].Fixed; at != nil {
			offsets[i] = *at
		} else {
			missing++
		}
	}
	if missing > 0 {
		return owned{problem: p, missing: missing}, nil
	}
	for i := range p.Buffers {
		p.Buffers[i].Fixed = nil
	}
	return owned{problem: p, offsets: offsets}, nil
}

// needPlan is the error for a file that has no plan.
func (o owned) needPlan(path string) error {
	switch n := len(o.problem.Buffers); {
	case o.offsets != nil:
		return nil
	case o.missing == n:
		return fmt.Errorf("%s: has no plan: neither an offset column nor, in JSON, a plan", path)
	default:
		return fmt.Errorf("%s: is no plan: %d of %d buffers have no offset", path, o.missing, n)
	}
}

// readPlan reads the plan of another file and matches it to p by ID.
func readPlan(path string, p *stowage.Problem) ([]int64, error) {
	if path == "-" {
		return nil, errors.New("the plan cannot come from standard input together with its problem")
	}
	return format.ReadPlan(path, p)
}
