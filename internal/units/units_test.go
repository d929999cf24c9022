package units

import (
	"errors"
	"testing"
	"time"
)

// TestParse reads sizes as people write them, and refuses what is none.
func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1.5MiB": 3 << 19, "80mib": 80 << 20, "1e6": 1e6, "4 k": 4096, "2kB": 2000, "0.5KiB": 512,
		"64B": 64, " 3 ": 3,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrSyntax, "MiB": ErrSyntax, "1.MiB": ErrSyntax, "0": ErrSmall, "-1k": ErrSmall, "1.5": ErrWhole,
		"0.3B": ErrWhole, "4000000TiB": ErrLarge,
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
	for text, want := range map[string]error{
		"1k": ErrSyntax, "": ErrSyntax, "1.5": ErrWhole, "1e30": ErrLarge, "-1e30": ErrLarge,
	} {
		if got, err := Whole(text); !errors.Is(err, want) {
			t.Errorf("%q is %d, %v; want %v", text, got, err, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1": time.Second, "0": 0, "-0": 0, "1.5": 1500 * time.Millisecond, " 10 ": 10 * time.Second,
		"1e-3": time.Millisecond, "2E1": 20 * time.Second,
		"0.000000001": 1, "9223372035.5": 9223372035500 * time.Millisecond, "9223372036": 9223372036 * time.Second,
		"+3": 3 * time.Second, "500ms": 500 * time.Millisecond, "10s": 10 * time.Second, "1h30m": 90 * time.Minute,
		"1h 30m": 90 * time.Minute, "500 ms": 500 * time.Millisecond,
		"1.5h": 90 * time.Minute, "3us": 3 * time.Microsecond, "3µs": 3 * time.Microsecond, "7ns": 7, "0s": 0,
	} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("Duration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrTime, "soon": ErrTime, "1 0": ErrTime, "1 0s": ErrTime, "1h m": ErrTime, "10sec": ErrTime, "s": ErrTime,
		"1_000": ErrTime, "0x10": ErrTime, "inf": ErrTime, "nan": ErrTime,
		"-1": ErrNegative, "-5s": ErrNegative, "-1e400": ErrNegative, "9223372037": ErrLong, "1e300": ErrLong,
		"1e999999999": ErrLong, "9999999h": ErrLong,
	} {
		if got, err := Duration(text); err != want {
			t.Errorf("Duration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}
