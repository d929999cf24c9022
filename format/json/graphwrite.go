package json

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/stowage-go/stowage/graph"
)

// Idea: a plan of a graph has names where the graph has them, so that a compiler looks offsets up
// by name. Each value and each operator has a line of its own.
//
// The format of a plan, version 1:
//
//	{
//	  "format": "graph plan",
//	  "version": 1,
//	  "name": "example",
//	  "planner": "auto",
//	  "status": "optimal",
//	  "height": 4208,
//	  "lower_bound": 4208,
//	  "order": ["conv", "relu"],
//	  "offsets": {"x": 112, "y": 0, "z": 0},
//	  "scratch": {"conv": 4208},
//	  "overlaps": [
//	    {"operator": "conv", "result": "y", "operand": "x", "distance": 112, "bytes": 2960}
//	  ],
//	  "saved": {"in_place": 0, "distance": 2960, "order": 0}
//	}
//
// If operators run in strips, saved has "strips" too, and the document has their chains:
//
//	"chains": [
//	  {"operators": ["a", "b"], "strips": 2, "work": 96, "calls": [
//	    {"strip": 0, "operator": "a", "reads": [{"value": "x", "lines": [0, 6], "offset": 512}],
//	     "makes": [{"value": "v", "lines": [0, 5], "offset": 0}], "scratch": 4096}
//	  ]}
//	]
//
// Offsets and scratch leave out what takes no memory, constants too; a value without bytes has the offset 0. Without a
// plan, order, offsets, scratch, overlaps and saved are left out, and the height is 0.

// WriteGraph writes a graph to w. ReadGraph returns it as it was. The error is w's, or says that
// the graph is bad or that a name is not valid UTF-8; then nothing is written.
func WriteGraph(w io.Writer, g *graph.Graph) error {
	if err := writableGraph(g); err != nil {
		return err
	}
	const full = 1 << 16
	e := encoder{w: w, dst: make([]byte, 0, full+1<<12), full: full}
	e.head(graphFormat, g.Name)
	e.str(",\n  \"values\": [")
	for i := range g.Values {
		v := &g.Values[i]
		e.line(i).str(`{"name": `).quote(v.Name).str(`, "size": `).int(v.Size)
		if v.Alignment > 1 {
			e.str(`, "alignment": `).int(v.Alignment)
		}
		if v.Constant {
			e.str(`, "constant": true`)
		}
		if v.Fixed != nil {
			e.str(`, "offset": `).int(*v.Fixed)
		}
		if v.Lines > 0 {
			e.str(`, "lines": `).int(int64(v.Lines))
		}
		e.str("}").flush(false)
	}
	e.str("\n  ],\n  \"operators\": [")
	for k := range g.Operators {
		e.line(k).operator(g, k)
		e.flush(false)
	}
	e.str("\n  ]")
	e.list(",\n  \"inputs\": ", g.Inputs, func(i int) string { return g.Values[i].Name })
	e.list(",\n  \"outputs\": ", g.Outputs, func(i int) string { return g.Values[i].Name })
	e.str("\n}\n").flush(true)
	return e.err
}

