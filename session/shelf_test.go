package session

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestShelf puts buffers on a shelf and takes them off, in random order. What it says of each buffer that is not there
// is what the session says, sorted; with gaps in lives and without.
func TestShelf(t *testing.T) {
	for seed := range plantest.Share(uint64(300), 100) {
		s := draw(t, seed, 20, Options{})
		gaps := seed%3 == 0
		if gaps {
			r := gen.NewRNG(seed, "gaps")
			b := &s.p.Buffers[3]
			b.Gaps = r.Gaps(b, 0.5)
			gaps = len(b.Gaps) > 0
		}
		r := gen.NewRNG(seed, "shelf")
		at := slices.Clone(s.at)
		var h shelf
		h.fill(s, at)
		if h.gaps != gaps {
			t.Fatalf("seed %d: gaps %v", seed, h.gaps)
		}
		for range 60 {
			i := int32(r.Below(int64(s.Len())))
			b := &s.p.Buffers[i]
			if at[i] != away {
				h.remove(i, b, at[i])
				at[i] = away
			} else {
				at[i] = r.Below(50) // the lists need no valid plan
				h.add(i, b, at[i])
				continue
			}
			low, high := h.bans(nil, nil, s, i, at)
			want := s.bans(nil, i, at)
			slices.SortFunc(want, byLow)
			if !slices.IsSortedFunc(low, func(a, b ban) int { return int(a.low - b.low) }) {
				t.Fatalf("seed %d: the lower ends are not in order", seed)
			}
			slices.SortFunc(low, byLow) // equal ends may come in another order
			if !slices.IsSortedFunc(high, func(a, b ban) int { return int(a.high - b.high) }) {
				t.Fatalf("seed %d: the upper ends are not in order", seed)
			}
			slices.SortFunc(high, byLow)
			if !slices.Equal(low, want) || !slices.Equal(high, want) {
				t.Fatalf("seed %d: buffer %d\n%v\n%v\n%v", seed, i, low, high, want)
			}
		}
	}
}

// BenchmarkPlaces is the cost of a node of the step repair.
func BenchmarkPlaces(b *testing.B) {
	s := draw(b, 1, 200, Options{})
	c, done := s.begin(b.Context(), []int32{0})
	defer done()
	c.keep()
	c.at[0] = away
	c.homeless = append(c.homeless[:0], 0)
	r := &s.scratch.repair
	r.start(c)
	best := make([]spot, 0, repairWidth+1)
	for b.Loop() {
		best = r.bestSpots(0, best[:0])
	}
}
