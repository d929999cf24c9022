package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// solveWithin runs the planner and checks the plan, if there is one.
func solveWithin(t *testing.T, ctx context.Context, tl *timeline.Timeline, o plan.Options) plan.Result {
	t.Helper()
	r := must.Get(run.Run(ctx, (&Planner{}), tl, o))(t)
	if r.Status.HasPlan() {
		if report := verify.CheckHeight(tl.Problem, r.Offsets, o.Capacity, r.Height); !report.OK() {
			t.Fatal(report.Violations[0].Message)
		}
		if r.LowerBound > r.Height || r.LowerBound < tl.LowerBound {
			t.Fatalf("bound %d, height %d, bound of the timeline %d", r.LowerBound, r.Height, tl.LowerBound)
		}
	} else if r.Offsets != nil || r.Status == model.Optimal {
		t.Fatalf("%s, with offsets %v", r.Status, r.Offsets)
	}
	return r
}

// disguised returns a problem whose load fits its capacity. The problem does not fit, for a reason that is hidden among
// n buffers. With 60 buffers or more the proof takes far longer than a test.
func disguised(t *testing.T, n int, seed uint64) *timeline.Timeline {
	t.Helper()
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: n, Seed: seed}))(t)
	return timeline.New(in.Problem)
}

// challenging reads an instance of the challenging suite. It returns nil if the data are not there.
func challenging(t *testing.T, name string) *timeline.Timeline {
	t.Helper()
	p, err := public.Load("challenging/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return timeline.New(p)
}

// TestLimitIsUnknown is on D at a capacity that takes long to decide.
func TestLimitIsUnknown(t *testing.T) {
	tl := challenging(t, "D.1048576.csv")
	if tl == nil {
		t.Skip("skipped: the challenging suite is not here (STOWAGE_DATA)")
	}
	for _, o := range []plan.Options{{Timeout: 1}, {NodeLimit: 1}, {NodeLimit: 100}, {Timeout: 1, Workers: 3}} {
		o.Capacity = 986112
		if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Unknown {
			t.Errorf("%v, %d nodes, %d workers: %s", o.Timeout, o.NodeLimit, o.Workers, r.Status)
		}
	}
	for _, workers := range []int{1, 3} {
		ctx := run.EndAtLook(context.Background(), 1000)
		if r := solveWithin(t, ctx, tl, plan.Options{Capacity: 986112, Workers: workers}); r.Status != model.Unknown {
			t.Errorf("ended at a look, %d workers: %s", workers, r.Status)
		}
	}
}

// TestLimitIsNoProof cuts searches short at every point, on problems that have a plan and on problems that have none:
// Unknown is right for both, the wrong proof for neither.
func TestLimitIsNoProof(t *testing.T) {
	unknown, plans, proofs := 0, 0, 0
	for seed := range uint64(12) {
		packing := must.Get(gen.New("pinwheel", gen.Options{Buffers: 40, Seed: seed}))(t)
		none := disguised(t, 14+int(seed), seed)
		for nodes := int64(1); nodes < 20_000; nodes += 1 + nodes/2 {
			for _, minimize := range []bool{false, true} {
				o := plan.Options{Capacity: packing.Optimum, NodeLimit: nodes, Minimize: minimize}
				r := solveWithin(t, context.Background(), timeline.New(packing.Problem), o)
				if r.Status == model.Infeasible {
					t.Fatalf("seed %d, %d nodes: infeasible", seed, nodes)
				}
				if r.Status.HasPlan() {
					plans++
				} else {
					unknown++
				}
				o.Capacity = none.Problem.Capacity
				switch r = solveWithin(t, context.Background(), none, o); {
				case r.Status.HasPlan():
					t.Fatalf("seed %d, %d nodes: %s", seed, nodes, r.Status)
				case r.Status == model.Infeasible:
					proofs++
				default:
					unknown++
				}
			}
		}
	}
	if unknown < 200 || plans < 100 || proofs < 50 {
		t.Errorf("the test is lopsided: %d unknown, %d plans, %d proofs", unknown, plans, proofs)
	}
}

// slow are the techniques without which disguised problems take long enough for limits to come.
var slow = []string{"stretches", "fronts"}

// TestNodeLimit counts.
func TestNodeLimit(t *testing.T) {
	tl := disguised(t, 60, 2)
	var before int64
	for _, nodes := range []int64{1, 2, 99, 1000, 5000} {
		for _, minimize := range []bool{false, true} {
			o := plan.Options{Capacity: tl.Problem.Capacity, NodeLimit: nodes, Without: slow}
			if minimize {
				o.Capacity, o.Minimize = 0, true
			}
			r := solveWithin(t, context.Background(), tl, o)
			if r.Stats.Nodes > nodes || r.Stats.Backtracks > r.Stats.Nodes {
				t.Errorf("limit %d: %d nodes, %d backtracks", nodes, r.Stats.Nodes, r.Stats.Backtracks)
			}
			if !minimize && (r.Stats.Nodes != nodes || r.Status != model.Unknown || r.Stats.Backtracks < before) {
				t.Errorf("limit %d: %s after %d nodes and %d backtracks", nodes, r.Status, r.Stats.Nodes, r.Stats.Backtracks)
			}
			if !minimize {
				before = r.Stats.Backtracks
			}
		}
	}
	if before == 0 {
		t.Error("no backtracks")
	}
}

// TestCancel ends a search from outside, when it first tells of its progress.
func TestCancel(t *testing.T) {
	tl := disguised(t, 100, 2)
	for _, workers := range []int{1, 3} {
		for _, minimize := range []bool{false, true} {
			o := plan.Options{Capacity: tl.Problem.Capacity, Workers: workers, Without: slow}
			if minimize {
				o.Capacity = 0
			}
			ctx, cancel := context.WithCancel(context.Background())
			o.Progress = func(plan.Progress) { cancel() }
			pace.After(t, ctx, 200*time.Millisecond, fmt.Sprintf("workers %d, minimise %v", workers, minimize), func() {
				r := solveWithin(t, ctx, tl, o)
				if ctx.Err() == nil {
					t.Fatalf("%s: nothing was interrupted", r.Status)
				}
				if want := model.Unknown; !minimize && r.Status != want {
					t.Fatalf("%s, want %s", r.Status, want)
				}
				if minimize && r.Status != model.Feasible {
					t.Fatalf("minimise: %s, want the best plan so far", r.Status)
				}
			})
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// Without a capacity any plan will do; with one there is none at hand.
	for capacity, want := range map[int64]model.Status{0: model.Feasible, tl.Problem.Capacity: model.Unknown} {
		if r := solveWithin(t, ctx, tl, plan.Options{Capacity: capacity}); r.Status != want || r.Stats.Nodes > 0 {
			t.Errorf("ended before it began: %s after %d nodes", r.Status, r.Stats.Nodes)
		}
	}
}

// TestStart gives minimisation a plan: nothing may lose it, not even no time at all.
func TestStart(t *testing.T) {
	tl := disguised(t, 60, 1)
	free := solveWithin(t, context.Background(), tl, plan.Options{NodeLimit: 3000})
	if !free.Status.HasPlan() {
		t.Fatal("no plan to start from")
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for k, o := range []plan.Options{
		{}, {NodeLimit: 1}, {NodeLimit: 1, Workers: 3}, {Timeout: 1}, {Capacity: free.Height, Minimize: true, NodeLimit: 1},
	} {
		ctx := context.Background()
		if k == 0 {
			ctx = done
		}
		o.Start = free.Offsets
		r := solveWithin(t, ctx, tl, o)
		if !r.Status.HasPlan() || r.Height > free.Height {
			t.Errorf("%d nodes, timeout %v: %s %d, started from %d", o.NodeLimit, o.Timeout, r.Status, r.Height, free.Height)
		}
		if r.Height == free.Height && !slices.Equal(r.Offsets, free.Offsets) {
			t.Error("a plan as high as the start is not the start")
		}
	}
	// A start above the capacity is no plan, but what it says of each partition may still be used.
	if r := solveWithin(t, done, tl,
		plan.Options{Start: free.Offsets, Capacity: free.Height - 1, Minimize: true}); r.Status != model.Unknown {
		t.Errorf("a start above the capacity: %s", r.Status)
	}
	// A start at the bound leaves nothing to search.
	in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 50, Seed: 1}))(t)
	if r := solveWithin(t, done, timeline.New(in.Problem), plan.Options{Start: in.Offsets}); r.Status != model.Optimal ||
		r.Stats.Nodes > 0 {
		t.Errorf("started from the optimum: %s after %d nodes", r.Status, r.Stats.Nodes)
	}
}

// TestProgress checks the reports of a search: heights only fall, bounds and nodes only rise, and the result is at
// least as good as the last report.
func TestProgress(t *testing.T) {
	tl := disguised(t, 60, 2)
	for _, minimize := range []bool{true, false} {
		var all []plan.Progress
		o := plan.Options{
			NodeLimit: 3*common.Limits{}.OrUsual().TickEvery + 10, Without: slow, Progress: func(p plan.Progress) { all = append(all, p) },
		}
		if !minimize {
			o.Capacity = tl.Problem.Capacity
		}
		r := solveWithin(t, context.Background(), tl, o)
		if len(all) < 3 {
			t.Fatalf("minimise %v: told %d times in %d nodes", minimize, len(all), r.Stats.Nodes)
		}
		for k, p := range all {
			if p.Elapsed <= 0 || p.Nodes <= 0 || p.Nodes > o.NodeLimit || p.LowerBound < tl.LowerBound ||
				(p.Height > 0) != minimize {
				t.Errorf("minimise %v: progress %+v", minimize, p)
			}
			if k > 0 && (p.Nodes <= all[k-1].Nodes || p.Height > all[k-1].Height || p.LowerBound < all[k-1].LowerBound ||
				p.Elapsed < all[k-1].Elapsed) {
				t.Errorf("minimise %v: progress from %+v to %+v", minimize, all[k-1], p)
			}
		}
		if last := all[len(all)-1]; minimize && r.Height > last.Height || r.LowerBound < last.LowerBound {
			t.Errorf("minimise %v: the result, %d over %d, is behind %+v", minimize, r.Height, r.LowerBound, last)
		}
	}
}

// TestRepeat runs twice: with one worker all but the clock is the same.
func TestRepeat(t *testing.T) {
	for seed := range uint64(4) {
		gapped, err := gen.New("random", gen.Options{Buffers: 60, Horizon: 300, Seed: seed, Gaps: 0.5, Windows: 0.6})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*model.Problem{disguised(t, 60, seed).Problem, gapped.Problem} {
			for _, o := range []plan.Options{{NodeLimit: 1000}, {NodeLimit: 1000, Capacity: timeline.New(p).LowerBound}} {
				a := solveWithin(t, context.Background(), timeline.New(p), o)
				b := solveWithin(t, context.Background(), timeline.New(p), o)
				a.Stats.Elapsed, b.Stats.Elapsed = 0, 0
				if a.Status != b.Status || a.LowerBound != b.LowerBound || a.Stats != b.Stats ||
					!slices.Equal(a.Offsets, b.Offsets) {
					t.Fatalf("seed %d: %+v and then %+v", seed, a, b)
				}
			}
		}
	}
}

// TestWorkers is for the race detector: orders side by side, with limits,
// progress and interruption, and the answers of one worker.
func TestWorkers(t *testing.T) {
	for seed := range uint64(6) {
		tl := disguised(t, 16, seed)
		for _, workers := range []int{2, 3, 8} {
			o := plan.Options{Capacity: tl.Problem.Capacity, Workers: workers}
			if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Infeasible {
				t.Fatalf("seed %d, %d workers: %s", seed, workers, r.Status)
			}
			o.Capacity = 0
			free := solveWithin(t, context.Background(), tl, o)
			o.Workers = 1
			if one := solveWithin(t, context.Background(), tl, o); free.Status != model.Optimal || free.Height != one.Height {
				t.Fatalf("seed %d, %d workers: %s %d, with one %d", seed, workers, free.Status, free.Height, one.Height)
			}
		}
	}
	tl := disguised(t, 60, 1)
	told := 0
	o := plan.Options{
		Workers: 3, NodeLimit: 6 * common.Limits{}.OrUsual().TickEvery, Without: slow,
		Progress: func(plan.Progress) { told++ },
	}
	if r := solveWithin(t, context.Background(), tl, o); r.Status != model.Feasible || told == 0 {
		t.Errorf("%s, told %d times", r.Status, told)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o = plan.Options{Workers: 3, Without: slow, Capacity: tl.Problem.Capacity, Progress: func(plan.Progress) { cancel() }}
	if r := solveWithin(t, ctx, tl, o); r.Status != model.Unknown || ctx.Err() == nil {
		t.Errorf("%s, ended by %v", r.Status, ctx.Err())
	}
}

// TestBestSoFar interrupts minimisation at several points: the plan is never lost, and more nodes never make it higher.
func TestBestSoFar(t *testing.T) {
	tl := disguised(t, 60, 2)
	height := int64(0)
	for _, nodes := range []int64{200, 400, 1000, 3000, 9000} {
		r := solveWithin(t, context.Background(), tl, plan.Options{NodeLimit: nodes, Without: slow})
		if r.Status != model.Feasible || height > 0 && r.Height > height {
			t.Errorf("%d nodes: %s %d, with fewer %d", nodes, r.Status, r.Height, height)
		}
		height = r.Height
	}
}

// TestDeepEnd interrupts a dive thousands of placements deep: the way back up
// must not cost a sort of what is unplaced at each of them.
func TestDeepEnd(t *testing.T) {
	p, err := gen.Generate("random", gen.Options{Buffers: 20_000, Horizon: 100_000, MinLife: 100, MaxLife: 2000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	tl := timeline.New(p)
	const timeout = 900 * time.Millisecond
	var r plan.Result
	pace.Late(t, timeout, time.Second, "a dive", func() {
		r = solveWithin(t, context.Background(), tl, plan.Options{Capacity: 2 * tl.LowerBound, Timeout: timeout})
	})
	if r.Status == model.Infeasible {
		t.Error("a limit is reported as infeasible")
	}
}

// TestHuge searches for a while among 20,000 buffers. Most buffers overlap most others. Lists and tables must not grow
// with the square of the number of buffers, and the search must end when it is asked to.
func TestHuge(t *testing.T) {
	const n = 20_000
	p, err := gen.Generate("random", gen.Options{Buffers: n, Horizon: 100_000, MinLife: 30_000, MaxLife: 70_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	tl := timeline.New(p)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var r plan.Result
	pace.Within(t, 10*time.Second, "2,000 nodes", func() {
		r = solveWithin(t, context.Background(), tl, plan.Options{Capacity: 2 * tl.LowerBound, NodeLimit: 2000})
	})
	runtime.ReadMemStats(&after)
	t.Logf("%s after %d nodes, %d MB", r.Status, r.Stats.Nodes, (after.TotalAlloc-before.TotalAlloc)>>20)
	if r.Status == model.Infeasible {
		t.Error("infeasible, at twice the load")
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 100 {
		t.Errorf("%d MB allocated", mb)
	}
}

// TestStepOfAlignments minimises problems in which alignments do not divide one
// another, so a step that is too long would pass over the optimum.
func TestStepOfAlignments(t *testing.T) {
	// Found by search: the optimum is 76, and 3 was taken for the step.
	at := func(x int64) *int64 { return &x }
	spoilt := &model.Problem{Buffers: []model.Buffer{
		{ID: "0", Lower: 2, Upper: 6, Size: 24, Alignment: 4},
		{ID: "1", Lower: 0, Upper: 1, Size: 12, Alignment: 27},
		{ID: "2", Lower: 2, Upper: 4, Size: 24, Alignment: 27},
		{ID: "3", Lower: 1, Upper: 3, Size: 24, Fixed: at(0)},
		{ID: "4", Lower: 3, Upper: 6, Size: 12, Alignment: 9},
	}}
	if got := solveWithin(t, context.Background(), timeline.New(spoilt), plan.Options{}); got.Status != model.Optimal ||
		got.Height != 76 {
		t.Errorf("%s %d, want 76", got.Status, got.Height)
	}
	r := rand.New(rand.NewPCG(1, 1))
	coarse := 0
	for range 4000 {
		p := &model.Problem{}
		unit := []int64{1, 6, 12}[r.IntN(3)]
		for i := range 2 + r.IntN(5) {
			b := model.Buffer{
				ID: strconv.Itoa(i), Lower: r.Int64N(5), Size: unit * (1 + r.Int64N(3)),
				Alignment: []int64{0, 2, 3, 4, 6, 9, 12}[r.IntN(7)],
			}
			b.Upper = b.Lower + 1 + r.Int64N(4)
			p.Buffers = append(p.Buffers, b)
		}
		minimum, _, _ := oracle.MinHeight(p)
		got := solveWithin(t, context.Background(), timeline.New(p), plan.Options{})
		if got.Status != model.Optimal || got.Height != minimum {
			t.Fatalf("%s %d, want %d\n%s", got.Status, got.Height, minimum, drawn.Describe(p))
		}
		if bound.Step(p) > 1 {
			coarse++
		}
	}
	if coarse < 1000 {
		t.Errorf("the test is lopsided: the step is above 1 for %d", coarse)
	}
}

// TestOneLifetime plans many buffers that are all live at once. They are stacked if their alignments are equal.
// Otherwise a dive raises all that are left at each step. Neither may take memory with the square of their number.
func TestOneLifetime(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		n := 10_000
		if mixed {
			n = 3000
		}
		p := &model.Problem{}
		for i := range n {
			b := model.Buffer{ID: strconv.Itoa(i), Lower: 0, Upper: 1, Size: 1 + int64(i*7919%64)}
			if mixed && i == 0 {
				b.Size, b.Alignment = 2, 2 // no stack: alignments differ
			}
			p.Buffers = append(p.Buffers, b)
		}
		tl := timeline.New(p)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := solveWithin(t, context.Background(), tl, plan.Options{Capacity: tl.LowerBound})
		runtime.ReadMemStats(&after)
		mb := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s after %d nodes, %v, %d MB", r.Status, r.Stats.Nodes, r.Stats.Elapsed, mb)
		if r.Status != model.Optimal {
			t.Errorf("%d buffers of one lifetime: %s", n, r.Status)
		}
		if most := uint64(200); mb > most || !mixed && mb > 20 {
			t.Errorf("%d buffers of one lifetime: %d MB", n, mb)
		}
	}
}
