package rectpack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

var planners = map[string]run.Planner{"csp": csp{}, "meta-csp": metaCSP{}}

// solve runs a planner by name.
func solve(t testing.TB, name string, p *model.Problem, o plan.Options) (plan.Result, error) {
	t.Helper()
	return plantest.Try(t, context.Background(), planners[name], timeline.New(p), o)
}

// switched draws a combination of a planner's switches.
func switched(name string, rng *rand.Rand) plan.Options {
	o := plan.Options{Without: plantest.Without(planners[name], rng, 2)}
	if name == "meta-csp" && rng.IntN(2) == 0 {
		o.Params = map[string]string{"order": "size"}
	}
	return o
}

func windowed(p *model.Problem) bool {
	return slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool {
		return slices.ContainsFunc(b.Gaps, func(g model.Gap) bool {
			return g.Window != nil && (g.Window.Lower != 0 || g.Window.Upper != b.Size)
		})
	})
}

// agree compares the planners with a known least height, with random switches.
func agree(t *testing.T, rng *rand.Rand, p *model.Problem, height int64, exists bool, seen map[string]int) {
	t.Helper()
	for name := range planners {
		o := switched(name, rng)
		r, err := solve(t, name, p, o)
		if err != nil {
			if name != "csp" || !windowed(p) || !strings.Contains(err.Error(), "planner csp cannot honour gaps with windows") {
				t.Fatalf("%s: %v", p.Name, err)
			}
			seen["csp refuses"]++
			continue
		}
		if name == "csp" && windowed(p) {
			t.Fatalf("%s: csp took windows", p.Name)
		}
		if !exists {
			if r.Status != model.Infeasible {
				t.Fatalf("%s, %s, %+v: %v, but fixed offsets collide", name, p.Name, o, r.Status)
			}
			continue
		}
		if r.Status != model.Optimal || r.Height != height {
			t.Fatalf("%s, %s, %+v: %v, height %d; want %d", name, p.Name, o, r.Status, r.Height, height)
		}
		for _, capacity := range []int64{height, height - 1} {
			if capacity < 1 {
				continue
			}
			o := switched(name, rng)
			o.Capacity, o.Minimize = capacity, rng.IntN(3) == 0
			r := must.Get(solve(t, name, p, o))(t)
			seen[name+" "+r.Status.String()]++
			if r.Status.HasPlan() != (capacity == height) || r.Status == model.Unknown {
				t.Fatalf("%s, %s, capacity %d, %+v: %v; the least height is %d", name, p.Name, capacity, o, r.Status, height)
			}
		}
	}
}

func TestAgreesWithOracle(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2500) {
		p := drawn.Tiny(seed)
		height, _, ok := oracle.MinHeight(p)
		agree(t, rand.New(rand.NewPCG(seed, 1)), p, height, ok, seen)
	}
	for _, want := range []string{"csp refuses", "csp infeasible", "meta-csp infeasible"} {
		if seen[want] < 200 {
			t.Errorf("one-sided: %v", seen)
		}
	}
}

// Plain problems have all dominance rules at work; with few sizes and a small
// grid, twins and mirror images are everywhere, and the load is often too low.
func TestAgreesOnPlain(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(700) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := small(rng, 5+rng.IntN(4))
		height, _, _ := oracle.MinHeight(p)
		agree(t, rng, p, height, true, seen)
	}
}

// small draws a plain problem with few sizes, some of them without small sums.
func small(rng *rand.Rand, n int) *model.Problem {
	sizes := [][]int64{{1, 2, 3, 4}, {6, 10, 15}, {3, 5}, {4, 7, 9}}[rng.IntN(4)]
	p := &model.Problem{Name: fmt.Sprint("plain ", rng.Int64N(1e6))}
	for i := range n {
		b := model.Buffer{ID: fmt.Sprint(i), Lower: rng.Int64N(7), Size: sizes[rng.IntN(len(sizes))]}
		b.Upper = b.Lower + 1 + rng.Int64N(5)
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// These have room for the load and for no plan, so the search itself refutes.
func TestRefutes(t *testing.T) {
	for name := range planners {
		refuted := 0
		for seed := range uint64(20) {
			in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Seed: seed, Capacity: 30, Horizon: 30}))(t)
			o := switched(name, rand.New(rand.NewPCG(seed, 3)))
			o.Capacity, o.NodeLimit = in.Problem.Capacity, 300_000
			r := must.Get(solve(t, name, in.Problem, o))(t)
			switch r.Status {
			case model.Infeasible:
				refuted++
			case model.Feasible, model.Optimal:
				t.Fatalf("%s, seed %d: %v", name, seed, r.Status)
			}
		}
		if refuted < 15 {
			t.Errorf("%s: refuted %d of 20", name, refuted)
		}
	}
}

func TestLimits(t *testing.T) {
	in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 60, Seed: 1}))(t)
	p := must.Get(gen.Generate("high-overlap", gen.Options{Buffers: 40, Seed: 3}))(t)
	for name, planner := range planners {
		a, _ := solve(t, name, p, plan.Options{NodeLimit: 2000})
		b, _ := solve(t, name, p, plan.Options{NodeLimit: 2000})
		if fmt.Sprint(a.Offsets, a.Stats.Nodes) != fmt.Sprint(b.Offsets, b.Stats.Nodes) || a.Stats.Nodes > 2000 ||
			!a.Status.HasPlan() {
			t.Errorf("%s: %v, %d nodes; %v, %d nodes", name, a.Status, a.Stats.Nodes, b.Status, b.Stats.Nodes)
		}
		o := plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 50}
		if r, _ := solve(t, name, in.Problem, o); r.Status != model.Unknown || r.Stats.Nodes > 50 {
			t.Errorf("%s: %v after %d nodes of 50", name, r.Status, r.Stats.Nodes)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r, err := run.Run(ctx, planner, timeline.New(in.Problem), plan.Options{Capacity: in.Problem.Capacity})
		if err != nil || r.Status == model.Infeasible || r.Stats.Nodes > 1000 {
			t.Errorf("%s with a context that has ended: %v, %d nodes, %v", name, r.Status, r.Stats.Nodes, err)
		}
	}
}

