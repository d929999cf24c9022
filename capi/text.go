package main

// #include <stdlib.h>
// #include "solver.h"
import "C"

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/model"
)

// errInternal is the kind of errors that are mistakes of this library.
var errInternal = errors.New("internal error")

func unsafePointer(text *C.char) unsafe.Pointer { return unsafe.Pointer(text) }

// inputError is a fault of one line.
func inputError(message string) error {
	var issues model.Issues
	issues.Add(stowage.Issue{Message: message})
	return issues.Err()
}

// fail says what is wrong with a call, and returns its code.
func fail(s *C.stowage_solver, err error) C.int {
	say(s, err.Error())
	var input *stowage.InputError
	switch {
	case errors.As(err, &input), errors.Is(err, stowage.ErrUnknownPlanner):
		return C.STOWAGE_E_INPUT
	case errors.Is(err, stowage.ErrUnsupported):
		return C.STOWAGE_E_UNSUPPORTED
	}
	return C.STOWAGE_E_INTERNAL
}

func say(s *C.stowage_solver, text string) {
	C.free(unsafe.Pointer(s.error))
	s.error = C.CString(text)
}

//export stowageReadJSON
func stowageReadJSON(s *C.stowage_solver, text *C.char, length C.size_t) C.int {
	problem, _, err := json.Read(bytes.NewReader(unsafe.Slice((*byte)(unsafe.Pointer(text)), int(length))), "")
	if err != nil {
		return fail(s, err)
	}
	p := peerOf(s)
	p.json = problem
	s.count, s.json, s.start, s.outcome = C.int64_t(len(problem.Buffers)), 1, nil, 0
	return C.STOWAGE_OK
}

//export stowageJSON
func stowageJSON(s *C.stowage_solver) C.size_t {
	p := peerOf(s)
	problem := p.fill(s)
	var outcome *json.Plan
	if r := p.result; s.outcome != 0 {
		outcome = &json.Plan{Planner: r.Planner, Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Offsets: r.Offsets}
	}
	var b bytes.Buffer
	if err := json.Write(&b, problem, outcome); err != nil {
		fail(s, err)
		return 0
	}
	b.WriteByte(0)
	s.text = (*C.char)(C.CBytes(b.Bytes()))
	return C.size_t(b.Len() - 1)
}
