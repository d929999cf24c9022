package greedy

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func planned(t *testing.T, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	planner := must.Get(run.Lookup("first-fit"))(t)
	return plantest.Solve(t, context.Background(), planner, timeline.New(p), o)
}

func TestFirstFitWave(t *testing.T) {
	r := planned(t, gen.Wave(), plan.Options{})
	if want := []int64{12, 28, 0, 33, 22, 0}; !slices.Equal(r.Offsets, want) || r.Height != 37 {
		t.Errorf("offsets %v, height %d; want %v, 37", r.Offsets, r.Height, want)
	}
	// All but buffer 2 are live in slot 5, so 37 is the load as well.
	if r.Status != model.Optimal || r.LowerBound != 37 {
		t.Errorf("status %v, lower bound %d; want optimal, 37", r.Status, r.LowerBound)
	}
}

func TestFirstFitTies(t *testing.T) {
	p := &model.Problem{}
	for _, id := range []string{"c", "a", "b"} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: 0, Upper: 1, Size: 4})
	}
	if r := planned(t, p, plan.Options{}); !slices.Equal(r.Offsets, []int64{0, 4, 8}) {
		t.Errorf("offsets %v, want the input's order", r.Offsets)
	}
}

// TestFirstFitOrders: each key sorts, in lower case the other way round, and best fit takes the
// smallest free place. Other texts are refused.
func TestFirstFitOrders(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "short", Lower: 0, Upper: 2, Size: 4},
		{ID: "long", Lower: 0, Upper: 9, Size: 2},
		{ID: "late", Lower: 1, Upper: 3, Size: 3},
	}}
	for order, want := range map[string][]int64{
		"Z": {0, 7, 4}, "z": {5, 0, 2}, "W": {2, 0, 6}, "B": {3, 7, 0}, "b": {0, 4, 6}, "ZW": {0, 7, 4}, "": nil, "Y": nil,
		"Z,W": nil,
	} {
		o := plan.Options{Params: map[string]string{"order": order}}
		if want == nil {
			planner, _ := run.Lookup("first-fit")
			if _, err := planner.Plan(t.Context(), timeline.New(p), o); err == nil {
				t.Errorf("order %q is taken", order)
			}
		} else if got := planned(t, p, o); !slices.Equal(got.Offsets, want) {
			t.Errorf("order %q: offsets %v, want %v", order, got.Offsets, want)
		}
	}
	// Above the pillars there are a hole of 5 and one of 3; x of 2 goes to the lower or to the smaller.
	holes := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 1, Size: 9},
		{ID: "b", Lower: 2, Upper: 3, Size: 8, Fixed: at(0)},
		{ID: "hole", Lower: 2, Upper: 3, Size: 3, Fixed: at(13)},
		{ID: "top", Lower: 2, Upper: 3, Size: 3, Fixed: at(19)},
		{ID: "x", Lower: 2, Upper: 3, Size: 2},
	}}
	for fit, want := range map[string]int64{"first": 8, "best": 16} {
		if got := planned(t, holes, plan.Options{Params: map[string]string{"fit": fit}}); got.Offsets[4] != want {
			t.Errorf("fit %s: x at %d, want %d", fit, got.Offsets[4], want)
		}
	}
}

func at(offset int64) *int64 { return &offset }