// WriteGraphPlan writes a plan of a graph to w. The error is w's, or says that the plan does not match the graph, that
// the graph is bad, or that a name is not valid UTF-8; then nothing is written.
func WriteGraphPlan(w io.Writer, g *graph.Graph, p *graph.Plan) error {
	if err := writableGraph(g); err != nil {
		return err
	}
	if has := p.Offsets != nil; has != p.Status.HasPlan() {
		return errors.New("json: the status " + p.Status.String() + " does not match the offsets of the plan")
	}
	if p.Offsets != nil && (len(p.Offsets) != len(g.Values) || len(p.Scratch) != len(g.Operators) ||
		len(p.Order) != len(g.Operators)) {
		return errors.New("json: the plan is not of the graph: its offsets or its operators are not as many")
	}
	const full = 1 << 16
	e := encoder{w: w, dst: make([]byte, 0, full+1<<12), full: full}
	e.head(planFormat, g.Name)
	if p.Planner != "" {
		e.str(",\n  \"planner\": ").quote(p.Planner)
	}
	e.str(",\n  \"status\": ").quote(p.Status.String())
	e.str(",\n  \"height\": ").int(p.Height).str(",\n  \"lower_bound\": ").int(p.LowerBound)
	if p.Offsets == nil {
		e.str("\n}\n").flush(true)
		return e.err
	}
	e.list(",\n  \"order\": ", p.Order, func(k int) string { return g.Operators[k].Name })
	e.offsets("offsets", p.Offsets, func(i int) string { return g.Values[i].Name })
	e.offsets("scratch", p.Scratch, func(k int) string { return g.Operators[k].Name })
	e.str(",\n  \"overlaps\": [")
	for k, o := range p.Overlaps {
		e.line(k).str(`{"operator": `).quote(g.Operators[o.Operator].Name)
		e.str(`, "result": `).quote(g.Values[o.Result].Name).str(`, "operand": `).quote(g.Values[o.Operand].Name)
		e.str(`, "distance": `).int(o.Distance).str(`, "bytes": `).int(o.Bytes).str("}").flush(false)
	}
	if len(p.Overlaps) > 0 {
		e.str("\n  ")
	}
	e.str("],\n  \"saved\": {\"in_place\": ").int(p.Saved.InPlace).str(`, "distance": `).int(p.Saved.Distance)
	e.str(`, "order": `).int(p.Saved.Order)
	if p.Chains != nil {
		e.str(`, "strips": `).int(p.Saved.Strips)
	}
	if e.str("}"); p.Chains != nil {
		e.chains(g, p)
	}
	e.str("\n}\n").flush(true)
	return e.err
}

// writableGraph says why a graph cannot be written, if so.
func writableGraph(g *graph.Graph) error {
	if err := graph.Validate(g); err != nil {
		return err
	}
	if !utf8.ValidString(g.Name) {
		return fmt.Errorf("json: the name %q is not valid UTF-8", g.Name)
	}
	for i := range g.Values {
		if name := g.Values[i].Name; !utf8.ValidString(name) {
			return fmt.Errorf("json: the name %q of value number %d is not valid UTF-8", name, i+1)
		}
	}
	for k := range g.Operators {
		if name := g.Operators[k].Name; !utf8.ValidString(name) {
			return fmt.Errorf("json: the name %q of operator number %d is not valid UTF-8", name, k+1)
		}
	}
	return nil
}

func (e *encoder) head(format, name string) {
	e.str("{\n  \"format\": ").quote(format).str(",\n  \"version\": ").int(GraphVersion)
	if name != "" {
		e.str(",\n  \"name\": ").quote(name)
	}
}

// line begins the line of entry k of a list.
func (e *encoder) line(k int) *encoder {
	if k > 0 {
		e.str(",")
	}
	return e.str("\n    ")
}

// list appends the names of a list of indices.
func (e *encoder) list(before string, list []int, name func(int) string) {
	e.str(before).str("[")
	for k, i := range list {
		if k > 0 {
			e.str(", ")
		}
		e.quote(name(i)).flush(false)
	}
	e.str("]")
}

// offsets appends the offsets that are there, by name.
func (e *encoder) offsets(key string, list []int64, name func(int) string) {
	e.str(",\n  ").quote(key).str(": {")
	n := 0
	for i, at := range list {
		if at >= 0 {
			e.line(n).quote(name(i)).str(": ").int(at).flush(false)
			n++
		}
	}
	if n > 0 {
		e.str("\n  ")
	}
	e.str("}")
}

