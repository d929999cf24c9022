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
	for text, want := range map[string]int64{"3.0": 3, "1.05E+06": 1050000, "-1.0": -1, "0.0": 0, "-0": 0, " 7 ": 7} {
		if got, err := Whole(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]error{"1k": ErrSyntax, "": ErrSyntax, "1.5": ErrWhole, "1e30": ErrLarge, "-1e30": ErrLarge} {
		if got, err := Whole(text); !errors.Is(err, want) {
			t.Errorf("%q is %d, %v; want %v", text, got, err, want)
		}
	}
}
