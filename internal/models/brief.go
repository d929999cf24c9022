package models

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Idea: most people ask one thing of a model: how much memory does it need, and what would make that less? A Brief has
// the answer in two or three lines and the flags that save most. The report (Plan.Print) says the rest.

// A Brief is the answer about a model in few lines.
type Brief struct {
	Lines  []string
	Strips bool   // operators in strips would lower a .tflite model, as far as is known without a plan
	Flags  string // those that save most, for the next command; empty if none save anything
	Kind   string // the extension of a file that the plan can be written to
	Copied string // why the model that is written is the one that was given; empty if it is not

	fits   string // as Plan.Fits
	others bool   // it would fit with other options
}

// Brief is the answer about a .tflite model: the smallest arena on the target.
func (x *tflitePlan) Brief() Brief {
	r := x.r
	b := Brief{Kind: "tflite", Copied: r.unplanned()}
	a := &r.Arenas[max(0, slices.Index(Targets, r.target))]
	need, exact := a.needed(r)
	before, atLeast := a.Before, ""
	if a.MeasuredBefore > 0 {
		before = a.MeasuredBefore
	}
	if !exact {
		atLeast = "at least "
	}
	size := fmt.Sprintf("%s: the smallest arena is %s%d bytes (%s, %s)", cell(filepath.Base(r.Model)), atLeast, need,
		a.Target, WhichKernels(r.set))
	switch {
	case before > need:
		size += fmt.Sprintf(", %.1f%% less than without a plan, %d", less(need, before), before)
	case r.HeadPlanned <= r.LowerBound:
		size += ", as it is; no placement is lower, proven"
	default:
		size += ", as it is"
	}
	b.Lines = append(b.Lines, size)
	if r.Verified != "" {
		b.Lines = append(b.Lines, "verification: "+r.Verified)
	}
	for k := range r.CannotRun {
		b.Lines = append(b.Lines, r.CannotRun[k].words())
	}
	b.answer(r.Fit)
	if r.Split != nil {
		b.Lines = append(b.Lines, slices.Concat(r.Split.brief(), r.Split.stopped())...)
	}
	if r.Assumes != "" && r.library != "" {
		b.Lines = append(b.Lines, fmt.Sprintf("right with the kernels %[1]s alone: with others the outputs may be wrong; "+
			"'stowage check --diagonal=%[1]s FILE' checks the plan that is written", r.library))
	}
	b.saving(r.WouldLower)
	b.Strips = slices.ContainsFunc(r.WouldLower, func(w wouldLower) bool { return w.Option == tilingName })
	return b
}

// Brief is the answer about an .onnx model: the bytes of its tensors.
func (x *onnxPlan) Brief() Brief {
	b := Brief{Kind: "csv"}
	b.height(filepath.Base(x.r.Model), x.r.Planned, x.r.LowerBound, x.r.Greedy, "greedy by size")
	b.answer(x.r.Fit)
	if x.r.Split != nil {
		b.Lines = append(b.Lines, slices.Concat(x.r.Split.brief(), x.r.Split.stopped())...)
	}
	b.saving(x.r.WouldLower)
	return b
}

// Brief is the answer about a graph: the bytes of its values.
func (r *graphReport) Brief() Brief {
	b := Brief{Kind: "json"}
	if !r.p.Status.HasPlan() {
		b.Lines = []string{fmt.Sprintf("%s: no plan (%s), lower bound %d", cell(filepath.Base(r.file)), r.p.Status,
			r.p.LowerBound)}
		return b
	}
	b.height(filepath.Base(r.file), r.p.Height, r.p.LowerBound, r.sum(), "nothing shared")
	b.saving(r.would)
	return b
}

// Brief is the answer about a model in several memories: its report, which is short.
func (x *banksPlan) Brief() Brief {
	var s strings.Builder
	_ = x.r.print(&s) // a Builder does not fail
	return Brief{Lines: strings.Split(strings.TrimRight(s.String(), "\n"), "\n"), Kind: "json"}
}

// height says how high a plan is, and what it saves against another.
func (b *Brief) height(file string, planned, bound, other int64, what string) {
	line := fmt.Sprintf("%s: the tensors take %d bytes", cell(file), planned)
	if planned <= bound {
		line += ", the least in this order, proven"
	} else {
		line += fmt.Sprintf("; no plan in this order is lower than %d", bound)
	}
	if other > planned {
		line += fmt.Sprintf("; %.1f%% less than %s, %d", less(planned, other), what, other)
	}
	b.Lines = append(b.Lines, line)
}

// answer adds whether the arena fits.
func (b *Brief) answer(f *fitReport) {
	if f == nil {
		return
	}
	b.fits, b.others = f.Fits, f.others
	b.Lines = append(b.Lines, f.lines()[0])
	if f.Fits != "yes" && len(f.Would) > 0 {
		b.Lines = append(b.Lines, "what would help: "+cell(f.Would[0]))
	}
}

// saving adds what saves most, and its flags.
func (b *Brief) saving(would []wouldLower) {
	best := -1
	for k := range would {
		if w := &would[k]; w.Option != tilingName && w.Saved > 0 && (best < 0 || w.Head < would[best].Head) {
			best = k
		}
	}
	if best < 0 {
		return
	}
	w := &would[best]
	switch {
	case b.fits == "yes": // nothing more is needed, so the next command is the plain one
	case b.fits == "":
		b.Flags = w.Option
	case b.others:
		b.Flags = w.Option
		fallthrough
	default:
		return // the answer has named what would help
	}
	b.Lines = append(b.Lines, fmt.Sprintf("the tensors would take %d bytes in place of %d with %s, %.1f%% less", w.Head,
		w.Head+w.Saved, conditional(w.Option), less(w.Head, w.Head+w.Saved)))
}

// less returns by how many percent a size is smaller than another.
func less(size, than int64) float64 { return 100 * float64(than-size) / float64(than) }
