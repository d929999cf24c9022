package session

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestWalkBack takes plans of a fresh search, from which buffers went back already. What it leaves is a valid plan that
// moves no more, and often less.
func TestWalkBack(t *testing.T) {
	plans, less := 0, 0
	for seed := range plantest.Share(uint64(400), 120) {
		s := draw(t, seed, 24, Options{})
		must.Get(s.Pin(t.Context(), s.p.Buffers[1].ID, s.at[1]))(t)
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		_, p := must.Two(c.whole(s.windows, 2000, true, hintNone))(t)
		if p.at != nil {
			plans++
			given := p.clone()
			found := c.walkBack(p, backLate)
			if !slices.Equal(given.at, p.at) {
				t.Fatalf("seed %d: the given plan has changed", seed)
			}
			before, after := c.movement(given), c.movement(found)
			if fault := verify.First(&s.p, found.at, s.p.Capacity, -1); fault != "" || before.compare(&after) < 0 {
				t.Fatalf("seed %d: %s; moved %v before, %v after", seed, fault, before, after)
			}
			if after.compare(&before) < 0 {
				less++
			}
		}
		done()
	}
	if plans < 20 || less < plans/4 {
		t.Errorf("%d of %d plans move less", less, plans)
	}
}

// TestWalkBackLast takes the plan of a walk, which lies in memory that the next walk uses.
func TestWalkBackLast(t *testing.T) {
	walks := 0
	for seed := range plantest.Share(uint64(200), 60) {
		s := draw(t, seed, 24, Options{})
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		random := seed
		if p := c.overlap(1_000, &random); p.at != nil {
			walks++
			if fault := verify.First(&s.p, c.walkBack(p, backSoon).at, s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		done()
	}
	if walks < 5 {
		t.Errorf("only %d walks found a plan", walks)
	}
}
