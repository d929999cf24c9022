package experiment

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
)

// TestKeptRuns: the runs that are kept beside the documents can be read, unpacked, by `stowage compare --resume`.
func TestKeptRuns(t *testing.T) {
	files, err := filepath.Glob("../bench/results/*.jsonl.gz")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, path := range files {
		packed, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		z, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		copied := filepath.Join(t.TempDir(), "runs.jsonl")
		if err := os.WriteFile(copied, text, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := comparison.Open(copied)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if lines := bytes.Count(text, []byte("\n")); c.Len() == 0 || c.Len() > lines {
			t.Errorf("%s: %d runs in %d lines", path, c.Len(), lines)
		}
	}
}
