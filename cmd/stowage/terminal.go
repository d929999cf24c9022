package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Idea: everything that the command prints goes through an outlet. It knows whether it is a
// terminal, and whether all writes succeeded. On a terminal it escapes control characters,
// because the names of buffers come from files: a name could move the cursor, colour the screen
// or retitle the window. Standard error is always escaped, because a log is often read on a
// terminal later. Standard output to a file or a pipe is not escaped, because it may be a plan.
// The outlet keeps its first error, so a lost line always changes the exit code.
//
// A standard output that the shell has closed (>&-) looks like /dev/null: Go's runtime opens
// that in its place before main.

// An outlet is standard output or standard error.
type outlet struct {
	w        io.Writer
	messages bool     // standard error
	file     *os.File // the terminal; nil if it is none
	rest     []byte   // the first bytes of an incomplete letter
	err      error    // the error of the first write that failed
}

func newOutlet(w io.Writer, messages bool) *outlet {
	o := &outlet{w: w, messages: messages}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.file = f
	}
	return o
}

// Write writes p. For messages and on a terminal it escapes control characters.
func (o *outlet) Write(p []byte) (int, error) {
	out := p
	if o.file != nil || o.messages {
		out = append(o.rest, p...)
		o.rest = nil
		if k := len(out) - cutShort(out); k < len(out) {
			out, o.rest = out[:k], slices.Clone(out[k:])
		}
		out = escapeControls(out)
	}
	if _, err := o.w.Write(out); err != nil {
		if o.err == nil {
			o.err = err
		}
		return 0, err
	}
	return len(p), nil
}

// outletOf returns the outlet behind a writer of a command.
func outletOf(w io.Writer) *outlet {
	if o, ok := w.(*outlet); ok {
		return o
	}
	return &outlet{w: w}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool { return outletOf(w).file != nil }

// columns returns the width of a terminal in columns, or 0 if w is none. If the terminal does
// not know its width, the variable COLUMNS has it.
func columns(w io.Writer) int {
	f := outletOf(w).file
	if f == nil {
		return 0
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// canRedraw reports whether a line of w can be erased and drawn anew.
func canRedraw(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// cutShort returns how many bytes at the end of p are the beginning of an incomplete letter.
func cutShort(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// escapeControls writes control characters, except newline and tab, as Go does in strings. It
// returns p itself if all of it is printable ASCII.
func escapeControls(p []byte) []byte {
	if !slices.ContainsFunc(p, func(c byte) bool { return (c < ' ' || c > '~') && c != '\n' && c != '\t' }) {
		return p
	}
	out := make([]byte, 0, len(p)+16)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f, r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, p[0])
		case r > 0x7f && r < 0xa0: // the control characters of Latin-1
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

// cell returns a name for a table, or a fault for a line of its own: on one line, without
// control characters.
func cell(name string) string {
	name = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(name)
	return string(escapeControls([]byte(name)))
}

// onLines joins what is each for a line of its own.
func onLines(lines []string, between string) string {
	out := make([]string, len(lines))
	for k, line := range lines {
		out[k] = cell(line)
	}
	return strings.Join(out, between)
}
