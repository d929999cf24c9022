package session

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestHoming takes plans of a fresh search, from which buffers went home already. Homing leaves a valid plan that moves no more, and often less.
func TestHoming(t *testing.T) {
	plans, less := 0, 0
	for seed := range plantest.Share(uint64(400), 120) {
		s := draw(t, seed, 24, Options{})
		if _, err := s.Pin(t.Context(), s.p.Buffers[1].ID, s.at[1]); err != nil {
			t.Fatal(err)
		}
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		r, err := c.all(s.windows, false, false, 2000)
		if err != nil {
			t.Fatal(err)
		}
		if r.Offsets != nil {
			plans++
			given := slices.Clone(r.Offsets)
			at := c.homing(r.Offsets, homeLate)
			if !slices.Equal(given, r.Offsets) {
				t.Fatalf("seed %d: the given plan has changed", seed)
			}
			before, after := c.movement(given), c.movement(at)
			if fault := verify.First(&s.p, at, s.p.Capacity, -1); fault != "" || before.less(&after) {
				t.Fatalf("seed %d: %s; moved %v before, %v after", seed, fault, before, after)
			}
			if after.less(&before) {
				less++
			}
		}
		done()
	}
	if plans < 20 || less < plans/4 {
		t.Errorf("%d of %d plans move less", less, plans)
	}
}

// TestHomingLast takes the plan of a walk, which lies in memory that the next walk uses.
func TestHomingLast(t *testing.T) {
	walks := 0
	for seed := range plantest.Share(uint64(200), 60) {
		s := draw(t, seed, 24, Options{})
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		random := seed
		if at := c.overlap(1_000, &random); at != nil {
			walks++
			if fault := verify.First(&s.p, c.homing(at, homeSoon), s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		done()
	}
	if walks < 5 {
		t.Errorf("only %d walks found a plan", walks)
	}
}
