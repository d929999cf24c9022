package csv

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPythonColumns holds the names of columns that the Python package takes in tables
// against those of files.
func TestPythonColumns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "python", "stowage", "_problem.py"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\nCOLUMNS = {\n")
	table, _, ended := strings.Cut(rest, "\n}\n")
	if !found || !ended {
		t.Fatal("_problem.py has no table COLUMNS")
	}
	word := regexp.MustCompile(`"([^"]+)"`)
	known := 0
	for line := range strings.Lines(table) {
		var names []string
		for _, m := range word.FindAllStringSubmatch(line, -1) {
			names = append(names, m[1])
		}
		if len(names) == 0 {
			t.Fatalf("%q names no column", line)
		}
		c := columnOf(names[0])
		if c < 0 || !slices.Equal(columnNames[c], names[1:]) {
			t.Errorf("a table's column %s may be %q; files have %q", names[0], names[1:], columnNames[max(c, 0)])
		}
		known++
	}
	if known != int(numColumns) {
		t.Errorf("%d columns, files have %d", known, numColumns)
	}
}
