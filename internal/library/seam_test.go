package library_test

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestSeam plans a recorded training step of a ResNet, whose lives over the end of the step are written as gaps, and
// the same step with a period. Both take the same search to the same plan. If time is not turned
// (internal/lower/seam.go), the search is far longer.
func TestSeam(t *testing.T) {
	p, _ := must.Two(format.ReadProblem("../lower/testdata/step_resnet.csv"))(t)
	period := int64(0)
	for i := range p.Buffers {
		period = max(period, p.Buffers[i].Upper)
	}
	cyclic := &stowage.Problem{Rules: &stowage.Rules{Period: period}, Buffers: slices.Clone(p.Buffers)}
	over := 0
	for i := range cyclic.Buffers {
		if b := &cyclic.Buffers[i]; len(b.Gaps) == 1 && b.Lower == 0 && b.Upper == period {
			b.Lower, b.Upper, b.Gaps = b.Gaps[0].Upper, period+b.Gaps[0].Lower, nil
			over++
		}
	}
	if over != 59 {
		t.Fatalf("%d buffers live over the seam", over)
	}
	o := stowage.Options{Workers: 1}
	gaps := must.Get(stowage.Solve(t.Context(), p, o))(t)
	want := must.Get(stowage.Solve(t.Context(), cyclic, o))(t)
	if gaps.Status != stowage.Optimal || gaps.Height != want.Height || gaps.Stats.Nodes != want.Stats.Nodes ||
		!slices.Equal(gaps.Offsets, want.Offsets) {
		t.Errorf("gaps: %s %d after %d nodes; with a period %s %d after %d", gaps.Status, gaps.Height, gaps.Stats.Nodes,
			want.Status, want.Height, want.Stats.Nodes)
	}
	auto := must.Get(run.Lookup("auto"))(t)
	o.NodeLimit = 10 * gaps.Stats.Nodes
	asItIs, err := run.Run(t.Context(), auto, timeline.New(p), o)
	if err != nil || asItIs.Status == stowage.Optimal {
		t.Errorf("not turned: %v, %s after %d nodes: the test shows nothing", err, asItIs.Status, asItIs.Stats.Nodes)
	}
}

// TestSeamInWords: Explain names times as the problem has them.
func TestSeamInWords(t *testing.T) {
	p := &stowage.Problem{Capacity: 5, Buffers: []stowage.Buffer{
		{ID: "state", Upper: 10, Size: 4, Gaps: []stowage.Gap{{Lower: 2, Upper: 6}}},
		{ID: "x", Lower: 1, Upper: 4, Size: 3},
		{ID: "y", Lower: 5, Upper: 9, Size: 2},
	}}
	x, err := stowage.Explain(t.Context(), p, stowage.Options{})
	if err != nil || !slices.Equal(x.Buffers, []int{0, 1}) && !slices.Equal(x.Buffers, []int{0, 2}) {
		t.Fatalf("%v, %+v", err, x)
	}
	if want := map[int][2]int64{1: {1, 2}, 2: {6, 9}}[x.Buffers[1]]; x.At != want {
		t.Errorf("buffers %v meet in %v", x.Buffers, x.At)
	}
}
