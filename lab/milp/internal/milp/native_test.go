package milp

import (
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestNative compares the commands that are there with the oracle.
func TestNative(t *testing.T) {
	plantest.Nightly(t)
	var engines []string
	for _, engine := range []string{"highs", "cbc"} {
		if _, err := exec.LookPath(engine); err == nil {
			engines = append(engines, engine)
		}
	}
	if engines == nil {
		t.Skip("no command highs or cbc is on the PATH (coinor-cbc in Debian)")
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			for seed := range plantest.Share[uint64](60, 20) {
				p := drawn.Tiny(seed)
				height, _, ok := oracle.MinHeight(p)
				if !ok || height < 2 {
					continue
				}
				o := switched(rand.New(rand.NewPCG(seed, 7)))
				o.Params["engine"] = engine
				if r := solve(t, t.Context(), p, o); r.Status != model.Optimal || r.Height != height {
					t.Fatalf("seed %d, %+v: %v, height %d; want %d", seed, o, r.Status, r.Height, height)
				}
				for _, capacity := range []int64{height, height - 1} {
					o.Capacity = capacity
					if r := solve(t, t.Context(), p, o); r.Status.HasPlan() != (capacity == height) || r.Status == model.Unknown {
						t.Fatalf("seed %d, %+v: %v; the least height is %d", seed, o, r.Status, height)
					}
				}
			}
			var r plan.Result
			pace.Late(t, 700*time.Millisecond, 2*grace, engine, func() {
				r = solve(t, t.Context(), overlapping(t, 45, 1),
					plan.Options{Timeout: 700 * time.Millisecond, Params: map[string]string{"engine": engine}})
			})
			if !r.Status.HasPlan() {
				t.Errorf("at the limit: %v", r.Status)
			}
		})
	}
}

func TestNoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for engine, want := range map[string]string{"highs": "no command highs is", "native": "no command highs or cbc is"} {
		_, err := planner{}.Plan(t.Context(), timeline.New(gen.Wave()),
			plan.Options{Params: map[string]string{"engine": engine}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("engine=%s: %v", engine, err)
		}
	}
}

// Solution files as HiGHS 1.15 and CBC 2.10 write them.
func TestReadHiGHS(t *testing.T) {
	names := []string{"p0", "b0", "h"}
	for _, c := range []struct {
		text    string
		verdict verdict
		values  []float64
		fails   bool
	}{
		{"Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 4\n# Columns 3\np0 2\nb0 1\nh 4\n# Rows 1\nr0 1\n\n# Dual solution values\nNone\n", optimal, []float64{2, 1, 4}, false},
		{"Model status\nTime limit reached\n\n# Primal solution values\nFeasible\nObjective 5\n# Columns 3\np0 0\nb0 0\nh 5e+00\n", feasible, []float64{0, 0, 5}, false},
		{"Model status\nTime limit reached\n\n# Primal solution values\nNone\n", undecided, nil, false},
		{"Model status\nInfeasible\n\n# Primal solution values\nNone\n", infeasible, nil, false},
		{"Model status\nOptimal\n\n# Primal solution values\nFeasible\n# Columns 1\nx 2\n", undecided, nil, true},
		{"", undecided, nil, true},
	} {
		a, err := readHiGHS(strings.NewReader(c.text), names)
		if (err != nil) != c.fails || a.verdict != c.verdict || !slices.Equal(a.values, c.values) {
			t.Errorf("%q: %v %v, %v", c.text, a.verdict, a.values, err)
		}
	}
	a := answer{bound: math.Inf(-1)}
	a.scan("Solving report\n  Status            Optimal\n  Primal bound      13\n  Dual bound        12.5\n  Nodes             17\n")
	if a.bound != 12.5 || a.nodes != 17 {
		t.Errorf("bound %g, %d nodes", a.bound, a.nodes)
	}
}

func TestReadCBC(t *testing.T) {
	names := []string{"p0", "b0", "h"}
	for _, c := range []struct {
		text    string
		verdict verdict
		values  []float64
		bound   float64
	}{
		{"Optimal - objective value 4.00000000\n      0 p0                     2                       0\n**    2 h                      4                       1\n", optimal, []float64{2, 0, 4}, 4 - gap},
		{"Stopped on time - objective value 5.00000000\n      2 h   5   1\n", feasible, []float64{0, 0, 5}, math.Inf(-1)},
		{"Stopped on time (no integer solution - continuous used) - objective value 3.5\n      2 h   3.5   1\n", undecided, nil, math.Inf(-1)},
		{"Infeasible - objective value 0.00000000\n      2 h   3   1\n", infeasible, nil, math.Inf(-1)},
	} {
		a, err := readCBC(strings.NewReader(c.text), names)
		if err != nil || a.verdict != c.verdict || !slices.Equal(a.values, c.values) || a.bound != c.bound {
			t.Errorf("%q: %v %v %g, %v", c.text, a.verdict, a.values, a.bound, err)
		}
	}
	for _, text := range []string{"", "Cheerful - objective value 1\n", "Optimal - objective value 1\n 0 x 1 0\n"} {
		if _, err := readCBC(strings.NewReader(text), names); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
