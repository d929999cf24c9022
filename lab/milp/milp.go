// Package milp adds the planner milp to package stowage: the mixed integer program of
// the TelaMalloc paper, solved by HiGHS inside the process.
//
// Import it for its side effect, as with image/png:
//
//	import _ "github.com/stowage-go/stowage/lab/milp"
//
// The package is separate from the root package because it is heavy. HiGHS as WebAssembly, and the runtime for it, add
// about 9 MB to a binary. The first solve of a process compiles HiGHS, which takes up to 2 s, or 0.1 s if the user's
// cache folder has the result (see the parameter cache). It needs no C compiler and no installed solver.
//
// The planner honours gaps, windows, alignment and fixed offsets. It is a baseline:
// the planner exact is faster on nearly every problem.
package milp

import (
	"context"
	"io"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/milp/internal/milp"
	"github.com/stowage-go/stowage/model"
)

// LPOptions choose the program that WriteLP writes. The zero value is the published
// formulation, for a plan that fits the problem's capacity.
type LPOptions struct {
	// Capacity is the memory size M in bytes; 0 means the problem's capacity. If that
	// is 0 too, M is the sum of all sizes.
	Capacity int64
	// Minimize adds a column for the height, and minimises it. Without it the objective is empty.
	Minimize bool
	// Tight selects the formulation with one binary variable for each pair and a
	// constant for each row, in place of the published one.
	Tight bool
}

// WriteLP writes the mixed integer program of a problem in LP format, which many solvers read. Comments say which
// buffer each column belongs to, and how many bytes a unit has. The error is an *stowage.InputError, or w's.
func WriteLP(w io.Writer, p *model.Problem, o LPOptions) error {
	if err := model.Validate(p); err != nil {
		return err
	}
	tl := timeline.New(p)
	capacity := o.Capacity
	if capacity == 0 {
		capacity = p.Capacity
	}
	if capacity == 0 {
		for i := range p.Buffers {
			b := &p.Buffers[i]
			capacity += b.Size + b.Align() - 1
			if b.Fixed != nil {
				capacity += *b.Fixed
			}
		}
	}
	return milp.WriteLP(context.Background(), w, tl, capacity, o.Minimize, o.Tight)
}
