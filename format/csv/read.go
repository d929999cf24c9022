package csv

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// Two passes find faults: one over the rows as they are read, one over the whole problem (model.ValidateAt). A row that
// fails the first pass goes into the second with its ID and with harmless values. So it gives no second message, but an
// ID that stands twice is found, and the buffers keep their numbers.

// Read reads a problem from r; file is its name in messages. Without a column for IDs, the ID of a buffer is its
// number, from 0. The buffers have an alignment of at least 1 and their gaps in ascending order. A column offset sets
// Buffer.Fixed. The error is r's, or a *model.InputError that lists the faults of the content.
func Read(r io.Reader, file string) (*model.Problem, error) {
	p, _, err := ReadHeader(r, file)
	return p, err
}

// ReadHeader is Read, and also returns the header of the file. With that header WriteWith
// writes the problem in the same columns.
func ReadHeader(r io.Reader, file string) (*model.Problem, Header, error) {
	p, h, _, err := ReadExtra(r, file)
	return p, h, err
}

// ReadExtra is ReadHeader, and also returns the rest of the file, and how its times were read.
func ReadExtra(r io.Reader, file string) (*model.Problem, Header, *Extra, error) {
	return ReadWith(r, file, ReadOptions{})
}

// ReadOptions say what a file leaves open. The zero value leaves it to the names of its columns.
type ReadOptions struct {
	// Ends says what the ends of lifespans and gaps mean if they are not in a column upper.
	Ends times.Ends
}

