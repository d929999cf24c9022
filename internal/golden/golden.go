// Package golden holds what tests write against files, and rewrites these where the
// tests are run with -update.
package golden

import (
	"flag"
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
