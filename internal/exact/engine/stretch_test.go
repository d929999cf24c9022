package engine

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// inAllStretches asks about the stretches of a problem that is one partition.
func inAllStretches(t *testing.T, tl *timeline.Timeline, capacity int64, without ...string) (common.Verdict, int64) {
	t.Helper()
	e, err := newEngine(context.Background(), tl, &plan.Options{Capacity: capacity, NodeLimit: 1000, Without: without},
		common.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.watch.Close()
	for p := range e.parts {
		if v := e.inStretches(p, capacity, 12); v == common.Refuted {
			return v, e.stats.Nodes
		}
	}
	return common.Undecided, e.stats.Nodes
}

// TestStretchesFindAFlaw has a flaw among few of 60 buffers.
func TestStretchesFindAFlaw(t *testing.T) {
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 60, Horizon: 150, Seed: 2}))(t)
	tl := timeline.New(in.Problem)
	if v, nodes := inAllStretches(t, tl, in.Problem.Capacity); v != common.Refuted || nodes != 373 {
		t.Errorf("verdict %d after %d nodes", v, nodes)
	}
	if v, nodes := inAllStretches(t, tl, in.Problem.Capacity, "stretches"); v != common.Undecided || nodes != 0 {
		t.Errorf("without stretches verdict %d after %d nodes", v, nodes)
	}
}

// TestStretchesRefuteNoPacking has packings without a byte to spare: what is cut out of one fits.
func TestStretchesRefuteNoPacking(t *testing.T) {
	for seed := range uint64(12) {
		in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 30, Seed: seed}))(t)
		if v, _ := inAllStretches(t, timeline.New(in.Problem), in.Optimum); v == common.Refuted {
			t.Errorf("seed %d: a stretch of a packing is refuted at its height %d", seed, in.Optimum)
		}
	}
}
