package model

// A Rule is one that a plan may break.
type Rule string

// The rules of a plan.
const (
	RuleCount     Rule = "count"     // there is one offset for each buffer
	RuleSign      Rule = "negative"  // no offset is below zero
	RuleAlignment Rule = "alignment" // an offset is a multiple of its buffer's alignment
	RuleFixed     Rule = "fixed"     // a buffer with a fixed offset is there
	RuleCapacity  Rule = "capacity"  // a buffer ends within the capacity, and within int64
	RuleOverlap   Rule = "overlap"   // no two buffers use the same bytes at the same time
	RuleHeight    Rule = "height"    // the height claimed is the largest offset + size
)

// A Violation is one breach of one rule.
type Violation struct {
	// Rule is the rule that is broken.
	Rule Rule
	// A and B index the buffers at fault in Problem.Buffers; B is -1 unless Rule
	// is RuleOverlap, and both are -1 where no buffer is at fault. A < B where
	// both are set.
	A, B int
	// Message names the buffers and the numbers, in one line.
	Message string
}

// A Report is the outcome of a check of a plan.
type Report struct {
	// Height is the largest offset + size, recomputed. It is 0 where there are
	// no buffers or the number of offsets is wrong, and stops at the largest
	// int64 where an offset + size does not fit.
	Height int64
	// Violations are the first 1000, in the order of the buffers.
	Violations []Violation
	// Total is how many violations there are in all. Two buffers that meet more
	// than once count once.
	Total int
	// Truncated says that the check looked for no more overlaps after 1048576
	// of them: Total is a lower bound, and overlaps of earlier buffers may be
	// missing from Violations.
	Truncated bool
}

// OK reports whether the plan breaks no rule.
func (r *Report) OK() bool { return r.Total == 0 }

// A Collision is two buffers with fixed offsets that use the same bytes at the
// same time: no plan is valid, whatever the capacity.
type Collision struct {
	// A and B index the buffers in Problem.Buffers, A < B.
	A, B int
	// Lower and Upper are the logical times [Lower, Upper) at which they meet.
	Lower, Upper int64
	// Start and End are the bytes [Start, End) that both use then.
	Start, End int64
}
