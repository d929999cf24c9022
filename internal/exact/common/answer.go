// Package common has what the engines of the exact planner share: their answers, their
// switches, the memory of failed sets of buffers, and how they make their arrays.
package common

// Verdict says whether a problem, or a partition, fits a capacity.
type Verdict uint8

// The verdicts.
const (
	Undecided Verdict = iota // a limit came first
	Fits                     // there is a plan
	Refuted                  // it is proven that there is no plan
)

// Outcome says what a search of a component found among canonical plans. It says nothing about other plans. Only
// attempt in package engine turns it into a verdict.
type Outcome uint8

// The outcomes.
const (
	Aborted   Outcome = iota // a limit came first
	Solved                   // best holds a plan for the component
	Exhausted                // no canonical completion fits
)

// Unlimited stands for no node limit. The sum of Unlimited and a count does not overflow.
const Unlimited = 1 << 62

// Buffer is the number of a buffer in its partition: buffer j is Buffers[j] of timeline.Partition.
// Buffers are numbered in the order of their first sections.
type Buffer int32

// Nobody stands for no buffer.
const Nobody Buffer = -1
