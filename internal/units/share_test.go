package units

import (
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestShare takes shares of loads, exactly and rounded up. The command, sweeps and Python have the same capacities.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		text       string
		load, want int64
	}{
		{"100%", 7, 7},
		{"150%", 7, 11},
		{" 105 % ", 10, 11},
		{"99.9%", 1000, 999},
		{"0.1%", 999, 1},
		{"0.000000001%", 1, 1},
		{"112.5%", 8, 9},
		{"100%", 0, 1},
		{"100%", model.MaxSum, model.MaxSum},
		{"100.000000001%", 1 << 60, 1<<60 + 11529216},
		{"999999999%", model.MaxSum, model.MaxSum},
	} {
		if share, ok := ParseShare(c.text); !ok || ShareOf(share, c.load) != c.want {
			t.Errorf("%s of %d: %v, want %d", c.text, c.load, share, c.want)
		}
	}
	for _, text := range []string{
		"", "%", "0%", "0.00%", "-5%", "1e3%", "1/2%", "1000000000%", "1_0%", "110", "1.%", "0x1%",
	} {
		if share, ok := ParseShare(text); ok {
			t.Errorf("%q is %v", text, share)
		}
	}
}
