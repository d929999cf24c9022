// Package source reads input files, as text or as bytes. For text it says in which line a byte lies. It also joins the
// faults that several passes over a file find.
//
// The text is read whole: the readers slice it without copying, and a line
// number is only worked out for the few places that are reported.
package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stowage-go/stowage/model"
)

// bom is the byte order mark that some editors put before UTF-8 text.
const bom = "\uFEFF"

// A Text is the content of an input file.
type Text struct {
	File   string // path as the user gave it, for messages
	Text   string // the content, valid UTF-8 without a byte order mark or NUL bytes
	Budget        // the memory that its reader may hold beside it
}

// Read reads r to its end. If reading fails, Read returns that error with the name of the file. Content that is not
// UTF-8 text is a *model.InputError.
func Read(r io.Reader, file string) (*Text, error) {
	// Content with a NUL byte is no text, and it may never end, such as that of /dev/zero.
	pieces, err := gather(r, sizeOf(r), func(_, piece []byte) bool { return bytes.IndexByte(piece, 0) >= 0 })
	if err != nil {
		return nil, named(err, file)
	}
	t := &Text{File: file, Text: strings.TrimPrefix(pieces.text(), bom)}
	t.Budget = paid(r, len(t.Text))
	if strings.HasPrefix(t.Text, "\x1f\x8b") { // gzip
		return nil, t.Refuse(0, "\x1f\x8b", "is packed with gzip: its name has to end in .gz")
	}
	if strings.HasPrefix(t.Text, "PK\x03\x04") { // a zip archive
		return nil, t.Refuse(0, "PK", "is not text: an .xlsx or .ods file is saved as CSV, a zip archive is unpacked first")
	}
	if at := strings.IndexByte(t.Text, 0); at >= 0 {
		return nil, t.Refuse(at, "\x00", "is not text: UTF-16 and binary files cannot be read")
	}
	if !utf8.ValidString(t.Text) {
		at := invalid(t.Text)
		return nil, t.Refuse(at, t.Text[at:at+1], "is not valid UTF-8")
	}
	return t, nil
}

// paid returns the budget of r, less the content that was read.
func paid(r io.Reader, content int) Budget {
	b := budgetOf(int64(content), false)
	if p, ok := r.(Stored); ok {
		b = budgetOf(p.Stored(), true)
	}
	b.Spend(content)
	return b
}

// Lines goes through the lines: the position of each, and its content without space around it. An end of line at the
// end of the text does not begin another line.
func (t *Text) Lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, line := range t.From(0) {
			if !yield(at, strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// From goes through the lines from a byte of the text on, as Lines does, but with the space around them.
func (t *Text) From(at int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at < len(t.Text) {
			line, _, _ := strings.Cut(t.Text[at:], "\n")
			if !yield(at, strings.TrimSuffix(line, "\r")) {
				return
			}
			at += len(line) + 1
		}
	}
}

// MaxBinary is the largest file that the readers of binary formats accept: no protobuf message is larger, and the
// references of a flatbuffer reach no further.
const MaxBinary = math.MaxInt32

// Binary reads r to its end, or to just beyond MaxBinary. No binary format begins with eight zeros, so Binary stops
// early in a file that does: it may never end, such as /dev/zero. The caller must refuse both. If reading fails, Binary
// returns that error with the name of the file.
func Binary(r io.Reader, file string) ([]byte, Budget, error) {
	size := sizeOf(r)
	if size > MaxBinary {
		err := model.Issue{File: file, Message: "is larger than 2 GiB, which no file of its format may be"}.Err()
		return nil, Budget{}, err
	}
	pieces, err := gather(io.LimitReader(r, MaxBinary+1), size, func(first, _ []byte) bool {
		return len(first) >= 8 && bytes.Equal(first[:8], make([]byte, 8))
	})
	if err != nil {
		return nil, Budget{}, named(err, file)
	}
	data := pieces.bytes()
	return data, paid(r, len(data)), nil
}

// named puts the name of a file before an error, if it has one.
func named(err error, file string) error {
	if file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// sizeOf guesses the size of r, so that the first piece is large enough; 0 if it cannot.
func sizeOf(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// invalid returns where the first invalid UTF-8 of s is.
func invalid(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, width := utf8.DecodeRuneInString(s[i:]); width == 1 {
				return i
			}
		}
	}
	return len(s)
}

// MostFaults is how many parts of a file may be at fault before a reader gives up: a message takes more memory than the
// part that it is about.
const MostFaults = 1000

// Line returns the 1-based line of the byte at the given index.
func (t *Text) Line(at int) int { return 1 + strings.Count(t.Text[:min(at, len(t.Text))], "\n") }

// Refuse returns an *model.InputError with one issue, at the byte of that index.
func (t *Text) Refuse(at int, value, message string) error {
	return model.Issue{File: t.File, Line: t.Line(at), Value: value, Message: message}.Err()
}

// Exceeded returns the error for a text that takes more than its budget, at the byte of that index.
func (t *Text) Exceeded(at int, value string) error { return t.Refuse(at, Clip(value), t.Excess()) }

// Join puts the issues of two passes over the same input together, in order of their lines, and keeps the first
// model.MaxIssues. Either error may be nil; each must be an *model.InputError whose issues are in order of their lines.
func Join(a, b error) error {
	var x, y *model.InputError
	switch {
	case !errors.As(a, &x):
		return b
	case !errors.As(b, &y):
		return a
	}
	all := slices.Concat(x.Issues, y.Issues)
	slices.SortStableFunc(all, func(i, j model.Issue) int { return i.Line - j.Line })
	return &model.InputError{Issues: all[:min(len(all), model.MaxIssues)], Total: x.Total + y.Total}
}

// Clip shortens a value for a message.
func Clip(value string) string {
	const most = 60
	if len(value) <= most {
		return value
	}
	end := most
	for end > 0 && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + "…"
}
