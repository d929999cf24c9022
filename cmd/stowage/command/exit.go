package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
)

// The exit codes are a contract with scripts. Each has one meaning, and a limit is never reported as infeasible.
const (
	exitOK         = 0
	exitInternal   = 1
	exitUsage      = 2
	exitInfeasible = 3
	exitUndecided  = 4
)

// exitCodes describes the exit codes for help and the manual pages.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "a plan was written, or the answer is yes"},
	{exitInternal, "internal failure, or an output that cannot be written"},
	{exitUsage, "bad usage or input"},
	{exitInfeasible, "proven infeasible: no plan fits the capacity"},
	{exitUndecided, "undecided: a limit came first, or the planner gave up"},
}

// A usageError is a command line that makes no sense. The report adds where to find help.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An outputError is an output that cannot be written.
type outputError struct {
	path string // empty for standard output
	err  error
}

func (e outputError) Unwrap() error { return e.err }

func (e outputError) Error() string {
	path, err := e.path, e.err
	if toStdout(path) {
		path = "standard output"
	}
	// The system names the same path, or that of a temporary file.
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Sprintf("cannot write %s: %v", path, err)
}

// An internalError is a failure that neither the user nor the input has caused.
type internalError struct{ error }

func (e internalError) Unwrap() error { return e.error }

// An outcome ends the command with an exit code and without a further message: everything has been said.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// outcomeOf returns the outcome for a status.
func outcomeOf(s stowage.Status) error {
	switch {
	case s.HasPlan():
		return nil
	case s == stowage.Infeasible:
		return outcome(exitInfeasible)
	default:
		return outcome(exitUndecided)
	}
}

// report prints an error and returns its exit code. The messages of an InputError begin with
// file and line, as a compiler's do, so that an editor can jump there. All other messages begin
// with the program's name. An InputError without a file does too.
func report(stderr io.Writer, cmd *cobra.Command, err error) int {
	var (
		quiet    outcome
		output   outputError
		input    *stowage.InputError
		usage    usageError
		internal internalError
	)
	name := theCommand.Name
	if cmd != nil {
		err = folderFault(cmd, err)
		name = cmd.Root().Name()
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quiet):
		return int(quiet)
	case errors.As(err, &output):
		for _, one := range joined(err) {
			if errors.As(one, &output) {
				fmt.Fprintf(stderr, "%s: %v\n", name, output)
			}
		}
		return exitInternal
	case errors.As(err, &internal), errors.Is(err, stowage.ErrInvalidPlan):
		fmt.Fprintf(stderr, "%s: internal failure: %v\n", name, err)
		return exitInternal
	case errors.As(err, &input) && input.Issues[0].File != "":
		for i := range input.Issues { // a line break in a name must not begin a new line
			fmt.Fprintln(stderr, cell(input.Issues[i].String()))
		}
		if more := input.Total - len(input.Issues); more > 0 {
			fmt.Fprintf(stderr, "… and %d more\n", more)
		}
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "\n"+name+": "))
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return exitUsage
}

// joined returns the errors that errors.Join has joined, or the error itself.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// recoverTo turns a panic into exit code 1. Go's own code for it is 2, which means bad input here.
func recoverTo(name string, stderr io.Writer, code *int) {
	if r := recover(); r != nil {
		fmt.Fprintf(stderr, "%s: internal failure: %v\n%s", name, r, debug.Stack())
		*code = exitInternal
	}
}

// bareUnit reports whether an argument is the unit of a size or of a time and nothing else.
func bareUnit(arg string) bool {
	switch strings.ToLower(arg) {
	case "k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib", "t", "tb", "tib", "ms", "s", "h":
		return true
	}
	return false
}

// arity is cobra.RangeArgs with errors that say which argument is missing.
func arity(least int, names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			if missing := names[len(args)]; missing == "INPUT" {
				return usagef("missing argument INPUT: a file, or - for standard input")
			}
			return usagef("missing argument %s", names[len(args)])
		case len(args) > len(names):
			if at := slices.IndexFunc(args, bareUnit); at >= 0 {
				return usagef("unexpected argument %q: there is no space between a number and its unit, as in 256KiB or 10s",
					args[at])
			}
			if len(names) == 1 && (names[0] == "MODEL" || names[0] == "INPUT") {
				return usagef("unexpected argument %q: one %s at a time", args[1], names[0])
			}
			return usagef("unexpected argument %q", args[len(names)])
		}
		if at := slices.Index(args, ""); at >= 0 {
			return usagef("argument %s is empty", names[at])
		}
		return nil
	}
}
