package greedy

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestShare fills slots by size: a opens a slot of 8, b lives with it and opens one of 6, and c
// and d find these free. Each buffer lies where its slot begins.
//
//	bytes 14 ┌──────┐┌────┐
//	         │  b   ││ d  │ the slot of b
//	       8 ├────┐ └┼────┤
//	         │ a  │┌─┴────┤
//	       0 └────┘└──c───┘ the slot of a
func TestShare(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 4, Size: 8},
		{ID: "b", Lower: 0, Upper: 5, Size: 6},
		{ID: "c", Lower: 4, Upper: 9, Size: 5},
		{ID: "d", Lower: 5, Upper: 9, Size: 4},
	}}
	tl := timeline.New(p)
	if got, want := share(endless(), tl, Sorted(nil, tl, "Z")), []int64{0, 8, 0, 8}; !slices.Equal(got, want) {
		t.Errorf("offsets %v, want %v", got, want)
	}
	p.Buffers[1].Alignment, p.Buffers[3].Alignment = 3, 2 // the slot of b begins at a multiple of 6
	if got, want := share(endless(), tl, Sorted(nil, tl, "Z")), []int64{0, 12, 0, 12}; !slices.Equal(got, want) {
		t.Errorf("with alignments: offsets %v, want %v", got, want)
	}
}

// TestEachTrialRuns runs each row of the table by itself, so that no row is dead.
func TestEachTrialRuns(t *testing.T) {
	few, many := timeline.New(wave(60)), timeline.New(wave(thresholds.CoresLeast))
	for k := range trials {
		tl := few
		if trials[k].how == outwards && trials[k].worth <= quick {
			tl = many
		}
		p := NewPortfolio(t.Context(), tl, 0)
		p.next, p.goal = k, 0
		p.Height, p.lowest = 2*p.Height, 2*p.lowest // so that any plan is lower
		if p.run(k + 1); p.Name != trials[k].name {
			t.Errorf("the plan is by %q, want %q", p.Name, trials[k].name)
		}
	}
}

// wave returns n buffers whose load rises and falls, so that first-fit ends above it.
func wave(n int) *model.Problem {
	p := &model.Problem{}
	for i := range int64(n) {
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.FormatInt(i, 10), Lower: i, Upper: i + 1 + i*i*7%23, Size: 1 + i*i*i*5%97,
		})
	}
	return p
}
