package csv

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: nearly every row is a name and a few numbers of digits alone, without quotes. In a table that has only the
// columns id, lower, upper, size and alignment, such a row is read in one pass over its bytes, without fields. Any
// other row is left to buffer, which knows all that a row may have and reports its faults.
//
// Invariant: a row that plain takes, buffer would read as the same buffer, without a fault and without anything to
// note but t.times.Point, which both set by pointed. FuzzPlain compares the two.
//
// Complexity: O(bytes); no allocation if the file names its buffers.
//
// Trials: docs/lab/formats.md (a million rows take 0.10 s in place of 0.19).

// mostDigits is how many digits cannot overflow an int64.
const mostDigits = 18

// plainColumns returns the columns of a table whose rows plain may read, in their order; nil for other tables. Times
// with fractions are for buffer: they are multiplied.
func (t *table) plainColumns() []column {
	h := &t.head
	if !h.complete || len(h.extra) > 0 || h.named < h.width || t.digit.all > 0 {
		return nil
	}
	columns := make([]column, h.width)
	for c, k := range h.at {
		switch {
		case k < 0:
		case column(c) > alignment:
			return nil
		default:
			columns[k] = column(c)
		}
	}
	return columns
}

// plain reads the next row as that of buffer number, which has no values yet. If the row is not plain, it returns
// false, nothing is read, and the buffer may have any values.
func (t *table) plain(columns []column, number int, b *model.Buffer) bool {
	s := &t.scan
	text, i := s.text, s.pos
	if i >= len(text) || text[i] == '#' {
		return false
	}
	b.Alignment = 1
	for k, c := range columns {
		if k > 0 {
			if text[i] != s.sep {
				return false
			}
			i++
		}
		if c == id {
			begin := i
			for i < len(text) && text[i] != s.sep && text[i] > '\r' && text[i] != '"' {
				i++
			}
			b.ID = text[begin:i]
		} else {
			begin, v := i, int64(0)
			for ; i < len(text) && text[i]-'0' <= 9; i++ {
				v = v*10 + int64(text[i]-'0')
			}
			if n := i - begin; n == 0 || n > mostDigits {
				return false
			}
			switch c {
			case lower:
				b.Lower = v
			case upper:
				b.Upper = v
			case size:
				b.Size = v
			case alignment:
				b.Alignment = max(v, 1)
			}
		}
		if i == len(text) {
			return false
		}
	}
	if text[i] == '\r' && i+1 < len(text) {
		i++
	}
	if text[i] != '\n' {
		return false
	}
	if t.head.inclusive {
		b.Upper++
	}
	if t.head.at[id] < 0 {
		b.ID = strconv.Itoa(number)
	}
	t.pointed(b)
	s.line = s.nextLine
	s.nextLine++
	s.pos = i + 1
	t.row++
	return true
}
