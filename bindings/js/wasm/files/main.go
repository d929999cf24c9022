//go:build js && wasm

// Program files is Stowage for WebAssembly with files. It reads every format that the command
// reads, plans, and writes what the command writes.
package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall/js"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bindings/js/wasm/bridge"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/format/times"
	reason "github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
)

func main() {
	bridge.Serve(map[string]bridge.Operation{
		"plan": plan, "planModel": planModel, "read": read, "explain": explain, "planners": planners,
	})
}

// mostMoves is the largest number of moves of a search that the page plays back.
const mostMoves = 20_000

// plan reads a file, plans what is in it, and writes the plan.
func plan(c *bridge.Call) (map[string]any, error) {
	f, err := open(c)
	if err != nil {
		return nil, err
	}
	o := c.Options()
	if c.Input.Get("options").Get("ignoreOffsets").Truthy() {
		f.Unpin()
	}
	steps := viewdata.Recorder{Most: mostMoves}
	view := c.Input.Get("view").Truthy()
	if tell := o.Progress; view {
		o.Progress = func(p stowage.Progress) {
			steps.See(p)
			tell(p)
		}
		o.Moves = steps.Move
	}
	p := f.Problem
	kind := bridge.Text(c.Input.Get("format"))
	if p.Ruled() {
		if kind == "csv" {
			return nil, noRules(c, "CSV has no room for: format must be json")
		}
	}
	if kind == "auto" {
		kind = "csv"
		if p.Ruled() {
			kind = "json"
		}
	}
	if f.Head {
		o.Capacity = 0 // that of the arena, for planModel to compare
	}
	if capacity := p.CapacityOr(o.Capacity); capacity > 0 {
		p.Capacity = capacity
	}
	r, err := stowage.Solve(c.Context, p, o)
	if err != nil {
		return nil, err
	}
	out := bridge.Result(r, p, o.Minimize)
	about(out, f)
	if p.Ruled() {
		out["ids"] = bridge.Names(p)
	}
	if r.Status.HasPlan() && kind != "" {
		text, err := write(kind, f, r)
		if err != nil {
			return nil, err
		}
		out["output"] = bridge.Uint8Array(text)
	}
	if view {
		d := &viewdata.Doc{Problem: p, LowerBound: r.LowerBound, Facts: facts(f, r), Steps: steps.Finish(r)}
		d.Moves, d.MovesTold = steps.Moves()
		switch {
		case r.Status.HasPlan():
			d.Offsets, d.Pools, d.Parts = r.Offsets, r.Pools, r.Parts
		case r.Status == stowage.Infeasible:
			if why := misfit(c, d, o); why != "" {
				out["why"] = why
			}
		}
		return show(out, d)
	}
	return out, nil
}

// mostExplaining is how long the page waits for a reason why nothing fits, and for the lowest plan to draw it with.
const mostExplaining = 3 * time.Second

// misfit completes a document without a plan. It adds the lowest plan that ignores the capacity, and the buffers that
// cannot fit together. It returns the reason, or "" if none is found soon.
func misfit(c *bridge.Call, d *viewdata.Doc, o stowage.Options) string {
	p := d.Problem
	o.Timeout, o.Progress, o.Moves = mostExplaining, nil, nil
	x, err := stowage.Explain(c.Context, p, o)
	if err != nil || x.Status != stowage.Infeasible {
		return ""
	}
	d.Conflict, d.Warning = x.Buffers, reason.Told(x, p, func(id string) string { return id })
	if p.Ruled() { // no plan of it can be drawn
		return d.Warning
	}
	free, back := reason.Drawable(p, x)
	o.Capacity = 0
	if r, err := stowage.Minimize(c.Context, free, o); err == nil && r.Status.HasPlan() {
		back(r.Offsets)
		d.Offsets = r.Offsets
	}
	return d.Warning
}

// explain says which buffers of a file cannot fit together.
func explain(c *bridge.Call) (map[string]any, error) {
	f, err := open(c)
	if err != nil {
		return nil, err
	}
	if c.Input.Get("options").Get("ignoreOffsets").Truthy() {
		f.Unpin()
	}
	return c.Explain(f.Problem)
}

// read reads a file with the plan that is in it.
func read(c *bridge.Call) (map[string]any, error) {
	f, err := open(c)
	if err != nil {
		return nil, err
	}
	d := &viewdata.Doc{Problem: f.Problem, Facts: facts(f, nil)}
	switch {
	case f.Plan != nil && f.Plan.Offsets != nil:
		d.Offsets, d.Pools, d.Parts = f.Plan.Offsets, f.Plan.Pools, f.Plan.Parts
	case f.Pinned():
		for i := range f.Problem.Buffers {
			d.Offsets = append(d.Offsets, *f.Problem.Buffers[i].Fixed)
		}
		f.Unpin()
	}
	if !f.Problem.Ruled() { // rules have bounds of a run alone
		if d.LowerBound, err = stowage.LowerBound(f.Problem); err != nil {
			return nil, err
		}
	}
	out := map[string]any{"planned": d.Offsets != nil, "lowerBound": bridge.Digits(d.LowerBound)}
	about(out, f)
	return show(out, d)
}

// noRules is the error of a file with rules, if they are not known.
func noRules(c *bridge.Call, what string) error {
	return fmt.Errorf("%s: %w: it has rules, such as pools or pairs apart, which %s", c.Input.Get("name").String(),
		stowage.ErrUnsupported, what)
}

