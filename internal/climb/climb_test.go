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

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/plantest"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
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

// With every feature of the model and each technique alone, or all: plans are
// valid, no lower than the optimum, mostly at it, and there is one exactly
// where one exists.
func TestAgainstOracle(t *testing.T) {
	seeds := uint64(900)
	if testing.Short() {
		seeds = 200
	}
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
	for _, name := range []string{"core", "critical", "window"} {
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

// Checkpoints change the speed and nothing else.
func TestResume(t *testing.T) {
	for seed := range uint64(6) {
		p := random(seed, 150)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 1 << (i % 6)
		}
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 2))
		var sw settings
		if err := run.Bind("climb", &plan.Options{}, &sw); err != nil {
			t.Fatal(err)
		}
		c := newCritical(tl, rng, sw)
		first, _ := place.Place(nil, tl, nil, place.FirstFit)
		if c.decode.now == nil || !c.begin(endless(), first) {
			t.Fatal("the list is not in use")
		}
		whole := newDecoder(tl, false)
		for range 300 {
			before := c.decode.steps
			c.run(endless(), 0, 1)
			if c.decode.steps == before {
				t.Fatal("no move")
			}
			want := make([]int64, len(p.Buffers))
			height, ok := whole.decode(endless(), c.order, 0, want, unlimited)
			if !ok || height != c.height || !slices.Equal(want, c.offsets) {
				t.Fatalf("seed %d: height %d, decoded afresh %d", seed, c.height, height)
			}
			if tree, _ := place.Place(nil, tl, c.order, place.FirstFit); !slices.Equal(tree, want) {
				t.Fatalf("seed %d: the list and the tree differ", seed)
			}
		}
	}
}

// A chain adds up to the height, links rest on one another, and blocks are live
// at one moment.
func TestChain(t *testing.T) {
	borders := 0
	for seed := range uint64(60) {
		p := random(seed, 80)
		tl := timeline.New(p)
		offsets, _ := place.Place(nil, tl, nil, place.FirstFit)
		height := model.HeightOf(p, offsets)
		c := newChain(tl, rand.New(rand.NewPCG(seed, 3)))
		c.trace(offsets, height)
		var sum int64
		for k, i := range c.links {
			sum += p.Buffers[i].Size
			if k+1 < len(c.links) {
				j := c.links[k+1]
				if !tl.Overlaps(int(i), int(j)) || offsets[j]+p.Buffers[j].Size != offsets[i] {
					t.Fatalf("seed %d: %d does not rest on %d", seed, i, j)
				}
			}
		}
		if sum != height {
			t.Fatalf("seed %d: the chain is %d high, the plan %d", seed, sum, height)
		}
		borders += len(c.borders)
		from := 0
		for _, to := range append(slices.Clone(c.borders), len(c.links)) {
			first, last := int32(0), int32(math.MaxInt32)
			for _, i := range c.links[from:to] {
				f, l := tl.Extent(int(i))
				first, last = max(first, f), min(last, l)
			}
			if first >= last {
				t.Fatalf("seed %d: a block that is never live at once", seed)
			}
			from = to
		}
		if height > tl.LowerBound && len(c.borders) == 0 {
			t.Fatalf("seed %d: one block, yet above the load", seed)
		}
	}
	if borders == 0 {
		t.Error("no chain has a border")
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
	must(t, p, plan.Options{Workers: 3, Timeout: 200 * time.Millisecond})
	if r := must(t, p, plan.Options{Capacity: 2 * free.Height}); r.Stats.Nodes != 60 {
		t.Errorf("%d nodes, though the first plan fits", r.Stats.Nodes)
	}
	if free.Status != model.Optimal {
		if r := must(t, p, plan.Options{Capacity: free.LowerBound, NodeLimit: 1 << 16}); r.Status == model.Infeasible {
			t.Error("a limit is reported as infeasible")
		}
	}
	start := time.Now()
	must(t, random(9, 400), plan.Options{Timeout: 100 * time.Millisecond})
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("a timeout of 100 ms took %v", d)
	}
	bad := plan.Options{Params: map[string]string{"random": "101", "width": "x", "window-nodes": "-1", "patience": "-1"}}
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
	for _, name := range "ABCDEFGHIJK" {
		p := plantest.Load(t, "challenging/"+string(name)+".1048576.csv")
		r := must(t, p, plan.Options{NodeLimit: 3 << 20})
		product *= float64(r.Height) / float64(r.LowerBound)
	}
	if mean := math.Pow(product, 1.0/11); mean > 1.05 {
		t.Errorf("A to K: %.4f of the load in the mean; greedy's orders reach 1.096", mean)
	}
}

func BenchmarkMove(b *testing.B) {
	for _, name := range []string{"challenging/A.1048576.csv", "challenging/K.1048576.csv", "idealloc/S_1.csv"} {
		for _, without := range [][]string{nil, {"resume"}} {
			b.Run(name+fmt.Sprint(without), func(b *testing.B) {
				tl := timeline.New(plantest.Load(b, name))
				var sw settings
				if err := run.Bind("climb", &plan.Options{Without: without}, &sw); err != nil {
					b.Fatal(err)
				}
				c := newCritical(tl, rand.New(rand.NewPCG(1, 1)), sw)
				offsets, _, _ := greedy.Best(context.Background(), tl, 0)
				c.begin(endless(), offsets)
				for b.Loop() {
					c.run(endless(), 0, 1)
				}
			})
		}
	}
}

// endless is a limit that never comes.
func endless() limit { return limit{context.Background(), run.NewWatch(context.Background())} }

// Cores alone end training graphs at their load that sweeps from the peak leave above it.
func TestCoresEndTrainingGraphs(t *testing.T) {
	for seed, buffers := range map[uint64]int{11: 20000, 13: 10000, 7: 30000} {
		p, err := suite.Generate("training", suite.Options{Buffers: buffers, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		tl := timeline.New(p)
		w := run.NewWatch(context.Background())
		if _, height := greedy.NewOutward(w, tl, nil).First(tl.LowerBound); height == tl.LowerBound {
			t.Errorf("seed %d: at the load without a core", seed)
		}
		w.Close()
		if r := must(t, p, plan.Options{Without: only("core"), NodeLimit: 1 << 21}); r.Status != model.Optimal {
			t.Errorf("seed %d: %d, the load is %d, after %d steps", seed, r.Height, r.LowerBound, r.Stats.Nodes)
		}
	}
}
