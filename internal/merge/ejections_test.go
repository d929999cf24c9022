package merge

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestEjections: J and what is left of it without some buffers end lower with ejections, after as many nodes, also if
// there are no dives. Two runs are the same.
func TestEjections(t *testing.T) {
	t.Parallel()
	whole := plantest.Load(t, "challenging/J.1048576.csv")
	sum := func(without ...string) (above int64) {
		for k := range plantest.Share(3, 1) {
			p := *whole
			p.Buffers = slices.Clone(p.Buffers)
			for i := len(p.Buffers) - 1; i >= 0 && k > 0; i-- {
				if i%25 == k {
					p.Buffers = slices.Delete(p.Buffers, i, i+1)
				}
			}
			r := plantest.Must(t, &Planner{}, &p, plan.Options{Minimize: true, NodeLimit: 60_000, Without: without})
			above += r.Height - timeline.New(&p).LowerBound
		}
		return above
	}
	all, without, alone := sum(), sum("ejections"), sum("dives")
	t.Logf("above the bounds: %d, %d without ejections, %d without dives", all, without, alone)
	if 4*all >= 3*without || 4*alone >= 3*without {
		t.Error("ejections are of no use")
	}
	if again := sum(); again != all {
		t.Errorf("twice not alike: %d and %d above the bounds", all, again)
	}
}

// TestAsIn: a root has its offset in a plan of roots, and none if one of its buffers has moved.
func TestAsIn(t *testing.T) {
	m := halves(t) // a and b, c and d, e
	p := &model.Problem{Buffers: make([]model.Buffer, 5)}
	at := []int64{0, 4, 11} // of the roots
	plan := m.expand(p, at)
	got := make([]int64, len(m.live))
	if m.asIn(plan, got); !slices.Equal(got, at) {
		t.Errorf("offsets %v, want %v", got, at)
	}
	for i := range plan {
		moved := slices.Clone(plan)
		moved[i]++
		m.asIn(moved, got)
		for k, r := range m.live {
			single := m.all[r].shape == single
			if part := m.holds(r, id(i)); part && single != (got[k] >= 0) || !part && got[k] != at[k] {
				t.Errorf("with buffer %d moved root %d has offset %d", i, k, got[k])
			}
		}
	}
}

// holds reports whether a buffer is in composite p.
func (f *forest) holds(p, buffer id) bool {
	c := &f.all[p]
	return p == buffer || slices.ContainsFunc(c.part[:c.count()], func(q id) bool { return f.holds(q, buffer) })
}
