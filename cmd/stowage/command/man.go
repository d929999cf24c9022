package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
)

// Idea: manual pages in roff are made from the flag table that help prints, one page for each command. They have no
// date, so the pages of a version never change.
//
// Trials: docs/lab/libraries.md (cobra/doc takes 0.7 ms of each start and loses sections and exit codes).

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages to a folder",
		Long:    `Man writes a manual page for stowage, and one for each command, to the folder DIR. If DIR does not exist, man makes it and the folders above it.`,
		Example: "  stowage man ~/.local/share/man/man1",
		Args:    arity(1, "DIR"),
		Annotations: map[string]string{
			exitsKey: "0  written\n1  internal failure, or pages that cannot be written\n2  bad usage",
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return outputError{args[0], err}
			}
			return writePages(cmd.Root(), args[0])
		},
	}
}

// writePages writes the pages of cmd and of its subcommands.
func writePages(cmd *cobra.Command, dir string) error {
	path := filepath.Join(dir, pageName(cmd)+".1")
	if err := writeFile(format.WriteFile, path, func(w io.Writer) error { return writePage(w, cmd) }); err != nil {
		return outputError{path, err}
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() && !topic(sub) {
			continue
		}
		if err := writePages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writePage writes the page of cmd with one call of Write, so that an error is reported once.
func writePage(out io.Writer, cmd *cobra.Command) error {
	w := new(bytes.Buffer)
	fmt.Fprintf(w, ".TH \"%s\" \"1\" \"\" \"stowage\" \"Stowage manual\"\n", strings.ToUpper(roff(pageName(cmd))))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n\\fB%s\\fR\n", roff(usageLine(cmd)))
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
	}
	for _, g := range commandGroups(cmd) {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(roff(g.title)))
		for _, sub := range g.commands {
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR(1)\n%s\n", roff(pageName(sub)), roff(sub.Short))
		}
	}
	for _, s := range sections(cmd) {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(roff(s.title)))
		for _, f := range s.flags {
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(flagName(f))), roff(flagText(f)))
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(cmd.Example, "\n")))
	}
	if topic(cmd) {
		_, err := w.WriteTo(out)
		return err
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	for _, line := range exitsOf(cmd) {
		code, meaning, _ := strings.Cut(line, "  ")
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(code), roff(meaning))
	}
	_, err := w.WriteTo(out)
	return err
}

// roff escapes text for roff: the backslash; the hyphen, which would become a dash that cannot
// be pasted; and a period or quote at the start of a line, which would be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
