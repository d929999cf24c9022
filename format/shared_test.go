package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Open(path)
		if err != nil || in.Kind != kind {
			t.Fatalf("%s: %v", kind, err)
		}
		defer in.Close()
		file, ok := in.Reader.(sizer) // the size saves the readers a copy
		if !ok {
			t.Fatalf("%s: the reader does not know the size", kind)
		}
		if info, err := file.Stat(); err != nil || info.Size() != int64(len(text)) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
