// Command stowage plans static memory. Package command has its subcommands.
package main

import (
	"github.com/stowage-go/stowage/cmd/stowage/command"
	_ "github.com/stowage-go/stowage/plan/all"
)

func main() { command.Main() }
