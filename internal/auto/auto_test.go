package auto

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// planned runs a planner by name. A capacity that nothing fits is under the bound.
func planned(t *testing.T, name string, ctx context.Context, tl *timeline.Timeline, o plan.Options) plan.Result {
	t.Helper()
	planner := must.Get(run.Lookup(name))(t)
	r := plantest.Solve(t, ctx, planner, tl, o)
	if r.Status == model.Infeasible && r.LowerBound <= o.Capacity {
		t.Fatalf("%s on %s: infeasible at %d, but the bound is %d", name, tl.Problem.Name, o.Capacity, r.LowerBound)
	}
	return r
}

func generate(t testing.TB, kind string, o gen.Options) *gen.Instance {
	t.Helper()
	return must.Get(gen.New(kind, o))(t)
}

// packing returns a perfect packing of n pieces without a guillotine cut: no heuristic finds its optimum.
func packing(t testing.TB, n int, seed uint64) *gen.Instance {
	t.Helper()
	return generate(t, "pinwheel", gen.Options{Buffers: n, Seed: seed})
}

// hard returns a problem that does not fit its load, which takes far longer to prove than any test has.
func hard(t testing.TB, seed uint64) *timeline.Timeline {
	t.Helper()
	return timeline.New(generate(t, "infeasible", gen.Options{Buffers: 60, Seed: seed}).Problem)
}

// limits returns the ways in which a run may be cut short, drawn at random.
func limits(r *rand.Rand) (o plan.Options, cancelled bool) {
	switch r.IntN(6) {
	case 0:
		o.Timeout = 1
	case 1:
		o.Timeout = time.Duration(1 + r.IntN(300_000))
	case 2:
		cancelled = true
	case 3:
		o.NodeLimit = 1 + r.Int64N(4)
	case 4:
		o.NodeLimit = 1 + r.Int64N(500)
	case 5:
		o.NodeLimit = 2000
	}
	o.Workers = r.IntN(3)
	return o, cancelled
}

