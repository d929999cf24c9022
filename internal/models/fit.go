package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: the exit code answers "does it fit my 256 KiB?". The number that must fit is the smallest arena that works,
// on one target. The model fits if that arena fits. It is proven not to fit if an arena with the proven lower bound
// as its head does not fit. With --split, that is the bound of all strips that were considered. Any other case is
// undecided: a better plan may exist, or an operator may keep an unknown number of bytes.
//
// If it does not fit, the report says what would help: planning the same model in place, and
// the tensors that set the peak.

// A fitReport answers --capacity. The keys of its JSON are a contract; new ones go to the end.
type fitReport struct {
	Capacity int64    `json:"capacity"`
	Target   string   `json:"target"`
	Fits     string   `json:"fits"`   // yes, no (proven) or unknown
	Needed   int64    `json:"needed"` // the smallest arena that works; perhaps a lower bound if fits is unknown
	Before   int64    `json:"as_it_is"`
	Would    []string `json:"what_would_fit"`

	Kernels *kernelsReport `json:"kernels,omitempty"` // that the answer holds for; none for an .onnx model

	whom      string // " for" and the kernels
	elsewhere string // what other kernels need; empty for nothing to say
	atLeast   string // "at least ", if what is needed is not known exactly
	others    bool   // it would fit with other options
}

// Targets are the targets of an arena, in the order of the report's arenas.
var Targets = []string{"32", "64", "python"}

// fit answers the question if a .tflite model fits. others are plans with other options.
func (p *Options) fit(r *planReport, made *tflm.Plan, others []alternative) {
	at := slices.Index(Targets, p.Target)
	x := &r.Arenas[at]
	f := &fitReport{
		Capacity: p.Capacity, Target: x.Target, Before: x.Before, Would: []string{}, Kernels: &r.Kernels,
		whom: " for " + WhichKernels(r.set),
	}
	if r.ScratchFrom == "declared" && r.Kernels.From == "default" {
		f.whom = " with this scratch"
	}
	if x.MeasuredBefore == 0 {
		if other := made.Within(f.Capacity, p.on()); other != "" && !p.Kernels.Versioned {
			f.elsewhere = other + p.Kernels.other()
		}
	}
	r.Fit = f
	if x.MeasuredBefore > 0 {
		f.Before = x.MeasuredBefore
	}
	var exact bool
	f.Needed, exact = x.needed(r)
	least := p.least(made, at)
	switch {
	case exact && f.Needed <= f.Capacity:
		f.Fits = "yes"
		return
	case least > f.Capacity && r.Split == nil, r.Split != nil && r.Split.Bound > f.Capacity:
		f.Fits = "no"
	default:
		f.Fits = "unknown"
	}
	if !exact {
		f.atLeast = "at least "
	}
	for _, o := range r.CannotRun {
		f.Would = append(f.Would, "a model that runs: "+o.Why+": "+o.Next)
	}
	if r.ScratchUnknown {
		f.Would = append(f.Would, "nothing is known of the scratch that "+r.set.Name()+" asks for in "+
			strings.Join(r.doubts.Scratch, ", ")+": --scratch takes the log of the target")
	}
	if len(r.Unknown) > 0 && x.MeasuredBefore == 0 {
		f.Would = append(f.Would, "nothing is known of what the kernels of "+strings.Join(r.Unknown, ", ")+
			" keep: --tail takes what the target reports")
	}
	if f.Needed <= f.Capacity {
		return
	}
	less := f.Needed // of the other options so far
	for _, other := range others {
		if n := p.neededBy(other, r, at); n < less || n < f.Needed && other.flags == "--reorder" {
			f.Would = append(f.Would, conditional(other.flags)+": it then needs "+f.against(n))
			less, f.others = min(less, n), f.others || n <= f.Capacity && exact
		}
	}
	if r.tiles() {
		f.Would = append(f.Would, "perhaps operators in strips: --split, with this --capacity")
	}
	if x.Limit == tflm.LimitPlanning {
		f.Would = append(f.Would, "fewer tensors: the arena is set by the records that the runtime plans with, "+
			"not by the plan")
	}
	if r.Split != nil {
		f.Would = append(f.Would, "perhaps strips with more arithmetic: --max-macs")
	}
	if f.Fits != "no" && made.Result.Status != stowage.Optimal {
		f.Would = append(f.Would, fmt.Sprintf("perhaps a better plan: --timeout gives the planner more time; "+
			"nothing is proven below a head of %d", r.LowerBound))
	}
	f.smaller(&r.Peak)
}

