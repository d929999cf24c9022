// Package golden holds what tests write against files, and rewrites these where the
// tests are run with -update; and it has a writer that is full.
package golden

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// File fails the test where the file at path is not got, or writes it.
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

// Write takes what there is room for whole, and of all else nothing.
func (r *Room) Write(p []byte) (int, error) {
	if *r -= Room(len(p)); *r < 0 {
		return 0, ErrFull
	}
	return len(p), nil
}

// Full checks that whatever writes says so where there is no room: none from the start, or
// for some of it.
func Full(t *testing.T, write func(w io.Writer) error) {
	t.Helper()
	for _, room := range []Room{0, 70_000} {
		left := room
		if err := write(&left); !errors.Is(err, ErrFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}
