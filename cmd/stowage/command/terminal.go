package command

import (
	"errors"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/stowage-go/stowage/internal/shown"
)

// Idea: everything that the command prints goes through an outlet. It knows whether it is a terminal, and whether all
// writes succeeded. On a terminal package shown escapes control characters, because the names of buffers come from
// files. Standard error is always escaped, because a log is often read on a terminal later. Standard output to a file
// or a pipe is not, because it may be a plan; a report for people is (writeText in output.go). The outlet keeps its
// first error, so a lost line always changes the exit code.

// An outlet is standard output or standard error.
type outlet struct {
	w        io.Writer
	messages bool      // standard error
	file     *os.File  // the terminal; nil if it is none
	shows    io.Writer // what escapes for w; nil if nothing is to be escaped
	asked    bool      // whether the shell has closed it is known
	err      error     // the error of the first write that failed
}

// errClosed is the error of an output that the shell has closed.
var errClosed = errors.New("it is closed")

func newOutlet(w io.Writer, messages bool) *outlet {
	o := &outlet{w: w, messages: messages}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.file = f
	}
	if o.file != nil || messages {
		o.shows = shown.Writer(w)
	}
	return o
}

// Write writes p. For messages and on a terminal, package shown escapes it first.
func (o *outlet) Write(p []byte) (int, error) {
	w, err := o.w, o.err
	if o.shows != nil {
		w = o.shows
	}
	if !o.asked && !o.messages {
		if f, ok := o.w.(*os.File); ok && closedByShell(f) {
			err = errClosed
		}
		o.asked = true
	}
	if err != errClosed {
		_, err = w.Write(p)
	}
	if err != nil {
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

// cell returns a name for a table, or a fault for a line of its own.
func cell(name string) string { return shown.Text(name) }