// smaller says which owners of the peak would have to be smaller.
func (f *fitReport) smaller(peak *peakReport) {
	for _, owner := range peak.Owners[:min(len(peak.Owners), 3)] {
		f.Would = append(f.Would, fmt.Sprintf("%s: it has %d of the %d bytes at the peak, %s", owner.smaller(), owner.Size,
			peak.Bytes, peak.Operator))
	}
}

// neededBy returns the smallest arena of a target with other options.
func (p *Options) neededBy(other alternative, r *planReport, at int) int64 {
	flags := &Options{Tail: p.Tail, Scratch: p.Scratch, Kernels: p.Kernels, doubts: p.doubts}
	report := flags.reportOf(other.Plan, r.Folded, nil)
	n, _ := report.Arenas[at].needed(report)
	return n
}

// least returns a lower bound on the smallest arena of a target.
func (p *Options) least(made *tflm.Plan, at int) int64 {
	t := []*tflm.Target{&tflm.Firmware32, &tflm.Firmware64, &tflm.Interpreter}[at]
	f, head := made.Least(t)
	if p.Tail > 0 && t != &tflm.Interpreter {
		return f.Measured(p.Tail, head)
	}
	return f.Smallest
}

// answer returns yes, no or unknown; it is empty if nothing was asked.
func (f *fitReport) answer() string {
	if f == nil {
		return ""
	}
	return f.Fits
}

// against says how a number of bytes compares with the capacity.
func (f *fitReport) against(n int64) string {
	switch {
	case n > f.Capacity:
		return fmt.Sprintf("%s%d bytes, still %d too many", f.atLeast, n, n-f.Capacity)
	case f.atLeast != "":
		return fmt.Sprintf("%s%d bytes", f.atLeast, n)
	}
	return fmt.Sprintf("%d bytes, and fits", n)
}

// lines returns the answer for people.
func (f *fitReport) lines() []string {
	var out []string
	switch f.Fits {
	case "yes":
		line := fmt.Sprintf("it fits into %d bytes (%s)%s: it needs %d and leaves %d", f.Capacity, f.Target, f.whom, f.Needed,
			f.Capacity-f.Needed)
		if f.Before > f.Capacity {
			line += fmt.Sprintf("; without the plan it needs %d", f.Before)
		}
		out = append(out, line)
		if f.elsewhere != "" {
			out = append(out, f.elsewhere)
		}
		return out
	case "no":
		with := ""
		if f.others {
			with = " with these options"
		}
		out = append(out, fmt.Sprintf("it does not fit into %d bytes (%s)%s%s: it needs %s%d, %d too many", f.Capacity,
			f.Target, f.whom, with, f.atLeast, f.Needed, f.Needed-f.Capacity))
	default:
		out = append(out, fmt.Sprintf("whether it fits into %d bytes (%s)%s is not known: it needs %d or more", f.Capacity,
			f.Target, f.whom, f.Needed))
		if f.Needed > f.Capacity {
			out[0] = fmt.Sprintf("whether it fits into %d bytes (%s)%s is not known: the best plan found needs %d", f.Capacity,
				f.Target, f.whom, f.Needed)
		}
	}
	if len(f.Would) > 0 {
		out = append(out, "what would make it fit")
	}
	for _, w := range f.Would {
		out = append(out, "  "+w)
	}
	return out
}