// open reads the file of a call. The reader may open the files that were given beside it.
func open(c *bridge.Call) (*format.File, error) {
	o := format.Options{
		Heap: bridge.Text(c.Input.Get("heap")), Ends: times.Ends(bridge.Text(c.Input.Get("ends"))),
		Alignment: bridge.Integer(c.Input.Get("alignment")),
	}
	o.Dims, o.Values, o.Sizes = pairs(c.Input.Get("dims")), pairs(c.Input.Get("values")), pairs(c.Input.Get("sizes"))
	var err error
	if o.Shapes, err = shapes(c.Input.Get("shapes"), c.Input.Get("name").String()); err != nil {
		return nil, err
	}
	given := c.Input.Get("beside")
	o.Beside = func(name string) (io.ReadCloser, error) {
		if given.IsUndefined() || given.Get(name).IsUndefined() {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(bridge.Bytes(given.Get(name)))), nil
	}
	return format.ReadFrom(bytes.NewReader(bridge.Bytes(c.Input.Get("bytes"))), c.Input.Get("name").String(), o)
}

// pairs returns names with numbers.
func pairs(v js.Value) map[string]int64 {
	if v.IsUndefined() {
		return nil
	}
	out := map[string]int64{}
	keys := js.Global().Get("Object").Call("keys", v)
	for k := range keys.Length() {
		name := keys.Index(k).String()
		out[name] = bridge.Integer(v.Get(name))
	}
	return out
}

// shapes returns names with shapes of a file, as the command's --shape has them.
func shapes(v js.Value, file string) (map[string]onnx.Shape, error) {
	if v.IsUndefined() {
		return nil, nil
	}
	out := map[string]onnx.Shape{}
	var issues model.Issues
	keys := js.Global().Get("Object").Call("keys", v)
	for k := range keys.Length() {
		name := keys.Index(k).String()
		text := v.Get(name).String()
		s, err := onnx.ParseShape(text)
		if err != nil {
			issues.Add(model.Issue{File: file, Field: "shape of " + name, Value: text, Message: err.Error()})
		}
		out[name] = s
	}
	return out, issues.Err()
}

// extraOf returns what else is in a file, with how its times are written.
func extraOf(f *format.File) *csv.Extra {
	if f.Extra == nil {
		return &csv.Extra{Times: f.Times}
	}
	return f.Extra
}

// write writes a plan as the command does.
func write(kind string, f *format.File, r *stowage.Result) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if kind == "json" {
		err = json.WriteWith(&b, f.Problem, &json.Plan{
			Planner: r.Planner, Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Offsets: r.Offsets,
			Pools: r.Pools, Parts: r.Parts, Measures: r.Measures, Bounds: r.Bounds,
		}, json.WriteOptions{Places: f.Times.Places})
	} else if f.Problem.Ruled() && csv.Writable(f.Problem) != nil { // more rules than clocks: the plan alone
		err = csv.WritePlan(&b, f.Problem, &r.Plan)
	} else {
		err = csv.WriteWith(&b, f.Problem, r.Offsets, csv.WriteOptions{Header: f.Header, Extra: extraOf(f)})
	}
	return b.Bytes(), err
}

// notesOf returns what the reader decided.
func notesOf(f *format.File) []string {
	return slices.DeleteFunc(append([]string{f.Times.EndsNote(), f.Times.ScaleNote()}, f.Notes...),
		func(s string) bool { return s == "" })
}

// about says what a file is.
func about(out map[string]any, f *format.File) {
	notes, heaps := []any{}, []any{}
	for _, n := range notesOf(f) {
		notes = append(notes, n)
	}
	for _, h := range f.Heaps {
		heaps = append(heaps, h)
	}
	if f.Times.Ends != "" {
		out["ends"] = string(f.Times.Ends)
	}
	if scale := f.Times.Scale(); scale > 1 {
		out["timeScale"] = scale
	}
	out["name"], out["kind"], out["buffers"] = f.Problem.Name, string(f.Kind), len(f.Problem.Buffers)
	out["head"] = f.Head // planModel plans it
	out["capacity"], out["notes"], out["heaps"] = bridge.Digits(f.Problem.Capacity), notes, heaps
}

// show adds what the viewer reads.
func show(out map[string]any, d *viewdata.Doc) (map[string]any, error) {
	d.Check()
	text, packed, err := d.Encode()
	if err != nil {
		return nil, err
	}
	out["view"] = map[string]any{"meta": string(text), "data": bridge.Uint8Array(packed)}
	return out, nil
}

// facts are the figures that the page lists.
func facts(f *format.File, r *stowage.Result) []viewdata.Fact {
	var out []viewdata.Fact
	add := func(name, value string) { out = append(out, viewdata.Fact{Name: name, Value: value}) }
	add("read as", string(f.Kind))
	if r != nil {
		add("status", r.Status.String())
		if r.Status.HasPlan() {
			add("height", bridge.Digits(r.Height))
		}
		add("lower bound", bridge.Digits(r.LowerBound))
		planner := r.Planner
		if r.Member != "" {
			planner += " (" + r.Member + ")"
		}
		add("planner", planner)
		add("nodes", bridge.Digits(r.Stats.Nodes))
		add("time", bridge.Digits(r.Stats.Elapsed.Milliseconds())+" ms")
		if r.Stopped != "" {
			add("stopped", string(r.Stopped))
		}
	}
	page := strings.NewReplacer("say --ends half-open", "choose half-open under End is",
		"as --ends says", "as chosen under End is", "--ends ", "")
	for _, n := range notesOf(f) {
		add("note", page.Replace(n))
	}
	if len(f.Heaps) > 1 {
		add("heaps", strings.Join(f.Heaps, ", "))
	}
	return out
}

// planners lists the planners.
func planners(*bridge.Call) (map[string]any, error) {
	list := []any{}
	for _, p := range stowage.Planners() {
		list = append(list, map[string]any{"name": p.Name, "summary": p.Summary, "exact": p.Exact})
	}
	return map[string]any{"planners": list}, nil
}
