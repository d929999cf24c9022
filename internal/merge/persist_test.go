package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// TestMayPersist: attempts from a plan come first. Those from nothing have sixteen times as many nodes.
func TestMayPersist(t *testing.T) {
	for _, c := range []struct {
		mended, persisted int64
		may               bool
	}{{0, 0, false}, {10, 159, true}, {10, 160, false}} {
		s := &search{ejecting: ejecting{mended: c.mended, persisted: c.persisted}}
		if s.mayPersist() {
			t.Errorf("%+v: the technique is off", c)
		}
		if s.set.persistence = true; s.mayPersist() != c.may {
			t.Errorf("%+v: %v", c, !c.may)
		}
	}
}

// TestPersistence: with attempts from nothing J ends lower after as many nodes, and lower than if groups come back by
// area.
func TestPersistence(t *testing.T) {
	t.Parallel()
	p := plantest.Load(t, "challenging/J.1048576.csv")
	load := timeline.New(p).LowerBound
	sum := func(without ...string) (above int64) {
		for seed := range plantest.Share(uint64(12), 4) {
			o := plan.Options{Minimize: true, NodeLimit: 120_000, Seed: seed, Without: append(without, "dives")}
			above += plantest.Must(t, &Planner{}, p, o).Height - load
		}
		return above
	}
	all, mended, area := sum(), sum("persistence"), sum("scarcity")
	t.Logf("above the load: %d, %d without attempts from nothing, %d by area", all, mended, area)
	if all >= mended || all >= area {
		t.Error("attempts from nothing, or their order, are of no use")
	}
}
