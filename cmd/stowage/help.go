package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Idea: the flags that cobra holds are the one table that help, manual pages
// and completions are made from. This file lays the table out in sections with
// aligned columns; man.go sets the same sections in roff.
//
// Cobra's own template was tried and dropped: it neither groups flags, nor
// wraps them, nor knows exit codes.

const (
	groupKey  = "stowage.group" // flag annotation: the section it belongs to
	exitsKey  = "stowage.exits" // command annotation: its own exit codes, one a line
	allExits  = "all"           // its value where the general ones are the command's
	helpWidth = 80
	textAt    = 24 // the column at which descriptions start
)

// A section is a titled group of the flag table, in the order of definition.
type section struct {
	title string
	flags []*pflag.Flag
}

// group puts the named flags of a command into a section of its help.
func group(cmd *cobra.Command, title string, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, groupKey, []string{title}); err != nil {
			panic(err)
		}
	}
}

// sections returns a command's visible flags by section.
func sections(cmd *cobra.Command) []section {
	var all []section
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := "Options"
		if g := f.Annotations[groupKey]; len(g) > 0 {
			title = g[0]
		}
		at := slices.IndexFunc(all, func(s section) bool { return s.title == title })
		if at < 0 {
			at = len(all)
			all = append(all, section{title: title})
		}
		all[at].flags = append(all[at].flags, f)
	}
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "print this help"
	flags := cmd.LocalFlags()
	flags.SortFlags = false
	flags.VisitAll(add)
	return all
}

// flagName returns a flag as it is typed: "-o, --output FILE".
func flagName(f *pflag.Flag) string {
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		name += " " + value
	}
	return name
}

// flagText returns what a flag does, with its default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		text += " [default: " + strings.Trim(f.DefValue, "[]") + "]"
	}
	return text
}

// exitsOf returns the exit codes of a command, a line each. A command that is
// silent about its own has no more than 0, 1 and 2.
func exitsOf(cmd *cobra.Command) []string {
	own, ok := cmd.Annotations[exitsKey]
	switch {
	case !ok && cmd.HasParent():
		return []string{"0  done", "1  internal failure, or an output that cannot be written", "2  bad usage"}
	case ok && own != allExits:
		return strings.Split(own, "\n")
	}
	var lines []string
	for _, e := range exitCodes {
		lines = append(lines, fmt.Sprintf("%d  %s", e.code, e.meaning))
	}
	return lines
}

// help prints a command's help on its standard output.
func help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(w, "%s\n\n", paragraph) // set as it stands
			continue
		}
		fmt.Fprintf(w, "%s\n\n", wrap(paragraph, helpWidth, ""))
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", usageLine(cmd))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				row(w, sub.Name(), sub.Short)
			}
		}
	}
	for _, s := range sections(cmd) {
		fmt.Fprintf(w, "\n%s:\n", s.title)
		for _, f := range s.flags {
			row(w, flagName(f), flagText(f))
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.Trim(cmd.Example, "\n"))
	}
	fmt.Fprintf(w, "\nExit codes:\n")
	for _, line := range exitsOf(cmd) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\nRun 'stowage COMMAND --help' for more about a command.\n")
	}
}

// usageLine returns the synopsis of a command.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() && !cmd.HasParent() {
		return "stowage COMMAND [options] [arguments]"
	}
	line := cmd.UseLine()
	name, rest, _ := strings.Cut(strings.TrimSuffix(line, " [flags]"), cmd.Name())
	return name + cmd.Name() + " [options]" + rest
}

// row prints one aligned entry; a name too long for its column gets a line of
// its own.
func row(w io.Writer, name, text string) {
	indent := strings.Repeat(" ", textAt)
	body := wrap(text, helpWidth-textAt, indent)
	if pad := textAt - 2 - utf8.RuneCountInString(name); pad >= 2 {
		fmt.Fprintf(w, "  %s%s%s\n", name, strings.Repeat(" ", pad), body)
		return
	}
	fmt.Fprintf(w, "  %s\n%s%s\n", name, indent, body)
}

// wrap breaks text at spaces into lines of at most width runes; each line but
// the first is indented.
func wrap(text string, width int, indent string) string {
	var s strings.Builder
	used := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			s.WriteString("\n" + indent)
			used = 0
		default:
			s.WriteByte(' ')
			used++
		}
		s.WriteString(word)
		used += n
	}
	return s.String()
}

// newHelp is cobra's help command, but that an unknown topic is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Long:  "Help prints the help of a command, as its flag --help does; without a name, what commands there are.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range at.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name())
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, name := range args {
				next := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
				if next < 0 {
					return unknownCommand(at, name)
				}
				at = at.Commands()[next]
			}
			return at.Help()
		},
	}
}

// strictCompletion makes an unknown shell an error of cobra's command completion.
func strictCompletion(root *cobra.Command) {
	at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" })
	completion := root.Commands()[at]
	var shells []string
	for _, c := range completion.Commands() {
		shells = append(shells, c.Name())
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("no completion for the shell %q%s", args[0], oneOf(args[0], shells))
		}
		return cmd.Help()
	}
}
