package main

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/tflm"
)

// kernelsFlag is the value of --diagonal: the library whose kernels a plan may rely on.
type kernelsFlag tflm.Kernels

// Set takes the name of a library. A plan relies on one, so a second one is refused: if the last one counted, as it does
// for a limit, a plan could be right for a library that nobody thought of.
func (k *kernelsFlag) Set(text string) error {
	lib, err := tflm.ParseKernels(text)
	if err != nil {
		return err
	}
	if *k != "" && *k != kernelsFlag(lib) {
		return fmt.Errorf("a plan relies on one library: %s is given already", string(*k))
	}
	*k = kernelsFlag(lib)
	return nil
}

func (k *kernelsFlag) String() string { return string(*k) }

// Type names the value in help.
func (k *kernelsFlag) Type() string { return "KERNELS" }

// kernelLibraries returns the values of --diagonal.
func kernelLibraries() []string {
	var out []string
	for _, l := range tflm.KernelLibraries() {
		out = append(out, string(l))
	}
	return out
}

// kernelNames lists them for help.
func kernelNames() string { return strings.Join(kernelLibraries(), ", ") }

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
		out = append(out, overlayReport{o.Operator, m.Operators[o.Operator].Name(), m.Label(o.Result), m.Label(o.Operand), o.Distance, o.Least, o.Equal})
	}
	return out
}

// assumed says what a plan relies on, for report and header; empty if on nothing.
func (r *planReport) assumed() string {
	switch {
	case r.Kernels == "" && r.Unchecked > 0:
		return fmt.Sprintf("The plan is right only with kernels that permit its %s: --diagonal=KERNELS checks that.", count(r.Unchecked, "overlap"))
	case r.Kernels == "":
		return ""
	}
	repository, revision := tflm.Kernels(r.Kernels).Source()
	results := "results lie"
	if len(r.Overlays) == 1 {
		results = "result lies"
	}
	return fmt.Sprintf("The plan assumes the kernels of %s (%s, %.7s): %d %s over an operand, as closely as these kernels permit. With other kernels the outputs may be wrong.",
		r.Kernels, strings.TrimPrefix(repository, "https://"), revision, len(r.Overlays), results)
}
