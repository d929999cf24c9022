package command

import (
	"cmp"
	"errors"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/cmd/stowage/print/pdf"
	"github.com/stowage-go/stowage/cmd/stowage/print/png"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/dsa"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/render/svg"
	"github.com/stowage-go/stowage/render/tikz"
)

// writeCSV writes the problem under the header that it came with.
func writeCSV(w io.Writer, d *document) error {
	if d.result != nil && d.problem.Ruled() && csv.Writable(d.problem) != nil { // more rules than clocks: the plan alone
		return csv.WritePlan(w, d.problem, d.placed())
	}
	extra := d.extra
	if extra == nil {
		extra = &csv.Extra{Times: d.times}
	}
	return csv.WriteWith(w, d.problem, d.offsets, csv.WriteOptions{Header: d.header, Extra: extra, Comments: d.comments})
}

// writeJSON writes the problem and its plan in one file. The capacity is the one of the run, so
// that verify needs no flag.
func writeJSON(w io.Writer, d *document) error {
	o := stowjson.WriteOptions{Places: d.times.Places, Family: d.family}
	if d.result == nil {
		return stowjson.WriteWith(w, d.problem, nil, o)
	}
	return stowjson.WriteWith(w, d.problem, &stowjson.Plan{
		Planner: d.result.Planner, Status: d.result.Status, Height: d.height,
		LowerBound: d.lowerBound, Offsets: d.offsets,
		Pools: d.result.Pools, Parts: d.result.Parts, Measures: d.result.Measures, Bounds: d.result.Bounds,
		Below: d.below, Points: d.points, Switched: d.switched,
	}, o)
}

// placed returns the plan of a run.
func (d *document) placed() *model.Plan {
	return &model.Plan{Offsets: d.offsets, Height: d.height, Pools: d.result.Pools, Parts: d.result.Parts}
}

// writeDSA writes the problem for dsa-solver. A problem from a file of dsa-solver is written as that file.
func writeDSA(w io.Writer, d *document) error {
	if d.dsa != nil {
		return d.dsa.Write(w)
	}
	return dsa.Write(w, d.problem)
}

// writeDSASolution writes the plan for dsa-solver, for the file of writeDSA.
func writeDSASolution(w io.Writer, d *document) error {
	of := d.dsa
	if of == nil {
		var err error
		if of, err = dsa.Make(d.problem); err != nil {
			return err
		}
	}
	return of.WriteSolution(w, d.placed(),
		map[string]string{"planner": "stowage " + d.result.Planner, "status": d.result.Status.String()})
}

// writeSVG, writePNG, writePDF and writeTikZ draw the plan, or the contention profile if there is none.
func writeSVG(w io.Writer, d *document) error { return draw(w, d, svg.Write, svg.WriteProfile) }
func writePNG(w io.Writer, d *document) error { return draw(w, d, png.Write, png.WriteProfile) }
func writePDF(w io.Writer, d *document) error { return draw(w, d, pdf.Write, pdf.WriteProfile) }

func writeTikZ(w io.Writer, d *document) error {
	return draw(w, d, tikz.Write, tikz.WriteProfile)
}

func draw(w io.Writer, d *document, plan func(io.Writer, *model.Problem, []int64, render.Options) error,
	profile func(io.Writer, *model.Problem, render.Options) error,
) error {
	o := render.Options{
		LowerBound: d.lowerBound, Warning: d.warning, Conflict: d.conflict, Overlaps: d.overlaps, Pools: d.pools,
		Parts: d.parts,
	}
	if d.offsets == nil && d.problem.Ruled() {
		return errors.New("there is no plan to draw, and a problem with rules has no load: pools and clocks have no " +
			"bytes in common")
	}
	if d.offsets == nil {
		return profile(w, d.problem, o)
	}
	return plan(w, d.problem, d.offsets, o)
}

// writeHTML writes the page that shows the plan.
func writeHTML(w io.Writer, d *document) error {
	return html.WriteAll(w, append([]html.Document{pageOf(d)}, d.beside...))
}

// pageOf returns a document in the form that a page takes.
func pageOf(d *document) html.Document {
	o := html.Options{
		Title: d.title, LowerBound: d.lowerBound, Warning: d.warning, Conflict: d.conflict, Facts: factsOf(d), Steps: d.steps,
		Moves: d.moves, MovesTold: d.movesTold, Pools: d.pools, Parts: d.parts, Shapes: shapesFor(d),
	}
	return html.Document{Problem: d.problem, Offsets: d.offsets, Options: o}
}

