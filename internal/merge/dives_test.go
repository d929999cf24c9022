package merge_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestDives: in packings with some buffers removed, dives find lower plans than attempts in the static orders with as
// many nodes. This also holds with several workers, whose plans depend on chance. With one worker two runs are the
// same.
func TestDives(t *testing.T) {
	sum := func(o plan.Options) (heights int64, last []int64) {
		for seed := range plantest.Share[uint64](4, 2) {
			p := must.Get(gen.Generate("perfect", gen.Options{Buffers: 300, Seed: seed}))(t)
			k := 0
			p.Buffers = slices.DeleteFunc(p.Buffers, func(b model.Buffer) bool { k++; return k%15 == 0 })
			tl := timeline.New(p)
			r, err := run.Run(context.Background(), &merge.Planner{}, tl, o)
			if err != nil || !verify.Check(p, r.Offsets, 0).OK() {
				t.Fatalf("seed %d: %v", seed, err)
			}
			heights += r.Height - tl.LowerBound
			last = r.Offsets
		}
		return heights, last
	}
	o := plan.Options{Minimize: true, NodeLimit: 30_000, Without: []string{"ejections"}} // they leave dives little
	with, one := sum(o)
	again, same := sum(o)
	if again != with || !slices.Equal(one, same) {
		t.Errorf("twice not alike: %d and %d above the bounds", with, again)
	}
	o.Workers = 2
	side, _ := sum(o)
	o.Workers, o.Without = 1, append(o.Without, "dives")
	without, _ := sum(o)
	t.Logf("above the bounds: %d with dives, %d side by side, %d without", with, side, without)
	if with >= without || side >= without {
		t.Error("dives are of no use")
	}
}

// TestDivesLimit: the roots of this problem have two partitions, and a dive takes two nodes in each. A run with a
// limit of three nodes ends at the limit and says so.
func TestDivesLimit(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 1},
		{ID: "b", Lower: 1, Upper: 3, Size: 9, Gaps: []model.Gap{
			{Lower: 1, Upper: 2},
			{Lower: 2, Upper: 3, Window: &model.Window{Lower: 2, Upper: 6}},
		}},
		{ID: "c", Lower: 2, Upper: 4, Size: 10},
	}}
	for limit := int64(1); limit <= 5; limit++ {
		for _, workers := range []int{1, 3} {
			r := plantest.Must(t, &merge.Planner{}, p, plan.Options{NodeLimit: limit, Workers: workers})
			if r.Stats.Nodes != limit || r.Stopped != plan.StopNodes {
				t.Errorf("limit %d, %d workers: %d nodes, stopped by %q", limit, workers, r.Stats.Nodes, r.Stopped)
			}
			// The nodes are not divided among the partitions beforehand.
			if workers == 1 && (limit >= 4) != (r.Height == 16) {
				t.Errorf("limit %d: height %d, want 16 from 4 nodes on", limit, r.Height)
			}
		}
	}
}
