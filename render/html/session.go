package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/svg"
)

// Idea: a page of a session has the buffers at its start, and of each call what it changed, some 130 bytes. The viewer makes
// the plan before and after a call from that (viewer/session.js).
//
// Complexity: O(n) for each call, to see what changed.

// A Session is what a page plays: a plan that follows changes.
type Session struct {
	data sessionData
	last map[string]held
	p    *model.Problem // after the last call
	at   []int64
}

// A Call says what became of a call of a session.
type Call struct {
	// Text says it in a line.
	Text string
	// Tried is the buffer that did not fit; nil if the call was made, or is about no buffer.
	Tried *model.Buffer
	// Over is a time at which the load is too much, if that is why; nil otherwise.
	Over *int64
	// Moved is the number of other buffers that moved.
	Moved int
}

// held is a buffer with its place: ID, lower, upper, size, offset, 1 if it is pinned.
type held struct {
	id                         string
	lower, upper, size, offset int64
	pinned                     bool
}

// MarshalJSON writes it as a list.
func (h held) MarshalJSON() ([]byte, error) {
	pinned := 0
	if h.pinned {
		pinned = 1
	}
	return json.Marshal([]any{h.id, h.lower, h.upper, h.size, h.offset, pinned})
}

type sessionData struct {
	Title    string        `json:"title"`
	Capacity int64         `json:"capacity"`
	Start    []held        `json:"start"`
	Calls    []sessionCall `json:"calls"`
	Facts    [][2]string   `json:"facts"`
}

type sessionCall struct {
	Text     string   `json:"text"`
	Set      []held   `json:"set,omitempty"`
	Gone     []string `json:"gone,omitempty"`
	Tried    *held    `json:"tried,omitempty"`
	Over     *int64   `json:"over,omitempty"`
	Moved    int      `json:"moved,omitempty"`
	Capacity *int64   `json:"capacity,omitempty"` // if it is another than before
}

// mostNamed is how many buffers a call names that moved.
const mostNamed = 4

// NewSession begins with a problem and its plan.
func NewSession(title string, p *model.Problem, offsets []int64) *Session {
	s := &Session{data: sessionData{Title: title, Capacity: p.Capacity, Start: []held{}, Calls: []sessionCall{}}}
	s.last = map[string]held{}
	for i := range p.Buffers {
		h := heldOf(&p.Buffers[i], offsets[i])
		s.last[h.id] = h
		s.data.Start = append(s.data.Start, h)
	}
	s.p, s.at = p, offsets
	return s
}

func heldOf(b *model.Buffer, offset int64) held {
	return held{b.ID, b.Lower, b.Upper, b.Size, offset, b.Fixed != nil}
}

// Add adds a call, with the problem and the plan after it.
func (s *Session) Add(c Call, p *model.Problem, offsets []int64) {
	call := sessionCall{Text: c.Text, Over: c.Over, Moved: c.Moved}
	if c.Tried != nil {
		h := heldOf(c.Tried, 0)
		call.Tried = &h
	}
	if p.Capacity != s.p.Capacity {
		call.Capacity = &p.Capacity
	}
	now, moves, more := map[string]held{}, "", 0
	for i := range p.Buffers {
		h := heldOf(&p.Buffers[i], offsets[i])
		now[h.id] = h
		if old, there := s.last[h.id]; !there || old != h {
			call.Set = append(call.Set, h)
			if c.Moved == 0 || !there || old.offset == h.offset {
				continue
			}
			if len(call.Set) > mostNamed {
				more++
				continue
			}
			moves += fmt.Sprintf(", %s from %d to %d", h.id, old.offset, h.offset)
		}
	}
	for id := range s.last {
		if _, there := now[id]; !there {
			call.Gone = append(call.Gone, id)
		}
	}
	slices.Sort(call.Gone)
	if more > 0 {
		moves += fmt.Sprintf(" and %d more", more)
	}
	call.Text += moves
	s.data.Calls = append(s.data.Calls, call)
	s.last, s.p, s.at = now, p, offsets
}

// WriteSession writes a page that plays a session. Without scripts it has the figures and the last plan.
func WriteSession(w io.Writer, s *Session, facts []Fact) error {
	var picture bytes.Buffer
	if len(s.p.Buffers) <= plain {
		if err := svg.Write(&picture, s.p, s.at, svg.Options{Title: s.data.Title}); err != nil {
			return err
		}
	}
	data := s.data
	data.Facts = [][2]string{}
	for _, f := range facts {
		data.Facts = append(data.Facts, [2]string{f.Name, f.Value})
	}
	text, err := json.Marshal(&data) // it has no < in it: encoding/json escapes it
	if err != nil {
		return err
	}
	script := `<script type="application/json" class="stowage-session">` + string(text) + "</script>\n"
	return assemble(w, parts{title: data.Title, facts: facts, picture: picture.String(), data: script})
}
