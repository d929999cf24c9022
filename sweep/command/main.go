// Package command is the command line of stowage-sweep, which stowage-lab has as its subcommand sweep. It
// runs planners on many problems, on this machine or on a cluster, and keeps the results in a folder.
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
// Nothing here knows how to plan or imports a planner, and only engine.go knows of an engine.
package command

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/sweep/beam"
	"github.com/stowage-go/stowage/sweep/core"
)

// Main runs the command line of stowage-sweep and ends the process with the exit code.
func Main() {
	Work()
	os.Exit(execute(New("stowage-sweep"), os.Args[1:], os.Stdout, os.Stderr))
}

// Work does not return if a cluster has started this program to do tasks. A program that runs sweeps calls it first.
func Work() {
	if !beam.IsWorker(os.Args[1:]) {
		return
	}
	if err := beam.Work(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stowage-sweep:", err)
	}
	os.Exit(exitInternal)
}

// Sub runs the command line of a program that has New as its subcommand sweep, which args begin with, and
// returns the exit code.
func Sub(program string, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{Use: program, SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(New(program + " sweep"))
	return execute(root, args, stdout, stderr)
}

// execute runs one command line and returns the exit code.
func execute(root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	return tell(stderr, cmd, err)
}

// New returns the command as a program calls it: stowage-sweep, or a program and sweep.
func New(called string) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   called[strings.LastIndexByte(called, ' ')+1:],
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
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s %s/%s\n", called, core.Version(), runtime.Version(),
					runtime.GOOS, runtime.GOARCH)
				return err
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(), newStatus(), newReport(), newDiff(), newTasks())
	for _, cmd := range append(root.Commands(), root) {
		cmd.Long, cmd.Example = named(cmd.Long, called), named(cmd.Example, called)
	}
	return root
}

// named returns a text of the help with the name by which the command is called.
func named(text, called string) string {
	text = strings.ReplaceAll(text, "stowage-sweep", called)
	return strings.ReplaceAll(text, "Stowage-sweep", strings.ToUpper(called[:1])+called[1:])
}

// calledOf returns the name by which the command of a subcommand is called.
func calledOf(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Name() != "sweep" {
		cmd = cmd.Parent()
	}
	return cmd.CommandPath()
}

// plannerNames are the planners of this program.
func plannerNames() (names []string) {
	for _, p := range stowage.Planners() {
		names = append(names, p.Name)
	}
	return names
}
