//go:build js && wasm

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bindings/js/wasm/bridge"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: a .tflite model is planned as `stowage plan` does it, including the scratch of the kernels. The result is what
// firmware needs: the sizes of the arena, the model with its plan, the header, and the model as an array. Package tflm
// has the rules, and format/cheader the texts.

// planModel plans a model for TensorFlow Lite Micro. Its answer is that of plan, with the arenas and the files added. A
// capacity is that of the arena on the first target, as in the command. The lowest plan is looked for.
func planModel(c *bridge.Call) (map[string]any, error) {
	in, err := format.OpenFrom(bytes.NewReader(bridge.Bytes(c.Input.Get("bytes"))), c.Input.Get("name").String())
	if err != nil {
		return nil, err
	}
	in.AsModel()
	m, err := tflite.Read(in.Reader, in.Name)
	if err != nil {
		return nil, err
	}
	// Weights that a runtime would fold do not lie in the arena.
	folded, _, err := m.Fold()
	if err != nil {
		return nil, err
	}
	o := c.Options()
	capacity := o.Capacity
	o.Capacity = 0
	steps := viewdata.Recorder{Most: mostMoves}
	tell := o.Progress
	o.Progress = func(p stowage.Progress) {
		steps.See(p)
		tell(p)
	}
	o.Moves = steps.Move
	set, named := tflm.ReferenceSet, false
	if kernels := c.Input.Get("kernels"); kernels.Truthy() {
		if set, err = tflm.ParseSet(kernels.String()); err != nil {
			return nil, model.Issue{Field: "kernels", Value: kernels.String(), Message: err.Error()}.Err()
		}
		named = true
	}
	doubts := tflm.DoubtsOf(m, set)
	made, err := tflm.Make(c.Context, folded,
		tflm.Options{Scratch: set.Scratch(folded), Set: set, Named: named, CannotRun: len(doubts.Obstacles) > 0, Solve: o})
	if err != nil {
		return nil, err
	}
	p := *made.Arena.Problem
	p.Name = nameOf(m.File)
	r := made.Result
	out := bridge.Result(r, &p, o.Minimize)
	file := &format.File{Problem: &p, Kind: in.Kind, Head: true}
	about(out, file)
	written, err := made.Written(m)
	if err != nil {
		return nil, err
	}
	runtime := runtimeOf(written, made, doubts, bridge.Text(c.Input.Get("kernels")))
	out["arenas"] = arenas(made, runtime)
	out["kernels"] = map[string]any{"name": set.Name(), "version": set.Version()}
	notes := arenaNotes(made, doubts)
	var told []any
	for _, note := range notes {
		told = append(told, note)
	}
	out["arenaNotes"] = told
	d := &viewdata.Doc{Problem: &p, Title: p.Name, LowerBound: r.LowerBound, Facts: facts(file, r)}
	switch {
	case made.Kept:
		// Its tensors share bytes on purpose, so the drawing shows the bytes that are in use.
		d.Problem, d.Offsets = made.Occupied, fixedOf(made.Occupied)
		d.Facts = append(d.Facts, viewdata.Fact{
			Name: "note", Value: "the plan in the model is kept: its tensors share bytes on purpose",
		})
	case made.Placed != nil:
		d.Steps = steps.Finish(r)
		d.Moves, d.MovesTold = steps.Moves()
		d.Offsets = made.Placed
	case r.Status == stowage.Infeasible:
		if why := misfit(c, d, o); why != "" {
			out["why"] = why
		}
	}
	if made.Placed != nil {
		out["height"] = bridge.Digits(made.Head)
	}
	if capacity > 0 && r.Status.HasPlan() {
		said := fit(out, made, runtime, capacity)
		if out["offsets"] == nil {
			d.Warning = said
		}
		d.Facts = append(d.Facts, viewdata.Fact{Name: "capacity", Value: said})
	}
	d.Facts = append(d.Facts, factsOfArenas(made, runtime)...)
	for _, note := range notes {
		d.Facts = append(d.Facts, viewdata.Fact{Name: "note", Value: note})
	}
	if made.Placed != nil {
		if err := files(out, written, runtime, made, &p); err != nil {
			return nil, err
		}
	}
	if !c.Input.Get("view").Truthy() {
		return out, nil
	}
	return show(out, d)
}

// fit says whether the arena on the first target fits a capacity. If it does not, there is no plan in the answer: it is
// infeasible if no plan can fit, and unknown if one may.
func fit(out map[string]any, made *tflm.Plan, names *cheader.Runtime, capacity int64) string {
	sizes := sizesOf(made)[0]
	needed := sizes.After.Smallest
	out["capacity"] = bridge.Digits(capacity)
	said := fmt.Sprintf("the arena needs %d bytes (%s)", needed, names.Arenas[0].About)
	if names.AtLeast {
		said = strings.Replace(said, "needs", "needs at least", 1)
	}
	switch least, _ := made.Least(sizes.Target); {
	case needed <= capacity && !names.AtLeast:
		out["fit"] = fmt.Sprintf("it fits into %d: %s, %d less", capacity, said, capacity-needed)
		return out["fit"].(string)
	case least.Smallest > capacity:
		out["status"], said = stowage.Infeasible.String(), fmt.Sprintf("it does not fit into %d: %s", capacity, said)
	default:
		out["status"], said = stowage.Unknown.String(), fmt.Sprintf("whether it fits into %d is not known: %s", capacity, said)
	}
	if needed > capacity {
		said += fmt.Sprintf(", %d too many", needed-capacity)
	}
	out["fit"], out["reason"], out["offsets"], out["height"] = said, said, nil, bridge.Digits(0)
	out["next"] = fmt.Sprintf("the command says what would make it fit: stowage plan --capacity %d", capacity)
	return said
}

