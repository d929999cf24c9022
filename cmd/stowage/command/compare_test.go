package command

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stowage-go/stowage/internal/comparison"
)

// TestCompareBars draws the bars on a writer that is no terminal. They end, and leave no
// goroutine behind.
func TestCompareBars(t *testing.T) {
	defer goleak.VerifyNone(t)
	out := awaited{text: "two/p.csv ... done! [4", seen: make(chan struct{})}
	s := &comparison.Request{
		Planners:  []string{"puppet-stack", "first-fit", "puppet-nothing"},
		Instances: []comparison.Instance{{Name: "one/p.csv"}, {Name: "two/p.csv"}},
	}
	b := startBars(&out, true, s)
	for k := range s.Instances {
		s.Begin(k)
		for range len(s.Planners) + 1 {
			s.Tick(k)
		}
	}
	<-out.seen
	b.stop()
	if !strings.Contains(out.String(), "one/p.csv ... done! [4") || !strings.Contains(out.String(), "two/p.csv ... done! [4") {
		t.Errorf("no bars in %q", &out)
	}
}
