package session

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestSpare asks ahead of the long walks. A proof of no comes with effort window already, and a plan is only spare: it
// is right, it is not returned, and it is taken if no other step finds one.
func TestSpare(t *testing.T) {
	no, spare := 0, 0
	for seed := range plantest.Share(uint64(200), 60) {
		s := draw(t, seed, 8+int(seed%8)*2, Options{})
		for k := int64(0); k < int64(s.Len()); k += 3 { // pins make proofs of no
			if _, err := s.Pin(context.Background(), s.p.Buffers[k].ID, s.at[k]); err != nil {
				t.Fatal(err)
			}
		}
		b, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		a, p, err := c.ahead()
		if err != nil || p.at != nil {
			t.Fatalf("seed %d: %v, %v", seed, err, p)
		}
		switch {
		case a.Status == model.Infeasible:
			no++
			if c.spare.at != nil || a.Proof == nil {
				t.Fatalf("seed %d: a plan and a proof, or neither", seed)
			}
		case c.spare.at != nil:
			spare++
			if fault := verify.First(&s.p, c.spare.at, s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
			if _, p, _ := c.spared(); p.at == nil {
				t.Fatalf("seed %d: the spare plan is lost", seed)
			}
		}
		done()
		if a.Status != model.Infeasible {
			continue
		}
		s.undo(len(s.journal) - 1)
		before := s.state()
		if a, err := s.Place(context.Background(), []model.Buffer{b}, Window); err != nil || a.Status != model.Infeasible ||
			s.state() != before {
			t.Fatalf("seed %d: %v, %v", seed, a, err)
		}
	}
	if no < 5 || spare < 5 {
		t.Errorf("%d proofs, %d spare plans", no, spare)
	}
}

// stuck begins to place a buffer that neither stays nor fits; the call is nil if there is none. done ends the call.
func stuck(s *Session, seed uint64) (b model.Buffer, c *call, done func()) {
	if b = wide(s, seed); b.Size == 0 {
		return b, nil, nil
	}
	c, done = s.begin(context.Background(), []int32{s.insert(b)})
	if c.keep(); c.fit() {
		done()
		return b, nil, nil
	}
	return b, c, done
}
