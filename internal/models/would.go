package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: a report says what would make the plan smaller: each option that was not given, several of these options
// together, and a runtime that tiles. This file computes and words all of it, the same for each kind of model. It runs
// only for a report, under limits that count nodes, and changes nothing in the plan.

// A wouldLower is the saving by an option. The keys of its JSON are a contract; new ones go to the end.
type wouldLower struct {
	Option  string `json:"option"`  // the flags; tiling, which is no flag
	Head    int64  `json:"head"`    // bytes of the plan with the option; for tiling an estimate
	Saved   int64  `json:"saved"`   // bytes less than the plan; 0 if it saves nothing
	Optimal bool   `json:"optimal"` // it is proven that no plan with the option takes less
	// Bound: no plan with the option takes less, in bytes; 0 if nothing is proven.
	Bound int64 `json:"lower_bound,omitempty"`
	// Fixed says why the order of the operators cannot change; empty if it can.
	Fixed string `json:"order_fixed_by,omitempty"`
	// Chains are the operators that run in strips, for tiling alone.
	Chains []tiledChain `json:"chains,omitempty"`
}

// A tiledChain is successive operators that run in strips.
type tiledChain struct {
	First string `json:"first"` // operators, both included
	Last  string `json:"last"`
	Lines string `json:"lines"` // what a strip is: rows or columns
	Kept  int64  `json:"kept"`  // bytes of the lines that are kept between the operators
	Whole int64  `json:"whole"` // bytes of the tensors that the lines replace
}

// tilingName stands for an option in the report, though tiling is no option.
const tilingName = "tiling"

// An alternative is the plan of a model with other options, and the flags for these.
type alternative struct {
	flags string
	tflm.Alternative
}

// alternatives plans a model with the options that were not given.
func alternatives(ctx context.Context, made *tflm.Plan, o tflm.Options) (all []alternative, err error) {
	found, err := made.Alternatives(ctx, o)
	for _, x := range found {
		var flags []string
		if x.InPlace {
			flags = append(flags, "--in-place")
		}
		if x.Kernels != "" {
			flags = append(flags, "--diagonal="+string(x.Kernels))
		}
		if x.Reorder {
			flags = append(flags, "--reorder")
		}
		all = append(all, alternative{strings.Join(flags, " "), x})
	}
	return all, err
}

// wouldLowerOf returns the bytes that other options and tiling would save.
func wouldLowerOf(made *tflm.Plan, all []alternative) []wouldLower {
	out := []wouldLower{}
	for _, x := range all {
		head := min(x.Plan.WrittenHead(), made.WrittenHead())
		w := wouldLower{Option: x.flags, Head: head, Saved: made.WrittenHead() - head, Bound: x.Plan.Result.LowerBound}
		switch {
		case x.Reorder: // a bound for one order does not hold for all orders
			w.Bound, w.Fixed = x.Plan.OrderBound, fixedBy(x.Plan)
		case x.Plan.OrderBound > 0:
			w.Bound = x.Plan.OrderBound
		case x.InPlace && x.Plan == made: // not planned, since the load would be no smaller
			w.Bound = head
		}
		if made.InStrips != nil { // other strips may be better with the option
			w.Bound = 0
		}
		w.Optimal = w.Bound >= head
		out = append(out, w)
	}
	if made.InStrips != nil {
		return out
	}
	if t := made.Tiling(); t != nil && t.Peak < made.WrittenHead() {
		w := wouldLower{Option: tilingName, Head: t.Peak, Saved: made.WrittenHead() - t.Peak}
		for _, c := range t.Chains {
			label := func(k int) string { return fmt.Sprintf("%s %d", made.Model.Operators[k].Name(), k) }
			w.Chains = append(w.Chains, tiledChain{label(c.First), label(c.Last), c.Lines, c.Kept, c.Whole})
		}
		out = append(out, w)
	}
	return out
}

// fixedBy says why the order of a model's operators cannot change; empty if it can.
func fixedBy(p *tflm.Plan) string {
	switch {
	case p.OrderBound > 0:
		return ""
	case len(p.Model.Subgraphs) > 1:
		return "control flow"
	}
	return "a tensor that is written twice or read before it is written"
}

// lower adds to the report of an .onnx model the bytes that other options and tiling would save. given is the model in
// its own order, and m the planned model. reorder says that --reorder was given.
func (r *onnxReport) lower(ctx context.Context, given, m *onnx.Model, options onnx.Options, reorder bool,
	o stowage.Options,
) error {
	if r.Planned == 0 {
		return nil
	}
	o = stowage.Options{NodeLimit: tflm.AlternativeNodes, Seed: o.Seed, Minimize: true}
	options.States = tflm.AlternativeStates
	r.InPlace = r.Planned
	for _, x := range []struct {
		flags            string
		inPlace, reorder bool
	}{{"--in-place", true, false}, {"--reorder", false, true}, {"--in-place --reorder", true, true}} {
		if x.inPlace && options.InPlace || x.reorder && reorder {
			continue
		}
		next := options
		next.InPlace = options.InPlace || x.inPlace
		height, bound, err := heightWith(ctx, given, next, reorder || x.reorder, o)
		if err != nil {
			return err
		}
		if height == 0 || height > r.Planned {
			height = r.Planned
		}
		if x.inPlace && !x.reorder {
			r.InPlace = height
		}
		w := wouldLower{Option: x.flags, Head: height, Saved: r.Planned - height, Optimal: height <= bound, Bound: bound}
		if x.reorder && bound == 0 {
			w.Fixed = "control flow or functions"
		}
		r.WouldLower = append(r.WouldLower, w)
	}
	t, err := m.Tiling(options)
	if err != nil || t == nil || t.Peak >= r.Planned {
		return err
	}
	w := wouldLower{Option: tilingName, Head: t.Peak, Saved: r.Planned - t.Peak}
	for _, c := range t.Chains {
		label := func(s onnx.Step) string { return s.Operator + " " + s.Node }
		w.Chains = append(w.Chains, tiledChain{label(c.First), label(c.Last), c.Lines, c.Kept, c.Whole})
	}
	r.WouldLower = append(r.WouldLower, w)
	return nil
}

