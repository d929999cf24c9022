package session

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestSwapBack takes plans of a fresh search. Buffers that go back leave a valid plan that moves no more, and often one
// that moves less.
func TestSwapBack(t *testing.T) {
	less := 0
	for seed := range plantest.Share(uint64(200), 60) {
		s := draw(t, seed, 24, Options{})
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		q := s.p
		q.Buffers = slices.Clone(q.Buffers)
		r := must.Get(c.ask(&q, s.windows, false, 2000))(t)
		if r.Offsets != nil {
			p := placing{at: r.Offsets}
			before := c.movement(p)
			c.swapBack(p)
			after := c.movement(p)
			if fault := verify.First(&s.p, r.Offsets, s.p.Capacity, -1); fault != "" || before.compare(&after) < 0 {
				t.Fatalf("seed %d: %s; moved %v before, %v after", seed, fault, before, after)
			}
			if after.compare(&before) < 0 {
				less++
			}
		}
		done()
	}
	if less < 5 {
		t.Errorf("only %d plans move less", less)
	}
}

// TestMoveBack takes plans of a fresh search as they are. What goes back to free places leaves a valid plan that moves
// no more, and often one that moves less.
func TestMoveBack(t *testing.T) {
	for _, kind := range kinds {
		plans, less := 0, 0
		for seed := range plantest.Share(uint64(60), 16) {
			s := must.Get(full[kind].open(t, seed, 15)(Options{}))(t)
			c, done := begun(t, s, kind, seed)
			if c == nil {
				continue
			}
			r := must.Get(c.question(c.alone, s.planner, 1000, nil, hintNone))(t)
			if p := r.plan; p.at != nil {
				plans++
				before := c.movement(p)
				c.moveBack(p)
				after := c.movement(p)
				if wrong := s.wrong(Fresh, p, nil); wrong != "" || before.compare(&after) < 0 {
					t.Fatalf("%s, seed %d: %s; moved %v before, %v after", kind, seed, wrong, before, after)
				}
				if after.compare(&before) < 0 {
					less++
				}
			}
			done()
		}
		if less < plans/2 || plans < 3 {
			t.Errorf("%s: %d of %d plans move less", kind, less, plans)
		}
	}
}
