package csv

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// WriteOptions choose the dialect. The zero value writes half-open lifespans in the columns of google/minimalloc.
type WriteOptions struct {
	// Inclusive writes the columns start and end, with inclusive ends of lifespans and
	// gaps, as older tools read them. It is ignored if Header is set.
	Inclusive bool
	// Header has the columns to write, by any of their names, in any order; ReadHeader returns the header of a file. If
	// it lacks columns that the problem needs, IDs are added before it and other columns after it. Without a header the
	// columns are those of google/minimalloc: id, lower, upper, size, then alignment, hint, gaps and offset if any
	// buffer has one.
	Header Header
	// Extra has the separator, the contents of the columns of Header that have no meaning to
	// Stowage, and how times are written; ReadExtra returns those of a file. It must have the
	// same buffers in the same order. Nil means commas, no such columns, and whole times.
	Extra *Extra
	// Comments writes the comments of Extra, each above the row that it was above.
	Comments bool
}

// Write is WriteWith in the default dialect: the zero WriteOptions.
func Write(w io.Writer, p *model.Problem, offsets []int64) error {
	return WriteWith(w, p, offsets, WriteOptions{})
}

// WriteWith writes a problem and, if offsets is not nil, its plan: an offset in bytes for each buffer, in order, -1 for
// none. Without a plan the column offset has the fixed offsets, if there are any.
//
// An ID is written as it is, and quoted if necessary. A spreadsheet takes an ID that begins with =, +, - or @ for a
// formula. It is written nevertheless, because other programs match the buffers of a plan by their IDs.
//
// Read returns the problem that was written, with two differences: the format has no name
// and no capacity, and Read sorts gaps.
//
// The error is w's, or says that the offsets do not match the buffers, that the header is not valid, that an ID has a
// NUL byte or invalid UTF-8, or that the problem has other rules than clocks (see WritePlan). In all cases but the
// first nothing is written.
func WriteWith(w io.Writer, p *model.Problem, offsets []int64, o WriteOptions) error {
	if p.Ruled() && !clocksOnly(p) {
		return Writable(p)
	}
	return writeRows(w, p, offsets, o)
}

// rowBuffers are those that no call of writeRows uses.
var rowBuffers sync.Pool

// writeRows writes the rows.
func writeRows(w io.Writer, p *model.Problem, offsets []int64, o WriteOptions) error {
	if offsets != nil && len(offsets) != len(p.Buffers) {
		return fmt.Errorf("csv: %d offsets for %d buffers", len(offsets), len(p.Buffers))
	}
	if err := names(p); err != nil {
		return err
	}
	e, err := newEncoder(p, offsets != nil, o)
	if err != nil {
		return err
	}
	if e.clocks = p.Rules != nil && p.Rules.Threads > 0; e.clocks && e.last > 0 {
		return errors.New("csv: the ends are inclusive, which times by clocks cannot be: name the column upper")
	}
	// Rows are appended to one buffer, which is written when it is full, and kept for the next file.
	const full = 1 << 16
	kept, _ := rowBuffers.Get().(*[]byte)
	if kept == nil {
		kept = new([]byte)
	}
	row := e.remarks((*kept)[:0], -1)
	defer func() {
		if *kept = row; cap(row) <= 2*full {
			rowBuffers.Put(kept)
		}
	}()
	row = append(e.header(row), '\n')
	for i := range p.Buffers {
		row = e.remarks(row, i)
		b := &p.Buffers[i]
		at := b.Fixed
		if offsets != nil {
			at = &offsets[i]
		}
		if row = e.row(row, i, b, at); len(row) >= full {
			if _, err := w.Write(row); err != nil {
				return err
			}
			row = row[:0]
		}
	}
	_, err = w.Write(e.remarks(row, math.MaxInt))
	return err
}

// remarks appends the comments above a row.
func (e *encoder) remarks(dst []byte, row int) []byte {
	for len(e.comments) > 0 && e.comments[0].Row <= row {
		dst = append(append(dst, e.comments[0].Text...), '\n')
		e.comments = e.comments[1:]
	}
	return dst
}

// Writable returns an error that says what CSV cannot express: rules other than clocks, or a list of the IDs with a
// NUL byte or invalid UTF-8. Write refuses them too; Writable finds them before a long run.
func Writable(p *model.Problem) error {
	if p.Ruled() && !clocksOnly(p) {
		return errors.New("csv: the problem has rules, such as pools or pairs apart, which the columns have no room for")
	}
	return names(p)
}

