package greedy

import (
	"math"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 9, Size: 4},
		{ID: "b", Lower: 0, Upper: 3, Size: 1},
		{ID: "c", Lower: 3, Upper: 9, Size: 2},
		{ID: "d", Lower: 0, Upper: 9, Size: 2, Fixed: at(20)},
	}}
	for _, tc := range []struct {
		says    string
		corrupt func(s *Sweeper)
	}{
		{"bytes in use", func(s *Sweeper) { s.space.Take(100, 1) }},
		{"bytes in use", func(s *Sweeper) { s.space.Give(0, 1) }},
		{"two live buffers", func(s *Sweeper) { s.trial[0] = s.trial[2] }},
		{"a fixed buffer shares", func(s *Sweeper) { s.trial[0] = 19 }},
		{"is partition 0", func(s *Sweeper) { s.parts[0].height-- }},
		{"height of the plan", func(s *Sweeper) { s.parts[0].height += 100 }},
	} {
		s, end := NewSweeper(endless(), timeline.New(p))
		if end != place.Whole {
			t.Fatal("no sweeper")
		}
		s.Passes([]int32{0}, math.MaxInt64, 0, nil)
		part := &s.parts[0]
		starts := part.starts[0]
		s.sweep(part, 0, noCut[0], starts, 0, math.MaxInt64) // the space is then that of time's end
		check := func() {
			s.checkSpace(part, 0, noCut[0], starts, len(starts))
			s.checkHeights()
		}
		if what := plantest.Caught(check); what != "" || s.parts[0].height == math.MaxInt64 {
			t.Fatal("caught where nothing is wrong, or no plan:", what)
		}
		tc.corrupt(s)
		if what := plantest.Caught(check); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
