package experiment

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestKeptRuns: the runs that are kept beside the documents can be read, unpacked, by `stowage compare --resume`.
func TestKeptRuns(t *testing.T) {
	files, err := filepath.Glob("../bench/results/*.jsonl.gz")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, path := range files {
		packed := must.Get(os.Open(path))(t)
		defer packed.Close()
		z := must.Get(gzip.NewReader(packed))(t, "%s", path)
		text := must.Get(io.ReadAll(z))(t, "%s", path)
		copied := filepath.Join(t.TempDir(), "runs.jsonl")
		must.Do(t, os.WriteFile(copied, text, 0o666))
		c := must.Get(comparison.Open(copied))(t, "%s", path)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if lines := bytes.Count(text, []byte("\n")); c.Len() == 0 || c.Len() > lines {
			t.Errorf("%s: %d runs in %d lines", path, c.Len(), lines)
		}
	}
}
