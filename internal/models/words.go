package models

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/internal/units"
)

// NameFor returns the name of a model for C, made from the name of its file.
func NameFor(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// writeJSON writes a report for people and programs alike.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// cell shows what acts on a terminal in a name.
func cell(name string) string { return shown.Text(name) }

// onLines joins what is each for a line of its own.
func onLines(lines []string, between string) string {
	out := make([]string, len(lines))
	for k, line := range lines {
		out[k] = cell(line)
	}
	return strings.Join(out, between)
}

// count formats a number of things.
func count[T int | int64](n T, thing string) string {
	return fmt.Sprintf("%d %s", n, units.Plural(n, thing))
}

// mostOwners is the number of owners of a peak that people read about.
const mostOwners = 8

// print writes the peak, and below it either whether the model fits, or the options that would make the plan smaller.
func (r *peakReport) print(s *strings.Builder, fit *fitReport, lower []string) {
	fmt.Fprintf(s, "peak of %d", r.Bytes)
	if r.Operator != "" {
		fmt.Fprintf(s, " at %s", cell(r.Operator))
	}
	s.WriteByte('\n')
	for i, o := range r.Owners {
		if i == mostOwners {
			fmt.Fprintf(s, "  … and %d more\n", len(r.Owners)-i)
			break
		}
		fmt.Fprintf(s, "  %9d  %s%s\n", o.Size, cell(o.Name), o.shared())
	}
	if fit != nil {
		s.WriteString(onLines(fit.lines(), "\n") + "\n")
	} else {
		printLower(s, lower)
	}
}

// printLower writes what would make a plan smaller; nothing if nothing would.
func printLower(s *strings.Builder, lines []string) {
	if len(lines) > 0 {
		s.WriteString("what would lower it\n  " + onLines(lines, "\n  ") + "\n")
	}
}
