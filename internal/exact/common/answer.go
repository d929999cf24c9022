// Package common has what the engines of the exact planner share: their answers, their
// switches, the memory of failed sets of buffers, and how they make their arrays.
package common

// Verdict is what is known of a capacity.
type Verdict uint8

// The verdicts.
const (
	Undecided Verdict = iota // a limit came first
	Fits                     // there is a plan
	Refuted                  // there is none: proven
)

// Outcome is what a search of a component found among canonical plans. It says nothing about other plans. Only
// the engine turns it into a verdict (attempt).
type Outcome uint8

// The outcomes.
const (
	Aborted   Outcome = iota // a limit came first
	Solved                   // best holds a plan for the component
	Exhausted                // no canonical completion fits
)

// Unlimited stands for no node limit; adding it to a count does not overflow.
const Unlimited = 1 << 62

// TickEvery is how many nodes pass between reports of progress, a power of two.
// Tests set it lower.
var TickEvery int64 = 1 << 12

// Buffer is a buffer of a partition: buffer j of a search is id[j] of the
// problem. They are numbered in the order of their first sections.
type Buffer int32

// Nobody stands for no buffer.
const Nobody Buffer = -1
