package climb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// must plans p and checks the plan.
func must(t testing.TB, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	return plantest.Must(t, (&Planner{}), p, o)
}

// random returns n buffers with n/2 to n times to live in.
func random(seed uint64, n int) *model.Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &model.Problem{Name: fmt.Sprintf("random %d", seed)}
	for i := range n {
		lower := rng.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(1+rng.Int64N(int64(n)/2)), Size: 100 + rng.Int64N(400),
		})
	}
	return p
}

// all techniques but the named one.
func only(name string) []string {
	var without []string
	for _, t := range (&Planner{}).Info().Techniques {
		if t.Name != name {
			without = append(without, t.Name)
		}
	}
	return without
}

// With every feature of the model and each technique alone, or all, plans are valid. They are never below the optimum
// and mostly at it. A plan is found if and only if one exists.
func TestAgainstOracle(t *testing.T) {
	seeds := plantest.Share[uint64](900, 400, 200)
	techniques := (&Planner{}).Info().Techniques
	plantest.Plans(t, &Planner{}, seeds, 0.8, func(seed uint64) plan.Options {
		o := plan.Options{Seed: seed, NodeLimit: 20000}
		if k := int(seed) % (len(techniques) + 1); k < len(techniques) {
			o.Without = only(techniques[k].Name)
		}
		return o
	})
}

// Each technique alone lowers plans that the heuristics leave above the bound.
func TestEachTechniqueHelps(t *testing.T) {
	for _, name := range []string{"core", "mend", "critical"} {
		helped := 0
		for seed := range uint64(12) {
			p := random(seed, 90)
			tl := timeline.New(p)
			_, height, _ := greedy.Best(context.Background(), tl, 0)
			r := must(t, p, plan.Options{Seed: seed, NodeLimit: 1 << 20, Without: only(name)})
			if r.Height > height {
				t.Fatalf("%s, seed %d: %d is above the heuristics' %d", name, seed, r.Height, height)
			}
			if r.Height < height {
				helped++
			}
		}
		if helped < 3 {
			t.Errorf("%s helps with %d of 12", name, helped)
		}
	}
}

