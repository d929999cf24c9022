package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
)

// TestKeptRuns: the runs that are kept beside the documents can be read.
func TestKeptRuns(t *testing.T) {
	files, err := filepath.Glob("../bench/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, path := range files {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), filepath.Base(path))
		if err := os.WriteFile(copied, before, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := comparison.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if c.Len() != strings.Count(string(before), "\n") {
			t.Errorf("%s: %d runs in %d lines", path, c.Len(), strings.Count(string(before), "\n"))
		}
	}
}
