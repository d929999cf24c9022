package units

import (
	"errors"
	"testing"
)

// TestParse reads sizes as people write them, and refuses what is none.
func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1.5MiB": 3 << 19, "80mib": 80 << 20, "1e6": 1e6, "4 k": 4096, "2kB": 2000, "0.5KiB": 512, "64B": 64, " 3 ": 3,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrSyntax, "MiB": ErrSyntax, "1.MiB": ErrSyntax, "0": ErrSmall, "-1k": ErrSmall, "1.5": ErrWhole, "0.3B": ErrWhole, "4000000TiB": ErrLarge,
	} {
		if got, err := Parse(text); !errors.Is(err, want) {
			t.Errorf("%q is %d, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]bool{"1k": true, "1.5 MiB": true, "12": false, "k": false, "b": false, "x1b": false, "1e6": false} {
		if HasUnit(text) != want {
			t.Errorf("%q has a unit: %v", text, !want)
		}
	}
}
