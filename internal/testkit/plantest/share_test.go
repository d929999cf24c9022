package plantest

import (
	"flag"
	"testing"
)

// TestShare has each kind of run. If a number stands for the opposite of an effort, so that the
// desk's is the greater, CI has the desk's.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		cases, ci, short string
		want, inverse    int
	}{
		{"", "", "false", 200, 9},
		{"", "true", "false", 300, 9},
		{"", "true", "true", 50, 9},
		{"all", "", "false", 900, 1},
		{"all", "true", "false", 900, 1},
		{"all", "true", "true", 50, 9},
	} {
		t.Setenv("STOWAGE_CASES", c.cases)
		t.Setenv("CI", c.ci)
		was := flag.Lookup("test.short").Value.String()
		if err := flag.Set("test.short", c.short); err != nil {
			t.Fatal(err)
		}
		got, inverse := Share(900, 200, 50), Share(1, 9)
		if err := flag.Set("test.short", was); err != nil {
			t.Fatal(err)
		}
		if got != c.want || inverse != c.inverse {
			t.Errorf("%+v: %d and %d", c, got, inverse)
		}
	}
}
