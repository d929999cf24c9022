// Command stowage-sweep runs planners on many problems, on this machine or on a cluster, and keeps the
// results in a folder. Package command has its subcommands.
package main

import (
	_ "github.com/stowage-go/stowage/plan/all"
	"github.com/stowage-go/stowage/sweep/command"
)

func main() { command.Main() }
