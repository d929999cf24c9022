package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/internal/units"
)

// isIt and oneOf complete messages about a misspelt name: see package suggest.
var (
	isIt  = suggest.Question
	oneOf = suggest.OneOf
)

// unknownCommand returns the error for a command that does not exist.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if c.Name() == name {
			return usagef("the command %s must come first", name) // the command is after --
		}
		if slices.Contains(c.SuggestFor, name) {
			return usagef("unknown command %q; did you mean %s?", name, c.Name())
		}
		names = append(names, c.Name())
	}
	if whole := slices.ContainsFunc(rootGroups,
		func(g rootGroup) bool { return slices.Contains(strings.Fields(g.names), name) }); whole &&
		root.Name() != theCommand.Name {
		return usagef("unknown command %q; it is in stowage: stowage %s", name, name)
	}
	if name == "sweep" {
		return usagef(`unknown command "sweep"; stowage-sweep is a program of its own: make sweep builds it in a clone; for some planners on some problems: stowage compare`)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return usagef("unknown command %q; it is a folder: stowage solve -o DIR %s plans each file in it, "+
			"stowage size %s says how much memory they need", name, name, name)
	}
	if of := commandOf(name); of != "" {
		return usagef("unknown command %q; to plan a file: stowage %s %s", name, of, name)
	}
	return usagef("unknown command %q%s", name, isIt(name, names))
}

// commandOf returns the command that plans a word which is probably a file: the file exists, or
// its name has the extension of a problem or a model. It returns "" for other words.
func commandOf(name string) string {
	info, err := os.Stat(name)
	ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz")))
	switch {
	case err == nil && info.IsDir():
	case ext == ".tflite" || ext == ".onnx":
		return "plan"
	case err == nil || ext == ".csv" || ext == ".json" || name == format.Standard:
		return "solve"
	}
	return ""
}

// flagFault turns an error of the flags' parser into our words.
func flagFault(cmd *cobra.Command, args []string, err error) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case !cmd.HasParent() && notCommand(cmd, firstWord(args)):
		// The flags belong to a command, and the name of that command is wrong.
		return unknownCommand(cmd, firstWord(args))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if group := unknown.GetSpecifiedShortnames(); group != "" {
			// After one dash, each letter is a flag. Several letters were probably meant as a name.
			if name = "-" + name; len(group) > 2 {
				name = "-" + group
			}
		} else {
			name = "--" + name
		}
		word, _, _ := strings.Cut(strings.TrimLeft(name, "-"), "=")
		hint := ""
		if len(word) > 1 {
			hint = isFlag(word, cmd)
		}
		return usagef("unknown flag: %s%s", name, hint)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if taken := "-" + f.Shorthand + invalid.GetValue(); f.Shorthand != "" && slices.Contains(args, taken) {
			// The parser took the first letter as a flag and the rest as its value: -capcity as -c apcity.
			word, _, _ := strings.Cut(taken, "=")
			if hint := isFlag(strings.TrimPrefix(word, "-"), cmd); hint != "" {
				return usagef("unknown flag: %s%s", word, hint)
			}
		}
		return usagef("invalid argument %q for %q flag: %s", invalid.GetValue(), "--"+f.Name, valueFault(f, invalid.Unwrap()))
	}
	return usageError{err}
}

// isFlag reports whether a word probably means a flag of the command. The word has no dashes, which would make any
// two flags more alike.
func isFlag(word string, cmd *cobra.Command) string {
	near := suggest.Nearest(word, flagNames(cmd))
	for k := range near {
		near[k] = "--" + near[k]
	}
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// flagNames returns the names of a command's flags, without dashes.
func flagNames(cmd *cobra.Command) []string {
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	})
	return all
}

// oneDash refuses the long name of a flag after a single dash. The parser would read -output as
// -o with the value utput, and write a file of that name. oneDash also returns the command.
func oneDash(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd.DisableFlagParsing {
		return cmd, nil // the command reports its own faults when it runs
	}
	for _, a := range rest {
		if a == "--" {
			break
		}
		name, one := strings.CutPrefix(a, "-")
		name, _, _ = strings.Cut(name, "=")
		if one && len(name) > 1 && (cmd.Flags().Lookup(name) != nil || name == "help") {
			return cmd, usagef("unknown flag: -%s; did you mean --%s?", name, name)
		}
	}
	return cmd, nil
}

// notCommand reports whether a word is in the place of a command and is not one.
func notCommand(root *cobra.Command, word string) bool {
	return word != "" && !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
}

// firstWord returns the first argument that is no flag. After a flag, an existing file is
// preferred, because another word may be the flag's value.
func firstWord(args []string) string {
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		return args[0]
	}
	for _, a := range args {
		if commandOf(a) != "" {
			return a
		}
	}
	for _, a := range args {
		if a == "--" {
			return ""
		}
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// valueFault says which values a flag takes. The parser would quote Go's strconv.
func valueFault(f *pflag.Flag, cause error) string {
	var number *strconv.NumError
	if !errors.As(cause, &number) {
		return fmt.Sprint(cause)
	}
	if errors.Is(cause, strconv.ErrRange) {
		return "is out of range"
	}
	switch kind := f.Value.Type(); {
	case strings.HasPrefix(kind, "uint"):
		return "must be a whole number of at least 0"
	case strings.HasPrefix(kind, "int"):
		return "must be a whole number"
	case strings.HasPrefix(kind, "float"):
		return "must be a number"
	}
	return "must be true or false"
}

// count formats a number of things.
func count[T int | int64](n T, thing string) string {
	return strconv.FormatInt(int64(n), 10) + " " + units.Plural(n, thing)
}
