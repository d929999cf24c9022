package main

// #include "solver.h"
import "C"

import (
	"bytes"
	"io"
	"strconv"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
)

// Idea: the caller passes a graph as text and gets its plan as text, in the formats of the command. So a compiler needs
// only one function. The options of the run are those of the solver.

//export stowagePlanGraph
func stowagePlanGraph(s *C.stowage_solver, text *C.char, length C.size_t, flags C.int) (size C.int64_t) {
	defer guard(s, &size)
	const known = C.STOWAGE_REORDER | C.STOWAGE_IN_PLACE | C.STOWAGE_NO_PERMITS | C.STOWAGE_SPLIT
	if flags&^known != 0 {
		return C.int64_t(fail(s, inputError("there is no flag "+strconv.Itoa(int(flags&^known))+" of stowage_plan_graph")))
	}
	g, err := json.ReadGraph(bytes.NewReader(bytesOf(text, length)), "")
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	o := graph.Options{Solve: stowage.Solve, Reorder: flags&C.STOWAGE_REORDER != 0, Run: peerOf(s).optionsOf(s)}
	if o.Strips = flags&C.STOWAGE_SPLIT != 0; o.Strips {
		o.MaxWork = graph.DefaultMaxWork
	}
	switch {
	case flags&C.STOWAGE_NO_PERMITS != 0:
		o.Permits = graph.NoPermits
	case flags&C.STOWAGE_IN_PLACE != 0:
		o.Permits = graph.InPlace
	}
	o.Run.Capacity, o.Run.Start = int64(s.options[C.STOWAGE_CAPACITY]), nil
	ctx, end := heeding(s.token)
	defer end()
	p, err := graph.Make(ctx, g, o)
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	return write(s, func(w io.Writer) error { return json.WriteGraphPlan(w, g, p) })
}