// ruledFacts returns the figures of a plan with rules by name.
func ruledFacts(d *document) []html.Fact {
	var facts []html.Fact
	add := func(name string, x int64) {
		facts = append(facts, html.Fact{Name: name, Value: strconv.FormatInt(x, 10)})
	}
	values := model.MeasuresOf(d.problem, &model.Plan{Offsets: d.offsets, Pools: d.pools, Parts: d.parts})
	bounds := []model.Value{}
	if d.result != nil {
		bounds = d.result.Bounds
	} else if d.plan != nil {
		bounds = d.plan.Bounds
	}
	for _, m := range d.problem.Objective() {
		if m != model.MeasureHeight {
			add(string(m), model.ValueOf(values, m))
		}
	}
	for _, v := range bounds {
		add(string(v.Measure)+", bound", v.Value)
	}
	facts = append(facts, html.Fact{Name: "buffers", Value: strconv.Itoa(len(d.problem.Buffers))})
	if r := d.result; r != nil {
		facts = append(facts, html.Fact{Name: "planner", Value: r.Planner},
			html.Fact{Name: "time", Value: seconds(r.Stats.Elapsed)})
	}
	return facts
}

// writeHeader and writeSource write the plan as C.
func writeHeader(w io.Writer, d *document) error { return writeC(w, d, cheader.WriteHeader) }
func writeSource(w io.Writer, d *document) error { return writeC(w, d, cheader.WriteSource) }

func writeC(w io.Writer, d *document, write func(io.Writer, *cheader.Plan) error) error {
	if d.family != nil {
		return writeOrder(w, d)
	}
	if d.offsets == nil && len(d.problem.Buffers) > 0 {
		return errors.New("there is no plan to write as C")
	}
	return write(w, planOf(d))
}

// planOf returns the plan of a document in the form that C takes: a tensor for each buffer,
// unless the document has tensors of its own.
func planOf(d *document) *cheader.Plan {
	p := &cheader.Plan{
		Name: cmp.Or(d.name, d.problem.Name), Arena: d.height, Tensors: d.tensors, Head: d.head, Runtime: d.runtime,
		Notes: d.notes,
	}
	p.Alignment = models.AlignmentOf(d.problem)
	for i := range d.problem.Buffers {
		b := &d.problem.Buffers[i]
		if d.tensors == nil && d.offsets != nil {
			p.Tensors = append(p.Tensors, cheader.Tensor{Name: b.ID, Offset: d.offsets[i], Size: b.Size})
		}
	}
	return p
}

// checkFormat refuses a problem that a format cannot hold: one with names that are no text, or
// one whose arena C cannot align. It is called before the search, so that no search is lost.
func checkFormat(name string, p *model.Problem) error {
	var err error
	switch name {
	case "csv":
		if err = csv.WritablePlan(p); err != nil && stowjson.Writable(p) == nil {
			return usagef("%v; JSON has room: -o FILE.json, or --format json", err)
		}
	case dsaProblem, dsaSolution:
		_, err = dsa.Make(p)
	case "json":
		err = stowjson.Writable(p)
	case "h", "c":
		err = cheader.CheckAlignment(models.AlignmentOf(p))
	}
	if err != nil {
		return usagef(".%s: %v", name, err)
	}
	return nil
}

// factsOf returns the figures of a document by name.
func factsOf(d *document) []html.Fact {
	var facts []html.Fact
	add := func(name, value string) { facts = append(facts, html.Fact{Name: name, Value: value}) }
	number := func(name string, x int64) { add(name, strconv.FormatInt(x, 10)) }
	switch {
	case d.result != nil:
		add("status", d.result.Status.String())
	case d.plan != nil:
		add("status", d.plan.Status.String())
	}
	if d.offsets != nil {
		number("height", d.height)
	}
	if d.problem.Ruled() {
		return append(facts, ruledFacts(d)...)
	}
	number("lower bound", d.lowerBound)
	if d.offsets != nil && d.warning == "" {
		add("gap", gap(d.height, d.lowerBound))
	}
	if d.problem.Capacity > 0 {
		number("capacity", d.problem.Capacity)
	}
	add("buffers", strconv.Itoa(len(d.problem.Buffers)))
	switch r := d.result; {
	case r != nil:
		add("planner", r.Planner)
		number("nodes", r.Stats.Nodes)
		number("backtracks", r.Stats.Backtracks)
		add("time", seconds(r.Stats.Elapsed))
		if r.Stopped != "" {
			add("stopped", string(r.Stopped))
		}
	case d.plan != nil && d.plan.Planner != "":
		add("planner", d.plan.Planner)
	}
	return facts
}
