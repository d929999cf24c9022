package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestLines compares with the lines that strings.SplitAfter has, each where it begins.
func TestLines(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "\n", "\n\n", " a \r\n\tb", "one\n\ntwo\nthree\n"} {
		at, rest := 0, strings.SplitAfter(text, "\n")
		for begins, line := range (&Text{Text: text}).Lines() {
			if begins != at || line != strings.TrimSpace(rest[0]) {
				t.Errorf("%q: %q at %d, want %q at %d", text, line, begins, rest[0], at)
			}
			at, rest = at+len(rest[0]), rest[1:]
		}
		if at != len(text) {
			t.Errorf("%q: ends at %d", text, at)
		}
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	must.Do(t, os.WriteFile(path, []byte("\uFEFFäb\nc"), 0o644))
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	text := must.Get(Read(f, "x"))(t)
	if text.File != "x" || text.Text != "äb\nc" {
		t.Errorf("got %+v", text)
	}
	for at, want := range []int{1, 1, 1, 1, 2, 2, 2} {
		if got := text.Line(at); got != want {
			t.Errorf("byte %d is at line %d, want %d", at, got, want)
		}
	}
	if _, err := Read(iotest.ErrReader(errors.New("broken")), ""); err == nil || err.Error() != "broken" {
		t.Errorf("got %v", err)
	}
	// U+FFFD itself is text; the byte after it is not.
	if _, err := Read(strings.NewReader("a\n\uFFFD\xfe"), "x"); err == nil ||
		err.Error() != `x:2: "\xfe": is not valid UTF-8` {
		t.Errorf("got %v", err)
	}
}

// endless is /dev/zero after its first line.
type endless struct{ begun bool }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	if !e.begun {
		e.begun = true
		copy(p, "a\n")
	}
	return len(p), nil
}

func TestReadEndless(t *testing.T) {
	_, err := Read(&endless{}, "x")
	if err == nil || err.Error() != `x:2: "\x00": is not text: UTF-16 and binary files cannot be read` {
		t.Errorf("got %v", err)
	}
}

func TestReadPacked(t *testing.T) {
	for begin, want := range map[string]string{
		"PK\x03\x04\x14\x00": `x:1: "PK": is not text: an .xlsx or .ods file is saved as CSV, a zip archive is unpacked first`,
		"\x1f\x8b\x08\x00":   `x:1: "\x1f\x8b": is packed with gzip: its name has to end in .gz`,
	} {
		if _, err := Read(strings.NewReader(begin), "x"); err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
}

// zeros never end, and count what is taken of them.
type zeros int

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	*z += zeros(len(p))
	return len(p), nil
}

// TestBinary reads all content, whether its size is known or not. An error names the file. Content of only zeros ends
// the reading early.
func TestBinary(t *testing.T) {
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(i * 7)
	}
	for _, n := range []int{0, 1, 7, 8, 9, 511, 512, 513, len(noise)} {
		for name, r := range map[string]io.Reader{
			"known": bytes.NewReader(noise[:n]), "unknown": iotest.OneByteReader(bytes.NewReader(noise[:n])),
		} {
			if got, _, err := Binary(r, "x"); err != nil || !bytes.Equal(got, noise[:n]) {
				t.Errorf("%d bytes, size %s: %d read, %v", n, name, len(got), err)
			}
		}
	}
	for _, n := range []int64{0, 3, 8, 20} {
		r := io.MultiReader(io.LimitReader(bytes.NewReader(noise), n), iotest.ErrReader(errors.New("broken")))
		if _, _, err := Binary(r, "x"); err == nil || err.Error() != "x: broken" {
			t.Errorf("broken after %d bytes: got %v", n, err)
		}
	}
	taken := new(zeros)
	if got, _, err := Binary(taken, "x"); err != nil || len(got) < 8 || *taken > 1<<20 {
		t.Errorf("zeros: %d bytes, %d taken, %v", len(got), *taken, err)
	}
	// A file that is too large is not read.
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "x")))(t)
	defer f.Close()
	if err := f.Truncate(MaxBinary + 1); err != nil {
		t.Skip(err) // a file system that has no holes
	}
	if _, _, err := Binary(f, "x"); err == nil ||
		err.Error() != "x: is larger than 2 GiB, which no file of its format may be" {
		t.Errorf("a large file: got %v", err)
	}
}

func TestJoin(t *testing.T) {
	issues := func(lines ...int) error {
		var c model.Issues
		for _, line := range lines {
			c.Add(model.Issue{Line: line})
		}
		return c.Err()
	}
	if err := Join(nil, nil); err != nil {
		t.Errorf("nothing joined gives %v", err)
	}
	for _, err := range []error{Join(issues(3), nil), Join(nil, issues(3))} {
		must.Same(t, issues(3), err)
	}
	must.Same(t, issues(1, 2, 3, 4), Join(issues(1, 4), issues(2, 3)))
	var odd, even, all []int
	for line := 1; line <= 60; line += 2 {
		odd, even, all = append(odd, line), append(even, line+1), append(all, line, line+1)
	}
	must.Same(t, issues(all...), Join(issues(odd...), issues(even...)))
}

func TestClip(t *testing.T) {
	for value, want := range map[string]string{
		"":                            "",
		strings.Repeat("x", 60):       strings.Repeat("x", 60),
		strings.Repeat("x", 61):       strings.Repeat("x", 60) + "…",
		strings.Repeat("€", 30):       strings.Repeat("€", 20) + "…",
		"x" + strings.Repeat("€", 30): "x" + strings.Repeat("€", 19) + "…",
	} {
		if got := Clip(value); got != want {
			t.Errorf("Clip(%q) = %q, want %q", value, got, want)
		}
	}
}