// TestNeverWorse: under any limits, auto has a plan if first-fit has one, and it is no higher.
func TestNeverWorse(t *testing.T) {
	count := plantest.Share(1500, 600, 200)
	r := rand.New(rand.NewPCG(1, 1))
	kinds := []string{"random", "high-overlap", "perfect", "pinwheel", "infeasible"}
	lower, rescued := 0, 0
	for seed := range count {
		p := drawn.Tiny(uint64(seed))
		if seed%3 == 0 {
			kind := kinds[seed/3%len(kinds)]
			so := gen.Options{Seed: uint64(seed), Buffers: 20 + r.IntN(80)}
			if kind == "random" && r.IntN(2) == 0 {
				so.Gaps, so.Windows = 0.4, 0.5
			}
			p = generate(t, kind, so).Problem
		}
		tl := timeline.New(p)
		free := planned(t, "first-fit", context.Background(), tl, plan.Options{})
		o, cancelled := limits(r)
		if free.Status.HasPlan() {
			switch r.IntN(4) {
			case 0:
				o.Capacity = free.Height
			case 1:
				o.Capacity = tl.LowerBound + r.Int64N(free.Height-tl.LowerBound+1)
			case 2:
				o.Capacity, o.Minimize = free.Height+r.Int64N(9), true
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		if cancelled {
			cancel()
		}
		first, auto := planned(t, "first-fit", ctx, tl, o), planned(t, "auto", ctx, tl, o)
		cancel()
		what := fmt.Sprintf("%s %+v cancelled %v: first-fit %s %d, auto %s %d", p.Name, o, cancelled, first.Status,
			first.Height, auto.Status, auto.Height)
		switch {
		case first.Status.HasPlan() && (!auto.Status.HasPlan() || auto.Height > first.Height):
			t.Fatal(what)
		case first.Status == model.Infeasible && auto.Status != model.Infeasible:
			t.Fatal(what)
		case first.Status.HasPlan() && auto.Height < first.Height:
			lower++
		case !first.Status.HasPlan() && auto.Status.HasPlan():
			rescued++
		}
	}
	t.Logf("auto is lower in %d of %d, and alone has a plan in %d", lower, count, rescued)
	if lower < count/20 || rescued < count/50 {
		t.Error("auto is no better than first-fit")
	}
}

// TestStatuses compares with the oracle: at the lowest height there is a plan,
// one under it there is none, and minimising finds it.
func TestStatuses(t *testing.T) {
	count := 1200
	if testing.Short() {
		count = 200
	}
	above, collisions := 0, 0
	for seed := range uint64(count) {
		p := drawn.Tiny(seed)
		tl := timeline.New(p)
		minimum, _, ok := oracle.MinHeight(p)
		for _, workers := range []int{1, 4} {
			o := plan.Options{Workers: workers}
			ctx := context.Background()
			free := planned(t, "auto", ctx, tl, o)
			if !ok {
				collisions++
				o.Capacity = 1000
				if fits := planned(t, "auto", ctx, tl, o); free.Status != model.Infeasible || fits.Status != model.Infeasible {
					t.Fatalf("seed %d: colliding fixed offsets: %s, and %s at 1000", seed, free.Status, fits.Status)
				}
				continue
			}
			if free.Status != model.Optimal || free.Height != minimum {
				t.Fatalf("seed %d: %s %d, want the optimum %d", seed, free.Status, free.Height, minimum)
			}
			for _, minimize := range []bool{false, true} {
				o.Minimize = minimize
				o.Capacity = minimum
				if r := planned(t, "auto", ctx, tl, o); !r.Status.HasPlan() {
					t.Fatalf("seed %d: %s at the optimum %d", seed, r.Status, minimum)
				}
				o.Capacity = minimum + 7
				if r := planned(t, "auto", ctx, tl, o); !r.Status.HasPlan() || minimize && (r.Status != model.Optimal || r.Height != minimum) {
					t.Fatalf("seed %d: minimise %v at %d: %s %d, the optimum is %d", seed, minimize, o.Capacity, r.Status, r.Height, minimum)
				}
				if o.Capacity = minimum - 1; o.Capacity == 0 {
					continue
				}
				if r := planned(t, "auto", ctx, tl, o); r.Status != model.Infeasible {
					t.Fatalf("seed %d: %s at %d, the optimum is %d", seed, r.Status, o.Capacity, minimum)
				}
			}
			if tl.LowerBound < minimum {
				above++
			}
		}
	}
	if above < count/20 || collisions < count/100 {
		t.Errorf("the test is lopsided: %d have their optimum above the bound, %d have collisions", above, collisions)
	}
}

// TestInfeasible has problems that do not fit, although their load does: the answer is a proof, or Unknown if a limit
// came.
func TestInfeasible(t *testing.T) {
	proofs := 0
	for seed := range uint64(20) {
		in := generate(t, "infeasible", gen.Options{Seed: seed, Buffers: 13 + int(seed)})
		tl := timeline.New(in.Problem)
		for _, workers := range []int{1, 4} {
			for _, nodes := range []int64{3, 100_000} {
				r := planned(t, "auto", context.Background(), tl, plan.Options{Capacity: in.Problem.Capacity, NodeLimit: nodes, Workers: workers})
				if r.Status.HasPlan() {
					t.Fatalf("seed %d: %s", seed, r.Status)
				}
				if r.Status == model.Infeasible {
					proofs++
				}
			}
		}
	}
	if proofs < 20 {
		t.Errorf("%d proofs of 80", proofs)
	}
}

// TestLimitIsNotInfeasible is on problems that do fit: a limit may come first, but must never be taken for a proof.
func TestLimitIsNotInfeasible(t *testing.T) {
	unknown := 0
	for seed := range uint64(12) {
		in := packing(t, 150, seed)
		tl := timeline.New(in.Problem)
		for _, o := range []plan.Options{{Timeout: 1}, {Timeout: time.Millisecond}, {NodeLimit: 1}, {NodeLimit: 1000}, {NodeLimit: 300, Workers: 3}, {NodeLimit: 1000, Minimize: true}} {
			o.Capacity = in.Optimum
			if r := planned(t, "auto", context.Background(), tl, o); r.Status == model.Infeasible {
				t.Fatalf("seed %d %+v: infeasible", seed, o)
			} else if r.Status == model.Unknown {
				unknown++
			}
		}
	}
	if unknown < 12 {
		t.Errorf("only %d of 72 runs end undecided", unknown)
	}
}

// TestDeterminism runs twice with one worker: all that is returned, but for the time, must be the same.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(6) {
		for _, in := range []*gen.Instance{
			packing(t, 60, seed),
			generate(t, "infeasible", gen.Options{Seed: seed, Buffers: 60}),
			generate(t, "high-overlap", gen.Options{Seed: seed}),
			generate(t, "random", gen.Options{Seed: seed, Gaps: 0.3, Windows: 0.5}),
		} {
			for _, o := range []plan.Options{{NodeLimit: 1000}, {NodeLimit: 1000, Capacity: max(in.Optimum, timeline.New(in.Problem).LowerBound)}} {
				a := planned(t, "auto", context.Background(), timeline.New(in.Problem), o)
				b := planned(t, "auto", context.Background(), timeline.New(in.Problem), o)
				a.Stats.Elapsed, b.Stats.Elapsed = 0, 0
				if a.Status != b.Status || !slices.Equal(a.Offsets, b.Offsets) || a.LowerBound != b.LowerBound ||
					a.Member != b.Member || a.Stats != b.Stats {
					t.Fatalf("%s: %+v and then %+v", in.Problem.Name, a, b)
				}
			}
		}
	}
}

