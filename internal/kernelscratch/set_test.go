package kernelscratch_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/kernelscratch"
)

// TestParse reads each set back by its name. The error for an unknown name lists the known ones.
func TestParse(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range kernelscratch.Sets() {
		got, err := kernelscratch.Parse(s.String())
		if err != nil || got != s {
			t.Errorf("%s: %v, %v", s, got, err)
		}
		if first, err := kernelscratch.Parse(s.Name()); err != nil || !seen[s.Name()] && first != s {
			t.Errorf("%s without a version is %v, %v", s, first, err)
		}
		seen[s.Name()] = true
	}
	if n := len(kernelscratch.Names()); n > 7 || n != len(seen) {
		t.Errorf("%d names, %d seen", n, len(seen))
	}
	for text, want := range map[string]string{
		"esp":                "esp-nn",
		"":                   "reference",
		"esp-nn@":            "27d1f4a",
		"esp-nn@v9":          "27d1f4a",
		"esp-nn-p4@27d1f4a0": "27d1f4a",
		"reference@90b983c":  "has none to choose",
	} {
		if _, err := kernelscratch.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, without %q", text, err, want)
		}
	}
}
