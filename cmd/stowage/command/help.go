package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Idea: help, manual pages and completions are made from one table, cobra's flags. This file prints the table in
// sections with aligned columns. man.go prints the same sections in roff. --help is one screen: what the command does,
// how it is called, the options that most calls need, and the names of the others, which --help-all explains.
//
// Trials: docs/lab/libraries.md (cobra's own template has no groups of flags, no wrapping and no exit codes).

const (
	groupKey = "stowage.group" // flag annotation: the section it belongs to
	exitsKey = "stowage.exits" // command annotation: its own exit codes, one a line
	// command annotation: SECTION=HELP; help only names the section's flags, HELP explains them
	briefKey  = "stowage.brief"
	allExits  = "all" // the value of exitsKey for a command with all general codes
	helpWidth = 80
	textAt    = 24 // the column at which descriptions start

	asKey         = "stowage.as" // command annotation: the command that --help lists it with
	commonSection = "Options"    // the section of flags that are in no other, which --help explains
	helpAllFlag   = "help-all"   // the flag that asks for the whole help
)

// A section is a titled group of the flag table, in the order of definition.
type section struct {
	title string
	flags []*pflag.Flag
}

// group puts flags of a command into a section of its help.
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
		title := commonSection
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
	withHelp(cmd)
	flags := cmd.LocalFlags()
	flags.SortFlags = false
	flags.VisitAll(add)
	slices.SortStableFunc(all, func(a, b section) int { return rank(a.title) - rank(b.title) })
	return all
}

// withHelp gives a command the flags --help and --help-all.
func withHelp(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	if cmd.Flags().Lookup(helpAllFlag) != nil {
		return
	}
	help := cmd.Flags().Lookup("help")
	help.Usage = "print this help; all of it with --help-all"
	if topic(cmd) {
		help.Usage = "print this help"
	}
	cmd.Flags().BoolFunc(helpAllFlag, "", func(string) error { return help.Value.Set("true") })
	cmd.Flags().Lookup(helpAllFlag).Hidden = true // the text of --help names it
}

// rank returns the place of a section: common ones first, those for some files last.
func rank(title string) int {
	switch title {
	case commonSection:
		return 0
	case modelSection:
		return 2
	case planSection:
		return 3
	}
	return 1
}

// flagName returns a flag as users type it: "-o, --output FILE".
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

// exitsOf returns the exit codes of a command, a line each. A command that does not declare its
// own has only 0, 1 and 2.
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
	w, all := cmd.OutOrStdout(), sections(cmd)
	whole := topic(cmd) || cmd.Flags().Changed(helpAllFlag)
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(w, "%s\n\n", paragraph) // printed without changes
			continue
		}
		fmt.Fprintf(w, "%s\n\n", wrap(paragraph, helpWidth, ""))
		if !whole {
			break
		}
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.Trim(cmd.Example, "\n"))
	}
	for _, g := range commandGroups(cmd) {
		if !whole && g.brief {
			var list []string
			for _, sub := range g.commands {
				list = append(list, sub.Name())
			}
			fmt.Fprintf(w, "\n%s\n", wrap(g.title+": "+strings.Join(list, ", "), helpWidth-2, "  "))
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, sub := range g.commands {
			switch as := sub.Annotations[asKey]; {
			case whole:
				row(w, sub.Name(), sub.Short)
			case as == "":
				row(w, strings.Join(append([]string{sub.Name()}, calledFor(g.commands, sub.Name())...), ", "), sub.Short)
			}
		}
	}
	var more []*pflag.Flag
	for _, s := range all {
		switch where := explainedIn(cmd, s.title); {
		case !whole && s.title != commonSection:
			more = append(more, s.flags...)
		case where != "":
			list := wrap(strings.Join(names(s.flags), ", "), helpWidth-2, "  ")
			fmt.Fprintf(w, "\n%s (%s):\n  %s\n", s.title, where, list)
		default:
			fmt.Fprintf(w, "\n%s:\n", s.title)
			for _, f := range s.flags {
				row(w, flagName(f), flagText(f))
			}
		}
	}
	if len(more) > 0 {
		list := wrap(strings.Join(names(more), ", "), helpWidth-2, "  ")
		fmt.Fprintf(w, "\nMore options, which --help-all explains:\n  %s\n", list)
	}
	if topic(cmd) {
		return
	}
	if !whole {
		codes := strings.ReplaceAll(strings.Join(exitsOf(cmd), "; "), "  ", " ")
		fmt.Fprintf(w, "\n%s\n", wrap("Exit codes: "+codes, helpWidth-2, "  "))
	} else {
		fmt.Fprintf(w, "\nExit codes:\n  %s\n", strings.Join(exitsOf(cmd), "\n  "))
	}
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n'%s COMMAND --help' says more about a command, --help-all everything.\n", cmd.Name())
	}
}

