package pools

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// windowsOf prepares the windows of a problem of one pool.
func windowsOf(t *testing.T, p *model.Problem) (*Search, *Windows) {
	t.Helper()
	known := must.Get(plan.Find("exact"))(t)
	s := New(lower.New(p), run.Prepared(known), plan.Options{}, plan.Stats{})
	s.KeepAnswers()
	all := make([]int32, len(p.Buffers))
	for i := range all {
		all[i] = int32(i)
	}
	return s, s.WindowsOf(0, all)
}

// TestWindows compares windows and plans made window by window with brute force, for random sets of the buffers.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 2))
	refuted, short, rolled, late := 0, 0, 0, 0
	const nodes = 10_000
	for range plantest.Share(2_000, 200, 100) {
		p := &model.Problem{Rules: &model.Rules{}}
		n := 9 + r.IntN(3)
		for i := range n {
			b := model.Buffer{ID: strconv.Itoa(i), Lower: r.Int64N(int64(n)), Size: 2 + r.Int64N(9)}
			b.Upper = b.Lower + 2 + r.Int64N(5)
			p.Buffers = append(p.Buffers, b)
		}
		plain := &model.Problem{}
		var set []int32
		for i := range p.Buffers {
			if r.IntN(8) > 0 {
				set = append(set, int32(i))
				plain.Buffers = append(plain.Buffers, p.Buffers[i])
			}
		}
		height, _, _ := oracle.Lowest(plain)
		p.Rules.Pools = []model.Pool{{ID: "fast", Capacity: max(10, height-r.Int64N(2))}}
		capacity := p.Rules.Pools[0].Capacity
		s, w := windowsOf(t, p)
		bodies := make([]int32, len(set))
		for k, i := range set {
			bodies[k] = w.Body[i]
		}
		slices.Sort(bodies)
		for first := range w.Sections {
			for last := first + 1; last <= w.Sections; last++ {
				in := w.Within(bodies, first, last)
				for _, i := range bodies {
					if lives := w.First[i] < last && first < w.Last[i]; lives != slices.Contains(in, i) {
						t.Fatalf("sections %d to %d: %v; body %d lives from %d to %d", first, last, in, i, w.First[i], w.Last[i])
					}
				}
				status := must.Get(w.Ask(context.Background(), bodies, first, last, nodes))(t)
				whole := first == 0 && last == w.Sections
				if status == model.Infeasible {
					refuted++
					if height <= capacity {
						t.Fatalf("sections %d to %d have no plan, and the set has one of %d\n%s", first, last, height, drawn.Describe(p))
					}
					if !whole {
						short++
					}
				} else if whole && height > capacity {
					t.Fatalf("the lowest height is %d: %v\n%s", height, status, drawn.Describe(p))
				}
			}
		}
		section := r.Int32N(w.Sections)
		stuck := must.Get(w.Roll(context.Background(), 0, bodies, section, 3+r.Int32N(4), nodes))(t)
		if stuck >= 0 {
			if stuck >= w.Sections {
				t.Fatalf("stuck at section %d of %d", stuck, w.Sections)
			}
			if height <= capacity {
				late++
			}
			continue
		}
		rolled++
		offsets := s.kept.find(0, set).offered
		if why := verify.First(plain, offsets, capacity, -1); why != "" {
			t.Fatalf("from section %d: %s%s", section, why, drawn.Describe(plain))
		}
	}
	t.Log(refuted, "windows refuted,", short, "of them short,", rolled, "sets rolled,", late,
		"not although there is a plan")
	if short < 100 || rolled < 20 {
		t.Errorf("%d windows refuted, %d of them short, %d sets rolled", refuted, short, rolled)
	}
}

// TestNoWindows: pools and bodies of another kind have no windows.
func TestNoWindows(t *testing.T) {
	at := int64(3)
	for _, b := range []model.Buffer{
		{Size: 4, Upper: 3, Alignment: 8}, {Size: 4, Upper: 3, Fixed: &at},
	} {
		p := &model.Problem{
			Buffers: []model.Buffer{b, {Size: 2, Upper: 3}}, Rules: &model.Rules{Pools: []model.Pool{{ID: "x", Capacity: 20}}},
		}
		if _, w := windowsOf(t, p); w != nil {
			t.Errorf("%v has windows", b)
		}
	}
	p := &model.Problem{Buffers: []model.Buffer{{Size: 4, Upper: 3}}, Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}}}}
	if _, w := windowsOf(t, p); w != nil {
		t.Error("a pool without a capacity has windows")
	}
}
