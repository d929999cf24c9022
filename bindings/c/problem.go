package main

// #include "solver.h"
import "C"

import (
	"runtime/cgo"
	"strconv"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/model"
)

// Idea: a planner reads a slice of buffers, and the caller has columns. The slice is the only
// copy that is made, and the solver keeps it for its next run. If the caller gives no names,
// buffers are named by their numbers. All numbers are cut from one text.
//
// Invariant: a buffer that is filled in has no pointer to the caller's memory. That memory may
// be gone by the next garbage collection, which follows pointers.
//
// Complexity: one pass. If the solver has planned as many buffers before, only gaps and the
// caller's names are allocated.

// A peer is the Go side of a solver.
type peer struct {
	problem stowage.Problem  // of the last run, or read from JSON
	json    *stowage.Problem // the problem that was read from JSON; nil for none
	ends    string           // how the ends of its lifespans were read, as Figures.Ends
	scale   int64            // what its times were multiplied by
	buffers []stowage.Buffer // room for columns
	ids     []string         // "0", "1", … as many as were ever needed
	offsets [2][]int64       // room for fixed offsets and hints
	options stowage.Options  // those by name
	result  *stowage.Result  // of the last run; nil for none
	// minimized is Options.Minimize of the last run.
	minimized bool
	sizing    bool          // the run is of stowage_size
	done      chan struct{} // closed at the end of a run in the background; nil if there is none
	code      C.int         // of that run
	cancel    func()        // ends that run
}

// peerOf returns the Go side of a solver. The first call makes it.
func peerOf(s *C.stowage_solver) *peer {
	if s.peer != 0 {
		return cgo.Handle(s.peer).Value().(*peer)
	}
	p := &peer{}
	s.peer = C.uintptr_t(cgo.NewHandle(p))
	return p
}

//export stowageFree
func stowageFree(s *C.stowage_solver) {
	p := peerOf(s)
	if p.done != nil {
		p.cancel()
		<-p.done
	}
	cgo.Handle(s.peer).Delete()
	s.peer = 0
}

// column returns a caller's array of n numbers, or nil for NULL.
func column(at *C.int64_t, n int) []int64 {
	if at == nil {
		return nil
	}
	return unsafe.Slice((*int64)(at), n)
}

// fill makes the problem that the caller has set, with the capacity of the run.
func (p *peer) fill(s *C.stowage_solver) *stowage.Problem {
	capacity := int64(s.options[C.STOWAGE_CAPACITY])
	if s.json != 0 {
		p.problem = *p.json
		p.problem.Capacity = p.json.CapacityOr(capacity)
		return &p.problem
	}
	n := int(s.count)
	if cap(p.buffers) < n {
		p.buffers = make([]stowage.Buffer, n)
	}
	p.buffers = p.buffers[:n]
	lower, upper, size := column(s.lower, n), column(s.upper, n), column(s.size, n)
	for i := range p.buffers {
		p.buffers[i] = stowage.Buffer{Lower: lower[i], Upper: upper[i], Size: size[i]}
	}
	for i, a := range column(s.alignment, n) {
		p.buffers[i].Alignment = a
	}
	fixed, hints := copyOf(&p.offsets[0], column(s.fixed, n)), copyOf(&p.offsets[1], column(s.hint, n))
	for i := range fixed {
		if fixed[i] != C.STOWAGE_NONE {
			p.buffers[i].Fixed = &fixed[i]
		}
	}
	for i := range hints {
		if hints[i] != C.STOWAGE_NONE {
			p.buffers[i].Hint = &hints[i]
		}
	}
	p.gaps(s)
	p.name(s)
	p.problem = stowage.Problem{Buffers: p.buffers, Capacity: capacity}
	p.rules(s)
	return &p.problem
}

// copyOf copies a column into room that is kept.
func copyOf(room *[]int64, column []int64) []int64 {
	*room = append((*room)[:0], column...)
	return *room
}

// gaps gives the buffers their gaps, sorted: the caller may have them in any order.
func (p *peer) gaps(s *C.stowage_solver) {
	first := column(s.first, len(p.buffers)+1)
	if first == nil || first[len(p.buffers)] == 0 {
		return
	}
	m := int(first[len(p.buffers)])
	lower, upper := column(s.gap_lower, m), column(s.gap_upper, m)
	windowLower, windowUpper := column(s.window_lower, m), column(s.window_upper, m)
	gaps := make([]stowage.Gap, m)
	for k := range gaps {
		gaps[k] = stowage.Gap{Lower: lower[k], Upper: upper[k]}
		if windowLower != nil && windowLower[k] != C.STOWAGE_NONE {
			gaps[k].Window = &stowage.Window{Lower: windowLower[k], Upper: windowUpper[k]}
		}
	}
	for i := range p.buffers {
		if from, to := first[i], first[i+1]; from < to {
			p.buffers[i].Gaps = gaps[from:to:to]
			model.SortGaps(p.buffers[i].Gaps)
		}
	}
}

// name names the buffers.
func (p *peer) name(s *C.stowage_solver) {
	if s.names != nil {
		for i, name := range unsafe.Slice(s.names, len(p.buffers)) {
			p.buffers[i].ID = C.GoString(name) // "" for NULL, which is refused
		}
		return
	}
	p.ids = numbered(p.ids, len(p.buffers))
	for i := range p.buffers {
		p.buffers[i].ID = p.ids[i]
	}
}

// numbered returns ids extended to at least n decimal numbers, from 0 on.
func numbered(ids []string, n int) []string {
	if len(ids) >= n {
		return ids
	}
	text := make([]byte, 0, 8*(n-len(ids)))
	ends := make([]int, 0, n-len(ids))
	for i := len(ids); i < n; i++ {
		text = strconv.AppendInt(text, int64(i), 10)
		ends = append(ends, len(text))
	}
	all, from := string(text), 0
	for _, end := range ends {
		ids = append(ids, all[from:end])
		from = end
	}
	return ids
}
