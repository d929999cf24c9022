package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/models"
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

	models.Kernels // that count
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

// choose decides which kernels the figures hold for. part is the part that --target names, or nil.
func (k *kernelsFlags) choose(part *tflm.Map) (err error) {
	if k.kernels != "" {
		if k.Set, err = tflm.ParseSet(k.kernels); err != nil {
			return usagef("invalid argument %q for --kernels: %v%s", k.kernels, err, k.whose())
		}
		k.From = "--kernels"
	}
	k.Versioned = strings.Contains(k.kernels, "@")
	if err := k.chooseOverlaps(); err != nil {
		return err
	}
	if part == nil || part.Kernels == "" {
		return nil
	}
	of, err := tflm.ParseSet(part.Kernels)
	switch {
	case err != nil:
		return err
	case k.From == "":
		k.Set, k.From = of, "--target "+part.Name
	case k.Set.Name() != of.Name():
		k.Note = fmt.Sprintf("%s is named, so it counts; --target %s stands for %s", k.Set.Name(), part.Name, of.Name())
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

// chooseOverlaps joins --diagonal and --kernels.
func (k *kernelsFlags) chooseOverlaps() error {
	switch k.diagonal {
	case "":
		return nil
	case unnamed:
		if k.From == "" {
			return usagef("--diagonal needs kernels: --diagonal=NAME, or --kernels NAME beside it: %s",
				strings.Join(kernelNames(), ", "))
		}
	default:
		own, err := tflm.ParseSet(string(k.diagonal))
		if err != nil {
			return usagef("invalid argument %q for --diagonal: %v", string(k.diagonal), err)
		}
		if _, ok := own.Order(); !ok && own.Name() == string(tflm.ESPNN) && k.From == "" {
			own = tflm.SetFor(tflm.ESPNN) // its version in C: the orders of the other versions are not known
		}
		versions := strings.Contains(string(k.diagonal), "@") && strings.Contains(k.kernels, "@")
		library, _ := k.Set.Order()
		switch {
		case k.From == "":
			k.Set, k.From = own, "--diagonal"
		case k.Set.Name() == own.Name() && (!versions || k.Set == own), string(k.diagonal) == string(library):
		default:
			return usagef("--kernels %s and --diagonal=%s are two sets of kernels: a plan relies on one", k.kernels,
				string(k.diagonal))
		}
	}
	var ok bool
	if k.Overlaps, ok = k.Set.Order(); !ok {
		return usagef("--diagonal: the order in which the kernels of %s read and write is not known, so no result "+
			"may lie over an operand; it is known of %s", k.Set, strings.Join(ordered(), ", "))
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
