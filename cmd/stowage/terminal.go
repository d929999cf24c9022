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

// Idea: all that the command prints goes through an outlet, which knows whether
// it is a terminal and whether everything arrived. On a terminal control
// characters are escaped, since the names of buffers come from files: one could
// otherwise move the cursor, colour the screen or retitle the window. So are they on
// standard error wherever that goes: a log of messages ends on somebody's terminal.
// What standard output has goes to a file or a pipe as it is, for it may be a plan.
// The first error stays, so that no line can be lost without the exit code saying so.
//
// A standard output that the shell has closed (>&-) cannot be told from
// /dev/null: before main, Go's runtime opens that in its place.

// An outlet is standard output or standard error.
type outlet struct {
	w        io.Writer
	messages bool     // standard error
	file     *os.File // the terminal; nil where it is none
	rest     []byte   // the start of a letter whose end is still to come
	err      error    // of the first write that failed
}

func newOutlet(w io.Writer, messages bool) *outlet {
	o := &outlet{w: w, messages: messages}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.file = f
	}
	return o
}

// Write writes p, messages and what is for a terminal with control characters
// escaped.
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

// columns returns how many columns a terminal has, 0 for what is none. Where the
// terminal does not say, COLUMNS counts.
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

// canRedraw reports whether a line of w can be erased and drawn again.
func canRedraw(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// cutShort returns how many bytes at the end of p begin a letter that is not
// complete.
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

// escapeControls spells control characters but newline and tab as Go does. It
// returns p itself where all of it is printable ASCII.
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

// cell makes a name fit for a table, or a fault for its line: on one line, without
// control characters.
func cell(name string) string {
	name = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(name)
	return string(escapeControls([]byte(name)))
}
