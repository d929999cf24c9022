// Package milp adds the planner milp to package stowage: the mixed integer
// program of the TelaMalloc paper, solved by HiGHS inside the process.
//
// Import it for its side effect, as image/png is:
//
//	import _ "github.com/stowage-go/stowage/planner/milp"
//
// It is apart from the root package because it is heavy: HiGHS as WebAssembly
// and the runtime for it add about 9 MB to a binary, and the first solve of a
// process takes up to 2 s of compiling, 0.1 s where the user's cache folder has
// the result (the parameter cache). No C compiler and no installed solver is
// needed.
//
// The planner honours gaps, windows, alignment and fixed offsets. It is a
// baseline: the planner exact is faster on nearly everything.
package milp

import (
	"context"
	"io"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/planner/milp/internal/milp"
)

// LPOptions say which program WriteLP writes. The zero value is the published
// formulation, to fit the problem's capacity.
type LPOptions struct {
	// Capacity is the memory size M in bytes; 0 means the problem's capacity,
	// and without one the sum of all sizes.
	Capacity int64
	// Minimize adds a column for the height, to be minimised, in place of an
	// empty objective.
	Minimize bool
	// Tight selects the formulation with one binary a pair and a constant for
	// each row, in place of the published one.
	Tight bool
}

// WriteLP writes the mixed integer program of a problem in LP format, for any
// solver that reads it. Comments map its columns to buffers and units to bytes.
// The error is an *stowage.InputError, or w's.
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
