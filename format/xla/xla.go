// Package xla reads what XLA dumps of a module's memory as problems of memory
// planning.
//
// XLA places the temporaries of a module in a heap of its own: it walks the
// schedule, allocates each value where it is defined and frees it after its last
// use, and packs what it has seen. Two dumps have that:
//
//   - HloProto (NAME.hlo.pb) has the trace of that walk, which is the problem
//     itself, and where each value went (proto.go).
//   - The texts (NAME-buffer-assignment.txt and those beside it) have where each
//     value went and when it is live, from which the problem is put together
//     (text.go).
//
// Values that XLA puts into one place by force, such as those that a loop carries,
// are one buffer (join.go). Both dumps of a module give the same problem, IDs and
// times included.
//
// # What is in the problem and what is not
//
// A module has many allocations, and most hold parameters, outputs and constants,
// whose size is given from outside. The heap is what XLA is free to plan. Time is
// counted in steps: a step ends where XLA allocates after it has freed. So it says
// who is live with whom, and no more.
//
// XLA may have several heaps, one for each colour (kind of memory) or because one
// was cut; each is a problem by itself. Offsets are multiples of 64 on the CPU and
// of 256 on the GPU; a dump does not say which, so it is 64, and less where XLA's
// own offsets are multiples of less.
//
// No length, index or number of a file is trusted.
//
// Sources: openxla/xla 0e06ac8 (service/hlo.proto, heap_simulator.cc,
// buffer_assignment.cc, hlo_live_range.cc); dumps of jaxlib 0.10.2.
package xla

import (
	"github.com/stowage-go/stowage/model"
)

// Alignment is what XLA aligns buffers to on the CPU, in bytes.
const Alignment = 64

// A Dump is what XLA says of a module's heaps.
type Dump struct {
	File string // the name for messages
	// Module is the module's name; empty where the dump has none.
	Module string
	// Heaps are in the order of the file, at least one.
	Heaps []Heap
	// Notes say what the dump leaves open, a sentence each.
	Notes []string
}

// A Heap is what XLA planned in one go.
type Heap struct {
	// Allocation is the number of the allocation that holds the heap; -1 where it
	// is not known.
	Allocation int64
	// Color is the kind of memory; 0 is the usual one.
	Color int64
	// Problem has a buffer for each place, with the name of its first value. A
	// place that several values share is live as long as any of them.
	Problem *model.Problem
	// Offsets is XLA's own plan; nil where the dump does not have all of it.
	Offsets []int64
	// Height is what XLA's plan takes; 0 where there is none.
	Height int64
	// Values is how many values share the places.
	Values int
}

// refuse returns an error about one place of a file.
func refuse(i model.Issue) error {
	var issues model.Issues
	issues.Add(i)
	return issues.Err()
}
