package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestFamily reads sizes by scenario, with and without a column size, and writes the columns as they were.
func TestFamily(t *testing.T) {
	for _, c := range []struct{ text, names, sizes string }{
		{"id,lower,upper,size:a,size: b c\nx,0,2,4,1KiB\ny,1,3,8,2\n", "[a b c]", "[[4 8] [1024 2]]"},
		{"id;lower;Size:A;upper;size;note\nx;0;4;2;;n\ny;1;;3;7;m\n", "[A]", "[[4 7]]"},
		{"lower,upper,size,size:a\n0,2,9,4\n", "[a]", "[[4]]"},
	} {
		p, h, extra, err := ReadExtra(strings.NewReader(c.text), "x.csv")
		if err != nil || extra.Family == nil || extra.Family.Problem != p {
			t.Fatalf("%s: %v", c.text, err)
		}
		if names, sizes := fmt.Sprint(extra.Family.Scenarios), fmt.Sprint(extra.Family.Sizes); names != c.names || sizes != c.sizes {
			t.Errorf("%s: %s, %s", c.text, names, sizes)
		}
		if foreign := h.Foreign(); len(foreign) != strings.Count(c.text, "note") {
			t.Errorf("without a meaning: %v", foreign)
		}
		var b strings.Builder
		must.Do(t, WriteWith(&b, p, nil, WriteOptions{Header: h, Extra: extra}))
		_, _, again, err := ReadExtra(strings.NewReader(b.String()), "x.csv")
		if err != nil || fmt.Sprint(again.Family.Sizes) != c.sizes {
			t.Errorf("%s is written as %s: %v", c.text, b.String(), err)
		}
	}
	if _, _, extra, err := ReadExtra(strings.NewReader("lower,upper,size\n0,2,9\n"), "x.csv"); err != nil || extra.Family != nil {
		t.Errorf("%v, %v", extra, err)
	}
}

// TestFamilyFaults names the row and the column of each fault.
func TestFamilyFaults(t *testing.T) {
	for text, want := range map[string]string{
		"id,lower,upper,size:a,size:b\nx,0,2,4,z\n":          `x.csv:2: buffer x: size:b "z": is not an integer`,
		"id,lower,upper,size:a,size:b\nx,0,2,4,\n":           "x.csv:2: buffer x: size:: has a size in some scenarios only",
		"id,lower,upper,size:a\nx,0,2,\n":                    "x.csv:2: buffer x: size",
		"id,lower,upper,size:a,size:b\nx,0,2,0,0\n":          "x.csv:2: buffer x: size",
		"id,lower,upper,size:a,size:b\nx,0,2,-1,3\n":         `x.csv:2: buffer x: sizes "-1"`,
		"id,lower,upper,size:\nx,0,2,4\n":                    `x.csv:1: header "size:": is not a known column: did you mean size?`,
		"id,lower,upper,size:a,Size:A\nx,0,2,4,5\n":          `appears twice`,
		"id,lower,upper,size:a\nx,0,2,9223372036854775807\n": `x.csv:2: buffer x: size:a "9223372036854775807": is too large`,
		"id,lower,upper,size:a\nx,0:1,2:3,4\ny,1:2,3:4,5\n":  "threads",
	} {
		if _, _, _, err := ReadExtra(strings.NewReader(text), "x.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", text, err, want)
		}
	}
}