func TestFirstFitStatus(t *testing.T) {
	chain := []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 2},
		{ID: "b", Lower: 1, Upper: 4, Size: 3},
		{ID: "c", Lower: 3, Upper: 6, Size: 2},
		{ID: "d", Lower: 5, Upper: 7, Size: 4},
		{ID: "e", Lower: 0, Upper: 1, Size: 4},
	}
	for _, c := range []struct {
		name     string
		buffers  []model.Buffer
		capacity int64
		want     model.Status
	}{
		{"no capacity", chain, 0, model.Optimal},
		{"the load fits", chain, 6, model.Optimal},
		{"one under the load", chain, 5, model.Infeasible},
		{"two fixed at once", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(0)},
			{ID: "b", Lower: 1, Upper: 3, Size: 4, Fixed: at(3)},
		}, 100, model.Infeasible},
		{"two fixed at once, no capacity", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(0)},
			{ID: "b", Lower: 1, Upper: 3, Size: 4, Fixed: at(3)},
		}, 0, model.Infeasible},
		{"fixed apart in time", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(0)},
			{ID: "b", Lower: 2, Upper: 3, Size: 4, Fixed: at(3)},
		}, 100, model.Optimal},
		{"fixed above the capacity", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(7)},
		}, 10, model.Infeasible},
		{"a hole too small", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(3)},
			{ID: "b", Lower: 1, Upper: 3, Size: 4},
		}, 10, model.Unknown},
		{"collision behind a plan too high", []model.Buffer{
			{ID: "a", Lower: 0, Upper: 2, Size: 4, Fixed: at(3)},
			{ID: "b", Lower: 1, Upper: 3, Size: 4},
			{ID: "c", Lower: 5, Upper: 7, Size: 2, Fixed: at(3)},
			{ID: "d", Lower: 5, Upper: 7, Size: 2, Fixed: at(4)},
		}, 10, model.Infeasible},
		{"none", nil, 0, model.Optimal},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &model.Problem{Buffers: c.buffers}
			if r := planned(t, p, plan.Options{Capacity: c.capacity}); r.Status != c.want {
				t.Errorf("status %v, height %d; want %v", r.Status, r.Height, c.want)
			}
		})
	}
}

// A capacity changes the status, never the plan; it is refused exactly where the plan is higher.
func TestFirstFitCapacity(t *testing.T) {
	seen := map[model.Status]int{}
	for seed := range uint64(1000) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 3)))
		free := planned(t, p, plan.Options{})
		seen[free.Status]++
		for _, capacity := range []int64{1, 8, 16, 24, 40, free.Height - 1, free.Height} {
			if capacity < 1 {
				continue
			}
			r := planned(t, p, plan.Options{Capacity: capacity})
			seen[r.Status]++
			switch {
			case !free.Status.HasPlan():
				if r.Status != model.Infeasible {
					t.Fatalf("seed %d: %v with a capacity, %v without", seed, r.Status, free.Status)
				}
			case r.Status.HasPlan() != (free.Height <= capacity) || r.Status.HasPlan() && !slices.Equal(r.Offsets, free.Offsets):
				t.Fatalf("seed %d: capacity %d: %v %v; without one %v", seed, capacity, r.Status, r.Offsets, free.Offsets)
			}
		}
	}
	for _, s := range []model.Status{model.Unknown, model.Feasible, model.Optimal, model.Infeasible} {
		if seen[s] < 50 {
			t.Errorf("status %v came %d times only", s, seen[s])
		}
	}
}

// A limit that has come leaves a plan all the same.
func TestFirstFitCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range []*model.Problem{gen.Wave(), plantest.Mixed(8192)} {
		r, _ := (&firstFit{}).Plan(ctx, timeline.New(p), plan.Options{})
		if r.Status != model.Feasible {
			t.Errorf("%d buffers: %v, want a plan", len(p.Buffers), r.Status)
		}
		if report := verify.Check(p, r.Offsets, 0); !report.OK() {
			t.Error(report.Violations[0])
		}
	}
}

func TestFirstFitPublicData(t *testing.T) {
	for name, height := range map[string]int64{
		"idealloc/pangu_2.6B.csv": 5572042815, "idealloc/S_1.csv": 1562009458, "challenging/A.1048576.csv": 1352704,
	} {
		p := plantest.Find(t, name)
		if p == nil {
			t.Skip("the public instances are not there; set STOWAGE_DATA to their folder")
		}
		r := planned(t, p, plan.Options{})
		t.Logf("%s: height %d, lower bound %d, %v", name, r.Height, r.LowerBound, r.Stats.Elapsed)
		if r.Height != height {
			t.Errorf("%s: height %d, want %d", name, r.Height, height)
		}
	}
}