// ReadWith is ReadExtra with options.
func ReadWith(r io.Reader, file string, o ReadOptions) (*model.Problem, Header, *Extra, error) {
	t, err := open(r, file, []column{lower, upper, size}, true, o.Ends)
	if err != nil {
		return nil, nil, nil, err
	}
	begin, above, comments := t.scan, t.issues, t.comments
	t.row = 0
	budget := t.text.Budget
	p, extra, err := t.rows()
	if t.digit.again() && !t.over {
		t.text.Budget = budget
		t.scan, t.issues, t.comments, t.row = begin, above, comments, 0
		t.bad, t.threads, t.times.Point = nil, 0, ""
		p, extra, err = t.rows()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	extra.Comments, extra.Silent, extra.Times = t.comments, t.silent, t.times
	extra.Times.Places = t.digit.all
	return p, t.head.names, extra, nil
}

// rows reads the rows.
func (t *table) rows() (*model.Problem, *Extra, error) {
	extra := &Extra{Separator: t.scan.sep, Columns: make([][]string, len(t.head.extra))}
	rows := t.text.Most(t.scan.rows(), rowBytes)
	p := &model.Problem{Buffers: make([]model.Buffer, 0, rows)}
	lines := make([]int32, 0, rows)
	var sizes [][]int64 // of each buffer by scenario
	plain := t.plainColumns()
	for {
		number := len(p.Buffers)
		p.Buffers = slices.Grow(p.Buffers, 1)[:number+1] // what it gains has no values
		b := &p.Buffers[number]
		if plain != nil && t.text.Has(rowBytes) && t.plain(plain, number, b) {
			t.pay(size, rowBytes)
			lines = append(lines, int32(t.scan.line))
			continue
		}
		*b = model.Buffer{}
		if !t.next() {
			p.Buffers = p.Buffers[:number]
			break
		}
		if !t.pay(size, rowBytes+32*len(t.head.extra)) {
			return nil, nil, t.exceeded()
		}
		var varied []int64
		ok := t.buffer(number, b, &varied)
		if t.over {
			return nil, nil, t.exceeded()
		}
		if len(t.bad) == source.MostFaults {
			return nil, nil, t.issues.Err()
		}
		if !ok {
			t.bad = append(t.bad, number)
			*b = model.Buffer{ID: b.ID, Upper: 1, Size: 1}
			if b.ID == "" {
				b.ID = "\x00" + strconv.Itoa(t.scan.line) // no other row can have it: text holds no NUL
			}
		}
		if len(t.head.scenarios) > 0 {
			sizes = append(sizes, varied)
		}
		for c, k := range t.head.extra {
			field := ""
			if k < len(t.scan.fields) {
				field = t.scan.fields[k]
			}
			extra.Columns[c] = append(extra.Columns[c], field)
		}
		lines = append(lines, int32(t.scan.line))
	}
	if t.threads > 0 {
		p.Rules = &model.Rules{Threads: t.threads}
		lines = t.unclocked(p, lines)
	}
	err := t.issues.Err()
	if t.head.complete {
		terms := model.Terms{
			Where: func(i int) model.Issue {
				if i < 0 {
					return model.Issue{File: t.file}
				}
				return model.Issue{File: t.file, Line: int(lines[i])}
			},
			Name:      t.head.nameOf,
			Inclusive: t.head.inclusive,
		}
		if places := t.digit.all; places > 0 {
			terms.Time = func(v int64) string { return string(times.Append(nil, v, places)) }
		}
		err = source.Join(err, clip(model.ValidateAs(p, terms)))
		if err == nil && len(t.head.scenarios) > 0 {
			extra.Family = t.family(p, sizes)
			err = clip(extra.Family.CompleteAt(terms.Where))
		}
	}
	return p, extra, err
}

// rowBytes is the memory of a row: its buffer, and its line.
const rowBytes = source.BufferBytes + 4

// rows returns the most rows that may follow: at most as many as there are lines, and no row is shorter than "a,0,1,1"
// and a newline.
func (s *scanner) rows() int {
	rest := s.text[min(s.pos, len(s.text)):]
	return min(strings.Count(rest, "\n"), len(rest)/8) + 1
}

// buffer reads the current row as that of buffer number, which has no values yet. It reports all faults of the row. It
// sets the ID, if there is one, even if the row has a fault.
func (t *table) buffer(number int, b *model.Buffer, varied *[]int64) (ok bool) {
	b.ID = t.name(number)
	if !t.sound() {
		return false
	}
	ok = true
	integer := func(c column, v int64, fault string) int64 {
		if fault != "" && t.head.at[c] >= 0 {
			t.refuse(c, t.field(c), fault)
			ok = false
		}
		return v
	}
	if t.clocked() {
		ok = t.clocks(b)
	} else {
		v, fault := t.digit.time(t.field(lower))
		b.Lower = integer(lower, v, fault)
		v, fault = t.digit.time(t.field(upper))
		v, fault = after(v, fault, t.head.inclusive)
		b.Upper = integer(upper, v, fault)
		if ok {
			t.pointed(b)
		}
	}
	v, fault := parseSize(t.field(size))
	if sizes, fine := t.varied(); sizes == nil {
		b.Size = integer(size, v, fault)
		ok = ok && fine
	} else {
		*varied, b.Size = sizes, slices.Max(sizes)
		ok = ok && fine
	}
	b.Alignment = 1
	if f := t.field(alignment); trim(f) != "" {
		v, fault = parseSize(f)
		if b.Alignment = integer(alignment, v, fault); b.Alignment == 0 {
			b.Alignment = 1
		}
	}
	if f := t.field(gaps); f != "" {
		b.Gaps, fault = t.gaps(f)
		ok = ok && fault == ""
	}
	if t.head.at[hint] >= 0 {
		v, none, fault := parseOffset(t.field(hint))
		if v = integer(hint, v, fault); !none {
			b.Hint = &v
		}
	}
	if t.head.at[offset] >= 0 {
		v, none, fault := parseOffset(t.field(offset))
		if v = integer(offset, v, fault); !none {
			b.Fixed = &v
		}
	}
	return ok
}

// pointed notes the first buffer that lives at one point of time, if ends are inclusive.
func (t *table) pointed(b *model.Buffer) {
	if t.head.inclusive && t.times.Point == "" && b.Upper == b.Lower+1 {
		t.times.Point = strings.Clone(source.Clip(b.ID))
	}
}

// name returns the ID of the current row, which is that of buffer number. If the file has no column of IDs, it is the
// number, as in Python, C and JavaScript.
func (t *table) name(number int) string {
	if t.head.at[id] < 0 {
		return strconv.Itoa(number)
	}
	return t.field(id)
}

// gaps reads the gaps of a buffer, reports malformed ones, and returns the last fault.
func (t *table) gaps(field string) (list []model.Gap, fault string) {
	for text := range strings.FieldsFuncSeq(field, gapSpace) {
		g, why := parseGap(text, t.head.inclusive, &t.digit)
		if why != "" {
			t.refuse(gaps, text, why)
			fault = why
			continue
		}
		if !t.pay(gaps, 2*int(unsafe.Sizeof(g))+int(unsafe.Sizeof(model.Window{}))) {
			return nil, "takes too much"
		}
		list = append(list, g)
	}
	model.SortGaps(list)
	return list, fault
}

// clip shortens the names in the issues that model finds.
func clip(err error) error {
	var e *model.InputError
	if errors.As(err, &e) {
		for k := range e.Issues {
			issue := &e.Issues[k]
			issue.Buffer, issue.Value = source.Clip(issue.Buffer), source.Clip(issue.Value)
		}
	}
	return err
}
