package csv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// A column is the meaning of a column of the file, whatever its name.
type column int

const other column = -1 // a column without a meaning to Stowage

const (
	id column = iota
	lower
	upper
	size
	alignment
	gaps
	hint
	offset
	numColumns
)

// example is the header of a problem without options.
const example = "id,lower,upper,size"

// columnNames lists the names of each column. The first name is our own.
var columnNames = [numColumns][]string{
	id:        {"id", "buffer", "buffer_id"},
	lower:     {"lower", "start", "begin"},
	upper:     {times.Upper, times.End},
	size:      {"size"},
	alignment: {"alignment"},
	gaps:      {"gaps"},
	hint:      {"hint"},
	offset:    {"offset"},
}

// maxColumns is how many columns a file may have. Each costs a field of every row, so a file
// with more is most likely no table, or made to take memory.
const maxColumns = 10_000

// secondNames are names that mean a column only if the file has none of the names above for
// it. A file may have an id and, beside it, a name that is something else. The ambiguous names
// of an end are read only if the user says what they mean.
var secondNames = func() map[string]column {
	names := map[string]column{"name": id, "bytes": size}
	for _, name := range times.Ambiguous {
		names[name] = upper
	}
	return names
}()

// A Header has the names of the columns of a file, in the order of the file. What a name for
// the end of a lifespan means is in Extra.Times.
type Header []string

// Known returns the columns that have a meaning to Stowage.
func (h Header) Known() Header {
	var known Header
	for k, c := range h.columns() {
		if c >= 0 {
			known = append(known, h[k])
		}
	}
	return known
}

// Foreign returns the columns that have no meaning to Stowage.
func (h Header) Foreign() []string {
	return slices.DeleteFunc(h.Others(), func(name string) bool {
		_, ok := cutScenario(name)
		return ok
	})
}

// Numbered reports whether no column names the buffers.
func (h Header) Numbered() bool { return !slices.Contains(h.columns(), id) }

// Others returns the columns that are kept as they are: those that have no meaning to Stowage, and sizes by scenario.
func (h Header) Others() []string {
	var others []string
	for k, c := range h.columns() {
		if c < 0 {
			others = append(others, h[k])
		}
	}
	return others
}

// columns returns which column each name means, or other.
func (h Header) columns() []column {
	list := make([]column, len(h))
	var there [numColumns]bool
	for k, name := range h {
		if list[k] = columnOf(strings.ToLower(name)); list[k] >= 0 {
			there[list[k]] = true
		}
	}
	for k, name := range h {
		if c, ok := secondNames[strings.ToLower(name)]; ok && !there[c] {
			list[k], there[c] = c, true
		}
	}
	return list
}

// An Extra has what a CSV file holds besides the problem: the separator of its fields, the
// columns that have no meaning to Stowage, comments, and how its times were read.
type Extra struct {
	// Separator stands between the fields: a comma, a semicolon or a tab.
	Separator byte
	// Family has the sizes by scenario; nil if the file has none. Its problem is that of the file.
	Family *model.Family
	// Columns has the contents of the columns in Header.Others, in that order: for each
	// column, one field for each buffer.
	Columns [][]string
	// Comments are the lines that begin with #, in the order of the file.
	Comments []Comment
	// Silent reports whether the file has more comments than are kept.
	Silent bool
	// Times says how ends and fractions of times were read. WriteWith writes them as they were.
	Times times.Read
}

// A Comment is a line of a file that holds no data.
type Comment struct {
	Row  int    // how many rows stand above it; -1 above the header
	Text string // the line, with its #
}

// A header says where the columns of a file are.
type header struct {
	names     Header             // as they stand in the file
	at        [numColumns]int    // index of the field in a row; -1 if the file has no such column
	name      [numColumns]string // the column's name in this file; our own if it has none
	width     int                // fields of a row
	named     int                // of these, those up to the last that has a name
	inclusive bool               // ends are inclusive
	complete  bool               // no column is missing or double, or nearly a known one
	extra     []int              // the fields of the other columns
	scenarios []scenario         // of these, those that have sizes by scenario
}

// header reads the current row as a header. It reports columns of need that are missing, columns that stand there twice
// and, if strict, columns that mean something by a wrong name. It returns false if the rows would make no sense.
func (t *table) header(need []column, strict bool) bool {
	h := &t.head
	for c := range h.at {
		h.at[c], h.name[c] = -1, columnNames[c][0]
	}
	fields := t.scan.fields
	if len(fields) > maxColumns {
		t.issues.Add(model.Issue{
			File: t.file, Line: t.scan.line, Field: "header",
			Message: "has more than " + count(maxColumns, "column") + ", which is the most that is read",
		})
		return false
	}
	h.width, h.named = len(fields), len(fields)
	for strict && h.named > 0 && trim(fields[h.named-1]) == "" {
		h.named--
	}
	fields = fields[:h.named]
	h.names = make(Header, 0, len(fields))
	for _, field := range fields {
		h.names = append(h.names, strings.Clone(strings.TrimSpace(field))) // a slice would keep the whole text
	}
	if t.scan.fault != "" {
		t.sound()
		return false
	}
	before := t.issues
	refuse := func(field, value, message string) {
		t.issues.Add(model.Issue{File: t.file, Line: t.scan.line, Field: field, Value: source.Clip(value), Message: message})
	}
	known := t.columns(strict, refuse)
	if known == 0 {
		// Not one name is right, so this is a row, another format or another separator. A list of all missing columns
		// would not help.
		t.issues = before
		h.extra = nil
		t.issues.Add(model.Issue{
			File: t.file, Line: t.scan.line, Field: "header", Value: source.Clip(strings.Join(fields, string(rune(t.scan.sep)))),
			Message: "has no known column: expected a header such as " + example + "; start, end and bytes are read, too",
		})
		return false
	}
	if strict {
		h.scenarios = h.scenariosOf()
	}
	for _, c := range need {
		if h.at[c] < 0 && (c != size || len(h.scenarios) == 0) {
			refuse("header", "", "the column "+strings.Join(columnNames[c], " or ")+" is missing"+h.perhaps(c))
		}
	}
	h.complete = t.issues.Err() == nil
	return true
}

