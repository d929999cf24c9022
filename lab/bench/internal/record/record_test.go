package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

func TestReplaceBlock(t *testing.T) {
	const text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
	got, err := replaceBlock(text, "x", "new\nlines\n\n")
	if want := "a\n<!-- x -->\nnew\nlines\n<!-- /x -->\nb\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"a\n", "<!-- x -->\nold\n", text + text} {
		if _, err := replaceBlock(bad, "x", "new"); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "out.json")
	v := map[string]any{"a": []float64{1, 2.5}, "b": []any{map[string]any{"c": []int{}}, "[1,\n2]"}}
	must.Do(t, WriteJSON(path, v))
	text := must.Get(os.ReadFile(path))(t)
	const want = `{
 "a": [ 1, 2.5 ],
 "b": [
  {
   "c": []
  },
  "[1,\n2]"
 ]
}
`
	must.Same(t, want, string(text))
}

func TestMachine(t *testing.T) {
	if m := ThisMachine().String(); !strings.Contains(m, "cores, ") {
		t.Errorf("machine %q", m)
	}
}
