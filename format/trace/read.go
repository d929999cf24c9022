package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: a line is an object whose keys are looked up in the table of its operation. The reader also follows the
// trace: which buffers and which marks exist. So a session that plays the trace never meets an unknown ID.
//
// Complexity: O(1) for each line. A journal has the changes since the first mark, so that a rollback can undo them.

// opBytes is what an operation takes in memory: itself, and what the reader keeps of its buffer.
const opBytes = int(unsafe.Sizeof(Op{})+unsafe.Sizeof(held{})) + 64

// reader is the state of reading.
type reader struct {
	file   string
	line   int
	issues model.Issues
	bad    int              // lines that are not sound
	live   map[string]*held // buffers; what it points at never changes
	since  []change         // of live since the first mark, in order
	marks  []marked
	at     map[string]int // index of a mark by its ID

	first int                        // the number of the first line
	open  map[string]json.RawMessage // its values
	pools []model.Pool
	begun bool // the buffers that come first are there
}

// A change is what a buffer was before an operation: nil if it was not there.
type change struct {
	id  string
	was *held
}

// A marked is a mark: its ID, and how many changes were before it.
type marked struct {
	id   string
	from int
}

// Read reads a trace. The error is a *model.InputError with file, line, key and value, or the error of r.
func Read(r io.Reader, file string) (*Trace, error) {
	content, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	rd := reader{file: file, live: map[string]*held{}, at: map[string]int{}}
	var t *Trace
	for at, line := range content.Lines() {
		rd.line++
		if line == "" {
			continue
		}
		if !content.Spend(opBytes + 4*len(line)) {
			return nil, content.Exceeded(at, line)
		}
		text := []byte(line)
		o, open, ok := rd.op(text)
		if !ok {
			if rd.bad++; rd.bad == source.MostFaults {
				return nil, rd.issues.Err()
			}
		}
		switch {
		case !ok && t == nil:
			return nil, rd.issues.Err() // without its first line it is no trace
		case t == nil:
			if o.Kind != Open {
				rd.say("op", string(o.Kind), "must be open in the first line")
				return nil, rd.issues.Err()
			}
			t = open
			// a list that grows takes twice as much
			t.Ops = make([]Op, 0, content.Most(strings.Count(content.Text[at:], "\n"), opBytes))
		case ok && o.Kind == Open:
			rd.say("op", "open", "is only for the first line")
		case ok:
			if o.Kind != Add || o.Offset == nil {
				rd.begin(t)
			}
			rd.follow(&o)
			t.Ops = append(t.Ops, o)
		}
	}
	if t != nil {
		rd.begin(t)
	}
	if t == nil && rd.issues.Err() == nil {
		rd.say("", "", "the file is empty: it has no line with the operation open")
	}
	if err := rd.issues.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (r *reader) say(field, value, message string) {
	r.issues.Add(model.Issue{File: r.file, Line: r.line, Field: field, Value: value, Message: message})
}

// op reads a line. open is set for the operation open.
func (r *reader) op(text []byte) (o Op, open *Trace, ok bool) {
	fields, ok := r.fields(text)
	if !ok {
		return o, nil, false
	}
	p := parser{r: r, fields: fields, ok: true}
	o = Op{Kind: Kind(p.text("op")), Line: r.line}
	known, there := keys[o.Kind]
	if !there {
		if p.ok {
			r.say("op", string(o.Kind), "is no operation")
		}
		return o, nil, false
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != "op" && !slices.Contains(known[0], key) && !slices.Contains(known[1], key) {
			r.say(key, clip(fields[key]), "is no key of the operation "+string(o.Kind))
			p.ok = false
		}
	}
	for _, key := range known[0] {
		if _, there := fields[key]; !there {
			r.say(key, "", "is missing")
			p.ok = false
		}
	}
	if o.Kind == Open {
		open = &Trace{Capacity: p.number("capacity", 1), Alignment: p.number("alignment", 1), Source: p.text("source")}
		if format := p.text("format"); p.ok && format != Format {
			r.say("format", format, "must be "+Format)
			p.ok = false
		}
		if p.ok {
			r.first, r.open = r.line, fields
			q, sound := r.problem(nil, nil)
			if p.ok = sound; sound && q.Rules != nil {
				open.Pools, open.Threads, open.Period = q.Rules.Pools, q.Rules.Threads, q.Rules.Period
				r.pools = open.Pools
			}
		}
		return o, open, p.ok
	}
	p.fill(&o)
	return o, nil, p.ok
}

// fields returns the values of a line by key. A key that stands twice is a fault.
func (r *reader) fields(text []byte) (map[string]json.RawMessage, bool) {
	in := json.NewDecoder(bytes.NewReader(text))
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		r.say("", "", "must be an object in JSON")
		return nil, false
	}
	fields := map[string]json.RawMessage{}
	for in.More() {
		key, err := in.Token()
		name, named := key.(string)
		var value json.RawMessage
		if err == nil && named {
			err = in.Decode(&value)
		}
		if err != nil || !named {
			r.say("", "", "is no JSON: "+fmt.Sprint(err))
			return nil, false
		}
		if _, twice := fields[name]; twice {
			r.say(name, clip(value), "stands twice")
			return nil, false
		}
		fields[name] = value
	}
	if _, err := in.Token(); err != nil {
		r.say("", "", "is no JSON: the object has no end")
		return nil, false
	}
	if _, err := in.Token(); err != io.EOF {
		r.say("", "", "must be one object and nothing else")
		return nil, false
	}
	return fields, true
}

