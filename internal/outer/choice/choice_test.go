package choice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// find returns a planner.
func find(t *testing.T, name string) run.Planner {
	t.Helper()
	known, err := plan.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return run.Prepared(known)
}

// chooserOf prepares the choice of a problem; ok is false if loads or pools alone leave no plan.
func chooserOf(p *model.Problem, planner run.Planner) (c *chooser, ok bool) {
	s := pools.New(lower.New(p), planner, plan.Options{Minimize: true}, plan.Stats{})
	s.KeepAnswers()
	choices, why := spread.New(s.Lowering)
	if why != "" {
		return nil, false
	}
	return &chooser{Search: s, Choices: choices, planner: planner.Name(), costFirst: p.Objective()[0] == model.MeasureCost}, true
}

// never is a limit that does not come.
func never() bool { return false }

// each calls do for every assignment whose loads fit.
func (c *chooser) each(do func(of spread.Assignment)) {
	room, of := c.RoomOf(nil), make(spread.Assignment, len(c.Bodies)-c.Single)
	var descend func(k int)
	descend = func(k int) {
		if k == len(of) {
			do(of)
			return
		}
		b := &c.Bodies[c.Single+k]
		for n := range b.Pools {
			of[k] = int32(n)
			if b.Take(n, room, 1) {
				descend(k + 1)
			}
			b.Take(n, room, -1)
		}
	}
	descend(0)
}

// failing draws a problem of which the cheapest loads do not pack, and returns the first spread.Assignment and the pool.
func failing(t *testing.T, r *rand.Rand, n int) (x *packing, first spread.Assignment, failed int32) {
	t.Helper()
	for range 1_000 {
		p := drawn.Tight(r, n)
		p.Rules.Objective = []model.Measure{model.MeasureCost}
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		first, _ = c.Cheapest(context.Background(), never)
		x = &packing{chooser: c, left: mostPacked, nodes: pools.PackNodes, least: math.MaxInt64}
		failed, err := x.try(context.Background(), first)
		if err != nil {
			t.Fatal(err)
		}
		if failed >= 0 {
			return x, first, failed
		}
	}
	t.Fatal("everything packs")
	return nil, nil, 0
}

// TestPack: of problems whose cheapest loads do not pack, the cheapest plan is found and proven without branches.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 32))
	proven, cores := 0, 0
	const met = 40
	for range met {
		x, first, failed := failing(t, r, 8)
		low := x.Low
		y, err := x.coreOf(context.Background(), failed, first)
		if err != nil || !y.proven {
			t.Fatal("no core of a small problem", err)
		}
		if len(y.bodies) < len(x.Bodies)/2 {
			cores++
		}
		for k := range y.bodies {
			rest := x.membersOf(slices.Delete(slices.Clone(y.bodies), k, k+1))
			if status, err := x.Packs(context.Background(), failed, rest, pools.PackNodes); err != nil || !status.HasPlan() {
				t.Fatalf("core %v does not pack without its %d: %v", y.bodies, k, status)
			}
		}
		best := int64(math.MaxInt64)
		x.each(func(of spread.Assignment) {
			if cost := x.Cost(of); cost < best {
				members := split(x.Pools, x.PoolOf(of))[0]
				status, err := x.Packs(context.Background(), 0, members, pools.PackNodes)
				if err != nil || status == model.Unknown {
					t.Fatal(status, err)
				}
				if len(members) == 0 || status.HasPlan() {
					best = cost
				}
			}
		})
		packed, err := x.pack(context.Background(), first)
		if err != nil || packed == nil {
			t.Fatal("nothing packs", err)
		}
		if x.Cost(packed) != best || x.Low > best {
			t.Fatalf("packed %d, bound %d, best %d\n%s", x.Cost(packed), x.Low, best, drawn.DescribeRuled(x.Problem))
		}
		if x.Low == best && low < best {
			proven++
		}
	}
	t.Logf("%d proven by classes, %d cores are less than half", proven, cores)
	if proven < met/2 || cores < met/4 {
		t.Errorf("of %d, %d proven by classes, %d cores are less than half", met, proven, cores)
	}
}

// TestPackWithoutProof: each of the ways to make a set pack makes one that does.
func TestPackWithoutProof(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 33))
	evicted, back, margins := 0, 0, 0
	const met = 30
	for range met {
		x, first, failed := failing(t, r, 14)
		if err := x.evict(context.Background(), slices.Clone(first)); err != nil {
			t.Fatal(err)
		}
		if x.best != nil {
			evicted++
			result, err := x.Plan(context.Background(), x.PoolOf(x.best))
			if err != nil || !result.Status.HasPlan() || x.Cost(first) > x.least {
				t.Fatal("no plan of what packs", err)
			}
		}
		// All into the slow pool, from where many can come back.
		x.best = make(spread.Assignment, len(first))
		for k := range x.best {
			x.best[k] = int32(slices.Index(x.Bodies[x.Single+k].Pools, 1))
		}
		x.least, x.left = x.Cost(x.best), mostPacked
		slow := x.least
		if err := x.back(context.Background()); err != nil {
			t.Fatal(err)
		}
		if x.least < slow && x.Cost(x.best) == x.least {
			back++
		}
		x.best, x.least, x.left = nil, math.MaxInt64, mostPacked
		if err := x.margins(context.Background(), failed); err != nil {
			t.Fatal(err)
		}
		if x.best != nil {
			margins++
		}
	}
	t.Logf("of %d: %d by eviction, %d come back, %d by margins", met, evicted, back, margins)
	if evicted < met*3/4 || back < met*3/4 || margins == 0 {
		t.Errorf("of %d: %d by eviction, %d come back, %d by margins", met, evicted, back, margins)
	}
}

