// Package csv reads and writes problems and plans as comma-separated values, one buffer a
// row. The header names the columns, in any order and in upper or lower case:
//
//	id | buffer | buffer_id   names the buffer; unique. Without it buffers are numbered, from 0
//	lower | start | begin     first time slot of the lifespan
//	upper                     one past the last time slot; by vector clocks both are as 3:0:7
//	end                       in place of upper: the last time slot, inclusive
//	stop | last | until | to  in place of upper, if ReadOptions.Ends says what they mean
//	size                      bytes, at least 1
//	size:NAME                 bytes in the scenario of that name, if sizes vary; size is then for buffers of one size
//	alignment                 optional; empty, 0 and 1 mean no constraint
//	gaps                      optional; "a-b" or "a-b@lo:hi", separated by spaces
//	hint                      optional; empty or -1 means none
//	offset                    optional fixed offset; empty or -1 means none
//
// If a file has no ID column of these names, a column name is the ID. If it has no column
// size, a column bytes is the size.
//
// Some programs write half-open lifespans under the name end. ReadOptions.Ends says so, and Extra.Times how the file
// was read. The ends of gaps are as those of lifespans: inclusive if the file has end in place of upper, as in the
// older files of google/minimalloc. Windows are always half-open.
//
// Times may have fractions. All times of the file are then multiplied by the same power of
// ten, which Extra.Times has too. No offset depends on that.
//
// Other columns are kept, and are written again with the plan. A name that is one slip
// away from one of the above is an error, because it is most likely a misspelling.
//
// Fields are separated by commas, semicolons or tabs: the header decides, or a line sep=; before it. Whole numbers may
// have a fraction of zeros or an exponent, as spreadsheets write them: 3.0, 1.05E+06. But 3.000 is refused, because it
// may mean thousands, unless another time of the file shows that a point begins a fraction. Sizes, alignments, hints
// and offsets may have a unit: 1.5MiB. The numbers of gaps have neither: they are an optional minus sign and the digits
// 0 to 9. The times of gaps may have a fraction, such as 0.5-1.25.
//
// Fields may be quoted as in RFC 4180, and a quoted field may span lines. Lines may end with LF, CRLF or, in a file
// without LF, CR. A byte order mark is skipped, and so are rows of separators alone and empty columns without a name at
// the right. A line that begins with # is a comment, unless it has as many fields as the header; then it is a row.
// Spaces count in an ID, but not around header names and integers. A header without rows is a problem without buffers.
//
// All faults of an input are reported at once, as a *model.InputError with file, line, buffer, column and value. A file
// is read whole, and the IDs of a problem share its memory.
package csv

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// A table is a CSV file being read: its header, its current row, and its faults so far.
type table struct {
	file   string
	text   *source.Text // whose budget the rows are paid from
	scan   scanner
	head   header
	issues model.Issues

	over    bool   // the budget is spent
	overAt  column // at this column
	bad     []int  // the rows that could not be read
	threads int    // the most clocks of a row; 0 if time is one line

	row      int       // how many rows next has come to
	comments []Comment // in the order of the file
	silent   bool      // there are more comments

	ends  times.Ends // the user's option for the ends
	times times.Read // how the times were read so far
	digit points     // what the points in times mean
}

// open reads r and its header, which must have the columns of need. It returns an error if there is no point in reading
// the rows.
func open(r io.Reader, file string, need []column, strict bool, ends times.Ends) (*table, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	if strings.IndexByte(text.Text, '\n') < 0 && strings.IndexByte(text.Text, '\r') >= 0 {
		if !text.Spend(len(text.Text)) {
			return nil, text.Exceeded(0, "")
		}
		text.Text = strings.ReplaceAll(text.Text, "\r", "\n") // lines as they were on old Macs
	}
	if begin := strings.TrimLeft(text.Text, " \t\n"); (strings.HasPrefix(begin, "[") || strings.HasPrefix(begin, "{")) &&
		json.Valid(unsafe.Slice(unsafe.StringData(begin), len(begin))) {
		return nil, text.Refuse(len(text.Text)-len(begin), "", "is JSON, and such a file is named .json")
	}
	t := &table{
		file: file, text: text, ends: ends,
		scan: scanner{text: text.Text, sep: ',', nextLine: 1, most: maxColumns, fields: make([]string, 0, numColumns)},
	}
	for t.scan.blank() || t.comment(-1) {
	}
	if !t.scan.hint() {
		t.scan.sep = separatorOf(t.scan.text[min(t.scan.pos, len(t.scan.text)):])
	}
	if !t.next() {
		t.issues.Add(model.Issue{File: file, Line: 1, Message: "is empty: expected a header such as " + example})
		return nil, t.issues.Err()
	}
	if !t.header(need, strict) {
		return nil, t.issues.Err()
	}
	t.scan.most = t.head.width
	return t, nil
}