// others are names for a column in the tables of other programs. They are not accepted, since some also mean other
// things.
var others = [numColumns][]string{
	lower: {"first", "from", "alloc", "birth", "born"},
	upper: {"free", "death", "dies", "last"},
	size:  {"bytes", "nbytes", "length"},
}

// scaled are names for a column in another form or unit, with the way to convert it.
var scaled = [numColumns]map[string]string{
	upper: {
		"duration": "a length of time: write upper = lower + it", "dur": "a length of time: write upper = lower + it",
		"lifetime": "a length of time: write upper = lower + it",
	},
	size: {
		"kb": "in kB: write size in bytes, 1000 times it", "kib": "in KiB: write size in bytes, 1024 times it",
		"mb": "in MB: write size in bytes, 1000000 times it", "mib": "in MiB: write size in bytes, 1048576 times it",
	},
}

// perhaps returns the name of a column of the file that may be the missing column c, such as start_ms or Size (bytes);
// empty if there is none.
func (h *header) perhaps(c column) string {
	for _, k := range h.extra {
		words := strings.FieldsFunc(strings.ToLower(h.names[k]), func(r rune) bool { return r < 'a' || r > 'z' })
		for _, w := range words {
			if how := scaled[c][w]; how != "" {
				return ": " + strconv.Quote(source.Clip(h.names[k])) + " seems to be " + how
			}
		}
		for _, names := range [][]string{columnNames[c], others[c]} {
			if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) }) {
				return ": rename " + strconv.Quote(source.Clip(h.names[k])) + " if it is that"
			}
		}
	}
	return ""
}

// columns finds out which column each name means, and returns how many of them are known.
func (t *table) columns(strict bool, refuse func(field, value, message string)) (known int) {
	h := &t.head
	means := h.names.columns()
	for k, name := range h.names { // plans do not use ends
		if !strict && means[k] == upper && slices.Contains(times.Ambiguous, strings.ToLower(name)) {
			means[k] = other
		}
	}
	var there [numColumns]bool
	for _, c := range means {
		if c >= 0 {
			there[c] = true
		}
	}
	seen := map[string]bool{} // other columns
	for k, field := range h.names {
		name := strings.ToLower(field)
		c := means[k]
		switch {
		case c < 0 && !strict:
		case c < 0 && name == "":
			refuse("header", "", "column "+strconv.Itoa(k+1)+" has no name")
		case c < 0 && meant(name, &there) != "":
			refuse("header", field, "is not a known column: did you mean "+meant(name, &there)+"?")
		case c < 0 && seen[name]:
			refuse("header", name, "appears twice")
		case c < 0:
			h.extra = append(h.extra, k)
			seen[name] = true
		case h.at[c] >= 0:
			known++
			refuse("header", name, "is a duplicate: column "+strconv.Itoa(h.at[c]+1)+" is "+strconv.Quote(h.name[c]))
		default:
			known++
			h.at[c], h.name[c] = k, name
			seen[name] = true
			if c == upper && strict {
				t.endsOf(field, refuse)
			}
		}
	}
	return known
}

// endsOf decides what the ends in a column of a name mean.
func (t *table) endsOf(field string, refuse func(field, value, message string)) {
	is, fault := t.ends.Of(field)
	if fault != "" {
		refuse("header", field, fault)
	}
	t.head.inclusive = is == times.Inclusive
	if !strings.EqualFold(field, times.Upper) {
		t.times.Name, t.times.Ends, t.times.Said = strings.Clone(field), is, t.ends != ""
	}
}

// nameOf returns the file's name for a field that the model calls by the first of columnNames. Other fields keep their
// names.
func (h *header) nameOf(field string) string {
	if c := columnOf(field); c >= 0 {
		return h.name[c]
	}
	return field
}

// columnOf returns the column of that name, -1 for none.
func columnOf(name string) column {
	for c, names := range columnNames {
		if slices.Contains(names, name) {
			return column(c)
		}
	}
	return -1
}

// elsewhere has the names that other forms of Stowage, and other tools, use for a column.
var elsewhere = map[string]column{"align": alignment, "fixed": offset}

// meant returns the name of the column that an unknown name most likely means, or "". The name is one slip away from
// it (a letter too many, too few, another one, or two in the wrong order), or it is a name of that column elsewhere.
//
// Many words are one slip away from id and end. These, and names from elsewhere, count only if the file lacks the
// column. The Python package has the same rule for tables (_problem.py); its tests compare the two.
func meant(name string, there *[numColumns]bool) string {
	for c, names := range columnNames {
		for _, want := range names {
			if oneSlip(name, want) && (len(name) >= 3 && len(want) >= 4 || !there[c]) {
				return want
			}
		}
	}
	if c, ok := elsewhere[name]; ok && !there[c] {
		return columnNames[c][0]
	}
	return ""
}

// oneSlip reports whether two different words are one slip apart.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return a[i+1:] == b[i+1:] || swapped
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// count formats a number of things.
func count(n int, thing string) string {
	return strconv.Itoa(n) + " " + units.Plural(n, thing)
}
