package model

// A Rule is a rule that every plan must follow.
type Rule string

// The rules of a plan.
const (
	RuleCount     Rule = "count"     // there is one offset for each buffer
	RuleSign      Rule = "negative"  // no offset is below zero
	RuleAlignment Rule = "alignment" // each offset is a multiple of its buffer's alignment
	RuleFixed     Rule = "fixed"     // a buffer with a fixed offset has that offset
	RuleCapacity  Rule = "capacity"  // each buffer ends within the capacity, and within int64
	RuleOverlap   Rule = "overlap"   // no two buffers use the same bytes at the same time
	RuleHeight    Rule = "height"    // the claimed height is the largest offset + size
)

// The rules of an order of a Family.
const (
	RuleOrder Rule = "order" // of two buffers that are live together, one lies above the other
	RuleLoad  Rule = "load"  // the claimed load is the most bytes that are live at once
)

// The rules of a plan of a problem with Rules.
const (
	RulePool      Rule = "pool"            // each buffer is in a pool that it may be in
	RuleReserved  Rule = "reserved"        // no buffer meets a reserved range of its pool
	RuleTogether  Rule = "together"        // tied buffers are in one pool, at the distances of their ties
	RuleApart     Rule = "apart"           // no two buffers that are apart share a byte of a pool
	RuleDifferent Rule = "different_pools" // no two buffers of a list are in one pool
	RuleSame      Rule = "same_pool"       // all buffers of a list are in one pool
	RuleBorder    Rule = "border"          // no buffer lies on both sides of a border, but for those that span
	RulePage      Rule = "granularity"     // no two buffers of different kinds that conflict lie on one page
	RuleLockstep  Rule = "lockstep"        // all buffers of a list are at one offset
	RuleChoice    Rule = "alternatives"    // of each list of alternatives there is one buffer, and no other is absent
	RuleObjects   Rule = "objects"         // in a pool of objects, two buffers begin at one byte or share none
	RuleParts     Rule = "parts"           // the parts of a buffer and its evictions are its life
	RuleMeasure   Rule = "measure"         // each claimed measure is what the plan has
)

// A Violation is one breach of one rule.
type Violation struct {
	// Rule is the rule that the plan breaks.
	Rule Rule
	// A and B are the buffers at fault, as indices into Problem.Buffers. B is -1 unless Rule is RuleOverlap, RuleOrder,
	// RuleApart, RuleTogether, RuleDifferent, RuleSame, RulePage, RuleLockstep or RuleChoice; then A < B, but for a RuleChoice
	// of one buffer. Both are -1 if no buffer is at fault.
	A, B int
	// Message names the buffers and the numbers, in one line.
	Message string
}

// A Report is the outcome of a check of a plan.
type Report struct {
	// Height is the largest offset + size in bytes, recomputed. It is 0 if there are no
	// buffers or the number of offsets is wrong. It is the largest int64 if a sum of
	// offset and size is larger than that. With several pools it is the sum over pools.
	Height int64
	// Measures has every measure of the plan, recomputed, if the problem has Rules and the
	// plan can be read; nil otherwise.
	Measures []Value
	// Violations has the first 1,000 violations, in the order of the buffers.
	Violations []Violation
	// Total is the number of violations in all. Two buffers that overlap more than once count once.
	Total int
	// Truncated says that the check stopped looking for overlaps after 1,048,576 of them.
	// Total then is a lower bound, and Violations may lack overlaps of the first buffers.
	Truncated bool
}

// OK reports whether the plan breaks no rule.
func (r *Report) OK() bool { return r.Total == 0 }

// A Collision names two buffers whose fixed offsets make them use the same bytes at the
// same time. A problem with a collision has no valid plan, whatever the capacity.
type Collision struct {
	// A and B are the buffers, as indices into Problem.Buffers, A < B.
	A, B int
	// Lower and Upper bound the logical time [Lower, Upper) at which they collide.
	Lower, Upper int64
	// Start and End bound the bytes [Start, End) that both use then.
	Start, End int64
}
