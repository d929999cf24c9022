package tela

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hard returns a problem that takes tela far longer than any limit here.
func hard(t *testing.T) (*timeline.Timeline, int64) {
	t.Helper()
	p := must.Get(gen.Generate("perfect", gen.Options{Buffers: 120}))(t)
	tl := timeline.New(p)
	return tl, tl.LowerBound
}

// TestNodeLimit ends at the limit exactly, undecided, and the same way twice.
func TestNodeLimit(t *testing.T) {
	tl, capacity := hard(t)
	for _, without := range [][]string{nil, {"completion"}, {"stuck", "conflict-set"}} {
		var first plan.Stats
		for range 2 {
			r := solve(t, tl, plan.Options{Capacity: capacity, NodeLimit: 3000, Without: without})
			if r.Status != model.Unknown || r.Offsets != nil || r.Stats.Nodes != 3000 {
				t.Fatalf("without %v: got %s after %d nodes", without, r.Status, r.Stats.Nodes)
			}
			r.Stats.Elapsed = 0
			if first.Nodes != 0 && first != r.Stats {
				t.Fatalf("without %v: got %+v, then %+v", without, first, r.Stats)
			}
			first = r.Stats
		}
	}
}

// TestMinimizeLimits keeps the best plan when a limit comes, and the same plan for the same limit.
func TestMinimizeLimits(t *testing.T) {
	tl, _ := hard(t)
	var heights []int64
	for _, limit := range []int64{200, 2000, 20000} {
		one := solve(t, tl, plan.Options{NodeLimit: limit})
		two := solve(t, tl, plan.Options{NodeLimit: limit})
		if one.Status != model.Feasible || one.Stats.Nodes > limit || !slices.Equal(one.Offsets, two.Offsets) {
			t.Fatalf("limit %d: got %s after %d nodes", limit, one.Status, one.Stats.Nodes)
		}
		heights = append(heights, one.Height)
	}
	if !slices.IsSortedFunc(heights, func(a, b int64) int { return int(b - a) }) || heights[2] == heights[0] {
		t.Fatalf("heights by limit: %v", heights)
	}
	again := solve(t, tl, plan.Options{NodeLimit: 150, Start: solve(t, tl, plan.Options{NodeLimit: 20000}).Offsets})
	if again.Height > heights[2] {
		t.Fatalf("from a plan of height %d it goes up to %d", heights[2], again.Height)
	}
}

// TestInterrupt ends soon after the context, by deadline or by cancellation.
func TestInterrupt(t *testing.T) {
	tl, capacity := hard(t)
	var r plan.Result
	within := func(o plan.Options) {
		o.Timeout = 50 * time.Millisecond
		pace.Within(t, 2*time.Second, "a timeout of 50 ms", func() { r = solve(t, tl, o) })
	}
	if within(plan.Options{Capacity: capacity}); r.Status != model.Unknown {
		t.Fatalf("timeout of 50ms: got %s", r.Status)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := run.Run(ctx, Planner{}, tl, plan.Options{Capacity: capacity})
	if err != nil || r.Status != model.Unknown || r.Stats.Nodes > 2*tickEvery {
		t.Fatalf("canceled: got %s, %v after %d nodes", r.Status, err, r.Stats.Nodes)
	}
	if within(plan.Options{}); r.Status != model.Feasible {
		t.Fatalf("minimising for 50ms: got %s", r.Status)
	}
}

// TestRefusals names what the planner cannot take.
func TestRefusals(t *testing.T) {
	tl, capacity := hard(t)
	for _, c := range []struct {
		o    plan.Options
		want string
	}{
		{plan.Options{Params: map[string]string{"max-pairs": "50"}}, "planner tela cannot take this problem: 120 buffers that depend on one another have more than 50 conflicting pairs (parameter max-pairs)"},
		{plan.Options{Params: map[string]string{"strategy": "best"}}, "planner tela: parameter strategy must be all, lifetime, size, area or lowest, not \"best\""},
		{plan.Options{Params: map[string]string{"candidates": "x", "stuck-after": "0"}}, "planner tela: parameter candidates must be a whole number from 1 to 4096, not \"x\"\nplanner tela: parameter stuck-after must be"},
		{plan.Options{Without: []string{"longest", "largest", "widest"}}, "no buffer would be a candidate"},
	} {
		c.o.Capacity = capacity
		_, err := run.Run(context.Background(), Planner{}, tl, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.o, err, c.want)
		}
	}
}

