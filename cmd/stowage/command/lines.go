package command

import (
	"io"
	"sync"
	"time"
)

// Idea: a run that prints a line for each of many short tasks would spend a system call on each line. Lines for a file
// or a pipe are gathered, and written ten times a second or when there are enough of them. On a terminal each line is
// written at once.
//
// Invariant: lines are written whole and in their order, so that several programs may write to one pipe. An error is
// that of a later Write, or of Close.

// gathered has lines that are still to be written.
type gathered struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte
	err  error
	end  func() // of the writing from time to time; nil if each line is written at once
}

const (
	gatherFor = 100 * time.Millisecond
	gatherMax = 4096 // bytes that are written to a pipe at once, whoever else writes to it
)

// gather returns a writer of lines. Each call of its Write has to bring whole lines.
func gather(w io.Writer) *gathered {
	g := &gathered{w: w}
	if !isTerminal(w) {
		g.end = each(gatherFor, func() bool { return g.Flush() == nil })
	}
	return g
}

func (g *gathered) Write(lines []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.rest)+len(lines) > gatherMax {
		g.flush()
	}
	if g.rest = append(g.rest, lines...); g.end == nil {
		g.flush()
	}
	return len(lines), g.err
}

// Flush writes what is gathered.
func (g *gathered) Flush() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flush()
	return g.err
}

func (g *gathered) flush() {
	if g.err == nil && len(g.rest) > 0 {
		_, g.err = g.w.Write(g.rest)
	}
	g.rest = g.rest[:0]
}

// Close writes the rest.
func (g *gathered) Close() error {
	if g.end != nil {
		g.end()
	}
	return g.Flush()
}