// The incremental state is right: the offsets are first fit's in the order. A chain leads from the top down, each
// link on the next, to a buffer that rests on none.
func TestReorder(t *testing.T) {
	ends := 0
	for seed := range uint64(40) {
		p := random(seed, 80)
		if seed%4 > 0 {
			var err error
			p, err = gen.Generate("random", gen.Options{Buffers: 60, Horizon: 50, Alignment: int64(seed % 4), Gaps: 0.4, Windows: 0.5, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
		}
		tl := timeline.New(p)
		w := begun(t, tl, plan.Options{Seed: seed})
		for range 30 {
			w.reorder(w.best, 0, w.taken+1)
			c := &w.critical
			if want, _ := place.Place(nil, tl, c.order, place.FirstFit); !slices.Equal(want, c.offsets) || c.height != model.HeightOf(p, want) {
				t.Fatalf("seed %d: the order placed anew is %d high, not %d", seed, model.HeightOf(p, want), c.height)
			}
			at := c.height
			for k, place := range c.chain {
				i := int(c.order[place])
				if k == 0 && c.offsets[i]+p.Buffers[i].Size != at {
					t.Fatalf("seed %d: the chain begins at %d of %d", seed, c.offsets[i]+p.Buffers[i].Size, at)
				}
				if k > 0 && (c.offsets[i] >= at || !tl.Overlaps(i, int(c.order[c.chain[k-1]]))) {
					t.Fatalf("seed %d: nothing rests on link %d", seed, k)
				}
				at = c.offsets[i]
			}
			if at == 0 {
				ends++
			} else if !tl.HasGaps() {
				t.Fatalf("seed %d: the chain ends at %d", seed, at)
			}
		}
	}
	if ends < 1000 {
		t.Errorf("%d of 1,200 chains lead to the ground", ends)
	}
}

// begun is a worker that starts from first fit.
func begun(t testing.TB, tl *timeline.Timeline, o plan.Options) *worker {
	s := &search{ctx: context.Background(), watch: run.NewWatch(context.Background()), tl: tl, o: &o}
	if err := run.Bind("climb", &o, &s.sw); err != nil {
		t.Fatal(err)
	}
	s.best, _ = place.Place(nil, tl, nil, place.FirstFit)
	return s.worker(1)
}

// TestFewBuffers wants problems of few buffers to end soon, at the lowest height: with and
// without limits, as far as there are no windows.
func TestFewBuffers(t *testing.T) {
	six := &model.Problem{Buffers: []model.Buffer{
		{ID: "b0", Upper: 3, Size: 15},
		{ID: "b1", Upper: 2, Size: 10},
		{ID: "b2", Lower: 2, Upper: 3, Size: 2},
		{ID: "b3", Lower: 2, Upper: 3, Size: 3},
		{ID: "b4", Upper: 3, Size: 14, Fixed: new(int64)},
		{ID: "b5", Lower: 1, Upper: 2, Size: 12},
	}}
	*six.Buffers[4].Fixed = 19
	if r := must(t, six, plan.Options{}); r.Height != 55 || r.Stats.Nodes > 6*720+6 {
		t.Errorf("height %d after %d steps", r.Height, r.Stats.Nodes)
	}
	above, problems := 0, 0
	for seed := range uint64(plantest.Share(3000, 1500, 600)) {
		p := drawn.Wide(seed)
		best, _, ok := oracle.Lowest(p)
		if n := len(p.Buffers); !ok || n < 2 || n > allOrders {
			continue
		}
		problems++
		for _, o := range []plan.Options{{}, {NodeLimit: 1 << 40}, {Timeout: time.Hour, Workers: 3}} {
			r := must(t, p, o)
			windows := slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.HasWindow() })
			if r.Height > best && !windows {
				t.Errorf("seed %d: %d is above %d", seed, r.Height, best)
			}
			if r.Height > timeline.New(p).LowerBound {
				above++
			}
			if r.Stats.Nodes > 7*5041 {
				t.Errorf("seed %d: %d steps", seed, r.Stats.Nodes)
			}
		}
	}
	if problems < 100 || above < 20 {
		t.Errorf("%d problems, %d above the bound", problems, above)
	}
	r := must(t, six, plan.Options{NodeLimit: 100})
	if r.Stats.Nodes > 100 {
		t.Errorf("%d steps of 100", r.Stats.Nodes)
	}
}

func TestDeterministic(t *testing.T) {
	p := random(7, 200)
	o := plan.Options{Seed: 3, NodeLimit: 3 << 20}
	a, b := must(t, p, o), must(t, p, o)
	if !slices.Equal(a.Offsets, b.Offsets) || a.Stats.Nodes != b.Stats.Nodes {
		t.Errorf("two runs differ: %d in %d nodes, %d in %d", a.Height, a.Stats.Nodes, b.Height, b.Stats.Nodes)
	}
}