// names returns an error that lists the IDs of buffers and pools that CSV cannot express.
func names(p *model.Problem) error {
	for _, pool := range p.AllPools() {
		if !expressible(pool.ID) {
			return fmt.Errorf("csv: the ID %q of a pool has a NUL byte or is not valid UTF-8", pool.ID)
		}
	}
	var errs []error
	for i := range p.Buffers {
		if name := p.Buffers[i].ID; !expressible(name) {
			if errs = append(errs, fmt.Errorf("csv: the ID %q of buffer number %d has a NUL byte or is not valid UTF-8", name,
				i+1)); len(errs) == model.MaxIssues {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// expressible reports whether a name is text. It looks at eight bytes together: if none is 0 or above 127, then neither
// they nor what is left after taking 1 from each have a highest bit.
func expressible(name string) bool {
	const ones, highest = 0x0101010101010101, 0x8080808080808080
	rest := name
	for ; len(rest) >= 8; rest = rest[8:] {
		x := uint64(rest[0]) | uint64(rest[1])<<8 | uint64(rest[2])<<16 | uint64(rest[3])<<24 |
			uint64(rest[4])<<32 | uint64(rest[5])<<40 | uint64(rest[6])<<48 | uint64(rest[7])<<56 // one load
		if (x|(x-ones))&highest != 0 {
			return isText(name)
		}
	}
	for i := range len(rest) {
		if c := rest[i]; c == 0 || c >= utf8.RuneSelf {
			return isText(name)
		}
	}
	return true
}

func isText(name string) bool { return strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) }

// An encoder appends rows.
type encoder struct {
	names   []string
	columns []column
	extra   [][]string // by column: the fields of a column without a meaning to Stowage; else nil
	sep     byte
	ends    times.Ends // of a file that was read
	last    int64      // taken off the ends of lifespans and gaps
	clocks  bool       // times are by clocks
	places  int        // decimal places of times
	fault   string     // what is wrong with the name of the ends

	comments []Comment // that are still to be written
}

// newEncoder decides the columns: those of the header, then the other needed ones.
func newEncoder(p *model.Problem, plan bool, o WriteOptions) (*encoder, error) {
	most := len(o.Header) + int(numColumns)
	e := &encoder{
		sep: ',', names: make([]string, 0, most), columns: make([]column, 0, most), extra: make([][]string, 0, most),
	}
	others := 0
	if x := o.Extra; x != nil {
		if x.Separator != 0 {
			e.sep = x.Separator
		}
		if o.Comments {
			e.comments = x.Comments
		}
		e.ends, e.places = x.Times.Ends, x.Times.Places
	}
	means := o.Header.columns()
	if len(means) > 0 && !slices.Contains(means, id) {
		e.add(id, columnNames[id][0]) // the file has numbered its buffers by its rows
	}
	for k, name := range o.Header {
		c := means[k]
		switch {
		case c < 0 && o.Extra != nil && others < len(o.Extra.Columns):
			values := o.Extra.Columns[others]
			if len(values) != len(p.Buffers) {
				return nil, fmt.Errorf("csv: the column %q has %d fields for %d buffers", name, len(values), len(p.Buffers))
			}
			others++
			e.add(c, name)
			e.extra[len(e.extra)-1] = values
			continue
		case c < 0:
			return nil, fmt.Errorf("csv: there is no column %q", name)
		case slices.Contains(e.columns, c):
			return nil, fmt.Errorf("csv: the header has the column %q twice", columnNames[c][0])
		}
		if c == upper && e.ends == times.HalfOpen && strings.EqualFold(name, times.End) {
			name = times.Upper // a reader that is not told would take end for inclusive, and find the plan invalid
		}
		e.add(c, name)
	}
	needs := [numColumns]bool{id: true, lower: true, upper: true, size: true, offset: plan}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		needs[alignment] = needs[alignment] || b.Alignment > 1
		needs[hint] = needs[hint] || b.Hint != nil
		needs[gaps] = needs[gaps] || len(b.Gaps) > 0
		needs[offset] = needs[offset] || b.Fixed != nil
	}
	for _, c := range []column{id, lower, upper, size, alignment, hint, gaps, offset} {
		name := columnNames[c][0]
		if o.Inclusive && len(o.Header) == 0 {
			switch c {
			case lower:
				name = "start"
			case upper:
				name = times.End
			}
		}
		if needs[c] && !slices.Contains(e.columns, c) {
			e.add(c, name)
		}
	}
	if e.fault != "" {
		return nil, fmt.Errorf("csv: the column of the ends %s", e.fault)
	}
	return e, nil
}

func (e *encoder) add(c column, name string) {
	e.columns, e.names, e.extra = append(e.columns, c), append(e.names, name), append(e.extra, nil)
	if c != upper {
		return
	}
	is, fault := e.ends.Of(name)
	if strings.EqualFold(name, times.Upper) { // it is half-open, whatever a file said
		is, fault = times.HalfOpen, ""
	}
	e.fault = fault
	if is == times.Inclusive {
		e.last = 1
	}
}

func (e *encoder) row(dst []byte, i int, b *model.Buffer, at *int64) []byte {
	for k, c := range e.columns {
		if k > 0 {
			dst = append(dst, e.sep)
		}
		switch c {
		case other:
			dst = appendExtra(dst, e.extra[k][i], e.sep, k == 0)
		case id:
			dst = appendField(dst, b.ID, e.sep, k == 0)
		case lower:
			if e.clocks {
				dst = appendClock(dst, b.Extra.Clocks.Lower)
			} else {
				dst = e.time(dst, b.Lower)
			}
		case upper:
			if e.clocks {
				dst = appendClock(dst, b.Extra.Clocks.Upper)
			} else {
				dst = e.time(dst, b.Upper-e.last)
			}
		case size:
			dst = appendInt(dst, b.Size)
		case alignment:
			dst = appendInt(dst, b.Align())
		case hint:
			dst = appendOffset(dst, b.Hint)
		case gaps:
			dst = e.gaps(dst, b.Gaps)
		case offset:
			dst = appendOffset(dst, at)
		}
	}
	return append(dst, '\n')
}

// header appends the names of the columns.
func (e *encoder) header(dst []byte) []byte {
	for k, name := range e.names {
		if k > 0 {
			dst = append(dst, e.sep)
		}
		dst = appendExtra(dst, name, e.sep, k == 0)
	}
	return dst
}

func (e *encoder) gaps(dst []byte, list []model.Gap) []byte {
	for k, g := range list {
		if k > 0 {
			dst = append(dst, ' ')
		}
		dst = append(e.time(dst, g.Lower), '-')
		dst = e.time(dst, g.Upper-e.last)
		if w := g.Window; w != nil {
			dst = append(appendInt(append(dst, '@'), w.Lower), ':')
			dst = appendInt(dst, w.Upper)
		}
	}
	return dst
}

// time appends a time with the places of the file.
func (e *encoder) time(dst []byte, v int64) []byte {
	if e.places == 0 {
		return appendInt(dst, v)
	}
	return times.Append(dst, v, e.places)
}

// pairs has the numbers from 00 to 99.
var pairs = func() (list [100][2]byte) {
	for k := range list {
		list[k] = [2]byte{'0' + byte(k/10), '0' + byte(k%10)}
	}
	return list
}()

// appendInt is strconv.AppendInt, in half the time: it writes the digits where they belong.
func appendInt(dst []byte, v int64) []byte {
	u := uint64(v)
	if v < 0 {
		dst, u = append(dst, '-'), -u
	}
	if u < 10 {
		return append(dst, '0'+byte(u))
	}
	digits := bits.Len64(u) * 1233 >> 12 // the logarithm, at most one too low
	if digits < len(powers) && u >= powers[digits] {
		digits++
	}
	at := len(dst) + digits
	dst = slices.Grow(dst, digits)[:at]
	for u >= 100 {
		q := u / 100
		at -= 2
		*(*[2]byte)(dst[at:]) = pairs[u-100*q]
		u = q
	}
	if u >= 10 {
		*(*[2]byte)(dst[at-2:]) = pairs[u]
	} else {
		dst[at-1] = '0' + byte(u)
	}
	return dst
}

// powers has the powers of ten.
var powers = func() (list [20]uint64) {
	for k, p := 0, uint64(1); k < len(list); k, p = k+1, 10*p {
		list[k] = p
	}
	return list
}()

func appendOffset(dst []byte, v *int64) []byte {
	if v == nil {
		return append(dst, "-1"...)
	}
	return appendInt(dst, *v)
}

// appendExtra appends a field without a meaning to Stowage, which may be empty.
func appendExtra(dst []byte, s string, sep byte, first bool) []byte {
	if s == "" {
		return dst
	}
	return appendField(dst, s, sep, first)
}

// appendField appends an ID, in quotes if it needs them. Spaces at its ends get quotes because some other readers drop
// them, and # at the begin of a row because the row would look like a comment.
func appendField(dst []byte, s string, sep byte, first bool) []byte {
	if s != "" && !(first && s[0] == '#') && s[0] != ' ' && s[len(s)-1] != ' ' && plain(s, sep) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// plain reports whether a field has no byte for which it would need quotes.
func plain(s string, sep byte) bool {
	for i := range len(s) {
		if c := s[i]; c == sep || c == '"' || c == '\r' || c == '\n' {
			return false
		}
	}
	return true
}
