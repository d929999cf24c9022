package session

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestOverlapBest puts buffers anywhere, with any weights and alignments. The best offset costs as little as the best
// of all offsets, and what is known of the clashes is true after each move.
func TestOverlapBest(t *testing.T) {
	better := 0
	for seed := range plantest.Share(uint64(300), 100) {
		s := draw(t, seed, 12, Options{})
		r := gen.NewRNG(seed, "overlap")
		for i := range s.p.Buffers {
			s.p.Buffers[i].Alignment = 1 + r.Below(3)*r.Below(2)
		}
		c, done := s.begin(context.Background(), []int32{0})
		for i := range c.at {
			c.at[i] = away
			c.homeless = append(c.homeless, int32(i))
		}
		var h overlaps
		if !h.prepare(c) {
			t.Fatalf("seed %d: not tried", seed)
		}
		random := seed
		h.start(c.at, c.homeless, &random)
		for range 40 {
			i := int32(r.Below(int64(h.n)))
			for _, j := range h.meet(i) {
				h.row(i)[j] = 1 + int32(r.Below(4))
				h.row(j)[i] = h.row(i)[j]
			}
			b := &s.p.Buffers[i]
			if b.Fixed != nil || b.Size > s.p.Capacity {
				continue
			}
			price := func(o int64) (sum int64) {
				for _, j := range h.meet(i) {
					shared := min(o+b.Size, h.top(j)) - max(o, h.at[j])
					sum += max(0, shared) * int64(h.row(i)[j])
				}
				return sum
			}
			least := int64(farOff)
			for o := int64(0); o <= s.p.Capacity-b.Size; o += b.Align() {
				least = min(least, price(o))
			}
			was, to := h.at[i], h.best(i, &random)
			if to%b.Align() != 0 || to < 0 || to > s.p.Capacity-b.Size || price(to) != least {
				t.Fatalf("seed %d: buffer %d at %d costs %d; the least is %d", seed, i, to, price(to), least)
			}
			if to == was && price(was) > least || to != was && price(was) == least {
				t.Fatalf("seed %d: buffer %d moves from %d to %d", seed, i, was, to)
			}
			if to != was {
				better++
			}
			to = r.Below((s.p.Capacity-b.Size)/b.Align()+1) * b.Align()
			h.move(i, to)
			h.check(t)
		}
		done()
	}
	if better < 100 {
		t.Errorf("only %d buffers had a better place", better)
	}
}

// check compares what the walk knows with the offsets.
func (h *overlaps) check(t *testing.T) {
	t.Helper()
	if len(h.ends) != 2*h.n || !slices.IsSortedFunc(h.ends, endsInOrder) {
		t.Fatalf("ends: %v", h.ends)
	}
	for i := range int32(h.n) {
		clash := int32(0)
		for _, j := range h.meet(i) {
			if h.at[j] < h.top(i) && h.at[i] < h.top(j) {
				clash++
			}
		}
		if h.clash[i] != clash || (clash > 0) != slices.Contains(h.list, i) {
			t.Fatalf("buffer %d has %d clashes, known are %d", i, clash, h.clash[i])
		}
	}
}

