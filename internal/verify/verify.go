// Package verify checks a plan against its problem. It imports the model only
// and shares no code with any planner or with the timeline, so that a mistake
// there cannot hide here.
package verify

import "github.com/stowage-go/stowage/internal/model"

// Kind says which rule a plan breaks.
type Kind string

// The rules.
const (
	WrongCount   Kind = "count"     // the plan has more or fewer offsets than the problem has buffers
	Negative     Kind = "negative"  // an offset is below zero
	Misaligned   Kind = "alignment" // an offset is not a multiple of its buffer's alignment
	Moved        Kind = "fixed"     // a buffer with a fixed offset is elsewhere
	OverCapacity Kind = "capacity"  // a buffer ends above the capacity
	Overlap      Kind = "overlap"   // two buffers use the same bytes at the same time
	WrongHeight  Kind = "height"    // the height claimed is not the largest offset + size
)

// A Violation is one breach of one rule.
type Violation struct {
	Kind Kind
	// A and B index the buffers at fault; B is -1 unless Kind is Overlap, and
	// both are -1 where no buffer is at fault.
	A, B int
	// Message names the buffers and the numbers.
	Message string
}

// A Report is the outcome of a check.
type Report struct {
	Height     int64       // largest offset + size, recomputed
	Violations []Violation // the first violations, in the order of the buffers
	Total      int         // how many there are in all
}

// OK reports whether the plan is valid.
func (r *Report) OK() bool { return r.Total == 0 }

var _ = model.Problem{}
