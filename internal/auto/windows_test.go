package auto

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// strips returns a problem of layers that are computed in strips. While strip s runs, the bytes of the layer's input
// that later strips read are in use, and those of its result that the strips so far have written. Each strip has
// results of its own in between.
func strips(r *rand.Rand, layers, count int) *model.Problem {
	p := &model.Problem{Name: "strips"}
	const row = 512
	at := int64(1) // the step
	sizes := make([]int64, layers+1)
	for k := range sizes {
		sizes[k] = row * int64(count) * (2 + r.Int64N(7))
	}
	tensors := make([]model.Buffer, layers+1)
	tensors[0] = model.Buffer{ID: "layer 0", Size: sizes[0]}
	for k := range layers {
		in, out := &tensors[k], &tensors[k+1]
		*out = model.Buffer{ID: fmt.Sprintf("layer %d", k+1), Lower: at, Size: sizes[k+1]}
		for s := range int64(count) {
			steps := 2 + r.Int64N(3)
			if s > 0 {
				in.Gaps = append(in.Gaps, model.Gap{
					Lower: at, Upper: at + steps, Window: &model.Window{Lower: s * in.Size / int64(count), Upper: in.Size},
				})
			}
			if s+1 < int64(count) {
				out.Gaps = append(out.Gaps, model.Gap{
					Lower: at, Upper: at + steps, Window: &model.Window{Upper: (s + 1) * out.Size / int64(count)},
				})
			}
			for j := range steps - 1 {
				p.Buffers = append(p.Buffers, model.Buffer{
					ID: fmt.Sprintf("strip %d.%d.%d", k, s, j), Lower: at + j, Upper: at + j + 2, Size: row * (1 + r.Int64N(16)),
				})
			}
			at += steps
		}
		in.Upper = at
		at++
	}
	tensors[layers].Upper = at
	p.Buffers = append(p.Buffers, tensors...)
	return p
}

// TestWindows: with tela, plans of strips are lower under equal limits or proven, and none is above that of tela alone
// with an eighth of the limit.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 44))
	better := 0
	for k := range 5 {
		tl := timeline.New(strips(r, 5, 10))
		o := plan.Options{NodeLimit: 12_000}
		with := planned(t, "auto", context.Background(), tl, o)
		o.Without = []string{"tela"}
		without := planned(t, "auto", context.Background(), tl, o)
		alone := planned(t, "tela", context.Background(), tl, plan.Options{NodeLimit: o.NodeLimit / 8})
		if with.Height < without.Height || with.Status == model.Optimal && without.Status != model.Optimal {
			better++
		}
		if with.Height > alone.Height {
			t.Errorf("%d: %s: %d, tela has %d", k, with.Member, with.Height, alone.Height)
		}
	}
	t.Logf("%d are lower, or proven, with tela", better)
	if better < 2 {
		t.Errorf("only %d are lower, or proven, with tela", better)
	}
}
