package csv

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestSharedColumns reads the headers that the tests of the Python package read, too. Each header gives the columns
// of its names, or is refused.
func TestSharedColumns(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "columns.json")))(t)
	var rows []struct {
		Header []string
		Means  map[string]string // nil if the header is refused
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 20 {
		t.Fatalf("%d headers, %v", len(rows), err)
	}
	fields := [numColumns]string{id: "a", lower: "0", upper: "9", size: "4", alignment: "1", hint: "-1", offset: "-1"}
	for _, row := range rows {
		var line []string
		for _, c := range Header(row.Header).columns() {
			line = append(line, fields[max(c, 0)]) // others are given that of an id
		}
		file := strings.Join(row.Header, ",") + "\n" + strings.Join(line, ",") + "\n"
		_, h, _, err := ReadExtra(strings.NewReader(file), "x.csv")
		if refused := err != nil; refused != (row.Means == nil) {
			t.Errorf("%q: %v", row.Header, err)
			continue
		}
		for k, c := range h.columns() {
			if c < 0 {
				continue
			}
			if name := columnNames[c][0]; row.Means[name] != h[k] {
				t.Errorf("%q: %s is %q, want %q", row.Header, name, h[k], row.Means[name])
			}
			delete(row.Means, columnNames[c][0])
		}
		if err == nil && len(row.Means) > 0 {
			t.Errorf("%q: no column was read as %v", row.Header, row.Means)
		}
	}
}

// TestPythonColumns compares the names of columns that the Python package takes in tables with those of files.
func TestPythonColumns(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "python", "stowage", "_problem.py")))(t)
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
