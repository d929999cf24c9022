package milp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/milp/third_party/highs"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func solve(t testing.TB, ctx context.Context, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	return plantest.Solve(t, ctx, planner{}, timeline.New(p), o)
}

// switched draws a combination of the switches and parameters.
func switched(rng *rand.Rand) plan.Options {
	o := plan.Options{Params: map[string]string{"formulation": "paper"}, Seed: rng.Uint64()}
	if rng.IntN(2) == 0 {
		o.Params["formulation"] = "tight"
	}
	o.Without = plantest.Without(planner{}, rng, 2)
	return o
}

func TestImports(t *testing.T) {
	sum := sha256.Sum256(highs.Wasm)
	if got := hex.EncodeToString(sum[:]); got != highs.SHA256 {
		t.Fatalf("highs.wasm is not that of %s: sha256 %s", highs.Version, got)
	}
	must.Do(t, load(context.Background(), defaultCache()))
	for _, f := range module.ImportedFunctions() {
		if m, name, _ := f.Import(); m != "a" {
			t.Errorf("the module imports %s.%s", m, name)
		}
	}
	exported := module.ExportedFunctions()
	for _, name := range []string{
		exportInit, exportCreate, exportRun, exportPassMip, exportSetBool, exportSetInt, exportSetDouble,
		exportGetDouble, exportGetInt64, exportGetInt, exportSolution, exportStatus, exportStart, exportMalloc,
	} {
		if exported[name] == nil {
			t.Errorf("the module does not export %s", name)
		}
	}
	if n := len(exported[exportPassMip].ParamTypes()); n != 16 {
		t.Errorf("%s takes %d arguments: not Highs_passMip", exportPassMip, n)
	}
}

func TestAgreesWithOracle(t *testing.T) {
	plantest.Decides(t, planner{}, plantest.Share[uint64](250, 50), switched)
}

// These have the load under the capacity, so that HiGHS has to refute them.
func TestRefutes(t *testing.T) {
	refuted, seeds := 0, plantest.Share(6, 2)
	for seed := range uint64(seeds) {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Seed: seed, Capacity: 30, Horizon: 30}))(t)
		r := solve(t, t.Context(), in.Problem, plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 2000})
		switch r.Status {
		case model.Infeasible:
			refuted++
		case model.Feasible, model.Optimal:
			t.Fatalf("seed %d: %v", seed, r.Status)
		}
	}
	if 3*refuted < 2*seeds {
		t.Errorf("refuted %d of %d", refuted, seeds)
	}
}

func overlapping(t testing.TB, buffers int, seed uint64) *model.Problem {
	t.Helper()
	return must.Get(gen.Generate("high-overlap", gen.Options{Buffers: buffers, Seed: seed}))(t)
}

// Two runs with one seed and a node limit are the same, whatever the clock.
func TestDeterministic(t *testing.T) {
	p := overlapping(t, 16, 5)
	o := plan.Options{NodeLimit: 20, Without: []string{"start"}}
	a, b := solve(t, t.Context(), p, o), solve(t, t.Context(), p, o)
	if fmt.Sprint(a.Offsets, a.LowerBound, a.Stats.Nodes, a.Status) != fmt.Sprint(b.Offsets, b.LowerBound, b.Stats.Nodes,
		b.Status) {
		t.Errorf("%v\n%v", a, b)
	}
	if a.Status == model.Infeasible {
		t.Error("a node limit has become a refutation")
	}
}

// At the limit the best plan so far comes back, soon.
func TestLimits(t *testing.T) {
	must.Do(t, load(context.Background(), defaultCache()))
	p := overlapping(t, 45, 1)
	var r plan.Result
	pace.Late(t, 500*time.Millisecond, 2*grace, "half a second", func() {
		r = solve(t, t.Context(), p, plan.Options{Timeout: 500 * time.Millisecond})
	})
	if !r.Status.HasPlan() || r.LowerBound < timeline.New(p).LowerBound {
		t.Errorf("minimising to a limit: %v, bound %d", r.Status, r.LowerBound)
	}
	in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 45, Seed: 2}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	pace.Late(t, 200*time.Millisecond, 2*grace, "an interrupt", func() {
		time.AfterFunc(200*time.Millisecond, cancel)
		r = solve(t, ctx, in.Problem, plan.Options{Capacity: in.Problem.Capacity})
	})
	if r.Status == model.Infeasible {
		t.Error("an interrupt has become a refutation")
	}
	cancel()
	if r := solve(t, ctx, in.Problem, plan.Options{Capacity: in.Problem.Capacity}); r.Status != model.Unknown {
		t.Errorf("a context that has ended: %v", r.Status)
	}
}