// TestWorkers compares four workers with one if both have all the time that
// they need: the plans may differ, the answers may not.
func TestWorkers(t *testing.T) {
	answers := map[model.Status]int{}
	for seed := range uint64(25) {
		for _, in := range []*gen.Instance{
			generate(t, "pinwheel", gen.Options{Seed: seed, Buffers: 15}),
			generate(t, "infeasible", gen.Options{Seed: seed, Buffers: 14}),
			generate(t, "high-overlap", gen.Options{Seed: seed, Buffers: 12}),
		} {
			tl := timeline.New(in.Problem)
			capacity := in.Problem.Capacity
			if capacity == 0 {
				capacity = tl.LowerBound
			}
			for _, o := range []plan.Options{{Capacity: capacity}, {}} {
				one := planned(t, "auto", context.Background(), tl, o)
				o.Workers = 4
				four := planned(t, "auto", context.Background(), tl, o)
				if one.Status != four.Status || o.Capacity == 0 && one.Height != four.Height {
					t.Fatalf("%s capacity %d: %s %d with one worker, %s %d with four", in.Problem.Name, o.Capacity,
						one.Status, one.Height, four.Status, four.Height)
				}
				answers[one.Status]++
			}
		}
	}
	if answers[model.Infeasible] < 25 || answers[model.Optimal] < 50 {
		t.Errorf("the test is lopsided: %v", answers)
	}
}

// TestInterrupt ends a search from outside: the best plan so far comes at once.
func TestInterrupt(t *testing.T) {
	tl := hard(t, 2)
	first := planned(t, "first-fit", context.Background(), tl, plan.Options{})
	for _, workers := range []int{1, 4} {
		var best int64
		told := false
		ctx, cancel := context.WithCancel(context.Background())
		o := plan.Options{Timeout: time.Hour, Workers: workers}
		o.Progress = func(p plan.Progress) {
			if p.Nodes > 0 && !told {
				best, told = p.Height, true
				cancel()
			}
		}
		var r plan.Result
		pace.After(t, ctx, 200*time.Millisecond, "the plan", func() { r = planned(t, "auto", ctx, tl, o) })
		cancel()
		if !told {
			t.Fatal("no progress was told")
		}
		if r.Status != model.Feasible || r.Height > best || r.Height > first.Height || r.LowerBound < tl.LowerBound {
			t.Fatalf("workers %d: %s, height %d, bound %d; %d was told, first-fit has %d", workers, r.Status,
				r.Height, r.LowerBound, best, first.Height)
		}
	}
}

// TestProgress follows a run: heights only fall, bounds and nodes only rise, and the plan is the one of the height.
func TestProgress(t *testing.T) {
	var all []plan.Progress
	tl := hard(t, 2)
	r := planned(t, "auto", context.Background(), tl, plan.Options{
		NodeLimit: 14_000, Progress: func(p plan.Progress) {
			if p.Offsets != nil && verify.Check(tl.Problem, p.Offsets, p.Height).Height != p.Height {
				t.Errorf("the plan is not of height %d", p.Height)
			}
			all = append(all, p)
		},
	})
	if len(all) < 3 || all[0].Nodes != 0 || all[0].Height == 0 {
		t.Fatalf("progress: %+v", all)
	}
	for k := 1; k < len(all); k++ {
		a, b := all[k-1], all[k]
		if b.Height > a.Height || b.LowerBound < a.LowerBound || b.Nodes < a.Nodes || b.Elapsed < 0 {
			t.Fatalf("progress from %+v to %+v", a, b)
		}
	}
	if last := all[len(all)-1]; r.Height > last.Height || r.LowerBound < last.LowerBound || r.Stats.Nodes < last.Nodes {
		t.Errorf("the result %+v is behind the progress %+v", r, last)
	}
}