// Each technique saves nodes somewhere; one that never did would be dead code.
// Refutations have to go through the whole tree, so most of them are here.
func TestTechniquesMatter(t *testing.T) {
	for name, planner := range planners {
		for _, technique := range planner.Info().Techniques {
			var off []string
			switch technique.Name {
			case "start":
				continue // TestStart
			case "subsumption":
				// Forward checking forces what is implied, since the other side is then dead.
				off = []string{"forward-checking"}
			}
			matters := false
			for seed := uint64(0); seed < 60 && !matters; seed++ {
				p := small(rand.New(rand.NewPCG(seed, 4)), 12)
				capacity := timeline.New(p).LowerBound
				if seed%2 == 1 {
					in, err := gen.New("infeasible", gen.Options{Buffers: 9 + int(seed)%4, Seed: seed, Capacity: 60, Horizon: 30})
					if err != nil {
						t.Fatal(err)
					}
					p, capacity = in.Problem, in.Problem.Capacity
				}
				o := plan.Options{Capacity: capacity, NodeLimit: 20_000, Without: off}
				with, _ := solve(t, name, p, o)
				o.Without = append([]string{technique.Name}, off...)
				without, _ := solve(t, name, p, o)
				matters = with.Stats.Nodes < without.Stats.Nodes
			}
			if !matters {
				t.Errorf("%s: %s saves no node on any problem", name, technique.Name)
			}
		}
	}
}

// The plan of the heuristics is what minimising begins with, and is kept.
func TestStart(t *testing.T) {
	p := must.Get(gen.Generate("high-overlap", gen.Options{Buffers: 40, Seed: 3}))(t)
	for name := range planners {
		with, _ := solve(t, name, p, plan.Options{NodeLimit: 1})
		without, _ := solve(t, name, p, plan.Options{NodeLimit: 1, Without: []string{"start"}})
		if !with.Status.HasPlan() || without.Status.HasPlan() {
			t.Errorf("%s after one node: %v with a start, %v without", name, with.Status, without.Status)
		}
	}
}

func TestRefusals(t *testing.T) {
	p, err := gen.Generate("full-overlap", gen.Options{Buffers: maxNodes})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solve(t, "meta-csp", p, plan.Options{Capacity: 1 << 30}); err == nil ||
		!strings.Contains(err.Error(), "takes at most 4095 buffers") {
		t.Errorf("%d buffers at once: %v", maxNodes, err)
	}
	_, err = metaCSP{}.Plan(context.Background(), timeline.New(gen.Wave()),
		plan.Options{Params: map[string]string{"order": "x"}})
	if err == nil || !strings.Contains(err.Error(), "planner meta-csp: parameter order") {
		t.Errorf("order=x: %v", err)
	}
}

// Cut-up rectangles have a plan, and often hardly any other: an inference that cuts too much calls them infeasible.
func TestNeverRefutesWhatFits(t *testing.T) {
	found, runs := 0, 0
	for seed := range plantest.Share[uint64](1200, 400) {
		rng := rand.New(rand.NewPCG(seed, 11))
		kind := []string{"perfect", "pinwheel", "synthetic"}[rng.IntN(3)]
		in := must.Get(gen.New(kind, gen.Options{
			Buffers: 6 + rng.IntN(9), Seed: seed, Capacity: 14 + rng.Int64N(20), Horizon: 14 + rng.Int64N(20),
		}))(t)
		for name := range planners {
			o := switched(name, rng)
			o.Capacity, o.NodeLimit = in.Problem.Capacity, 10_000
			r := must.Get(solve(t, name, in.Problem, o))(t)
			if r.Status == model.Infeasible {
				t.Fatalf("%s, %s, %+v: infeasible", name, in.Problem.Name, o)
			}
			runs++
			if r.Status.HasPlan() {
				found++
			}
		}
	}
	if found < runs*8/10 {
		t.Errorf("found a plan in %d of %d runs", found, runs)
	}
}

// Limits fall at every look of problems that have shown a false word or no end: a collision of fixed offsets that was
// passed over, and a buffer that slid within another for ever.
func TestEveryLook(t *testing.T) {
	for _, seed := range []uint64{300, 643} {
		p := drawn.Wide(seed)
		tl := timeline.New(p)
		for look := range int64(400) {
			for _, capacity := range []int64{0, 398, 1 << 20} {
				o := plan.Options{Capacity: capacity, NodeLimit: 5000, Without: []string{"forward-checking"}}
				r := must.Get(run.Run(run.EndAtLook(t.Context(), look), csp{}, tl, o))(t)
				if r.Status.HasPlan() {
					if report := verify.Check(p, r.Offsets, capacity); !report.OK() {
						t.Fatalf("seed %d, look %d, capacity %d: %v", seed, look, capacity, report.Violations)
					}
				}
			}
		}
	}
}
