package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/tflm"
)

// Idea: three flags name kernels, and all numbers of an arena hold for one set of them. --kernels names it. A part
// given by --target stands for the kernels of its firmware. --diagonal lets results overlap operands as these kernels
// permit, and may name them itself. A name wins over what a part stands for. The command refuses two names. If the last
// one counted, as for a limit, a plan could be right for a library that the user did not mean.

// unnamed is the value of --diagonal if none is given. It stands for the kernels that another flag names.
const unnamed = "…"

// kernelsFlags are the flags that name kernels, and what follows from them.
type kernelsFlags struct {
	kernels  string // of --kernels
	diagonal overlapFlag

	set      tflm.Set     // the kernels that the figures hold for
	from     string       // the flag that says so; empty for none: the reference kernels
	overlaps tflm.Kernels // the library that results may overlap operands by; empty for none
	note     string       // a sentence about the flags; empty for none
}

// overlapFlag is the value of --diagonal.
type overlapFlag string

// Set takes the name of a library. A second one is refused.
func (f *overlapFlag) Set(text string) error {
	if text != unnamed {
		if _, err := tflm.ParseSet(text); err != nil {
			return err
		}
	}
	if *f != "" && *f != overlapFlag(text) && *f != unnamed && text != unnamed {
		return fmt.Errorf("a plan relies on one library: %s is given already", string(*f))
	}
	if text != unnamed || *f == "" {
		*f = overlapFlag(text)
	}
	return nil
}

func (f *overlapFlag) String() string { return string(*f) }

// Type names the value in help.
func (f *overlapFlag) Type() string { return "KERNELS" }

// kernelsFlag is the value of --kernels: one name.
type kernelsFlag string

// Set refuses a second name. It also refuses an empty name, such as an unset variable of the shell.
func (f *kernelsFlag) Set(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("must be the name of a library: %s", strings.Join(kernelNames(), ", "))
	case *f != "" && !strings.EqualFold(string(*f), text):
		return fmt.Errorf("an arena is for one library: %s is given already", string(*f))
	}
	*f = kernelsFlag(text)
	return nil
}

func (f *kernelsFlag) String() string { return string(*f) }

// Type names the value in help.
func (f *kernelsFlag) Type() string { return "NAME" }

// bind defines the flags on a command. overlaps says what --diagonal does there; it is empty for a command without it.
func (k *kernelsFlags) bind(cmd *cobra.Command, overlaps string) {
	f := cmd.Flags()
	f.Var((*kernelsFlag)(&k.kernels), "kernels", "for the kernels `NAME`[@VERSION] [default: reference]")
	complete(cmd, "kernels", kernelNames)
	if overlaps == "" {
		return
	}
	f.Var(&k.diagonal, "diagonal", overlaps)
	f.Lookup("diagonal").NoOptDefVal = unnamed
	complete(cmd, "diagonal", kernelNames)
}

// kernelNames returns the names of the libraries.
func kernelNames() (out []string) {
	for _, s := range tflm.DefaultSets() {
		out = append(out, s.Name())
	}
	return out
}

