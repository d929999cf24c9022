package main

// #include "solver.h"
import "C"

import (
	"bytes"
	"io"

	"github.com/stowage-go/stowage/arena"
	trace "github.com/stowage-go/stowage/format/arena"
)

// Idea: the caller passes a trace of stowage_arena.c as text, and gets its plan as text. So a program can plan its own
// steps. The options of the run are those of the solver.

//export stowagePlanTrace
func stowagePlanTrace(s *C.stowage_solver, text *C.char, length C.size_t, alignment, space C.int64_t) (size C.int64_t) {
	defer guard(s, &size)
	t, err := trace.ReadTrace(bytes.NewReader(bytesOf(text, length)), "")
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	o := arena.Options{Solve: peerOf(s).optionsOf(s), Alignment: int64(alignment), Guard: int64(space)}
	o.Solve.Capacity, o.Solve.Start = int64(s.options[C.STOWAGE_CAPACITY]), nil
	ctx, end := heeding(s.token)
	defer end()
	plans, err := arena.Make(ctx, t, o)
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	return write(s, func(w io.Writer) error { return trace.WritePlans(w, plans) })
}