// If the tolerance hides a unit of space, nothing is concluded.
func TestBlurredNumbers(t *testing.T) {
	if tol, sharp := tolerance(1000); !sharp || tol != coarse {
		t.Errorf("1000 units: %g, %v", tol, sharp)
	}
	if tol, sharp := tolerance(1 << 27); !sharp || tol >= coarse {
		t.Errorf("2^27 units: %g, %v", tol, sharp)
	}
	if _, sharp := tolerance(1 << 40); sharp {
		t.Error("2^40 units are sharp")
	}
	// Infeasible above the load, at sizes without a common divisor.
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Seed: 1, Capacity: 1 << 40, Horizon: 30}))(t)
	if r := solve(t, t.Context(), in.Problem, plan.Options{Capacity: 1 << 40, NodeLimit: 500}); r.Status != model.Unknown {
		t.Errorf("%v at a capacity that doubles do not resolve", r.Status)
	}
}

func TestRefusals(t *testing.T) {
	p := overlapping(t, 20, 1)
	for _, c := range []struct{ key, value, want string }{
		{"formulation", "x", "planner milp: parameter formulation"},
		{"engine", "x", "planner milp: parameter engine"},
		{"max-pairs", "0", "planner milp: parameter max-pairs"},
		{"max-pairs", "10", "more than 10 conflicting pairs"},
		{"lp", filepath.Join(t.TempDir(), "no", "such", "folder.lp"), "planner milp: parameter lp"},
	} {
		_, err := planner{}.Plan(t.Context(), timeline.New(p),
			plan.Options{Capacity: 1 << 20, Params: map[string]string{c.key: c.value}, Without: []string{"partitions"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v", c.key, c.value, err)
		}
	}
}

func TestLPFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.lp")
	p := gen.MiniMalloc()
	p.Buffers[1].Alignment = 8
	at := int64(0)
	p.Buffers[4].Fixed = &at
	solve(t, t.Context(), p, plan.Options{Capacity: 16, Params: map[string]string{"lp": path}})
	got := must.Get(os.ReadFile(path))(t)
	want := `\ 5 buffers, 6 pairs, within 4 units of 4
\ p0 is buffer "b1"
\ p1 is buffer "b3"
\ p2 is buffer "b5"
\ p3 is buffer "b2", in multiples of 2
\ p4 is buffer "b4"
Minimize
 obj: 0 p0
Subject To
 r0: + 1 b0 + 1 c0 = 1
 r1: + 1 p1 - 1 p0 + 4 b0 >= 1
 r2: + 1 p0 - 1 p1 + 4 c0 >= 1
`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("got:\n%s\nwant it to begin with:\n%s", got, want)
	}
	for _, line := range []string{" 0 <= p2 <= 0\n", "Binaries\n p3\n", "\nEnd\n"} {
		if !strings.Contains(string(got), line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
}

// A solve that nobody waits for ends at its next look at the clock, and one that HiGHS aborts is a limit.
func TestAbandoned(t *testing.T) {
	if err := load(context.Background(), defaultCache()); err != nil {
		t.Fatal(err)
	}
	p := overlapping(t, 45, 1)
	tl := timeline.New(p)
	e, err := pairwise.Encode(run.NewWatch(t.Context()), tl, tl.Partitions[0].Buffers, pairwise.DefaultMaxPairs)
	if err != nil {
		t.Fatal(err)
	}
	f := build(e, tl.LowerBound*2, tl.LowerBound, true, false)
	h := &host{limit: t.Context()}
	h.abandoned.Store(true)
	pace.Within(t, 10*time.Second, "a session that was abandoned", func() {
		_, err = runSession(context.WithValue(t.Context(), hostKey{}, h), f, limits{tolerance: coarse})
	})
	if !errors.Is(err, errAborted) {
		t.Error(err)
	}
}

// Many solves at once share the compiled module and nothing else.
func TestConcurrent(t *testing.T) {
	want := solve(t, t.Context(), overlapping(t, 13, 4), plan.Options{})
	for k := range 4 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			if r := solve(t, t.Context(), overlapping(t, 13, 4), plan.Options{}); r.Height != want.Height ||
				fmt.Sprint(r.Offsets) != fmt.Sprint(want.Offsets) {
				t.Errorf("%v, want %v", r, want)
			}
		})
	}
}

// A partition in units of 5 does not lift the bound of one in units of 1. The place of a buffer that is never active does
// not count.
func TestUnitsOfPartitions(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 1, Size: 13},
		{ID: "b", Lower: 1, Upper: 2, Size: 5},
		{ID: "c", Lower: 1, Upper: 2, Size: 5},
		{ID: "d", Lower: 2, Upper: 3, Size: 7},
	}}
	if r := solve(t, t.Context(), p, plan.Options{Start: []int64{0, 3, 17, 8}}); r.Status != model.Optimal ||
		r.Height != 13 {
		t.Errorf("%v, height %d, bound %d", r.Status, r.Height, r.LowerBound)
	}
	p = &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 1, Size: 2}, {ID: "n", Upper: 1, Size: 2, Gaps: []model.Gap{{Upper: 1}}},
	}}
	if r := solve(t, t.Context(), p, plan.Options{Start: []int64{0, 2}}); r.Status != model.Optimal || r.Height != 2 {
		t.Errorf("%v, height %d, bound %d", r.Status, r.Height, r.LowerBound)
	}
}
