package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestSharedExtension reads the two formats of JSON, with the extension and without it.
func TestSharedExtension(t *testing.T) {
	const foreign = `{"schema_version": 1, "instance": "k", "problem": {"pools": [{"id": 0, "name": "m", "capacity": 8}],
"buffers": [{"id": 0, "name": "a", "size": 4, "alignment": 1, "live_intervals": [{"lower": 0, "upper": 1}],
"allowed_pools": [0]}], "constraints": {}, "objective": {"aggregation": "lexicographic", "terms": ["total_peak"]}}}`
	const own = `{"buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 4}]}`
	for text, kind := range map[string]Kind{foreign: DSA, own: JSON} {
		for _, name := range []string{"x.json", "x.txt"} {
			f, err := ReadFrom(strings.NewReader(text), name, Options{})
			if err != nil || f.Kind != kind || len(f.Problem.Buffers) != 1 || f.Problem.Ruled() != (kind == DSA) {
				t.Errorf("%s as %s: %v, %+v", kind, name, err, f)
			}
		}
		for _, text := range []string{text, text + strings.Repeat(" ", 100_000)} { // read at once, and open
			path := filepath.Join(t.TempDir(), "x.json")
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			in := must.Get(Open(path))(t)
			if in.Kind != kind {
				t.Errorf("%s is %s", kind, in.Kind)
			}
			size := 0 // it saves the readers a copy
			switch r := in.Reader.(type) {
			case interface{ Len() int }:
				size = r.Len()
			case sizer:
				size = int(must.Get(r.Stat())(t).Size())
			}
			if size != len(text) {
				t.Errorf("%s: the reader says that it has %d bytes of %d", kind, size, len(text))
			}
			if content := must.Get(in.Content())(t); string(content) != text {
				t.Errorf("%s: %d bytes of %d", kind, len(content), len(text))
			}
			must.Do(t, in.Close())
		}
	}
}
