package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
)

// The exit codes are a contract with scripts, and mean what they mean to the command stowage.
const (
	exitOK         = 0 // all rows are there, or the answer is yes
	exitInternal   = 1 // internal failure, or an output that cannot be written
	exitUsage      = 2 // bad usage or input
	exitWorse      = 3 // diff: something got worse
	exitIncomplete = 4 // rows are missing: it was interrupted, or tasks were given up
)

const exitsHelp = `
Exit codes:
  0  all rows are there
  1  internal failure, or an output that cannot be written
  2  bad usage or input
  4  rows are missing: interrupted, not done yet, or given up`

// A usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An internalError is a failure that neither the user nor the input has caused.
type internalError struct{ error }

func (e internalError) Unwrap() error { return e.error }

// An outcome ends the command with an exit code. Everything has been said.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// tell prints an error and returns its exit code. Faults of a file begin with file and line.
func tell(stderr io.Writer, cmd *cobra.Command, err error) int {
	var (
		quiet    outcome
		input    *stowage.InputError
		usage    usageError
		internal internalError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quiet):
		return int(quiet)
	case errors.As(err, &input) && input.Issues[0].File != "":
		fmt.Fprintln(stderr, input.Error())
		return exitUsage
	}
	called := calledOf(cmd)
	fmt.Fprintf(stderr, "%s: %s\n", called,
		strings.ReplaceAll(strings.TrimRight(err.Error(), "\n"), "\n", "\n"+called+": "))
	if errors.As(err, &internal) {
		return exitInternal
	}
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return exitUsage
}

// exactly asks for arguments by name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("missing argument %s", names[len(args)])
		case len(args) > len(names):
			return usagef("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}
