// Package xla reads what XLA dumps about a module's memory, as problems of memory planning.
//
// XLA places the temporaries of a module in one heap. It walks the schedule, allocates each value at its definition,
// frees it after its last use, and packs the values. Two kinds of dumps show that:
//
//   - HloProto (NAME.hlo.pb) has the trace of that walk, which is the problem
//     itself, and the place of each value (proto.go).
//   - The texts (NAME-buffer-assignment.txt and those beside it) have the place of
//     each value and the time at which it is live. The problem is put together from
//     these (text.go).
//
// Values that XLA must put into one place, such as those that a loop carries, are one buffer (join.go). Both kinds of
// dumps give the same problem, with the same IDs and times.
//
// # What is in the problem and what is not
//
// A module has many allocations. Most hold parameters, outputs and constants, whose size is fixed. The heap is the part
// that XLA is free to plan. Time is counted in steps: a step ends when XLA allocates after it has freed. So times say
// only which values are live together.
//
// XLA may have several heaps: one for each colour (kind of memory), or parts of a heap that was cut. Each is a problem
// by itself. XLA's offsets are multiples of 64 on the CPU and of 256 on the GPU. A dump does not say which, so the
// alignment is 64, or less if XLA's own offsets are multiples of less.
//
// The package trusts no length, index or number of a file.
//
// Sources: openxla/xla 0e06ac8 (service/hlo.proto, heap_simulator.cc,
// buffer_assignment.cc, hlo_live_range.cc); dumps of jaxlib 0.10.2.
package xla

import "github.com/stowage-go/stowage/model"

// Alignment is the alignment of buffers on the CPU, in bytes.
const Alignment = 64

// A Dump has the heaps of a module.
type Dump struct {
	File string // file name, for messages
	// Module is the module's name; empty if the dump has none.
	Module string
	// Heaps has at least one heap, in the order of the file.
	Heaps []Heap
	// Notes say what the dump leaves open, a sentence each.
	Notes []string
}

// A Heap is a part of memory that XLA planned as one.
type Heap struct {
	// Allocation is the number of the allocation that holds the heap; -1 if it is not known.
	Allocation int64
	// Color is the kind of memory; 0 is the default.
	Color int64
	// Problem has a buffer for each place, with the ID of its first value. A place
	// that several values share is live while any of them is.
	Problem *model.Problem
	// Offsets has XLA's own plan, in bytes and in the order of the buffers; nil if a part of it is not in the dump.
	Offsets []int64
	// Height is the height of XLA's plan in bytes; 0 if there is none.
	Height int64
	// Values is the number of values that share the places.
	Values int
}

// refuse returns an error about one place of a file.
func refuse(i model.Issue) error {
	return i.Err()
}
