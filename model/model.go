// Package model holds the types that every other package uses: a Problem of Buffers, a
// Plan of offsets, and the Status of an outcome.
//
// The package knows no algorithm and no file format. Validate checks a problem
// (validate.go) and reports all of its faults at once (errors.go).
package model

import (
	"errors"
	"strconv"
)

// A Window is the half-open range [Lower, Upper) of a buffer's own bytes,
// counted from the buffer's offset, that stays in use during a Gap.
type Window struct {
	Lower int64 // first byte in use, relative to the buffer's offset
	Upper int64 // one past the last byte in use, relative to the buffer's offset
}

// A Gap is a stretch [Lower, Upper) of logical time, within a buffer's lifespan, in which the buffer is inactive. It
// then uses no space or, if Window is set, only that part of its space.
type Gap struct {
	Lower  int64   // first time slot of the gap
	Upper  int64   // one past the last time slot of the gap
	Window *Window // space that stays in use during the gap; nil for none
}

// A Buffer is one block of memory with a known size and lifespan.
type Buffer struct {
	// ID names the buffer in files and messages. Every buffer of a Problem must have one, and no two buffers the same.
	ID string
	// Lower and Upper bound the lifespan, half-open: the buffer is live in the
	// logical time slots Lower, Lower+1, …, Upper-1. Lower must be less than Upper.
	Lower, Upper int64
	// Size is the number of bytes (or any other unit of space) that the buffer takes, at least 1.
	Size int64
	// Alignment: the buffer's offset must be a multiple of it. 0 and 1 both mean no constraint.
	Alignment int64
	// Gaps are the times within the lifespan at which the buffer is inactive, in ascending order and disjoint.
	Gaps []Gap
	// Fixed is the only offset in bytes that the buffer may have; nil for any offset.
	Fixed *int64
	// Hint is an offset in bytes that a planner may try first, such as the buffer's place
	// in an earlier plan; nil for none. A plan need not follow it.
	Hint *int64
	// Extra has the properties of a buffer in problems with rules: its pools, costs, clocks and evictions; nil for
	// none. It needs Problem.Rules, which may be empty.
	Extra *Extra
}

// Align returns the buffer's alignment, or 1 if Alignment is below 1.
func (b *Buffer) Align() int64 {
	if b.Alignment < 1 {
		return 1
	}
	return b.Alignment
}

// A Problem is a set of buffers and, optionally, a capacity to fit them into.
type Problem struct {
	// Name says where the problem comes from, for messages and pictures. It may be empty.
	Name string
	// Buffers are the blocks to place. Plan.Offsets has their order; planners use the order only to break ties.
	Buffers []Buffer
	// Capacity is the number of bytes that the plan must fit into;
	// 0 means that there is no limit. It must be 0 if there are Rules.Pools, which have their own.
	Capacity int64
	// Rules say what one strip of bytes cannot: pools, pairs apart, penalties and so on; nil for nothing.
	Rules *Rules
}

// CapacityOr returns capacity, or p.Capacity if capacity is 0. The result is 0 if both are.
func (p *Problem) CapacityOr(capacity int64) int64 {
	if capacity != 0 {
		return capacity
	}
	return p.Capacity
}

// A Plan gives an offset to each buffer of a problem.
type Plan struct {
	// Offsets holds the offset of each buffer, in the order of Problem.Buffers. It is Absent for one of several
	// alternatives that is not chosen.
	Offsets []int64
	// Height is the largest offset + size: the number of bytes that the plan needs. With several
	// pools it is the sum over pools.
	Height int64
	// Pools holds the pool of each buffer, as an index into Rules.Pools; nil if there is one. It is Absent where the offset is.
	Pools []int32
	// Parts has the buffers of which the plan takes evictions, in ascending order. Offsets and
	// Pools then hold the first part.
	Parts []Parts
}

// HeightOf returns the largest offset + size in bytes, or 0 if p has no buffers. offsets are in the order of p.Buffers.
func HeightOf(p *Problem, offsets []int64) int64 {
	var h int64
	for i := range p.Buffers {
		h = max(h, offsets[i]+p.Buffers[i].Size)
	}
	return h
}

// Status is the outcome of a run.
type Status uint8

// The four outcomes. A limit is never reported as infeasible.
const (
	Unknown    Status = iota // a limit came before a plan or a proof
	Feasible                 // there is a plan that fits; it is not proven to be the lowest
	Optimal                  // there is a plan that fits, and it is proven to be the lowest
	Infeasible               // it is proven that no plan fits
)

var statusNames = [...]string{"unknown", "feasible", "optimal", "infeasible"}

// String returns the status in lower case, as the command and its JSON have it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "status(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText writes the status by its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status by its name. The error is for any other text.
func (s *Status) UnmarshalText(text []byte) error {
	for k, name := range statusNames {
		if name == string(text) {
			*s = Status(k)
			return nil
		}
	}
	return errors.New("unknown status " + strconv.Quote(string(text)) +
		": it must be unknown, feasible, optimal or infeasible")
}

// HasPlan reports whether a result of this status has a plan: Feasible and Optimal do.
func (s Status) HasPlan() bool { return s == Feasible || s == Optimal }
