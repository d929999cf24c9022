// Command stowage plans static memory. Package command has its subcommands.
package main

import "github.com/stowage-go/stowage/cmd/stowage/command"

func main() { command.Main() }
