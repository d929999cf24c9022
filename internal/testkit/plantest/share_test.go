package plantest

import (
	"flag"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestShare has each kind of run. If a number stands for the opposite of an effort, so that the
// desk's is the greater, the night has the desk's.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		cases, short  string
		want, inverse int
	}{
		{"", "false", 200, 9},
		{"", "true", 50, 9},
		{"night", "false", 300, 9},
		{"night", "true", 50, 9},
		{"all", "false", 900, 1},
		{"all", "true", 50, 9},
	} {
		t.Setenv("STOWAGE_CASES", c.cases)
		was := flag.Lookup("test.short").Value.String()
		must.Do(t, flag.Set("test.short", c.short))
		got, inverse := Share(900, 200, 50), Share(1, 9)
		must.Do(t, flag.Set("test.short", was))
		if got != c.want || inverse != c.inverse {
			t.Errorf("%+v: %d and %d", c, got, inverse)
		}
	}
}

// TestNightly runs at night alone.
func TestNightly(t *testing.T) {
	for cases, want := range map[string]bool{"": false, "night": true, "all": true} {
		t.Setenv("STOWAGE_CASES", cases)
		ran := false
		t.Run("cases "+cases, func(t *testing.T) { Nightly(t); ran = true })
		if ran != want {
			t.Errorf("STOWAGE_CASES=%s: the test ran: %v", cases, ran)
		}
	}
}
