package session

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestPack puts buffers anywhere, with any alignments and some pins. pack finds a plan if and only if placing the
// buffers in their order does, from the lowest up. It keeps the order. A buffer moves only if it cannot stay in that
// order.
func TestPack(t *testing.T) {
	settled, failed, pinned, stayed := 0, 0, 0, 0
	for seed := range plantest.Share(uint64(6000), 2000) {
		s := draw(t, seed, 10, Options{})
		r := gen.NewRNG(seed, "settle")
		for _, i := range []int{1, 4} {
			must.Get(s.Pin(context.Background(), s.p.Buffers[i].ID, s.at[i]))(t)
		}
		for i := range s.p.Buffers {
			if s.p.Buffers[i].Fixed == nil {
				s.p.Buffers[i].Alignment = 1 + r.Below(3)*r.Below(2)
			}
		}
		s.p.Capacity += r.Below(s.p.Capacity)
		c, done := s.begin(context.Background(), []int32{0})
		for i := range c.at {
			c.homeless = append(c.homeless, int32(i))
			c.at[i] = away
		}
		var h overlaps
		if !h.prepare(c) {
			t.Fatalf("seed %d: not tried", seed)
		}
		random := seed
		h.start(c.at, c.homeless, &random)
		for i := range h.at {
			if b := &s.p.Buffers[i]; b.Fixed == nil && b.Size <= s.p.Capacity {
				h.move(int32(i), r.Below((s.p.Capacity-b.Size)/b.Align()+1)*b.Align())
			}
		}
		before := slices.Clone(h.at)
		order := h.inOrder()
		want := h.slowly(order)
		if got := h.pack(); got != want {
			t.Fatalf("seed %d: settled: %t; offset by offset: %t", seed, got, want)
		}
		if !want {
			failed++
			if !slices.Equal(h.at, before) {
				t.Fatalf("seed %d: no plan, but buffers moved", seed)
			}
			done()
			continue
		}
		settled++
		if fault := verify.First(&s.p, h.at, s.p.Capacity, -1); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
		for k, i := range order {
			pinned += btoi(slices.ContainsFunc(h.pins, func(f int32) bool { return slices.Contains(h.meet(i), f) }))
			old := c.old[i]
			back := old != h.at[i] && h.may(i, old)
			for m, j := range order {
				if !slices.Contains(h.meet(i), j) {
					continue
				}
				if m > k && h.top(i) > h.at[j] {
					t.Fatalf("seed %d: buffer %d was below %d", seed, i, j)
				}
				if m > k && old+s.p.Buffers[i].Size > h.at[j] || m < k && old < h.top(j) {
					back = false
				}
			}
			if back {
				t.Fatalf("seed %d: buffer %d could lie at %d as before, not at %d", seed, i, old, h.at[i])
			}
			if old == h.at[i] {
				stayed++
			}
		}
		done()
	}
	if settled < 100 || failed < 100 || pinned < 100 || stayed < 100 {
		t.Errorf("%d settled, %d did not; pinned buffers were beside %d, and %d stayed", settled, failed, pinned, stayed)
	}
}

// inOrder returns the buffers that are not pinned, the lowest first.
func (h *overlaps) inOrder() (order []int32) {
	for i := range int32(h.n) {
		if h.c.s.p.Buffers[i].Fixed == nil {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int32) int { return inOrder(h.at[i], h.at[j], i, j) })
	return order
}

// may reports whether alignment, capacity and the pinned buffers allow an offset of buffer i.
func (h *overlaps) may(i int32, at int64) bool {
	b := &h.c.s.p.Buffers[i]
	return at >= 0 && at%b.Align() == 0 && at+b.Size <= h.c.s.p.Capacity &&
		!slices.ContainsFunc(h.meet(i), func(f int32) bool {
			x := &h.c.s.p.Buffers[f]
			return x.Fixed != nil && at < *x.Fixed+x.Size && *x.Fixed < at+b.Size
		})
}

// slowly reports whether buffers that are placed in an order, each at the first offset above those before it, have a
// plan.
func (h *overlaps) slowly(order []int32) bool {
	placed := map[int32]int64{}
	for _, i := range order {
		at := int64(0)
		for _, j := range h.meet(i) {
			if low, ok := placed[j]; ok {
				at = max(at, low+h.c.s.p.Buffers[j].Size)
			}
		}
		for at <= h.c.s.p.Capacity && !h.may(i, at) {
			at++
		}
		if at > h.c.s.p.Capacity {
			return false
		}
		placed[i] = at
	}
	return true
}

// TestPackShifts: eight buffers with gaps of one byte must close up, to make room for a buffer of eight bytes. No
// free place is near, but the order is right at the first dead end.
func TestPackShifts(t *testing.T) {
	p := &model.Problem{Capacity: 32}
	var at []int64
	for k := range int64(8) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint("b", k), Lower: 0, Upper: 3, Size: 3})
		at = append(at, 4*k)
	}
	s := must.Get(Open(context.Background(), p, at, Options{}))(t)
	c, done := s.begin(context.Background(), []int32{s.insert(model.Buffer{ID: "x", Lower: 0, Upper: 3, Size: 8})})
	defer done()
	if c.keep(); c.fit() {
		t.Fatal("there is room without a shift")
	}
	draw := uint64(1)
	const moves = 40
	if c.overlap(moves, &draw).at == nil {
		t.Errorf("no plan within %d moves", moves)
	}
}
