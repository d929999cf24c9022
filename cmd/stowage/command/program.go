package command

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Idea: stowage and stowage-lab have one command line. A program names its subcommands. It has the planners that its
// main package imports.

// A Program is a program with this command line, under its own name.
type Program struct {
	Name          string // as users type it
	Long, Example string // of its help
	// Commands are the subcommands of stowage that the program has, beside those of "Help and setup".
	Commands []string
	// Others are subcommands that the help lists and the program runs by itself.
	Others []*cobra.Command
}

// theCommand is stowage, which has all subcommands.
var theCommand = &Program{
	Name: "stowage",
	Long: "Stowage plans static memory. You give it the size and lifespan of each buffer of a program; it gives you " +
		"offsets. Buffers that are live together never overlap. The memory that they take is as small as possible, " +
		"with a proof if one is found.",
	Example: `  stowage model.csv                              a short answer about any file, and what to type next
  stowage -c 256KiB -o planned.tflite m.tflite   does it fit? Then write the plan
  stowage solve -c 1MiB -o plan.html model.csv   fit 1 MiB, and draw the plan
  stowage explain -c 900KiB model.csv            name the buffers that cannot fit`,
}

// has reports whether the program has a subcommand of stowage.
func (p *Program) has(name string) bool {
	return p == theCommand || slices.Contains(p.Commands, name) ||
		slices.Contains(strings.Fields(rootGroups[len(rootGroups)-1].names), name)
}

// fit leaves a root with the subcommands of the program, and puts the program's name into their help.
func (p *Program) fit(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if !p.has(cmd.Name()) {
			root.RemoveCommand(cmd)
		}
	}
	root.AddCommand(p.Others...)
	subcommand := regexp.MustCompile(`\bstowage [a-z]+`)
	called := func(text string) string {
		return subcommand.ReplaceAllStringFunc(text, func(words string) string {
			if name := strings.TrimPrefix(words, "stowage "); p.has(name) {
				return p.Name + " " + name
			}
			return words
		})
	}
	for _, cmd := range root.Commands() {
		cmd.Long, cmd.Example = called(cmd.Long), called(cmd.Example)
		cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = called(f.Usage) })
	}
}