func (e *encoder) operator(g *graph.Graph, k int) {
	o, value := &g.Operators[k], func(i int) string { return g.Values[i].Name }
	e.str(`{"name": `).quote(o.Name)
	e.list(`, "operands": `, o.Operands, value)
	e.list(`, "results": `, o.Results, value)
	if o.Scratch > 0 {
		e.str(`, "scratch": `).int(o.Scratch)
		if o.ScratchAlignment > 1 {
			e.str(`, "scratch_alignment": `).int(o.ScratchAlignment)
		}
	}
	if len(o.After) > 0 {
		e.list(`, "after": `, o.After, func(k int) string { return g.Operators[k].Name })
	}
	for n, p := range o.Permits {
		if n == 0 {
			e.str(`, "permits": [`)
		} else {
			e.str(", ")
		}
		e.str(`{"result": `).quote(value(p.Result)).str(`, "operand": `).quote(value(p.Operand))
		switch {
		case p.Exactly && p.Distance == 0:
			e.str(`, "equal": true`)
		case p.Exactly:
			e.str(`, "exactly": `).int(p.Distance)
		case p.Distance != 0:
			e.str(`, "distance": `).int(p.Distance)
		}
		e.str("}")
	}
	if len(o.Permits) > 0 {
		e.str("]")
	}
	e.reads(g, o)
	if o.Work > 0 {
		e.str(`, "work": `).int(o.Work)
	}
	e.str("}")
}

// reads appends which lines an operator reads.
func (e *encoder) reads(g *graph.Graph, o *graph.Operator) {
	for n := range o.Reads {
		r := &o.Reads[n]
		if n == 0 {
			e.str(`, "reads": [`)
		} else {
			e.str(", ")
		}
		e.str(`{"operand": `).quote(g.Values[r.Operand].Name)
		for _, f := range []struct {
			key string
			x   int
		}{{"window", r.Window}, {"stride", r.Stride}, {"padding", r.Padding}, {"up", r.Up}} {
			if f.x != 0 {
				e.str(`, "` + f.key + `": `).int(int64(f.x))
			}
		}
		if r.Spans != nil {
			e.str(`, "spans": [`)
			for k, s := range r.Spans {
				if k > 0 {
					e.str(", ")
				}
				e.str("[").int(int64(s[0])).str(", ").int(int64(s[1])).str("]").flush(false)
			}
			e.str("]")
		}
		e.str("}")
	}
	if len(o.Reads) > 0 {
		e.str("]")
	}
}

// chains appends the chains of a plan in strips.
func (e *encoder) chains(g *graph.Graph, p *graph.Plan) {
	pieces := func(key string, list []graph.Piece) {
		e.str(`, "` + key + `": [`)
		for k, x := range list {
			if k > 0 {
				e.str(", ")
			}
			e.str(`{"value": `).quote(g.Values[x.Value].Name).str(`, "lines": [`).int(int64(x.First)).str(", ").int(int64(x.End))
			if e.str("]"); x.Offset >= 0 {
				e.str(`, "offset": `).int(x.Offset)
			}
			e.str("}")
		}
		e.str("]")
	}
	e.str(",\n  \"chains\": [")
	for i := range p.Chains {
		c := &p.Chains[i]
		e.line(i).list(`{"operators": `, p.Order[c.First:c.Last+1], func(k int) string { return g.Operators[k].Name })
		e.str(`, "strips": `).int(int64(c.Strips)).str(`, "work": `).int(c.Work).str(`, "calls": [`)
		for n := range c.Calls {
			x := &c.Calls[n]
			if n > 0 {
				e.str(",")
			}
			e.str("\n      {\"strip\": ").int(int64(x.Strip)).str(`, "operator": `).quote(g.Operators[x.Operator].Name)
			pieces("reads", x.Reads)
			if pieces("makes", x.Makes); x.Scratch >= 0 {
				e.str(`, "scratch": `).int(x.Scratch)
			}
			e.str("}").flush(false)
		}
		e.str("\n    ]}").flush(false)
	}
	e.str("\n  ]")
}
