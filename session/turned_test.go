package session

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestTurn turns small problems with pins upside down. Brute force says that both have the same answer, and to turn
// twice changes nothing.
func TestTurn(t *testing.T) {
	fit, not := 0, 0
	for seed := range plantest.Share(uint64(400), 120) {
		s := draw(t, seed, 6, Options{})
		p := &model.Problem{Capacity: s.p.Capacity, Buffers: slices.Clone(s.p.Buffers)}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			b.Alignment, b.Gaps = 1, nil
			if at := int64(seed+uint64(i)*7) % max(1, p.Capacity-b.Size+1); i < 2 && at <= p.Capacity-b.Size {
				b.Fixed = &at
			}
		}
		before := slices.Clone(p.Buffers)
		low, _, ok := oracle.Lowest(p)
		if !turn(p) {
			t.Fatalf("seed %d: not turned", seed)
		}
		high, _, turned := oracle.Lowest(p)
		if fits := ok && low <= p.Capacity; fits != (turned && high <= p.Capacity) {
			t.Fatalf("seed %d: fits %v, turned %v", seed, fits, turned && high <= p.Capacity)
		} else if fits {
			fit++
		} else {
			not++
		}
		turn(p)
		for i := range before {
			if a, b := before[i].Fixed, p.Buffers[i].Fixed; (a == nil) != (b == nil) || a != nil && *a != *b {
				t.Fatalf("seed %d: turned twice, a pin is elsewhere", seed)
			}
		}
	}
	if fit < 10 || not < 10 {
		t.Errorf("%d fit, %d do not", fit, not)
	}
	for _, b := range []model.Buffer{{ID: "a", Upper: 3, Size: 2, Alignment: 4}, {ID: "b", Upper: 3, Size: 2, Gaps: []model.Gap{{Lower: 1, Upper: 2}}}} {
		if turn(&model.Problem{Capacity: 9, Buffers: []model.Buffer{b}}) {
			t.Errorf("%s was turned", b.ID)
		}
	}
}

// TestTurned asks the last step by itself, without plain plans from elsewhere: what it returns is right.
func TestTurned(t *testing.T) {
	plans, no := 0, 0
	for seed := range plantest.Share(uint64(200), 60) {
		s := draw(t, seed, 8+int(seed%8)*2, Options{})
		for k := int64(0); k < int64(s.Len()); k += 3 {
			if _, err := s.Pin(t.Context(), s.p.Buffers[k].ID, s.at[k]); err != nil {
				t.Fatal(err)
			}
		}
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		a, at, err := c.turned()
		whole, _, _ := c.whole(s.windows, false, 100_000)
		done()
		switch {
		case err != nil:
			t.Fatal(err)
		case at != nil:
			plans++
			if fault := verify.First(&s.p, at, s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		case a.Status == model.Infeasible:
			no++
			if whole.Status != model.Infeasible {
				t.Fatalf("seed %d: a proof of no, but exact search says otherwise", seed)
			}
		}
	}
	if plans < 5 || no < 5 {
		t.Errorf("%d plans, %d proofs", plans, no)
	}
}
