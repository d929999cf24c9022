package csv

import "strings"

// Idea: a record without quotes, which is nearly every one, is cut at separators in one pass over its bytes; the fields
// are slices of the text. At the first quote the record is read again with care (careful). The fields equal those of
// encoding/csv (a fuzz test compares the two), with one exception: a CRLF inside quotes is kept, so that a written file
// can be read back. Fields beyond the most that a record may have are passed over: a line of nothing but separators
// would take sixteen times its length.
//
// Invariant: between calls pos is at the start of a line, nextLine is its number. A record that breaks the rules sets
// fault, and the scan goes on at the next line.
//
// Complexity: O(n); no allocation but for fields with doubled quotes.
//
// Source: RFC 4180.
//
// Trials: docs/lab/formats.md (encoding/csv takes 2.7 times as long and stops at the first fault).

// A scanner cuts a text into records.
type scanner struct {
	text     string
	sep      byte // between fields
	most     int  // fields of a record that are kept, and one beyond them to tell of more
	pos      int  // start of the next record
	nextLine int  // its line, from 1

	fields []string // of the current record; valid until the next call of next
	more   bool     // the record has further fields
	line   int      // line at which the current record starts

	fault      string // the fault of the current record, empty if there is none
	faultLine  int    // line of the fault
	faultValue string // the field at fault
}

// blank passes over the line at pos if it has nothing but space.
func (s *scanner) blank() bool {
	line, _, more := strings.Cut(s.text[min(s.pos, len(s.text)):], "\n")
	if !more || strings.Trim(line, " \t\r") != "" {
		return false
	}
	s.pos += len(line) + 1
	s.nextLine++
	return true
}

// hint passes over the line at pos if it names the separator, as spreadsheets do: sep=; with quotes around it or
// without.
func (s *scanner) hint() bool {
	line, _, _ := strings.Cut(s.text[min(s.pos, len(s.text)):], "\n")
	name, sep, found := strings.Cut(strings.Trim(strings.TrimSuffix(line, "\r"), `"`), "=")
	if !found || !strings.EqualFold(name, "sep") || len(sep) != 1 || strings.IndexByte(separators, sep[0]) < 0 {
		return false
	}
	s.sep = sep[0]
	s.pos += len(line) + 1
	s.nextLine++
	return true
}

// comment passes over the line at pos if it is a comment: it begins with # and is no row of so many fields. A row may
// begin with # too: an ID such as #1.
func (s *scanner) comment(width int) bool {
	if s.pos >= len(s.text) || s.text[s.pos] != '#' {
		return false
	}
	line := s.text[s.pos:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	fields, quoted := 1, false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == s.sep && !quoted:
			fields++
		}
	}
	if fields == width {
		return false
	}
	s.pos += len(line) + 1
	s.nextLine++
	return true
}

// next reads a record, passing over empty lines; false at the end of the text.
func (s *scanner) next() bool {
	s.fault, s.more = "", false
	text, sep := s.text, s.sep
	for s.pos < len(text) {
		fields := s.fields[:0]
		s.line = s.nextLine
		begin, i := s.pos, s.pos
	record:
		for ; i < len(text); i++ {
			switch text[i] {
			case sep:
				if len(fields) > s.most {
					s.passOver(fields, i)
					return true
				}
				fields = append(fields, text[begin:i])
				begin = i + 1
			case '\n':
				break record
			case '"':
				s.fields = fields
				s.careful()
				return true
			}
		}
		last := text[begin:trimCR(text, begin, i)]
		s.pos = i + 1
		s.nextLine++
		if len(fields) == 0 && last == "" {
			continue
		}
		s.fields = append(fields, last)
		return true
	}
	return false
}

// passOver ends a record that has more fields than are kept, at the end of the line that i is in.
func (s *scanner) passOver(fields []string, i int) {
	rest, _, _ := strings.Cut(s.text[i:], "\n")
	if strings.IndexByte(rest, '"') >= 0 { // a quoted field may span lines
		s.careful()
		return
	}
	s.fields, s.more = fields, true
	s.pos = i + len(rest) + 1
	s.nextLine++
}

// fieldCount says how many fields the record has.
func (s *scanner) fieldCount() string {
	if s.more {
		return "more than " + count(s.most, "field")
	}
	return count(len(s.fields), "field")
}

// careful reads the record at pos, some field of which has a quote.
func (s *scanner) careful() {
	text := s.text
	s.fields = s.fields[:0]
	line := s.line
	i := s.pos
	for {
		begin := i
		var field string
		if i < len(text) && text[i] == '"' {
			end := closing(text, i+1)
			if end < 0 {
				s.broken("the quoted field is not closed", line, text[begin:])
				s.fields = append(s.fields, text[begin+1:])
				line += strings.Count(text[begin:], "\n")
				i = len(text)
				break
			}
			field = text[begin+1 : end]
			at := line
			line += strings.Count(field, "\n")
			if strings.IndexByte(field, '"') >= 0 {
				field = strings.ReplaceAll(field, `""`, `"`)
			}
			i = end + 1
			// Only a separator or the end of the line may follow the closing quote.
			stop := i + s.until(text[i:])
			if trimCR(text, i, stop) != i {
				s.broken("has text after its closing quote", at, text[begin:stop])
			}
			i = stop
		} else {
			i += s.until(text[i:])
			field = text[begin:i]
			if i == len(text) || text[i] == '\n' {
				field = text[begin:trimCR(text, begin, i)]
			}
			if strings.IndexByte(field, '"') >= 0 {
				s.broken("has a quote inside an unquoted field", line, field)
			}
		}
		if len(s.fields) <= s.most {
			s.fields = append(s.fields, field)
		} else {
			s.more = true
		}
		if i == len(text) || text[i] == '\n' {
			break
		}
		i++ // the separator
	}
	s.pos = i + 1
	s.nextLine = line + 1
}

// broken notes the first fault of a record.
func (s *scanner) broken(why string, line int, value string) {
	if s.fault == "" {
		s.fault, s.faultLine, s.faultValue = why, line, value
	}
}

// closing returns the position of the quote that closes a field whose content starts at i, or -1. A doubled quote is
// part of the content.
func closing(text string, i int) int {
	for {
		k := strings.IndexByte(text[i:], '"')
		if k < 0 {
			return -1
		}
		i += k
		if i+1 == len(text) || text[i+1] != '"' {
			return i
		}
		i += 2
	}
}

// until returns the length of text up to the first separator or newline.
func (s *scanner) until(text string) int {
	for i := range len(text) {
		if text[i] == s.sep || text[i] == '\n' {
			return i
		}
	}
	return len(text)
}

// trimCR returns end, or end-1 if text[begin:end] is at the end of a line and its last byte is a carriage return.
func trimCR(text string, begin, end int) int {
	if end > begin && text[end-1] == '\r' && (end == len(text) || text[end] == '\n') {
		return end - 1
	}
	return end
}