// A run without limits ends; one with workers, a start or a capacity is valid.
func TestOptions(t *testing.T) {
	p := random(8, 60)
	free := must(t, p, plan.Options{Params: map[string]string{"patience": "3"}})
	if r := must(t, p, plan.Options{Start: free.Offsets, NodeLimit: 1}); r.Height > free.Height {
		t.Errorf("%d from a start of %d", r.Height, free.Height)
	}
	must(t, p, plan.Options{Workers: 3, NodeLimit: 1 << 18})
	if r := must(t, p, plan.Options{Capacity: 2 * free.Height}); r.Stats.Nodes != 60 {
		t.Errorf("%d nodes, though the first plan fits", r.Stats.Nodes)
	}
	if free.Status != model.Optimal {
		if r := must(t, p, plan.Options{Capacity: free.LowerBound, NodeLimit: 1 << 16}); r.Status == model.Infeasible {
			t.Error("a limit is reported as infeasible")
		}
	}
	pace.Within(t, 3*time.Second, "a timeout of 100 ms", func() { must(t, random(9, 400), plan.Options{Timeout: 100 * time.Millisecond}) })
	bad := plan.Options{Params: map[string]string{"random": "101", "core-nodes": "-1", "patience": "-1"}}
	_, err := (&Planner{}).Plan(context.Background(), timeline.New(p), bad)
	if err == nil {
		t.Fatal("bad parameters are taken")
	}
	for name := range bad.Params {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}

// The public instances, with a limit on steps and not on time: pangu_2.6B and
// six of A–K end at the load, and all far under the heuristics.
func TestPublicInstances(t *testing.T) {
	if p := plantest.Load(t, "idealloc/pangu_2.6B.csv"); true {
		if r := must(t, p, plan.Options{NodeLimit: 1 << 22}); r.Status != model.Optimal {
			t.Errorf("pangu_2.6B: %v at %d over %d", r.Status, r.Height, r.LowerBound)
		}
	}
	product := 1.0
	names := "GJACDEIBFHK"[:plantest.Share(11, 11, 2)]
	for _, name := range names {
		p := plantest.Load(t, "challenging/"+string(name)+".1048576.csv")
		r := must(t, p, plan.Options{NodeLimit: 3 << 20})
		product *= float64(r.Height) / float64(r.LowerBound)
	}
	if mean := math.Pow(product, 1/float64(len(names))); mean > 1.05 {
		t.Errorf("A to K: %.4f of the load in the mean; greedy's orders reach 1.096", mean)
	}
}

func BenchmarkMove(b *testing.B) {
	for _, name := range []string{"challenging/A.1048576.csv", "challenging/K.1048576.csv", "idealloc/S_1.csv"} {
		b.Run(name, func(b *testing.B) {
			w := begun(b, timeline.New(plantest.Load(b, name)), plan.Options{})
			for b.Loop() {
				w.reorder(w.best, 0, w.taken+1)
			}
		})
	}
}

// Cores alone end training graphs at their load that sweeps from the peak leave above it.
func TestCoresEndTrainingGraphs(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		buffers int
	}{{13, 10000}, {11, 20000}, {7, 30000}}[:plantest.Share(3, 1)] {
		seed := c.seed
		p, err := gen.Generate("training", gen.Options{Buffers: c.buffers, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		tl := timeline.New(p)
		w := run.NewWatch(context.Background())
		s, _ := greedy.NewSweeper(w, tl)
		if s.FromPeaks(tl.LowerBound); s.Height() == tl.LowerBound {
			t.Errorf("seed %d: at the load without a core", seed)
		}
		w.Close()
		if r := must(t, p, plan.Options{Without: only("core"), NodeLimit: 1 << 21}); r.Status != model.Optimal {
			t.Errorf("seed %d: %d, the load is %d, after %d steps", seed, r.Height, r.LowerBound, r.Stats.Nodes)
		}
	}
}

// TestSweeps: with the sweeper of the heuristics the steps and the plan are the same. It is lent once no row is left.
func TestSweeps(t *testing.T) {
	lowered := 0
	for seed := range plantest.Share[uint64](8, 3) {
		p, err := gen.Generate("training", gen.Options{Buffers: 10000, Seed: 10 + seed})
		if err != nil {
			t.Fatal(err)
		}
		tl := timeline.New(p)
		first := greedy.NewPortfolio(t.Context(), tl, 0)
		lent := first.Lend()
		if lent == nil {
			if first.Height <= thresholds.Within(tl.LowerBound, thresholds.CloseBy) {
				t.Errorf("seed %d: the plan is near, and the sweeper is not lent", seed)
			}
			continue
		}
		o := plan.Options{Start: first.Offsets, NodeLimit: 1 << 20}
		var r [2]plan.Result
		for k, planner := range []*Planner{{Cores: true}, {Cores: true, Sweeps: lent}} {
			if r[k], err = planner.Plan(t.Context(), tl, o); err != nil {
				t.Fatal(err)
			}
		}
		if r[0].Height != r[1].Height || r[0].Stats.Nodes != r[1].Stats.Nodes || !slices.Equal(r[0].Offsets, r[1].Offsets) {
			t.Errorf("seed %d: %d after %d steps, with the sweeper lent %d after %d", seed, r[0].Height, r[0].Stats.Nodes,
				r[1].Height, r[1].Stats.Nodes)
		}
		if r[1].Height < first.Height {
			lowered++
		}
	}
	if lowered == 0 {
		t.Error("no plan was lowered")
	}
	few := timeline.New(plantest.Mixed(2 * thresholds.LargeAbove))
	if greedy.NewPortfolio(t.Context(), few, 0).Lend() != nil {
		t.Error("lent while rows are left")
	}
}
