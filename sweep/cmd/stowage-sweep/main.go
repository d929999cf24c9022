// Command stowage-sweep runs planners on many problems, on this machine or on a cluster, and keeps what
// comes of it in a folder.
//
//	main.go      entry point, the root command
//	exit.go      exit codes, and which error has which code
//	run.go       stowage-sweep run
//	engine.go    who does the tasks: Beam, a plain loop, a shard
//	progress.go  the bar
//	interrupt.go what a signal does
//	folder.go    status and report, and tasks for programs in other languages
//	diff.go      what got worse since another sweep
//
// Nothing here knows how to plan, and only engine.go knows of an engine.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/learn"
	_ "github.com/stowage-go/stowage/lab/milp"
	"github.com/stowage-go/stowage/sweep/beam"
	"github.com/stowage-go/stowage/sweep/core"
)

func main() {
	if beam.IsWorker(os.Args[1:]) { // a cluster has started this program for its own ends
		if err := beam.Work(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "stowage-sweep:", err)
		}
		os.Exit(exitInternal)
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	return tell(stderr, cmd, err)
}

func newRoot() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "stowage-sweep",
		Short: "Run planners on many problems",
		Long: `Stowage-sweep runs planners on many problems with many capacities. A file in YAML says which. What comes of it is a folder of Parquet files, a summary and a page.

A sweep can be interrupted, killed and widened at any time: run the same command again, and only what is not there yet is run.`,
		Example: `  stowage-sweep run spec.yaml                      on this machine
  stowage-sweep run spec.yaml --shard=3/8          one of eight parts, for arrays of jobs
  stowage-sweep run spec.yaml --runner=flink --endpoint=HOST:8099
  stowage-sweep status sweep-out
  stowage-sweep diff last-night sweep-out`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "stowage-sweep %s %s %s/%s\n", core.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return err
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(), newStatus(), newReport(), newDiff(), newTasks())
	return root
}

// plannerNames are the planners of this program.
func plannerNames() (names []string) {
	for _, p := range stowage.Planners() {
		names = append(names, p.Name)
	}
	return names
}