// explainedIn returns the name of the help that explains a section's flags, if the help of cmd only names them.
func explainedIn(cmd *cobra.Command, title string) string {
	if title == modelSection && !topic(cmd) {
		return cmd.Root().Name() + " help formats"
	}
	if brief, where, _ := strings.Cut(cmd.Annotations[briefKey], "="); brief == title {
		return where
	}
	return ""
}

// names returns flags as users type them, without values.
func names(flags []*pflag.Flag) []string {
	var list []string
	for _, f := range flags {
		list = append(list, "--"+f.Name)
	}
	return list
}

// topic reports whether a command is only a text of the help.
func topic(cmd *cobra.Command) bool { return cmd.HasParent() && !cmd.Runnable() }

// A commandGroup is a part of the list of commands, with a title.
type commandGroup struct {
	title    string
	brief    bool // --help only names the commands
	commands []*cobra.Command
}

type rootGroup struct {
	title, names string
	brief        bool
}

// rootGroups are the commands of the root by purpose, the most used first. The last group has
// the commands that no other group has.
var rootGroups = []rootGroup{
	{"Commands", "solve plan show view explain verify check size compare sweep arena planners", false},
	{"For experts", "barriers session gen minimalloc report man", true},
	{"Help and setup", "help formats tables firmware rules memories completion version", true},
}

// commandGroups returns the commands beneath a command, those of the root in its groups.
func commandGroups(cmd *cobra.Command) (all []commandGroup) {
	rest := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() && c.Name() != "help" && !topic(c)
	})
	if cmd.HasParent() {
		all = []commandGroup{{title: "Commands", commands: rest}}
	} else {
		for _, g := range rootGroups {
			of := commandGroup{title: g.title, brief: g.brief}
			for name := range strings.FieldsSeq(g.names) {
				if k := slices.IndexFunc(rest, func(c *cobra.Command) bool { return c.Name() == name }); k >= 0 {
					of.commands = append(of.commands, rest[k])
					rest = slices.Delete(rest, k, k+1)
				}
			}
			all = append(all, of)
		}
		last := &all[len(all)-1].commands
		*last = append(rest, *last...)
	}
	return slices.DeleteFunc(all, func(g commandGroup) bool { return len(g.commands) == 0 })
}

// calledFor returns the names of the commands that --help lists with the one of this name.
func calledFor(all []*cobra.Command, name string) (names []string) {
	for _, c := range all {
		if c.Annotations[asKey] == name {
			names = append(names, c.Name())
		}
	}
	return names
}

// usageLine returns the synopsis of a command.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() && !cmd.HasParent() {
		if cmd.Name() == theCommand.Name {
			return "stowage [options] FILE\n  stowage COMMAND [options] [arguments]"
		}
		return cmd.Name() + " COMMAND [options] [arguments]"
	}
	if topic(cmd) {
		return cmd.Root().Name() + " help " + cmd.Name()
	}
	line := cmd.UseLine()
	name, rest, _ := strings.Cut(strings.TrimSuffix(line, " [flags]"), cmd.Name())
	return name + cmd.Name() + " [options]" + rest
}

// row prints one aligned entry. A name that is too long for its column gets a line of its own.
func row(w io.Writer, name, text string) {
	indent := strings.Repeat(" ", textAt)
	body := wrap(text, helpWidth-textAt, indent)
	if pad := textAt - 2 - utf8.RuneCountInString(name); pad >= 2 {
		fmt.Fprintf(w, "  %s%s%s\n", name, strings.Repeat(" ", pad), body)
		return
	}
	fmt.Fprintf(w, "  %s\n%s%s\n", name, indent, body)
}

// wrap breaks text at spaces into lines of at most width runes. It indents each line but the first.
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

// newHelp returns cobra's help command, changed so that an unknown topic is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		Long:  "Help prints the help of a command, as its flag --help does. Without a name it lists the commands.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range at.Commands() {
					if sub.IsAvailableCommand() || topic(sub) {
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

// strictCompletion changes cobra's command completion so that an unknown shell is an error.
func strictCompletion(root *cobra.Command) {
	at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" })
	completion := root.Commands()[at]
	var shells []string
	for _, c := range completion.Commands() {
		shells = append(shells, c.Name())
	}
	completion.Short = "Write a script that completes commands in a shell"
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("no completion for the shell %q%s", args[0], oneOf(args[0], shells, ""))
		}
		return cmd.Help()
	}
}
