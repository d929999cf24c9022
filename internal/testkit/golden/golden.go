// Package golden compares what tests write with files, and rewrites the files if the tests are run with -update. It
// also has helpers for tests of readers and writers: writers that fail or have no room, and readers that find many
// faults.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// File fails the test if the file at path is not got, or writes it.
func File(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test with -update to write it)", err)
	}
	if string(got) == string(want) {
		return
	}
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	line := 0
	for line < min(len(g), len(w)) && g[line] == w[line] {
		line++
	}
	is, was := "nothing", "nothing"
	if line < len(g) {
		is = g[line]
	}
	if line < len(w) {
		was = w[line]
	}
	t.Errorf("%s:%d differs; run with -update if that is meant:\n got %s\nwant %s", path, line+1, is, was)
}

// ErrFull is the error of a writer with no more room.
var ErrFull = errors.New("no space")

// Room is a writer with room for so many bytes.
type Room int

// Write takes a piece if there is room for all of it, and otherwise nothing.
func (r *Room) Write(p []byte) (int, error) {
	if *r -= Room(len(p)); *r < 0 {
		return 0, ErrFull
	}
	return len(p), nil
}

// Written returns what is written, and fails the test if that fails.
func Written(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Refused checks that nothing is written, with this error.
func Refused(t testing.TB, want string, write func(w io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

// Full checks that whatever writes says so if there is no room: none from the start, or for some of it.
func Full(t *testing.T, write func(w io.Writer) error) {
	t.Helper()
	for _, room := range []Room{0, 70_000} {
		left := room
		if err := write(&left); !errors.Is(err, ErrFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// Issues checks that a reader's error has so many issues, of a line each from the first on,
// and keeps the first of them.
func Issues(t *testing.T, err error, total, first int) {
	t.Helper()
	var input *model.InputError
	if !errors.As(err, &input) {
		t.Fatal(err)
	}
	if input.Total != total || len(input.Issues) != model.MaxIssues {
		t.Errorf("got %d of %d issues", len(input.Issues), input.Total)
	}
	for k, issue := range input.Issues {
		if issue.Line != first+k {
			t.Errorf("issue %d is of line %d", k, issue.Line)
		}
	}
}
