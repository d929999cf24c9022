package command

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
)

// TestCompareBars draws the progress of two problems: one line, which is overwritten, cut to the terminal and erased.
func TestCompareBars(t *testing.T) {
	var out strings.Builder
	s := &comparison.Request{
		Planners:  []string{"puppet-stack", "first-fit", "puppet-nothing"},
		Instances: []comparison.Instance{{Name: "one/p.csv"}, {Name: strings.Repeat("long", 99)}},
	}
	b := startBars(&out, true, func() int { return 40 }, s)
	for k := range s.Instances {
		s.Begin(k)
		for range len(s.Planners) + 1 {
			s.Tick(k)
		}
	}
	b.stop()
	text := out.String()
	if strings.Contains(text, "\n") || !strings.HasSuffix(text, eraseLine) {
		t.Errorf("more than a line, or not erased: %q", text)
	}
	for _, line := range strings.Split(text, eraseLine) {
		if len([]rune(line)) > 39 {
			t.Errorf("a line is %d wide: %q", len([]rune(line)), line)
		}
	}
	if !strings.Contains(text, "4 of 8 runs · one/p.csv") || !strings.Contains(text, "8 of 8 runs · long") {
		t.Errorf("no progress in %q", text)
	}
}