// heightWith returns the height of a plan of an .onnx model, or 0 if it finds none, and a lower bound. The bound holds
// for the order of the nodes, or with reorder for all orders.
func heightWith(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options) (height,
	bound int64, err error,
) {
	best, err := lowestONNX(ctx, m, options, reorder, o, stowage.Solve)
	if err != nil {
		return 0, 0, err
	}
	if bound = best.result.LowerBound; reorder {
		if bound = 0; best.found != nil {
			bound = best.found.Bound
		}
	}
	if best.result.Status.HasPlan() {
		height = best.result.Height
	}
	return height, bound, nil
}

// wouldLowerGraph returns the bytes that another order, and strips, would save in the plan of a graph. Other options do
// not apply: a graph has its own permits, and says itself which lines its operators read.
func wouldLowerGraph(ctx context.Context, g *graph.Graph, made *graph.Plan, o graph.Options) ([]wouldLower, error) {
	var out []wouldLower
	o.States, o.Solve = tflm.AlternativeStates, stowage.Solve
	o.Run = stowage.Options{NodeLimit: tflm.AlternativeNodes, Seed: o.Run.Seed, Minimize: true}
	options := []string{"--reorder"}
	if slices.ContainsFunc(g.Operators, func(x graph.Operator) bool { return len(x.Reads) > 0 }) {
		options = append(options, "--split")
	}
	for _, option := range options {
		if o.Reorder, o.Strips, o.MaxWork = option == "--reorder", option == "--split", 0; o.Strips {
			o.MaxWork = graph.DefaultMaxWork
		}
		other, err := graph.Make(ctx, g, o)
		if err != nil {
			return nil, err
		}
		if other.Status.HasPlan() && other.Height < made.Height {
			out = append(out, wouldLower{
				Option: option, Head: other.Height, Saved: made.Height - other.Height, Optimal: other.Status == stowage.Optimal,
			})
		}
	}
	return out, nil
}

// conditional returns flags with the assumption that they make.
func conditional(flags string) string {
	if flags == "--diagonal="+string(tflm.ReferenceKernels) {
		return flags + ", if the kernels are the reference ones"
	}
	return flags
}

// wouldLines says in words what would make a plan smaller. what names the memory of the plan.
func wouldLines(all []wouldLower, what string) (lines []string) {
	var nothing []string            // the reasons why options save nothing, each once
	saving := map[string][]string{} // the options that save nothing, by reason
	least := int64(-1)              // of the options so far
	for i := range all {
		w := &all[i]
		most := ""
		if !w.Optimal && w.Option != tilingName {
			most = " at most"
		}
		size := fmt.Sprintf("%d%s, %.1f%% less", w.Head, most, 100*float64(w.Saved)/float64(w.Head+w.Saved))
		switch {
		case w.Option == tilingName:
			lines = append(lines, "tiling, in a runtime that can: a peak of "+size+", with "+w.chains()+
				" in strips (docs/tflm.md#tiling)")
			continue
		case w.Saved == 0 && !strings.Contains(w.Option, " "):
			why := w.nothing()
			if saving[why] == nil {
				nothing = append(nothing, why)
			}
			saving[why] = append(saving[why], w.Option)
		case w.Saved == 0 || least >= 0 && w.Head >= least && w.Option != "--reorder":
			// The options together save no more than some of them.
		default:
			lines = append(lines, conditional(w.Option)+": "+what+" of "+size)
		}
		if w.Saved > 0 && (least < 0 || w.Head < least) {
			least = w.Head
		}
	}
	for _, why := range nothing {
		lines = append(lines, strings.Join(saving[why], ", ")+": "+why)
	}
	return lines
}

// nothing says how certain it is that an option saves nothing.
func (w *wouldLower) nothing() string {
	switch {
	case w.Fixed != "":
		return "nothing, the order is kept: " + w.Fixed
	case w.Optimal:
		return "nothing, proven"
	case w.Bound > 0:
		return fmt.Sprintf("nothing found, not below %d", w.Bound)
	}
	return "nothing found"
}

// chains names the operators that run in strips: the first few chains of them.
func (w *wouldLower) chains() string {
	const most = 2
	var names []string
	for _, c := range w.Chains[:min(most, len(w.Chains))] {
		names = append(names, c.First+" to "+c.Last)
	}
	text := strings.Join(names, ", ")
	if n := len(w.Chains) - most; n > 0 {
		text += " and " + count(n, "other chain")
	}
	return text
}