// TestCounters checks that the counters add up on a run with all kinds of backtracks.
func TestCounters(t *testing.T) {
	tl, capacity := hard(t)
	var c Counters
	r := must.Get(run.Run(context.Background(), Planner{Counters: &c}, tl,
		plan.Options{Capacity: capacity, NodeLimit: 5000, Without: []string{"completion"}}))(t)
	if c.Steps != 5000 || c.Nodes != 0 || r.Stats.Nodes != c.Steps || r.Stats.Backtracks != c.Minor+c.Major ||
		r.Stats.Minor != c.Minor || r.Stats.Major != c.Major {
		t.Fatalf("%+v against %+v", c, r.Stats)
	}
	if c.Minor == 0 || c.Major == 0 || c.Stuck == 0 || c.Stuck > c.Major || c.Minor > c.Steps {
		t.Fatalf("%+v", c)
	}
}

// TestMicro plans the paper's microbenchmarks without a backtrack.
func TestMicro(t *testing.T) {
	for _, b := range []struct {
		kind string
		n    int
	}{{"non-overlapping", 1000}, {"full-overlap", 100}, {"full-overlap", 1000}} {
		p := must.Get(gen.Generate(b.kind, gen.Options{Buffers: b.n}))(t)
		tl := timeline.New(p)
		r := solve(t, tl, plan.Options{Capacity: tl.LowerBound})
		if r.Status != model.Optimal || r.Stats.Nodes != int64(b.n) || r.Stats.Backtracks != 0 {
			t.Fatalf("%s-%d: %s, %+v", b.kind, b.n, r.Status, r.Stats)
		}
	}
}

// TestPhases groups five buffers: peaks of 8 at [0,3) and [7,8) and a trough of 2
// to 3 between. d lives throughout and belongs to the first peak.
func TestPhases(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 4, Upper: 5, Size: 1},
		{ID: "b", Lower: 0, Upper: 3, Size: 6},
		{ID: "c", Lower: 6, Upper: 9, Size: 5},
		{ID: "d", Lower: 0, Upper: 9, Size: 2},
		{ID: "e", Lower: 7, Upper: 8, Size: 1},
	}}
	tl := timeline.New(p)
	if len(tl.Partitions) != 1 {
		t.Fatalf("%d partitions", len(tl.Partitions))
	}
	of, count := phases(tl, &tl.Partitions[0], 10)
	got := map[string]int32{}
	for j, i := range tl.Partitions[0].Buffers {
		got[p.Buffers[i].ID] = of[j]
	}
	// 8 at [0,3) and at [7,8), both 100%: d is claimed by the first.
	want := map[string]int32{"b": 0, "d": 0, "c": 1, "e": 1, "a": 2}
	for id, phase := range want {
		if got[id] != phase {
			t.Fatalf("got %v and %d phases, want %v", got, count, want)
		}
	}
	if count != 3 {
		t.Fatalf("%d phases", count)
	}
}

// TestPlacement has a buffer that fits only underneath one that is placed
// before it: the engine finds the hole, the skyline is above it.
func TestPlacement(t *testing.T) {
	zero := int64(0)
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "base", Lower: 0, Upper: 2, Size: 5, Fixed: &zero},
		{ID: "long", Lower: 0, Upper: 9, Size: 5},
		{ID: "under", Lower: 3, Upper: 6, Size: 5},
	}}
	tl := timeline.New(p)
	if r := solve(t, tl, plan.Options{Capacity: 10, Without: []string{"completion"}}); r.Stats.Nodes != 2 ||
		!r.Status.HasPlan() {
		t.Fatalf("with the engine: %s, %+v", r.Status, r.Stats)
	}
	o := plan.Options{
		Capacity: 10, Without: []string{
			"completion", "widening", "restarts", "solver-placement", "largest", "widest", "promotion", "starved", "grouping",
		}, Params: map[string]string{"candidates": "1"},
	}
	if r := solve(t, tl, o); r.Status != model.Unknown {
		t.Fatalf("on the skyline: %s, %+v", r.Status, r.Stats)
	}
	// Without the hole being needed the skyline does too.
	o.Capacity = 15
	if r := solve(t, tl, o); !r.Status.HasPlan() {
		t.Fatalf("on the skyline with room: %s, %+v", r.Status, r.Stats)
	}
}

// The place of a buffer that is never active does not count.
func TestStartNeverActive(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 1, Size: 2}, {ID: "n", Upper: 1, Size: 2, Gaps: []model.Gap{{Upper: 1}}},
	}}
	tela := must.Get(run.Lookup("tela"))(t)
	if r := plantest.Must(t, tela, p, plan.Options{Start: []int64{0, 2}}); r.Status != model.Optimal || r.Height != 2 {
		t.Errorf("%v, height %d, bound %d", r.Status, r.Height, r.LowerBound)
	}
}
