// Command stowage-lab has every planner. Package lab/command has its subcommands but sweep, which is
// stowage-sweep with these planners. Package lab/bench/outside adds planners that are programs of others.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/stowage-go/stowage/lab/bench/outside"
	"github.com/stowage-go/stowage/lab/command"
	sweeps "github.com/stowage-go/stowage/sweep/command"
)

func main() {
	if err := outside.Register(os.Getenv(outside.Variable)); err != nil {
		fmt.Fprintln(os.Stderr, command.Name+":", err)
		os.Exit(2)
	}
	sweeps.Work()
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "sweep" {
		return sweeps.Sub(command.Name, args, stdout, stderr)
	}
	return command.Execute(args, stdout, stderr, sweeps.New(command.Name+" sweep"))
}
