package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/session"
)

// Idea: a page of a session shows each call with the plan before and after it. Package html finds the changes. This
// file words the question, and names the buffer that did not fit.

// A sessionPage collects the calls of a session for a page.
type sessionPage struct {
	page  *html.Session
	trace *trace.Trace
}

// newSessionPage begins the page of a session that has just been opened.
func newSessionPage(name string, t *trace.Trace, s *session.Session) *sessionPage {
	p, plan := s.Snapshot()
	return &sessionPage{html.NewSession(name, p, plan), t}
}

// asked returns the buffer that a call asks for; nil if it asks for none. It must be asked before the call.
func asked(op *trace.Op, s *session.Session) *stowage.Buffer {
	if op.Kind == trace.Add || op.Kind == trace.Fits {
		b := op.Buffer()
		return &b
	}
	if op.Kind == trace.Place { // of several, the largest
		b := slices.MaxFunc(op.Buffers, func(a, b stowage.Buffer) int { return cmp.Compare(a.Size, b.Size) })
		return &b
	}
	b, _, there := s.Buffer(op.ID)
	if !there {
		return nil
	}
	switch op.Kind {
	case trace.Resize:
		b.Size = op.Size
	case trace.Retime:
		b.Lower, b.Upper = op.Lower, op.Upper
	case trace.Pin:
	default:
		return nil
	}
	return &b
}

// add adds a call and its result. b is the buffer that it asks for.
func (g *sessionPage) add(op *trace.Op, b *stowage.Buffer, a *session.Answer, made bool, s *session.Session) {
	about := ""
	if b != nil && op.Kind != trace.Pin && op.Kind != trace.Place {
		about = fmt.Sprintf(", %d bytes in [%d, %d)", b.Size, b.Lower, b.Upper)
	}
	text := describe(op, g.trace, about, a, made)
	if text == "" {
		return
	}
	call := html.Call{Text: text}
	if made && !a.Status.HasPlan() && b != nil {
		call.Tried = b
	}
	if p := a.Proof; p != nil && p.Why == session.ByLoad {
		call.Over, call.Pools = &p.Slot, p.Pools
	}
	if op.Kind != trace.Fits && a.Status.HasPlan() {
		call.Moved = a.Moved.Buffers
	}
	p, plan := s.Snapshot()
	g.page.Add(call, p, plan)
}

// write writes the page, with the figures of the tally.
func (g *sessionPage) write(w io.Writer, t *tally, s *session.Session) error {
	var text strings.Builder
	if err := t.write(&text, s); err != nil {
		return err
	}
	var facts []html.Fact
	for line := range strings.Lines(text.String()) {
		if name, value, cut := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); cut {
			facts = append(facts, html.Fact{Name: name, Value: value})
		}
	}
	return html.WriteSession(w, g.page, facts)
}