// clip is a value for a message.
func clip(value json.RawMessage) string {
	if len(value) > 40 {
		return string(value[:40]) + "…"
	}
	return string(value)
}

// A parser reads the values of a line.
type parser struct {
	r      *reader
	fields map[string]json.RawMessage
	ok     bool
}

// text returns a text, or "" if the line has no such key.
func (p *parser) text(key string) (s string) {
	if value, there := p.fields[key]; there && (json.Unmarshal(value, &s) != nil || value[0] != '"') {
		p.fault(key, value, "must be a text")
	}
	return s
}

// number returns a whole number from least to model.MaxSum, or 0 if the line has no such key.
func (p *parser) number(key string, least int64) int64 {
	value, there := p.fields[key]
	if !there {
		return 0
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least || n > model.MaxSum {
		p.fault(key, value, fmt.Sprintf("must be a whole number from %d to %d", least, int64(model.MaxSum)))
		return 0
	}
	return n
}

func (p *parser) fault(key string, value json.RawMessage, message string) {
	p.r.say(key, clip(value), message)
	p.ok = false
}

// optional is number as a pointer, nil if the line has no such key.
func (p *parser) optional(key string) *int64 {
	if _, there := p.fields[key]; !there {
		return nil
	}
	n := p.number(key, 0)
	return &n
}

// fill reads the fields of an operation.
func (p *parser) fill(o *Op) {
	if o.ID = p.text("id"); o.ID == "" && p.fields["id"] != nil && p.ok {
		p.fault("id", p.fields["id"], "is empty")
	}
	plain := true
	switch o.Kind {
	case Add, Fits, Retime:
		plain = p.buffer(o)
	case Place:
		p.buffers(o)
	case Bind, Unbind:
		p.rules(o)
	}
	if plain {
		o.Lower, o.Upper = p.number("lower", -model.MaxSum), p.number("upper", -model.MaxSum)
		if p.ok && p.fields["lower"] != nil && p.fields["upper"] != nil && o.Lower >= o.Upper {
			p.fault("upper", p.fields["upper"], fmt.Sprintf("must be above lower, which is %d", o.Lower))
		}
		o.Size = p.number("size", 1)
	}
	o.Alignment, o.Height, o.Capacity = p.number("alignment", 1), p.number("height", 1), p.number("capacity", 0)
	o.Offset = p.optional("offset")
	p.where(o)
	o.Group, o.Expect, o.Reason = p.text("group"), p.text("expect"), p.text("reason")
	if o.Expect != "" && o.Expect != "yes" && o.Expect != "no" {
		p.fault("expect", p.fields["expect"], "must be yes or no")
	}
	if o.Kind == Result {
		o.Outcome = p.text("value")
	} else {
		o.Value = p.optional("value")
	}
	if list, there := p.fields["segments"]; there {
		p.segments(o, list)
	}
	if list, there := p.fields["slices"]; there {
		if o.Slices = p.slices(list); o.Slices != nil && p.ok {
			p.whole(o, list)
		}
	}
	if list, there := p.fields["moved"]; there {
		o.Moved = []Move{}
		p.each("moved", list, []string{"id", "offset"}, []string{"slices"}, func(q *parser) {
			m := Move{ID: q.text("id"), Offset: q.number("offset", 0)}
			if inner, there := q.fields["slices"]; there {
				m.Slices = q.slices(inner)
			}
			o.Moved = append(o.Moved, m)
		})
	}
}

// each reads a list of objects, which have some keys and may have others.
func (p *parser) each(key string, list json.RawMessage, must, may []string, take func(*parser)) {
	var parts []json.RawMessage
	if json.Unmarshal(list, &parts) != nil || list[0] != '[' {
		p.fault(key, list, "must be a list")
		return
	}
	for _, text := range parts {
		fields, ok := p.r.fields(text)
		if !ok {
			p.ok = false
			return
		}
		q := parser{p.r, fields, true}
		for name, value := range fields {
			if !slices.Contains(must, name) && !slices.Contains(may, name) {
				q.fault(name, value, "is no key in "+key)
			}
		}
		for _, name := range must {
			if _, there := fields[name]; !there {
				q.fault(key, text, "must have "+name+" in each of its objects")
			}
		}
		take(&q)
		p.ok = p.ok && q.ok
	}
}

// slices reads the slices of a buffer.
func (p *parser) slices(list json.RawMessage) []Slice {
	out := []Slice{}
	p.each("slices", list, []string{"size", "lower"}, nil, func(q *parser) {
		out = append(out, Slice{q.number("size", 1), q.number("lower", -model.MaxSum)})
	})
	return out
}

// whole checks that slices make up a buffer.
func (p *parser) whole(o *Op, list json.RawMessage) {
	sum, first := int64(0), o.Upper
	for _, s := range o.Slices {
		if sum += s.Size; sum > o.Size || s.Lower < o.Lower || s.Lower >= o.Upper {
			break
		}
		first = min(first, s.Lower)
	}
	if sum != o.Size || first != o.Lower {
		p.fault("slices", list, "must add up to the size and start within the lifespan, one of them with it")
	}
}

// segments reads the segments of a request.
func (p *parser) segments(o *Op, list json.RawMessage) {
	var parts []json.RawMessage
	if json.Unmarshal(list, &parts) != nil || list[0] != '[' {
		p.fault("segments", list, "must be a list")
		return
	}
	o.Segments = []Segment{}
	for _, text := range parts {
		fields, ok := p.r.fields(text)
		if !ok {
			p.ok = false
			return
		}
		q := parser{p.r, fields, true}
		s := Segment{q.text("id"), q.number("lower", -model.MaxSum), q.number("upper", -model.MaxSum), q.number("size", 1)}
		for key, value := range fields {
			if key != "id" && key != "lower" && key != "upper" && key != "size" {
				q.fault(key, value, "is no key of a segment")
			}
		}
		if q.ok && (len(fields) < 4 || s.ID == "" || s.Lower >= s.Upper) {
			q.fault("segments", text, "must have an id, a lower below its upper, and a size")
		}
		p.ok = p.ok && q.ok
		o.Segments = append(o.Segments, s)
	}
}

// follow checks that the buffers and marks of an operation are there.
func (r *reader) follow(o *Op) {
	switch o.Kind {
	case Add, Fits:
		if r.live[o.ID] != nil {
			r.say("id", o.ID, "is there already")
		} else if o.Kind == Add {
			b := o.Buffer()
			r.turn(o.ID, heldOf(&b))
		}
	case Place:
		for i := range o.Buffers {
			if b := &o.Buffers[i]; r.live[b.ID] != nil {
				r.say("id", b.ID, "is there already")
			} else {
				r.turn(b.ID, heldOf(b))
			}
		}
	case Replan:
		for _, m := range o.Moved {
			if r.live[m.ID] == nil {
				r.say("moved", m.ID, "is not there")
			}
		}
	case Remove, Resize, Retime, Pin, Unpin:
		h := r.live[o.ID]
		if h == nil {
			r.say("id", o.ID, "is not there")
			return
		}
		switch now := *h; o.Kind {
		case Remove:
			r.turn(o.ID, nil)
		case Resize:
			now.size = o.Size
			r.turn(o.ID, &now)
		case Retime:
			b := o.Buffer()
			now = *heldOf(&b)
			now.size = h.size
			r.turn(o.ID, &now)
		}
	case Mark:
		if _, taken := r.at[o.ID]; taken {
			r.say("id", o.ID, "is a mark already")
			return
		}
		r.at[o.ID] = len(r.marks)
		r.marks = append(r.marks, marked{o.ID, len(r.since)})
	case Rollback, Commit:
		k, there := r.at[o.ID]
		if !there {
			r.say("id", o.ID, "is no mark")
			return
		}
		r.drop(k, o.Kind == Rollback)
	}
}

// turn notes what a buffer is from now on; nil if it leaves.
func (r *reader) turn(id string, now *held) {
	if len(r.marks) > 0 {
		r.since = append(r.since, change{id, r.live[id]})
	}
	r.set(id, now)
}

func (r *reader) set(id string, now *held) {
	if now == nil {
		delete(r.live, id)
	} else {
		r.live[id] = now
	}
}

// drop drops a mark and all later ones, and undoes what changed since, if that is asked for.
func (r *reader) drop(k int, undo bool) {
	if from := r.marks[k].from; undo {
		for j := len(r.since) - 1; j >= from; j-- {
			r.set(r.since[j].id, r.since[j].was)
		}
		r.since = r.since[:from]
	}
	for _, m := range r.marks[k:] {
		delete(r.at, m.id)
	}
	if r.marks = r.marks[:k]; k == 0 {
		r.since = r.since[:0]
	}
}