// patient is a planner that finds nothing with few nodes.
type patient struct {
	run.Planner
	most int64 // nodes that it had
}

func (p *patient) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if o.NodeLimit > 0 && o.NodeLimit < pools.MoreNodes/2 && len(tl.Problem.Buffers) > 4 {
		return plan.Result{Status: model.Unknown, Stats: plan.Stats{Nodes: 1}}, nil
	}
	p.most = max(p.most, o.NodeLimit)
	return p.Planner.Plan(ctx, tl, o)
}

// TestPackInsists: the cheapest assignment is asked about once more, with many nodes.
func TestPackInsists(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 37))
	met := 0
	for range 20 {
		p := drawn.Spilled(r, 14)
		asked := &patient{Planner: find(t, "exact")}
		c, _ := chooserOf(p, asked)
		first, _ := c.Cheapest(context.Background(), never)
		packed, err := c.pack(context.Background(), first)
		if err != nil {
			t.Fatal(err)
		}
		if packed != nil && c.Cost(packed) == c.Cost(first) && asked.most > pools.PackNodes {
			met++
		}
	}
	if met < 15 {
		t.Errorf("the cheapest is found in %d of 20", met)
	}
}

// TestBranchesEnd: with a first plan of the least cost, the search for a lower one is short.
func TestBranchesEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 38))
	branches, searched := 0, 0
	for range 20 {
		p := drawn.Tight(r, 14)
		for i := range p.Buffers {
			p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 10 * (1 + r.Int64N(4))}}}
		}
		c, _ := chooserOf(p, find(t, "exact"))
		c.costFirst = true
		got, err := c.decide(context.Background())
		if err != nil || got.Status != model.Optimal {
			t.Fatal(got.Status, err)
		}
		if c.branches > 0 {
			searched++
		}
		branches += c.branches
	}
	t.Log(branches, "branches", searched)
	if branches > 2_000 || searched < 5 {
		t.Errorf("%d branches", branches)
	}
}

// TestBranchesKeepToLoads: no assignment is planned whose loads do not fit.
func TestBranchesKeepToLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 40))
	leaves := 0
	for range 40 {
		p := drawn.Tight(r, 7)
		p.Rules.Objective = []model.Measure{model.MeasureMaxHeight}
		p.Rules.Pools[1].Capacity = p.Rules.Pools[0].Capacity
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		fit := 0
		c.each(func(spread.Assignment) { fit++ })
		c.costFirst = false
		if _, err := c.decide(context.Background()); err != nil {
			t.Fatal(err)
		}
		if leaves += c.leaves; c.leaves > fit {
			t.Fatalf("%d assignments are planned, and the loads of %d fit", c.leaves, fit)
		}
	}
	if leaves < 100 {
		t.Errorf("%d assignments are planned", leaves)
	}
}

// TestDistanceRides: a buffer that may lie over one that dies moves there at the end, either way round.
func TestDistanceRides(t *testing.T) {
	for _, moves := range []int{0, 1} {
		p := &model.Problem{Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "fast", Capacity: 8}, {ID: "slow", Cost: 1}},
			Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 0}},
		}, Buffers: []model.Buffer{{ID: "x", Size: 8, Upper: 2}, {ID: "y", Size: 8, Lower: 1, Upper: 3}}}
		c, _ := chooserOf(p, find(t, "exact"))
		of, offsets := []int32{0, 0}, []int64{0, 0}
		of[moves] = 1
		if !c.cheapen(of, offsets) || !slices.Equal(of, []int32{0, 0}) {
			t.Errorf("buffer %d stays in the slow pool", moves)
		}
	}
}

// TestFloors: 40 buffers in two pools that cost the same have 2^40 assignments. The height is proven by what is live.
func TestFloors(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}}
	for i := range int64(40) {
		b := model.Buffer{ID: strconv.FormatInt(i, 10), Size: 1 + i%7, Lower: i % 5, Upper: i%5 + 3}
		p.Buffers = append(p.Buffers, b)
	}
	c, _ := chooserOf(p, find(t, "auto"))
	r, err := c.decide(context.Background())
	if err != nil || r.Status != model.Optimal {
		t.Errorf("%v: %v, bounds %v", r.Status, r.Measures, r.Bounds)
	}
}

// TestCells: a buffer of 17 bytes at multiples of 16 takes two cells, so two of them do not fit into 48 bytes.
func TestCells(t *testing.T) {
	solve := func(capacity int64, reserved ...model.Range) plan.Result {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: capacity, Alignment: 16, Reserved: reserved}, {ID: "y", Capacity: 16},
		}}}
		for i := range 2 {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: 17, Upper: 1})
		}
		r, err := Plan(context.Background(), p, find(t, "exact"), plan.Options{Minimize: true}, plan.Stats{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := solve(48); r.Status != model.Infeasible {
		t.Errorf("48 bytes: %v", r.Status)
	}
	if r := solve(49); r.Status != model.Optimal || r.Height != 49 {
		t.Errorf("49 bytes: %v, %d", r.Status, r.Height)
	}
}
