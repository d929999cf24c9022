package main

// #include <stdlib.h>
// #include "solver.h"
import "C"

import (
	"bytes"
	encoding "encoding/json"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/model"
)

// errInternal is the kind of errors that are mistakes in this library.
var errInternal = errors.New("internal error")

// inputError returns an error of one line.
func inputError(message string) error { return model.Issue{Message: message}.Err() }

// fail stores an error for stowage_error, and returns its code.
func fail(s *C.stowage_solver, err error) C.int {
	say(s, err.Error())
	return codeOf(err)
}

// codeOf returns the code of an error.
func codeOf(err error) C.int {
	var input *stowage.InputError
	switch {
	case errors.As(err, &input):
		return C.STOWAGE_E_INPUT
	case errors.Is(err, stowage.ErrUnsupported):
		return C.STOWAGE_E_UNSUPPORTED
	}
	return C.STOWAGE_E_INTERNAL
}

func say(s *C.stowage_solver, text string) {
	C.free(unsafe.Pointer(s.error))
	s.error = C.CString(shown.Lines(text))
}

// give sets the text that stowage_reason returns.
func give(s *C.stowage_solver, text string) {
	C.free(unsafe.Pointer(s.reason))
	s.reason = C.CString(shown.Lines(text))
}

// guard turns a panic into an error, because a panic would end the caller's process.
func guard[T ~int32 | ~int64](s *C.stowage_solver, code *T) {
	if what := recover(); what != nil {
		*code = T(fail(s, fmt.Errorf("%w: panic: %v", errInternal, what)))
	}
}

// bytesOf returns a caller's text without copying it. solver.c has checked its length.
func bytesOf(text *C.char, length C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(text)), int(length))
}

//export stowageReadJSON
func stowageReadJSON(s *C.stowage_solver, text *C.char, length C.size_t) (code C.int) {
	defer guard(s, &code)
	problem, _, read, err := json.ReadWith(bytes.NewReader(bytesOf(text, length)), "", json.ReadOptions{})
	if err != nil {
		return fail(s, err)
	}
	take(s, problem)
	p := peerOf(s)
	p.ends, p.scale = string(read.Ends), read.Scale()
	return C.STOWAGE_OK
}

// take makes a problem of the Go side the problem of the solver.
func take(s *C.stowage_solver, problem *model.Problem) {
	p := peerOf(s)
	p.json, p.ends, p.scale = problem, "", 1
	s.count, s.json, s.start, s.outcome = C.int64_t(len(problem.Buffers)), 1, nil, 0
}

//export stowageJSON
func stowageJSON(s *C.stowage_solver) (length C.int64_t) {
	defer guard(s, &length)
	p := peerOf(s)
	problem := p.fill(s)
	var outcome *json.Plan
	if r := p.result; s.outcome != 0 {
		outcome = &json.Plan{
			Planner: r.Planner, Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Offsets: r.Offsets,
			Pools: r.Pools, Parts: r.Parts, Measures: r.Measures, Bounds: r.Bounds,
		}
	}
	return write(s, func(w io.Writer) error { return json.Write(w, problem, outcome) })
}

//export stowageStats
func stowageStats(s *C.stowage_solver) (length C.int64_t) {
	defer guard(s, &length)
	p := peerOf(s)
	return write(s, func(w io.Writer) error {
		if s.outcome == 0 {
			return inputError("there is no outcome: the problem has not been planned")
		}
		problem := p.problem
		problem.Capacity = int64(s.result.capacity) // of the run: the option may have changed since
		e := encoding.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		f := figures.Of(p.result, &problem, p.minimized)
		if s.json != 0 {
			f.Read(p.ends, p.scale)
		}
		return e.Encode(f)
	})
}

// write gives the solver the text that a function writes, and returns its length without the
// 0 at its end. It frees the text before.
func write(s *C.stowage_solver, to func(io.Writer) error) C.int64_t {
	C.free(unsafe.Pointer(s.text))
	s.text = nil
	var b bytes.Buffer
	if err := to(&b); err != nil {
		return C.int64_t(fail(s, err))
	}
	b.WriteByte(0)
	s.text = (*C.char)(C.CBytes(b.Bytes()))
	return C.int64_t(b.Len() - 1)
}