// withValues joins --diagonal and its value into one word. The flag may stand without a value, so the next word is its
// value only if it is the name of a library.
func withValues(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == "--diagonal" && i+1 < len(args) {
			if _, err := tflm.ParseSet(args[i+1]); err == nil {
				out = append(out, args[i]+"="+args[i+1])
				i++
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}

// settle decides which kernels the figures hold for. part is the part that --target names, or nil.
func (k *kernelsFlags) settle(part *tflm.Map) (err error) {
	if k.kernels != "" {
		if k.set, err = tflm.ParseSet(k.kernels); err != nil {
			return usagef("invalid argument %q for --kernels: %v%s", k.kernels, err, k.whose())
		}
		k.from = "--kernels"
	}
	if err := k.settleOverlaps(); err != nil {
		return err
	}
	if part == nil || part.Kernels == "" {
		return nil
	}
	of, err := tflm.ParseSet(part.Kernels)
	switch {
	case err != nil:
		return err
	case k.from == "":
		k.set, k.from = of, "--target "+part.Name
	case k.set.Name() != of.Name():
		k.note = fmt.Sprintf("%s is named, so it counts; --target %s stands for %s", k.set.Name(), part.Name, of.Name())
	}
	return nil
}

// whose says where to find the kernels of a board, if --kernels names no library; else it is empty.
func (k *kernelsFlags) whose() string {
	name, _, _ := strings.Cut(k.kernels, "@")
	if m := partOf(name); m != nil && m.Kernels != "" {
		return fmt.Sprintf("; %s is a part, whose kernels are %s", name, m.Kernels)
	}
	if slices.ContainsFunc(kernelNames(), func(n string) bool { return strings.EqualFold(n, name) }) {
		return "" // it is the version that is not known
	}
	return "; 'stowage help firmware' says which boards have which"
}

// settleOverlaps joins --diagonal and --kernels.
func (k *kernelsFlags) settleOverlaps() error {
	switch k.diagonal {
	case "":
		return nil
	case unnamed:
		if k.from == "" {
			return usagef("--diagonal needs kernels: --diagonal=NAME, or --kernels NAME beside it: %s", strings.Join(kernelNames(), ", "))
		}
	default:
		own, err := tflm.ParseSet(string(k.diagonal))
		if err != nil {
			return usagef("invalid argument %q for --diagonal: %v", string(k.diagonal), err)
		}
		if _, ok := own.Order(); !ok && own.Name() == string(tflm.ESPNN) && k.from == "" {
			own = tflm.SetFor(tflm.ESPNN) // its version in C: the orders of the other versions are not known
		}
		versions := strings.Contains(string(k.diagonal), "@") && strings.Contains(k.kernels, "@")
		library, _ := k.set.Order()
		switch {
		case k.from == "":
			k.set, k.from = own, "--diagonal"
		case k.set.Name() == own.Name() && (!versions || k.set == own), string(k.diagonal) == string(library):
		default:
			return usagef("--kernels %s and --diagonal=%s are two sets of kernels: a plan relies on one", k.kernels, string(k.diagonal))
		}
	}
	var ok bool
	if k.overlaps, ok = k.set.Order(); !ok {
		return usagef("--diagonal: the order in which the kernels of %s read and write is not known, so no result may lie over an operand; it is known of %s", k.set, strings.Join(ordered(), ", "))
	}
	return nil
}

// ordered returns the names of the libraries whose order is known.
func ordered() (out []string) {
	for _, s := range tflm.DefaultSets() {
		if _, ok := s.Order(); ok && !slices.Contains(out, s.Name()) {
			out = append(out, s.Name())
		}
	}
	return out
}

// of names a set of kernels: "the reference kernels", or "the kernels of esp-nn 27d1f4a".
func of(s tflm.Set) string {
	if s == tflm.ReferenceSet {
		return "the reference kernels"
	}
	return "the kernels of " + s.String()
}

// aboutKernels says which kernels the figures hold for, and how much scratch they need.
func (p *planFlags) aboutKernels(scratch int) []string {
	k := &p.kernels
	line := "for " + of(k.set)
	switch {
	case strings.HasPrefix(k.from, "--target"):
		line += " (implied by " + k.from + ")"
	case k.from != "":
		line += " (" + k.from + ")"
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
	if k.note == "" {
		return []string{line}
	}
	return []string{line, k.note}
}

// A kernelsReport names kernels in JSON.
type kernelsReport struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	From    string `json:"from"` // default, --kernels, --diagonal or --target
}

func (k *kernelsFlags) report() kernelsReport {
	from, _, _ := strings.Cut(k.from, " ")
	if from == "" {
		from = "default"
	}
	return kernelsReport{k.set.Name(), k.set.Version(), from}
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
				s.Set.Name(), s.Set.Version(), s.Own, s.Head, made.With(s, &tflm.Firmware32).Smallest, made.With(s, &tflm.Firmware64).Smallest,
				len(s.Set.UnknownScratch(made.Model)) > 0,
			})
		}
	}
	return out
}

// other returns an example of a value for --kernels: another version of the named kernels.
func (k *kernelsFlags) other() string {
	if k.from == "" {
		return ": --kernels NAME"
	}
	return ": --kernels " + k.set.Name() + "@VERSION"
}

// chosen says that a version was given too.
func (k *kernelsFlags) chosen() bool { return strings.Contains(k.kernels, "@") }

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
	case r.Assumes == "" && r.Unchecked > 0:
		return fmt.Sprintf("The plan is right only with kernels that permit its %s: --diagonal=KERNELS checks that.", count(r.Unchecked, "overlap"))
	case r.Assumes == "":
		return ""
	}
	repository, _ := tflm.Kernels(r.Assumes).Source()
	results := "results lie"
	if len(r.Overlays) == 1 {
		results = "result lies"
	}
	return fmt.Sprintf("The plan assumes the kernels of %s (%s, %s): %d %s over an operand, as closely as these kernels permit. With other kernels the outputs may be wrong.",
		r.Assumes, strings.TrimPrefix(repository, "https://"), tflm.Kernels(r.Assumes).Revision(), len(r.Overlays), results)
}
