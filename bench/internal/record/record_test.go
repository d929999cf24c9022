package record

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatistics(t *testing.T) {
	if got := Median([]float64{5, 1, 9}); got != 5 {
		t.Errorf("odd median %g", got)
	}
	if got := Median([]float64{4, 1, 9, 2}); got != 3 {
		t.Errorf("even median %g", got)
	}
	if got := GeometricMean([]float64{2, 8}); math.Abs(got-4) > 1e-12 {
		t.Errorf("geometric mean %g", got)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 999_949: "999.9k", 999_950: "1.0M", 5_400_000_000: "5.4G"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0.00123: "1.23", 0.0456: "45.6", 0.1: "100", 3.6507: "3,651"} {
		if got := Milliseconds(s); got != want {
			t.Errorf("Milliseconds(%g) = %s, want %s", s, got, want)
		}
	}
	for x, want := range map[float64]string{1: "1.00", 9.96: "10.0", 99.4: "99.4", 1234.5: "1,235"} {
		if got := Ratio(x); got != want {
			t.Errorf("Ratio(%g) = %s, want %s", x, got, want)
		}
	}
}

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
	if err := WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestTable(t *testing.T) {
	got := Table([]string{"a", "b"}, [][]string{{"x", "1"}})
	if want := "| a | b |\n|---|---:|\n| x | 1 |\n"; got != want {
		t.Errorf("%q", got)
	}
	if m := ThisMachine().String(); !strings.Contains(m, "cores, ") {
		t.Errorf("machine %q", m)
	}
}
