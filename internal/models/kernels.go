package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/tflm"
)

// Kernels are what a model's operators are run by.
type Kernels struct {
	Set       tflm.Set     // that the figures hold for
	From      string       // the flag that says so; empty for none: the reference kernels
	Overlaps  tflm.Kernels // the library that results may overlap operands by; empty for none
	Note      string       // a sentence about the flags; empty for none
	Versioned bool         // a version was given too
}

// of names a set of kernels: "the reference kernels", or "the kernels of esp-nn 27d1f4a".
func WhichKernels(s tflm.Set) string {
	if s == tflm.ReferenceSet {
		return "the reference kernels"
	}
	return "the kernels of " + s.String()
}

// named reports whether the user has named the firmware's kernels or their scratch.
func (p *Options) named() bool { return p.Kernels.From != "" || p.scratchFrom() != "reference" }

// aboutKernels says which kernels the figures hold for, and how much scratch they need.
func (p *Options) aboutKernels(scratch int) []string {
	k := &p.Kernels
	line := "for " + WhichKernels(k.Set)
	switch {
	case strings.HasPrefix(k.From, "--target"):
		line += " (implied by " + k.From + ")"
	case k.From != "":
		line += " (" + k.From + ")"
	}
	switch from := p.scratchFrom(); {
	case from == "none":
		line += ", with no scratch (--scratch none)"
	case from == "declared":
		line += ", with the scratch of --scratch"
	case len(p.doubts.Scratch) > 0:
		line += "; the scratch that they ask for is not known of " + strings.Join(p.doubts.Scratch, ", ") +
			", so the arenas are lower bounds: --scratch takes the log of a target (stowage plan --probe)"
	case scratch > 0:
		line += ", with the scratch that they ask for"
	default:
		line += ", which ask for no scratch"
	}
	if k.Note == "" {
		return []string{line}
	}
	return []string{line, k.Note}
}

// A kernelsReport names kernels in JSON.
type kernelsReport struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	From    string `json:"from"` // default, --kernels, --diagonal or --target
}

func (k *Kernels) report() kernelsReport {
	from, _, _ := strings.Cut(k.From, " ")
	if from == "" {
		from = "default"
	}
	return kernelsReport{k.Set.Name(), k.Set.Version(), from}
}

// A knownReport has the figures of a model for one known library of kernels.
type knownReport struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Own     int64  `json:"head_greedy"` // without any plan
	Head    int64  `json:"head_planned"`
	Arena   int64  `json:"smallest_arena_32"` // with the model that is written
	Arena64 int64  `json:"smallest_arena_64"`
	AtLeast bool   `json:"at_least,omitempty"`
}

// knownOf reports the figures of a plan for each known library, at the version that its name stands for. The reference
// kernels come first.
func knownOf(made *tflm.Plan) []knownReport {
	out := []knownReport{}
	standard := tflm.DefaultSets()
	for _, s := range made.Standings() {
		if slices.Contains(standard, s.Set) {
			out = append(out, knownReport{
				s.Set.Name(), s.Set.Version(), s.Own, s.Head, made.With(s, &tflm.Firmware32).Smallest,
				made.With(s, &tflm.Firmware64).Smallest, made.AtLeast(s.Set),
			})
		}
	}
	return out
}

// other returns an example of a value for --kernels: another version of the named kernels.
func (k *Kernels) other() string {
	if k.From == "" {
		return ": --kernels NAME"
	}
	return ": --kernels " + k.Set.Name() + "@VERSION"
}

// An overlayReport is a result that lies over an operand.
type overlayReport struct {
	Operator int    `json:"operator"`
	Kind     string `json:"kind"`
	Result   string `json:"result"`
	Operand  string `json:"operand"`
	Distance int64  `json:"distance"` // offset of the operand minus that of the result
	Least    int64  `json:"least"`    // that the kernel needs; with equal it is 0, and the only one
	Equal    bool   `json:"equal"`
}

// overlaysOf reports the overlays of a plan, in the order of the operators.
func overlaysOf(made *tflm.Plan) []overlayReport {
	out := []overlayReport{}
	for _, o := range made.Overlays {
		m := made.Model
		out = append(out, overlayReport{
			o.Operator, m.Operators[o.Operator].Name(), m.Label(o.Result), m.Label(o.Operand), o.Distance, o.Least, o.Equal,
		})
	}
	return out
}

// assumed names the assumptions of a plan, for report and header; empty if there are none.
func (r *planReport) assumed() string {
	switch {
	case r.Assumes == "" && r.Unchecked > 0:
		return fmt.Sprintf("The plan is right only with kernels that permit its %s: --diagonal=KERNELS checks that.",
			count(r.Unchecked, "overlap"))
	case r.Assumes == "":
		return ""
	}
	repository, _ := tflm.Kernels(r.Assumes).Source()
	results := "results lie"
	if len(r.Overlays) == 1 {
		results = "result lies"
	}
	return fmt.Sprintf("The plan assumes the kernels of %s (%s, %s): %d %s over an operand, as closely as these "+
		"kernels permit. With other kernels the outputs may be wrong.",
		r.Assumes, strings.TrimPrefix(repository, "https://"), tflm.Kernels(r.Assumes).Revision(), len(r.Overlays), results)
}
