// Package command is the command line of the programs stowage and stowage-lab. It reads buffers
// with sizes and lifespans, gives each an offset, and proves as much as it can about the plan.
//
// It is a shell around the root package. Each file that is named after a subcommand turns flags into Options, calls
// one function of package stowage and writes the result. Nothing here plans, and nothing here imports a planner: a
// program has the planners that its main package imports.
//
//	main.go        entry point, the root command
//	program.go     which subcommands a program has: stowage, stowage-lab
//	exit.go        exit codes, and which error has which code
//	help.go        help and usage, from the flag table
//	topics.go      what the help of several commands shares
//	man.go         manual pages, from the same flag table
//	options.go     the flags that solve and explain share
//	input.go       reading problems and the plans in them
//	output.go      writing a plan in the format that its file name asks for
//	terminal.go    what differs on a terminal
//	suggest.go     what a misspelt word may have meant
//	answer.go      stowage FILE: which subcommand that is, and the short answer
//	ways.go        the next step after an answer of "no"
//	names.go       what several commands take by one name: planners, folders, JSON
//	interrupt.go   what a signal does to a running search
//	progress.go    the progress line
//	summary.go     the outcome of a run in a line
//	solvepaths.go  where solve writes
//	solveall.go    many problems in one run
//	checkpoint.go  the best plan of a long run, on disk
//	serve.go       the page of view, over HTTP
//	solve.go …     one file for each subcommand
package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
)

// Main runs the command line of the process and ends it with the exit code.
func Main() {
	growStack()
	os.Exit(execute(arguments(os.Args), os.Stdout, os.Stderr))
}

// growStack makes the stack as large as most runs need, while it holds two frames. Grown deep in a plan, several
// times, each frame is looked up and moved each time: a twenty-fifth of the instructions of a run on a dozen buffers.
// BenchmarkStack has both.
//
//go:noinline
func growStack() byte {
	var room [stackRoom]byte
	return room[len(os.Args)%stackRoom]
}

// stackRoom is half of the stack in bytes: a stack doubles until a frame fits.
const stackRoom = 24 << 10

// collectLess makes the garbage collector run less often. For a run of seconds that is worth the memory. The call
// itself takes a tenth of a millisecond, so it is left out for a small input: such a run allocates less than the
// collector starts at. GOGC still decides if it is set.
var collectLess = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	collects.Store(true)
})

// collects is set once collectLess has been called.
var collects atomic.Bool

// smallInput is the size of a file in bytes below which collectLess is left out.
const smallInput = 1 << 16

// arguments returns the arguments after the program's name. If a link or a copy of the program
// is called minimalloc, it behaves as the subcommand of that name.
func arguments(argv []string) []string {
	name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	if name == "minimalloc" {
		return append([]string{"minimalloc"}, argv[1:]...)
	}
	return argv[1:]
}

// execute runs one command line of stowage and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	return theCommand.Execute(args, stdout, stderr)
}

// Execute runs one command line and returns the exit code.
func (p *Program) Execute(args []string, stdout, stderr io.Writer) (code int) {
	defer recoverTo(p.Name, stderr, &code)
	args = withVerb(p, withValues(args))
	out, errs := newOutlet(stdout, false), newOutlet(stderr, true)
	var cmd *cobra.Command
	err := errLight
	if only := light(p, args); only != nil {
		root := newLightRoot(p.Name, out, errs, only)
		root.SetArgs(args)
		root.SetFlagErrorFunc(func(*cobra.Command, error) error { return errLight })
		if _, fault := oneDash(root, args); fault == nil {
			cmd, err = root.ExecuteC()
		}
	}
	if errors.Is(err, errLight) {
		collectLess()
		root := newRoot(p, out, errs)
		root.SetArgs(args)
		root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagFault(cmd, args, err) })
		if cmd, err = oneDash(root, args); err == nil {
			cmd, err = root.ExecuteC()
		}
	}
	if out.err != nil && (err == nil || errors.Is(err, out.err) && !errors.As(err, new(outputError))) {
		// Output that was printed piece by piece, such as help.
		err = outputError{err: out.err}
	}
	return report(errs, cmd, err)
}

// light returns one of the commands that programs call often and on small problems, or nil if the first argument names
// no such command. Making all other commands and their flags takes as long as planning a small problem. If a flag is
// wrong, the message may be about other commands, so the whole root writes it.
func light(p *Program, args []string) *cobra.Command {
	if len(args) == 0 || p != theCommand {
		return nil
	}
	switch args[0] {
	case "solve":
		return newSolve()
	case "verify":
		return newVerify()
	case "minimalloc":
		return newMinimalloc()
	case "version":
		return newVersion()
	}
	return nil
}

// errLight means that the whole root must run in place of a light one.
var errLight = errors.New("the whole root is to run")

// newLightRoot returns the root with one command.
func newLightRoot(name string, out, errs io.Writer, only *cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: name, SilenceErrors: true, SilenceUsage: true}
	root.SetOut(out)
	root.SetErr(errs)
	root.SetGlobalNormalizationFunc(oneName)
	root.SetHelpFunc(help)
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	root.AddCommand(only)
	withHelp(only)
	return root
}

func newRoot(p *Program, out, errs io.Writer) *cobra.Command {
	var askedForVersion bool
	root := &cobra.Command{
		Use:           p.Name,
		Short:         "Plan static memory",
		Long:          p.Long,
		Example:       p.Example,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if askedForVersion {
				return printVersion(cmd)
			}
			return cmd.Help()
		},
	}
	root.SetOut(out) // before the completions, which keep a copy
	root.SetErr(errs)
	root.Flags().BoolVar(&askedForVersion, "version", false, "print the version")
	root.SetGlobalNormalizationFunc(oneName)
	root.SetHelpFunc(help)
	root.SetUsageFunc(func(cmd *cobra.Command) error { return nil })
	root.AddCommand(
		newSolve(), newPlan(), newCheck(), newVerify(), newBarriers(), newExplain(), newShow(), newView(), newCompare(),
		newSize(), newGen(), newPlanners(), newReport(), newArena(), newSession(),
		newMinimalloc(), newMan(), newVersion(), newFormats(), newTables(), newFirmware(), newRules(), newMemories(),
	)
	if p != theCommand {
		p.fit(root)
	}
	root.InitDefaultCompletionCmd()
	strictCompletion(root)
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	withHelp(root)
	for _, cmd := range root.Commands() {
		withHelp(cmd)
		for _, sub := range cmd.Commands() {
			withHelp(sub)
		}
	}
	return root
}