// pay takes bytes from the budget for a column of the current row.
func (t *table) pay(c column, bytes int) bool {
	if !t.over && !t.text.Spend(bytes) {
		t.over, t.overAt = true, c
	}
	return !t.over
}

// exceeded returns the error for a file that takes more than its budget, at the current row.
func (t *table) exceeded() error {
	c := t.overAt
	return model.Issue{
		File: t.file, Line: t.scan.line, Buffer: source.Clip(t.field(id)), Field: t.head.name[c],
		Value: source.Clip(t.field(c)), Message: t.text.Excess(),
	}.Err()
}

// maxComments is how many comments of a file are kept.
const maxComments = 100_000

// comment passes over a comment below a number of rows, and keeps it.
func (t *table) comment(row int) bool {
	begin, width := t.scan.pos, 0
	if row >= 0 {
		width = t.head.width
	}
	if !t.scan.comment(width) {
		return false
	}
	if len(t.comments) == maxComments {
		t.silent = true
		return true
	}
	line := t.scan.text[begin:min(t.scan.pos, len(t.scan.text))]
	t.pay(id, 2*(len(line)+int(unsafe.Sizeof(Comment{}))))
	t.comments = append(t.comments, Comment{row, strings.Clone(strings.TrimRight(line, "\r\n"))})
	return true
}

// next moves to the next row that is not blank. A row of nothing but separators is blank. It returns false at the end.
func (t *table) next() bool {
	for {
		if t.comment(t.row) {
			continue
		}
		if !t.scan.next() {
			return false
		}
		if t.scan.fault != "" || t.scan.more || slices.ContainsFunc(t.scan.fields, filled) {
			t.row++
			return true
		}
	}
}

// separators are what may stand between fields.
const separators = ",;\t"

// separatorOf returns the separator of a header: the most frequent one of separators, the first if several are as
// frequent.
func separatorOf(text string) byte {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	best := separators[0]
	for k := 1; k < len(separators); k++ {
		if sep := separators[k]; strings.Count(text, string(rune(sep))) > strings.Count(text, string(rune(best))) {
			best = sep
		}
	}
	return best
}

// sound reports whether the current row could be split and has as many fields as the header. If it has not, sound says
// why.
func (t *table) sound() bool {
	s := &t.scan
	if s.fault != "" {
		t.issues.Add(model.Issue{File: t.file, Line: s.faultLine, Value: source.Clip(s.faultValue), Message: s.fault})
		return false
	}
	if len(s.fields) != t.head.width {
		t.issues.Add(model.Issue{
			File: t.file, Line: s.line, Buffer: source.Clip(t.field(id)),
			Message: "has " + s.fieldCount() + ", the header has " + count(t.head.width, "column"),
		})
		return false
	}
	for k := t.head.named; k < t.head.width; k++ {
		if filled(s.fields[k]) {
			t.issues.Add(model.Issue{
				File: t.file, Line: s.line, Buffer: source.Clip(t.field(id)), Value: source.Clip(s.fields[k]),
				Message: "is in column " + strconv.Itoa(k+1) + ", which has no name",
			})
			return false
		}
	}
	return true
}

// filled reports whether there is more than space in a field.
func filled(field string) bool { return trim(field) != "" }

// field returns a field of the current row, empty if the file has no such column or the row is too short.
func (t *table) field(c column) string {
	if k := t.head.at[c]; k >= 0 && k < len(t.scan.fields) {
		return t.scan.fields[k]
	}
	return ""
}

// refuse reports a field of the current row.
func (t *table) refuse(c column, value, message string) {
	t.issues.Add(model.Issue{
		File: t.file, Line: t.scan.line, Buffer: source.Clip(t.field(id)),
		Field: t.head.name[c], Value: source.Clip(value), Message: message,
	})
}