// nameOf returns the name of a model: that of its file.
func nameOf(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// fixedOf returns the fixed offsets of all buffers, or nil if a buffer has none.
func fixedOf(p *stowage.Problem) []int64 {
	if p == nil {
		return nil
	}
	var out []int64
	for i := range p.Buffers {
		if p.Buffers[i].Fixed == nil {
			return nil
		}
		out = append(out, *p.Buffers[i].Fixed)
	}
	return out
}

// arenas returns the sizes of the arena by target.
func arenas(made *tflm.Plan, names *cheader.Runtime) []any {
	out := []any{}
	for k, s := range sizesOf(made) {
		out = append(out, map[string]any{
			"target": names.Arenas[k].About, "before": bridge.Digits(s.Before.Smallest),
			"planned": bridge.Digits(s.After.Smallest),
			"atLeast": names.AtLeast,
		})
	}
	return out
}

// sizesOf returns the sizes on the targets that may have the kernels: the interpreter of PyPI has the reference
// kernels.
func sizesOf(made *tflm.Plan) []tflm.Sizes {
	all := made.Sizes()
	if made.Set != tflm.ReferenceSet {
		all = slices.DeleteFunc(all, func(s tflm.Sizes) bool { return s.Target == &tflm.Interpreter })
	}
	return all
}

// factsOfArenas returns the sizes of the arena as figures of the page.
func factsOfArenas(made *tflm.Plan, names *cheader.Runtime) []viewdata.Fact {
	var out []viewdata.Fact
	least := ""
	if names.AtLeast {
		least = "at least "
	}
	for k, s := range sizesOf(made) {
		value := least + bridge.Digits(s.After.Smallest)
		if s.After.Smallest != s.Before.Smallest {
			value += ", as it is " + least + bridge.Digits(s.Before.Smallest)
		}
		out = append(out, viewdata.Fact{Name: "arena, " + names.Arenas[k].About, Value: value})
	}
	return out
}

// arenaNotes says which kernels the sizes are for, what others need, and what is in doubt.
func arenaNotes(made *tflm.Plan, doubts tflm.Doubts) []string {
	out := []string{tflm.KernelsNote(made.Set)}
	if other := made.Elsewhere(&tflm.Firmware32); other != "" {
		out = append(out, "W"+other[1:]+".")
	}
	for _, x := range doubts.Obstacles {
		out = append(out, "The model does not run as it is: "+x.Why+". What to do: "+x.Next+".")
	}
	for _, name := range doubts.Unknown {
		out = append(out, "The kernel of "+name+" is not known, so the arenas are lower bounds.")
	}
	for _, name := range doubts.Scratch {
		out = append(out, "The scratch for "+name+" is not known with these kernels, so the arenas are lower bounds.")
	}
	return out
}

// runtimeOf returns the sizes of the runtime's arena for the model that is written. The name of the kernels is as the
// user gave it: with a version, other kernels are no question.
func runtimeOf(model []byte, made *tflm.Plan, doubts tflm.Doubts, kernels string) *cheader.Runtime {
	var sizes []int64
	for _, s := range sizesOf(made) {
		sizes = append(sizes, s.After.Smallest)
	}
	note := tflm.KernelsNote(made.Set)
	for _, x := range doubts.Obstacles {
		note += " The model does not run as it is: " + x.Why + "."
	}
	if other := made.Elsewhere(&tflm.Firmware32); other != "" && !strings.Contains(kernels, "@") {
		note += " W" + other[1:] + "."
	}
	out := tflm.Runtime(model, sizes, note)
	out.AtLeast = doubts.AtLeast()
	return out
}

// files adds the model with its plan, the header, the array, and the plan in CSV.
func files(out map[string]any, model []byte, runtime *cheader.Runtime, made *tflm.Plan, p *stowage.Problem) error {
	plan := &cheader.Plan{Name: p.Name, Arena: made.Head, Runtime: runtime, Alignment: tflite.Alignment}
	for i := range p.Buffers {
		plan.Tensors = append(plan.Tensors,
			cheader.Tensor{Name: p.Buffers[i].ID, Offset: made.Placed[i], Size: p.Buffers[i].Size})
	}
	var header, array, table bytes.Buffer
	if err := cmp.Or(cheader.WriteHeader(&header, plan), cheader.WriteArray(&array, p.Name, model, runtime),
		csv.WriteWith(&table, p, made.Placed, csv.WriteOptions{})); err != nil {
		return err
	}
	out["output"] = bridge.Uint8Array(table.Bytes())
	out["files"] = map[string]any{
		"tflite": bridge.Uint8Array(model), "h": bridge.Uint8Array(header.Bytes()), "cc": bridge.Uint8Array(array.Bytes()),
	}
	return nil
}
