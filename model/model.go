// Package model holds the types that every other package speaks in: a Problem
// of Buffers, a Plan of offsets, and the Status of an outcome.
//
// The package knows no algorithm and no file format. It validates what it is
// given (validate.go) and reports every problem of an input at once
// (errors.go).
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

// A Gap is a slot [Lower, Upper) of logical time, within a buffer's lifespan,
// in which the buffer is inactive: it uses no space at all or, where Window is
// set, only that part of it.
type Gap struct {
	Lower  int64   // first time slot of the gap
	Upper  int64   // one past the last time slot of the gap
	Window *Window // space still in use during the gap; nil for none
}

// A Buffer is one block of memory with a known size and lifespan.
type Buffer struct {
	// ID names the buffer in files and messages. Every buffer of a Problem has one,
	// and no other buffer has the same.
	ID string
	// Lower and Upper bound the lifespan, half-open: the buffer is live in the
	// logical time slots Lower, Lower+1, …, Upper-1.
	Lower, Upper int64
	// Size is the number of bytes (or any other unit of space) that the buffer
	// takes, at least 1.
	Size int64
	// Alignment divides the buffer's offset. 0 and 1 both mean no constraint.
	Alignment int64
	// Gaps are inactive slots within the lifespan, in ascending order and
	// disjoint.
	Gaps []Gap
	// Fixed, where set, is the only offset that the buffer may have.
	Fixed *int64
	// Hint, where set, is an offset at which a planner may try the buffer
	// first, such as its place in an earlier plan. It binds nobody.
	Hint *int64
}

// Align returns the buffer's alignment, with the zero value read as 1.
func (b *Buffer) Align() int64 {
	if b.Alignment < 1 {
		return 1
	}
	return b.Alignment
}

// A Problem is a set of buffers and, optionally, a capacity to fit them into.
type Problem struct {
	// Name says where the problem comes from, for messages and pictures.
	Name string
	// Buffers are the blocks to place. Their order has no meaning other than
	// to break ties and to match Plan.Offsets.
	Buffers []Buffer
	// Capacity is the number of bytes that the plan must fit into;
	// 0 means that there is no limit.
	Capacity int64
}

// CapacityOr returns the capacity that counts where a caller asks for one: that
// one, or the problem's own where it is 0. It is 0 where there is none.
func (p *Problem) CapacityOr(capacity int64) int64 {
	if capacity != 0 {
		return capacity
	}
	return p.Capacity
}

// A Plan gives an offset to each buffer of a problem.
type Plan struct {
	// Offsets holds the offset of each buffer, in the order of Problem.Buffers.
	Offsets []int64
	// Height is the largest offset + size: the bytes that the plan needs.
	Height int64
}

// HeightOf returns the largest offset + size of the given placement, 0 for none.
//
//go:noinline
func HeightOf(p *Problem, offsets []int64) int64 {
	var h int64
	for i := range p.Buffers {
		h = max(h, offsets[i]+p.Buffers[i].Size)
	}
	return h
}

// Status says what is known at the end of a run.
type Status uint8

// The four outcomes. A limit is never reported as infeasible.
const (
	Unknown    Status = iota // a limit came before an answer
	Feasible                 // a plan that fits, not known to be the lowest
	Optimal                  // a plan that fits, proven to be the lowest
	Infeasible               // proven: no plan fits
)

var statusNames = [...]string{"unknown", "feasible", "optimal", "infeasible"}

// String returns the lower-case name that the command and its JSON use.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "status(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText writes the status by its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status by its name.
func (s *Status) UnmarshalText(text []byte) error {
	for k, name := range statusNames {
		if name == string(text) {
			*s = Status(k)
			return nil
		}
	}
	return errors.New("no status is named " + strconv.Quote(string(text)))
}

// HasPlan reports whether an outcome of this status carries a plan that fits.
//
//go:noinline
func (s Status) HasPlan() bool { return s == Feasible || s == Optimal }
