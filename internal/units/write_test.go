package units

import (
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	for v, want := range map[int64]string{
		0: "", 1023: "", 1024: "1 KiB", 1 << 20: "1 MiB", 1250112: "≈ 1.19 MiB", 12<<20 + 300<<10: "≈ 12.3 MiB",
		123<<20 + 1: "≈ 123 MiB", 1 << 61: "2 EiB",
	} {
		if got := Short(v); got != want {
			t.Errorf("%d is %q, want %q", v, got, want)
		}
	}
}

// TestOneTable: the units that are read and those that are written are the same here, in the viewer and in Python.
func TestOneTable(t *testing.T) {
	read := map[string]int64{}
	for _, u := range units {
		read[u.suffix] = u.bytes
		if k := (bits.Len64(uint64(u.bytes)) - 1) / 10; strings.HasSuffix(u.suffix, "ib") &&
			(u.suffix != strings.ToLower(Binary[k]) || u.bytes != 1<<(10*k)) {
			t.Errorf("%s is read as %d bytes", u.suffix, u.bytes)
		}
	}
	viewer := source(t, "render", "html", "viewer", "numbers.js")
	if want := `const UNITS = ["` + strings.Join(Binary[:], `", "`) + `"];`; !strings.Contains(viewer, want) {
		t.Errorf("numbers.js does not have %s", want)
	}
	rows := regexp.MustCompile(`\("(\w+)", (?:1 << (\d+)|10\*\*(\d+)|1)\)`).FindAllStringSubmatch(source(t, "python",
		"stowage", "_units.py"), -1)
	for _, row := range rows {
		bytes := int64(1)
		if shift, err := strconv.Atoi(row[2]); err == nil {
			bytes <<= shift
		}
		for power, _ := strconv.Atoi(row[3]); power > 0; power-- {
			bytes *= 10
		}
		if read[row[1]] != bytes {
			t.Errorf("Python reads %s as %d bytes, Go as %d", row[1], bytes, read[row[1]])
		}
	}
	if len(rows) != len(units) {
		t.Errorf("Python has %d units, Go %d", len(rows), len(units))
	}
}

// source returns the text of a file, by its path from the root of the repository.
func source(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, elements...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
