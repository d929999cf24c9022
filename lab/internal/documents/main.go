// Command documents is stowage-lab without sweep, which takes minutes to compile. The tests of documents
// run their commands by it.
package main

import (
	"os"

	"github.com/stowage-go/stowage/lab/command"
)

func main() { os.Exit(command.Execute(os.Args[1:], os.Stdout, os.Stderr)) }
