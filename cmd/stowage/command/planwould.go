package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: a report says what would make the plan smaller: each option that was not given, several of them together, and
// what a runtime could reach that tiles. All of it is said here, for each kind of model in the same words. It is
// worked out under limits that count nodes, only if a report is asked for, and changes nothing in the plan.

// A wouldLower is what an option would save. The keys of its JSON are a contract; new ones go to the end.
type wouldLower struct {
	Option  string `json:"option"`  // the flags, or tiling, which is none
	Head    int64  `json:"head"`    // bytes that the plan then takes; with tiling an estimate of them
	Saved   int64  `json:"saved"`   // bytes less than the plan; 0 if it saves nothing
	Optimal bool   `json:"optimal"` // no plan with the option takes less: that is proven
	// Bound: no plan with the option takes less, in bytes; 0 if nothing is proven.
	Bound int64 `json:"lower_bound,omitempty"`
	// Fixed says what keeps the order of the operators as it is; empty for nothing.
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
	Whole int64  `json:"whole"` // bytes of the tensors that they stand for
}

// tilingName is what stands for an option that is none.
const tilingName = "tiling"

// reporting reports whether any report is asked for.
func (p *planFlags) reporting(outputs []output) bool {
	for _, o := range outputs {
		if o.flag == "--report" || o.kind == "html" {
			return true
		}
	}
	return p.json || !p.quiet
}

// An alternative is what a model would be with other options, and the flags for these.
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

// wouldLowerOf says what other options and tiling would save of a plan.
func wouldLowerOf(made *tflm.Plan, all []alternative) []wouldLower {
	out := []wouldLower{}
	for _, x := range all {
		head := min(x.Plan.WrittenHead(), made.WrittenHead())
		w := wouldLower{Option: x.flags, Head: head, Saved: made.WrittenHead() - head, Bound: x.Plan.Result.LowerBound}
		switch {
		case x.Reorder: // what is proven of one order is not of all
			w.Bound, w.Fixed = x.Plan.OrderBound, fixedBy(x.Plan)
		case x.Plan.OrderBound > 0:
			w.Bound = x.Plan.OrderBound
		case x.InPlace && x.Plan == made: // it was not planned, since the load is no smaller
			w.Bound = head
		}
		w.Optimal = w.Bound >= head
		out = append(out, w)
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

// fixedBy says what keeps the order of a model's operators as it is; empty if they may move.
func fixedBy(p *tflm.Plan) string {
	switch {
	case p.OrderBound > 0:
		return ""
	case len(p.Model.Subgraphs) > 1:
		return "control flow"
	}
	return "a tensor that is written twice or read before it is written"
}

// lower says of a plan of an .onnx model what other options and tiling would save. given is the model in its own order, m
// the one that is planned, and reorder says that the option was given.
func (r *onnxReport) lower(ctx context.Context, given, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options) error {
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

// heightWith returns the height of a plan of an .onnx model, 0 if none is found, and a bound that holds for the order of
// its nodes, or with reorder for all.
func heightWith(ctx context.Context, m *onnx.Model, options onnx.Options, reorder bool, o stowage.Options) (height, bound int64, err error) {
	best, err := models.LowestONNX(ctx, m, options, reorder, o, stowage.Solve)
	if err != nil {
		return 0, 0, err
	}
	if bound = best.Result.LowerBound; reorder {
		if bound = 0; best.Found != nil {
			bound = best.Found.Bound
		}
	}
	if best.Result.Status.HasPlan() {
		height = best.Result.Height
	}
	return height, bound, nil
}

// wouldLowerGraph says what another order would save of the plan of a graph: nothing if it saves nothing. A graph says
// itself what may lie over what, and has no images.
func wouldLowerGraph(ctx context.Context, g *graph.Graph, made *graph.Plan, o graph.Options) ([]wouldLower, error) {
	o.Reorder, o.States, o.Solve = true, tflm.AlternativeStates, stowage.Solve
	o.Run = stowage.Options{NodeLimit: tflm.AlternativeNodes, Seed: o.Run.Seed, Minimize: true}
	other, err := graph.Make(ctx, g, o)
	if err != nil || !other.Status.HasPlan() || other.Height >= made.Height {
		return nil, err
	}
	return []wouldLower{{Option: "--reorder", Head: other.Height, Saved: made.Height - other.Height, Optimal: other.Status == stowage.Optimal}}, nil
}

// conditional returns flags, with what they assume.
func conditional(flags string) string {
	if flags == "--diagonal="+string(tflm.ReferenceKernels) {
		return flags + ", if the kernels are the reference ones"
	}
	return flags
}

// wouldLines says what would make a plan smaller. what is the name of what the plan takes.
func wouldLines(all []wouldLower, what string) (lines []string) {
	var nothing []string            // why an option saves nothing, each reason once
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
			lines = append(lines, "tiling, in a runtime that can: a peak of "+size+", with "+w.chains()+" in strips (docs/tflm.md#tiling)")
			continue
		case w.Saved == 0 && !strings.Contains(w.Option, " "):
			why := w.nothing()
			if saving[why] == nil {
				nothing = append(nothing, why)
			}
			saving[why] = append(saving[why], w.Option)
		case w.Saved == 0 || least >= 0 && w.Head >= least && w.Option != "--reorder":
			// It is no better than what it includes.
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

// nothing says of an option that saves nothing how sure that is.
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
