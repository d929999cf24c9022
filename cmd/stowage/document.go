package main

import (
	"io"

	stowjson "github.com/stowage-go/stowage/format/json"

	"github.com/stowage-go/stowage/render/svg"
	"github.com/stowage-go/stowage/render/tikz"
)

// writeJSON writes the problem and its plan in one file. The capacity is the
// one that the plan was made for, so that verify needs no flag.
func writeJSON(w io.Writer, d *document) error {
	p := *d.problem
	p.Capacity = d.capacity
	if d.result == nil {
		return stowjson.Write(w, &p, nil)
	}
	return stowjson.Write(w, &p, &stowjson.Plan{
		Planner: d.result.Planner, Status: d.result.Status, Height: d.height,
		LowerBound: d.lowerBound, Offsets: d.offsets,
	})
}

// writeSVG draws the plan, or the contention profile where there is none.
func writeSVG(w io.Writer, d *document) error {
	o := svg.Options{Title: d.problem.Name, Capacity: d.capacity, LowerBound: d.lowerBound}
	if d.offsets == nil {
		return svg.WriteProfile(w, d.problem, o)
	}
	return svg.Write(w, d.problem, d.offsets, o)
}

// writeTikZ is writeSVG for LaTeX.
func writeTikZ(w io.Writer, d *document) error {
	o := tikz.Options{Title: d.problem.Name, Capacity: d.capacity, LowerBound: d.lowerBound}
	if d.offsets == nil {
		return tikz.WriteProfile(w, d.problem, o)
	}
	return tikz.Write(w, d.problem, d.offsets, o)
}
