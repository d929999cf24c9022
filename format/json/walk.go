package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"strings"
	"unicode"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
)

// Idea: encoding/json checks the grammar of the whole text first. A walker then goes through valid text, and needs to
// find only where each value ends. So every value has an exact place in the file, repeated keys are seen, and the
// walk can go on after a value of the wrong type.
//
// Invariant: pos is at the first byte of a value, key or closing bracket, or within the white space, comma or colon
// before it.
//
// Complexity: O(n), two passes. Strings are slices of the text unless they have escapes.
//
// Trials: docs/lab/formats.md (encoding/json boxes every token, stops at the first fault and accepts repeated keys).

// A walker goes through a valid JSON text.
type walker struct {
	*source.Text
	pos int
}

// check refuses text that is not one JSON value.
func check(t *source.Text) error {
	text := unsafe.Slice(unsafe.StringData(t.Text), len(t.Text)) // nothing is written to it
	if stdjson.Valid(text) {
		return nil
	}
	var raw stdjson.RawMessage
	err := stdjson.Unmarshal(text, &raw) // Valid does not say where
	var syntax *stdjson.SyntaxError
	switch {
	case strings.TrimSpace(t.Text) == "":
		return t.Refuse(0, "", "is empty: expected a JSON object or a list of buffers")
	case !errors.As(err, &syntax):
		return err
	case strings.HasPrefix(syntax.Error(), "unexpected end"):
		return t.Refuse(len(strings.TrimRight(t.Text, " \t\r\n")), "", "the JSON text is cut off")
	}
	// The offset is that of the byte after the one at fault.
	at := max(int(syntax.Offset)-1, 0)
	return t.Refuse(at, "", "is not JSON: "+slip(t.Text, at, syntax.Error()))
}

// slip names what people and programs write in place of JSON, if that is what stands at the
// byte at fault; otherwise it returns what the parser says.
func slip(text string, at int, says string) string {
	if at >= len(text) {
		return says
	}
	before := strings.TrimRight(text[:at], " \t\r\n")
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	switch c := text[at]; {
	case strings.ContainsAny(first, ",;\t") &&
		(first[0] == '"' || unicode.IsLetter(rune(first[0])) || unicode.IsDigit(rune(first[0]))):
		return "it begins as CSV does, and such a file is named .csv"
	case strings.HasSuffix(says, "after top-level value"):
		return "there is more than one value; a list of buffers stands in [ ], with commas between them"
	case (c == ']' || c == '}') && strings.HasSuffix(before, ","):
		return "there is a comma before " + string(c)
	case c == '\'':
		return "a text stands in double quotes, not in single ones"
	case c == '/' || c == '#':
		return "it has no comments"
	case c == '"' && strings.HasPrefix(says, "invalid character '\"' after"):
		return "a comma is missing"
	case c == '{' && strings.HasPrefix(says, "invalid character '{' after array element"):
		return "a comma is missing"
	}
	return says
}

// valid returns JSON text to walk over, nil if it is none. The text must not change meanwhile.
func valid(text []byte) *source.Text {
	if text = bytes.TrimPrefix(text, []byte("\uFEFF")); !stdjson.Valid(text) {
		return nil
	}
	return &source.Text{Text: unsafe.String(unsafe.SliceData(text), len(text))}
}

// peek skips what stands before the next value, key or closing bracket, and returns its first byte.
func (w *walker) peek() byte {
	for {
		switch c := w.Text.Text[w.pos]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			w.pos++
		default:
			return c
		}
	}
}

// more reports whether the object or array that is being walked has another
// member. If not, it steps over the closing bracket.
func (w *walker) more() bool {
	if c := w.peek(); c != '}' && c != ']' {
		return true
	}
	w.pos++
	return false
}

// enter steps into an object or array, which opens with the given bracket; false if the next value is another.
func (w *walker) enter(bracket byte) bool {
	if w.peek() != bracket {
		return false
	}
	w.pos++
	return true
}

// text reads a string. If the next value is not a string, it returns false and does not move.
func (w *walker) text() (string, bool) {
	if w.peek() != '"' {
		return "", false
	}
	raw := w.value()
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], true
	}
	var s string
	if err := stdjson.Unmarshal([]byte(raw), &s); err != nil {
		panic("json: the grammar check let through " + raw)
	}
	return s, true
}

// value steps over the next value, of whatever type, and returns its text.
func (w *walker) value() string {
	w.peek()
	text := w.Text.Text
	begin, i, depth := w.pos, w.pos, 0
	for {
		switch text[i] {
		case '"':
			i = closing(text, i+1)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default: // a number, true, false or null
			for i < len(text) && !strings.ContainsRune(" \t\r\n,]}", rune(text[i])) {
				i++
			}
		}
		if depth == 0 {
			w.pos = i
			return text[begin:i]
		}
	}
}

// closing returns the place after the string whose content starts at i.
func closing(text string, i int) int {
	for text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return i + 1
}
