package format_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestFiles names files one by one, by a folder and by a pattern.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"b.csv", "a.json", "c.tflite.gz", "read.me", "plan.svg", "[1].csv"} {
		must.Do(t, os.WriteFile(path, nil, 0o666))
	}
	for path, content := range map[string]string{"program.py": "import os\n", "code.py": "# AOT ID: 0\n"} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	for _, path := range []string{"deep", "empty", "d.csv", filepath.Join("up", "one", "two")} {
		must.Do(t, os.MkdirAll(path, 0o777))
	}
	one, two := filepath.Join("up", "one", "f.onnx"), filepath.Join("up", "one", "two", "g.json")
	for _, path := range []string{filepath.Join("deep", "e.onnx"), one, two, filepath.Join("up", "one", "notes.txt")} {
		must.Do(t, os.WriteFile(path, nil, 0o666))
	}
	for _, c := range []struct {
		argument string
		want     []string
	}{
		{".", []string{"[1].csv", "a.json", "b.csv", "c.tflite.gz", "code.py"}},
		{"deep", []string{filepath.Join("deep", "e.onnx")}},
		{"?.json", []string{"a.json"}},
		{"up/**", []string{one, two}},
		{"u?/**/*", []string{one, filepath.Join("up", "one", "notes.txt"), two}},
		{"up/**/two/*.json", []string{two}},
		{"up/one/**/two/**/g.json", []string{two}},
		{"**/?.json", []string{"a.json", two}},
		{"**/*.onnx", []string{filepath.Join("deep", "e.onnx"), one}},
		{"up/**/*.txt", []string{filepath.Join("up", "one", "notes.txt")}},
		{"[1].csv", []string{"[1].csv"}}, // a file of that name comes before the pattern
		{"read.me", []string{"read.me"}},
		{"missing.csv", []string{"missing.csv"}},
		{"-", []string{"-"}},
	} {
		if got, err := format.Files(c.argument); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.argument, got, err, c.want)
		}
	}
	for argument, want := range map[string]string{
		"empty":       "empty: no file in this folder has an extension that is known",
		"up":          `folders below are not read, but with the pattern "` + filepath.Join("up", "**") + `"`,
		"up/**/*.csv": "up/**/*.csv: no file matches",
		"up/**/[":     "up/**/[: syntax error in pattern",
		"none/**":     "none/**: no file matches",
		"*.pkl":       "*.pkl: no file matches",
		"[.csv":       "[.csv: syntax error in pattern",
	} {
		if got, err := format.Files(argument); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", argument, got, err)
		}
	}
}