// TestOverlap asks the two kinds of walks by themselves for as long. What they return is right and honours pins; walks
// over overlaps find plans that walks over ejections do not.
func TestOverlap(t *testing.T) {
	var plans [2]int
	other := 0
	for seed := range plantest.Share(uint64(400), 150) {
		s := draw(t, seed, 24, Options{})
		if _, err := s.Pin(context.Background(), s.p.Buffers[1].ID, s.at[1]); err != nil {
			t.Fatal(err)
		}
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		var found [2]bool
		for k, walk := range []func(draw *uint64) placing{
			func(draw *uint64) placing { return c.guided(1_000, 4, 8, draw) },
			func(draw *uint64) placing { return c.overlap(1_000, draw) },
		} {
			random := seed
			at := walk(&random).at
			if found[k] = at != nil; !found[k] {
				continue
			}
			plans[k]++
			if fault := verify.First(&s.p, at, s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		if found[1] && !found[0] {
			other++
		}
		done()
	}
	if other < 3 || plans[1] < 20 {
		t.Errorf("%d plans by ejections, %d by overlaps, %d of these new", plans[0], plans[1], other)
	}
}

// TestOverlapBack lets a walk end at dead ends. After overlapStale of them that are no better than the best one it lies
// as it lay there, what it knows of the clashes is true, and the weights have grown.
func TestOverlapBack(t *testing.T) {
	back := 0
	for seed := range uint64(40) {
		s := draw(t, seed, 24, Options{})
		c, done := s.begin(context.Background(), []int32{0})
		for i := range c.at {
			c.at[i] = away
			c.homeless = append(c.homeless, int32(i))
		}
		var h overlaps
		h.prepare(c)
		random := seed
		h.start(c.at, c.homeless, &random)
		if len(h.list) < 2 {
			done()
			continue
		}
		h.leave()
		best := slices.Clone(h.at)
		// The other dead ends are made by hand: all buffers lie at 0.
		for k := range overlapStale + 1 {
			for i := range h.at {
				if b := &s.p.Buffers[i]; b.Fixed == nil && h.at[i] != 0 {
					h.move(int32(i), 0)
				}
			}
			before := slices.Clone(h.weights)
			worse := !slices.Equal(h.at, best)
			h.leave()
			if slices.Equal(before, h.weights) {
				t.Fatalf("seed %d: no weight has grown", seed)
			}
			if !worse {
				continue
			}
			if went := slices.Equal(h.at, best); went != (k == overlapStale) {
				t.Fatalf("seed %d: after %d dead ends the walk went back: %t", seed, k+1, went)
			} else if went {
				back++
			}
			h.check(t)
		}
		done()
	}
	if back < 20 {
		t.Errorf("only %d walks went back", back)
	}
}

// TestOverlapWeights: the smaller of two buffers says how dear their first shared byte is, and no weight passes the
// largest.
func TestOverlapWeights(t *testing.T) {
	s := draw(t, 1, 12, Options{})
	s.p.Capacity = 1 << 20
	for i, size := range []int64{1, 1 << 8, 1 << 20} {
		s.p.Buffers[i].Size = size
	}
	c, done := s.begin(context.Background(), []int32{0})
	defer done()
	var h overlaps
	h.prepare(c)
	for _, x := range []struct{ i, j, want int32 }{{0, 1, 8 * 32}, {1, 0, 8 * 32}, {1, 2, 8 * 8}, {2, 2, 8}} {
		if got := h.first(x.i, x.j); got != x.want {
			t.Errorf("buffers %d and %d: first weight %d, not %d", x.i, x.j, got, x.want)
		}
	}
	random := uint64(1)
	h.start(c.at, c.homeless, &random)
	for i := range h.at {
		if s.p.Buffers[i].Fixed == nil && s.p.Buffers[i].Size < s.p.Capacity {
			h.move(int32(i), 0)
		}
	}
	for _, i := range h.list {
		for _, j := range h.meet(i) {
			h.row(i)[j] = overlapDear - 10
		}
	}
	for range 10 {
		h.raise()
	}
	if most := slices.Max(h.weights); most != overlapDear {
		t.Errorf("the largest weight is %d, not %d", most, overlapDear)
	}
}

// TestOverlapLeftOut says when the walk is not tried: lives with gaps, and sums that may overflow.
func TestOverlapLeftOut(t *testing.T) {
	for name, change := range map[string]func(s *Session){
		"gaps": func(s *Session) {
			b := &s.p.Buffers[3]
			b.Gaps = []model.Gap{{Lower: b.Lower, Upper: b.Upper}}
		},
		"bytes": func(s *Session) { s.bytes = overlapBytes + 1 },
	} {
		s := draw(t, 1, 12, Options{})
		c, done := s.begin(context.Background(), []int32{0})
		var h overlaps
		if !h.prepare(c) {
			t.Fatal("not tried")
		}
		change(s)
		if h.prepare(c) {
			t.Errorf("%s: tried", name)
		}
		done()
	}
}

// BenchmarkOverlap is the cost of a look for the best place.
func BenchmarkOverlap(b *testing.B) {
	s := draw(b, 1, 200, Options{})
	c, done := s.begin(b.Context(), []int32{0})
	defer done()
	h := &s.scratch.overlaps
	h.prepare(c)
	random := uint64(1)
	h.start(c.at, c.homeless, &random)
	for b.Loop() {
		h.best(0, &random)
	}
}
