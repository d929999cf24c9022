// Package command is the command line of stowage-lab, with every planner: those of stowage, those of compilers and
// runtimes, and the baselines of papers. Its subcommands have the flags, outputs and exit codes of stowage's.
package command

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/cmd/stowage/command"
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/milp"
)

// Name is the name of the program.
const Name = "stowage-lab"

// Execute runs one command line and returns the exit code. The help lists others too, which the caller runs.
func Execute(args []string, stdout, stderr io.Writer, others ...*cobra.Command) int {
	p := &command.Program{
		Name: Name,
		Long: "Stowage-lab runs the planners that Stowage is measured against beside its own: those of compilers and runtimes, " +
			"and the baselines of papers. Its commands take the flags of stowage's, and have the same outputs and exit codes.",
		Example: `  stowage-lab planners
  stowage-lab solve --planner xla-heap model.csv
  stowage-lab compare --planner auto,milp,tflite-greedy-by-size *.csv`,
		Commands: []string{"solve", "compare", "planners", "size", "arena"},
		Others:   others,
	}
	return p.Execute(args, stdout, stderr)
}
