package merge_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestDives: where buffers are missing from packings, dives end lower than attempts in the
// static orders with as many nodes; with workers as well, whose plans are up to chance; and
// with one twice alike.
func TestDives(t *testing.T) {
	sum := func(o plan.Options) (heights int64, last []int64) {
		for seed := range plantest.Share[uint64](4, 2) {
			p, err := gen.Generate("perfect", gen.Options{Buffers: 300, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
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
	o := plan.Options{Minimize: true, NodeLimit: 30_000}
	with, one := sum(o)
	again, same := sum(o)
	if again != with || !slices.Equal(one, same) {
		t.Errorf("twice not alike: %d and %d above the bounds", with, again)
	}
	o.Workers = 2
	side, _ := sum(o)
	o.Workers, o.Without = 1, []string{"dives"}
	without, _ := sum(o)
	t.Logf("above the bounds: %d with dives, %d side by side, %d without", with, side, without)
	if with >= without || side >= without {
		t.Error("dives are of no use")
	}
}
