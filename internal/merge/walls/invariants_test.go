package walls

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	for _, tc := range []struct {
		says    string
		corrupt func(s *Search, g *guess)
	}{
		{"size of the pile", func(s *Search, g *guess) { s.items[4].Size++; g.wall.begun = s.anyOrder(nil) }},
		{"twice in the pile", func(_ *Search, g *guess) {
			twice := *g.pile.kids[1]
			twice.hash = g.pile.kids[0].hash
			g.pile.kids[0] = &twice
		}},
		{"not a leaf", func(_ *Search, g *guess) { g.pile.kids[0].leaves++ }},
		{"number of children", func(_ *Search, g *guess) { g.pile.kids = g.pile.kids[:1] }},
		{"number of leaves", func(_ *Search, g *guess) { g.pile.leaves++ }},
		{"logarithm of the orders", func(_ *Search, g *guess) { g.pile.ways++ }},
		{"hash", func(_ *Search, g *guess) { g.pile.hash++ }},
	} {
		s := New(1, Options{Work: 1 << 20})
		s.pollAt = 1 << 20
		for size := range int64(5) {
			s.add(Item{Size: 1 + size})
		}
		before := &guess{pile: s.anyOrder([]int32{0, 1, 2, 3})}
		after := s.replace(before, []int32{3}, []int32{4})
		if what := plantest.Caught(func() { s.check(before, after) }); what != "" {
			t.Fatal("caught where nothing is wrong:", what)
		}
		tc.corrupt(s, after)
		if what := plantest.Caught(func() { s.check(before, after) }); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