// TestSwitches checks what is left when a technique is off.
func TestSwitches(t *testing.T) {
	ctx := context.Background()
	improved := 0
	for seed := range uint64(10) {
		in := generate(t, "high-overlap", gen.Options{Seed: seed, Buffers: 30})
		tl := timeline.New(in.Problem)
		first := planned(t, "first-fit", ctx, tl, plan.Options{})
		only := planned(t, "auto", ctx, tl, plan.Options{Without: []string{"heuristics", "exact", "climb"}})
		if !slices.Equal(only.Offsets, first.Offsets) || only.Member != "first-fit" {
			t.Errorf("seed %d: without all three, auto has %d by %s, first-fit has %d", seed, only.Height, only.Member, first.Height)
		}
		quick := planned(t, "auto", ctx, tl, plan.Options{Without: []string{"exact", "climb"}})
		if quick.Stats.Nodes > 0 || quick.Member == "exact" || quick.Height > first.Height {
			t.Errorf("seed %d: without search, %d nodes, %d by %s", seed, quick.Stats.Nodes, quick.Height, quick.Member)
		}
		searched := planned(t, "auto", ctx, tl, plan.Options{Without: []string{"heuristics"}, NodeLimit: 20_000})
		if searched.Height > first.Height || searched.Height < first.Height &&
			(searched.Member != "exact" && searched.Member != "climb" || searched.Stats.Nodes == 0) {
			t.Errorf("seed %d: without heuristics, %d by %s, first-fit has %d", seed, searched.Height, searched.Member, first.Height)
		}
		if searched.Height < first.Height {
			improved++
		}
		// If the heuristics' plan does not fit, they cannot tell why.
		if quick.Height > tl.LowerBound {
			if r := planned(t, "auto", ctx, tl, plan.Options{Without: []string{"exact"}, Capacity: quick.Height - 1}); r.Status == model.Infeasible {
				t.Errorf("seed %d: without exact, infeasible", seed)
			}
		}
	}
	if improved == 0 {
		t.Error("search from first-fit's plan improves none")
	}
}

// TestMember names who made the plan.
func TestMember(t *testing.T) {
	// first-fit is as low as the load on Wave's example.
	if r := planned(t, "auto", context.Background(), timeline.New(gen.Wave()),
		plan.Options{}); r.Member != "first-fit" || r.Status != model.Optimal || r.Height != 37 {
		t.Errorf("got %s %d by %q", r.Status, r.Height, r.Member)
	}
	found := 0
	for seed := range uint64(10) {
		in := generate(t, "pinwheel", gen.Options{Seed: seed, Buffers: 20})
		if r := planned(t, "auto", context.Background(), timeline.New(in.Problem), plan.Options{}); r.Member == "exact" {
			found++
		}
	}
	if found == 0 {
		t.Error("no plan is by exact search")
	}
}

// TestEnough asks for a capacity that a node limit leaves undecided. The capacity known to be enough has a plan, and
// is larger.
func TestEnough(t *testing.T) {
	in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 300, Seed: 3}))(t)
	o := plan.Options{Capacity: in.Optimum, NodeLimit: 1, Without: []string{"merge"}}
	r := must.Get(run.Run(t.Context(), &Auto{}, timeline.New(in.Problem), o))(t)
	if r.Status != model.Unknown || r.Enough <= in.Optimum || r.Offsets != nil {
		t.Fatalf("%s, %d known to be enough for %d", r.Status, r.Enough, in.Optimum)
	}
	o.Capacity = r.Enough
	if again, err := run.Run(t.Context(), &Auto{}, timeline.New(in.Problem), o); err != nil || !again.Status.HasPlan() || again.Enough != 0 {
		t.Errorf("%v, %v at %d, which is known to be enough", again.Status, err, o.Capacity)
	}
}

// TestPackedAtOnce demands that packings of 5,000 are planned by the first turn of merging,
// which is counted in nodes, whatever else the machine does.
func TestPackedAtOnce(t *testing.T) {
	for _, seed := range []uint64{1, 14}[:plantest.Share(2, 1)] {
		in := generate(t, "walls", gen.Options{Buffers: 5000, Seed: seed})
		r, err := run.Run(t.Context(), &Auto{}, timeline.New(in.Problem), plan.Options{Minimize: true, Without: []string{"exact", "climb"}})
		if err != nil || r.Height != in.Optimum || r.Member != "merge" || r.Stats.Nodes > classes[4].mergeLook.packing*5000 {
			t.Errorf("seed %d: %v, height %d after %d nodes of %s, want %d", seed, err, r.Height, r.Stats.Nodes, r.Member, in.Optimum)
		}
	}
}

// TestPacked demands that a packing of more buffers than composites are for is planned if no byte is ever unused.
func TestPacked(t *testing.T) {
	in := generate(t, "walls", gen.Options{Buffers: thresholds.MergeMost + 1000, Seed: 1, Horizon: 1 << 40, Capacity: 1 << 40})
	r, err := run.Run(t.Context(), &Auto{}, timeline.New(in.Problem), plan.Options{Minimize: true})
	if v := verify.CheckHeight(in.Problem, r.Offsets, in.Optimum, in.Optimum); err != nil || !v.OK() {
		t.Errorf("%v, height %d, want %d: %v", err, r.Height, in.Optimum, v.Violations)
	}
}
