package merge

import (
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// newMerger returns a merger of all buffers of p that merges in every way, without noise.
func newMerger(t testing.TB, p *model.Problem) *merger {
	w := run.NewWatch(t.Context())
	t.Cleanup(w.Close)
	m := &merger{watch: w, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
	m.init(timeline.New(p), new(base))
	return m
}

// TestPinwheel merges the five buffers of the drawing in pinwheel.go, and no other. The one
// root that they make expands to the drawing. A sixth buffer, which lives when e does, is left.
//
//	bytes 6 ┌───┬───────┐
//	        │ d │   c   │
//	      4 │   ├───┬───┤
//	        │   │ e │   │
//	      2 ├───┴───┤ b │
//	        │   a   │   │
//	      0 └───┴───┴───┘ time 0 to 3
func TestPinwheel(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 2},
		{ID: "b", Lower: 2, Upper: 3, Size: 4},
		{ID: "c", Lower: 1, Upper: 3, Size: 2},
		{ID: "d", Lower: 0, Upper: 1, Size: 4},
		{ID: "e", Lower: 1, Upper: 2, Size: 2},
		{ID: "sixth", Lower: 1, Upper: 2, Size: 7},
	}}
	m := newMerger(t, p)
	m.stacks = false
	m.begin()
	if len(m.live) != 2 || m.all[m.live[0]].shape+m.all[m.live[1]].shape != wheel {
		t.Fatalf("want a pinwheel and the sixth buffer, got %s", m.text())
	}
	roots := []int64{0, 6}
	if m.live[0] == 5 {
		slices.Reverse(roots)
	}
	if got, want := m.expand(p, roots), []int64{0, 0, 4, 2, 2, 6}; !slices.Equal(got, want) {
		t.Errorf("offsets of a to e and the sixth: %v, want %v", got, want)
	}
	p.Buffers[1].Size++ // b no longer ends where c begins
	m = newMerger(t, p)
	m.stacks = false
	m.begin()
	if len(m.live) != len(p.Buffers) {
		t.Errorf("five buffers that form no pinwheel are merged: %s", m.text())
	}
}
