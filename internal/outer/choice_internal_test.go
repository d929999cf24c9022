package outer

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// chooserOf prepares the choice of a problem; ok is false if loads or pools alone leave no plan.
func chooserOf(t *testing.T, p *model.Problem, planner string) (c *chooser, ok bool) {
	t.Helper()
	known, err := plan.Find(planner)
	if err != nil {
		t.Fatal(err)
	}
	s := &search{planner: run.Prepared(known), options: plan.Options{Minimize: true}, kept: &answers{}}
	s.Lowering = lower.New(p)
	c = &chooser{search: s, costFirst: p.Objective()[0] == model.MeasureCost}
	if !c.prepare() {
		return nil, false
	}
	for k := range c.bodies[:c.single] {
		if !c.bodies[k].take(0, c.room, 1) {
			return nil, false
		}
	}
	return c, true
}

// spilled draws buffers for a fast pool with a capacity near what is live, and a slow one without.
func spilled(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "fast"}, {ID: "slow", Cost: 1}}}}
	for i := range n {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 1 + r.Int64N(6), Lower: r.Int64N(int64(n))}
		b.Upper = b.Lower + 1 + r.Int64N(5)
		if r.IntN(2) == 0 {
			b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: b.Size * (1 + r.Int64N(4))}}}
		}
		p.Buffers = append(p.Buffers, b)
	}
	p.Rules.Pools[0].Capacity = max(6, timeline.New(&model.Problem{Buffers: p.Buffers}).LowerBound*(50+r.Int64N(50))/100)
	return p
}

// tight draws a problem as spilled does, of few times and several alignments, so that what fits by its loads often does not pack.
func tight(r *rand.Rand, n int) *model.Problem {
	p := spilled(r, n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Size, b.Lower, b.Extra = 1+r.Int64N(20), r.Int64N(7), nil
		b.Upper = b.Lower + 1 + r.Int64N(4)
		b.Alignment = []int64{1, 4, 6}[r.IntN(3)]
	}
	p.Rules.Pools[0].Capacity = max(20, timeline.New(&model.Problem{Buffers: p.Buffers}).LowerBound*(60+r.Int64N(35))/100)
	return p
}

// each calls do for every assignment whose loads fit.
func (c *chooser) each(do func(of assignment)) {
	room, of := c.roomOf(nil), make(assignment, len(c.bodies)-c.single)
	var descend func(k int)
	descend = func(k int) {
		if k == len(of) {
			do(of)
			return
		}
		b := &c.bodies[c.single+k]
		for n := range b.pools {
			of[k] = int32(n)
			if b.take(n, room, 1) {
				descend(k + 1)
			}
			b.take(n, room, -1)
		}
	}
	descend(0)
}

// TestWalkIsCheapest holds prices and the walk through time against every assignment: the equation of the prices is exact, the bound of a
// walk of any width is one, and a wide walk finds the cheapest.
func TestWalkIsCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 30))
	narrow, above, cut := 0, 0, 0
	for n := range plantest.Share(10_000, 800, 300) {
		p := drawn.Pooled(r)
		if n%2 == 0 {
			p = spilled(r, 3+r.IntN(8))
		}
		c, ok := chooserOf(t, p, "auto")
		if !ok {
			continue
		}
		upper, cheap := int64(0), int64(0)
		for k := range c.bodies {
			upper += slices.Max(c.bodies[k].costs)
			cheap += c.bodies[k].costs[0]
		}
		c.prices = c.price(context.Background(), upper)
		least := int64(math.MaxInt64)
		c.each(func(of assignment) {
			cost := c.cost(of)
			least = min(least, cost)
			sum, room := c.prices.base, c.roomOf(of)
			for k, n := range of {
				sum += c.prices.excess[k][n]
			}
			for q := range room {
				for s, free := range room[q] {
					sum += c.prices.of[q][s] * free
				}
			}
			if sum != cost<<c.prices.shift {
				t.Fatalf("prices make %d of the cost %d, shift %d\n%s", sum, cost, c.prices.shift, drawn.DescribeRuled(p))
			}
		})
		for _, width := range []int{1, 1_000} {
			of, bound := c.through(context.Background(), c.prices, math.MaxInt64/4, width, nil)
			switch {
			case least == math.MaxInt64:
				if of != nil {
					t.Fatalf("an assignment where no loads fit\n%s", drawn.DescribeRuled(p))
				}
				continue
			case width == 1 && of == nil && bound < math.MaxInt64 && c.prices.least(bound) <= least:
				// It ran into a dead end.
			case of == nil || c.cost(of) < least || c.prices.least(bound) > least:
				t.Fatalf("width %d: %v costs less than %d, or bound %d\n%s", width, of, least, bound, drawn.DescribeRuled(p))
			case width > 1 && (c.cost(of) != least || c.prices.least(bound) != least):
				t.Fatalf("width %d: %d, bound %d, want %d\n%s", width, c.cost(of), c.prices.least(bound), least, drawn.DescribeRuled(p))
			case width == 1 && c.cost(of) > least:
				narrow++
			case width == 1 && c.prices.least(bound) < least:
				cut++
			}
		}
		if least < math.MaxInt64 && c.prices.least(0) > cheap {
			above++
		}
		// What is not above the limit is found, and nothing else.
		if least < math.MaxInt64 {
			if of, _ := c.through(context.Background(), c.prices, c.prices.gap(least), 1_000, nil); of == nil || c.cost(of) != least {
				t.Fatalf("within %d: %v", least, of)
			}
			if of, bound := c.through(context.Background(), c.prices, c.prices.gap(least-1), 1_000, nil); of != nil && c.cost(of) < least || of == nil && bound != math.MaxInt64 {
				t.Fatalf("within %d: %v, %d", least-1, of, bound)
			}
		}
	}
	t.Logf("of width 1: %d dear, %d with a lower bound; prices are above the cheapest pools in %d", narrow, cut, above)
	if above < 50 {
		t.Error("prices hardly ever say more than the cheapest pools do")
	}
}

// TestMeansRaiseTheBound: without means of slopes the bound is 171 to 174 million, and a plan pays 183.1.
func TestMeansRaiseTheBound(t *testing.T) {
	p := gen.ResNet50Training()
	load := timeline.New(p).LowerBound
	p.Rules = &model.Rules{Pools: []model.Pool{{ID: "s", Capacity: load / 32 * 16, Alignment: 16}, {ID: "d", Cost: 2}}}
	c, _ := chooserOf(t, p, "auto")
	room := c.roomOf(nil)
	first := c.greedy(room)
	c.prices = c.price(context.Background(), c.cost(first))
	if c.cost(first) > 184_000_000 || c.prices.least(0) < 178_000_000 {
		t.Errorf("%d buffers: greedy pays %d, bound %d", len(p.Buffers), c.cost(first), c.prices.least(0))
	}
}

// TestExchange: exchanges keep to the loads and lower what the two greedy passes pay.
func TestExchange(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 31))
	var before, after, best int64
	better := [2]int{}
	for range 300 {
		p := spilled(r, 14)
		c, _ := chooserOf(t, p, "auto")
		least := int64(math.MaxInt64)
		c.prices = c.price(context.Background(), 1_000)
		passes := []func([][]int64) assignment{c.greedy, c.priced}
		var paid [2]int64
		for k, pass := range passes {
			room := c.roomOf(nil)
			of := pass(room)
			cost := c.cost(of)
			paid[k] = cost
			c.exchange(context.Background(), of, room)
			before, after, least = before+cost, after+c.cost(of), min(least, c.cost(of))
			for q := range room {
				if again := c.roomOf(of)[q]; !slices.Equal(again, room[q]) || room[q] != nil && slices.Min(room[q]) < 0 {
					t.Fatalf("room %v, should be %v", room[q], again)
				}
			}
		}
		if paid[0] < paid[1] {
			better[0]++
		} else if paid[1] < paid[0] {
			better[1]++
		}
		of, _ := c.through(context.Background(), c.prices, math.MaxInt64/4, 10_000, nil)
		if best += c.cost(of); least < c.cost(of) {
			t.Fatal("cheaper than the walk")
		}
	}
	t.Logf("greedy %d, exchanged %d, best %d of each pass; which pass pays less: %v", before, after, 2*best, better)
	if 2*(after-2*best) > before-2*best || min(better[0], better[1]) < 10 {
		t.Error("exchanges save less than half of what could be, or one pass is of no use")
	}
}

// failing draws a problem of which the cheapest loads do not pack, and returns the first assignment and the pool.
func failing(t *testing.T, r *rand.Rand, n int) (x *packing, first assignment, failed int32) {
	t.Helper()
	for range 1_000 {
		p := tight(r, n)
		p.Rules.Objective = []model.Measure{model.MeasureCost}
		c, ok := chooserOf(t, p, "exact")
		if !ok {
			continue
		}
		first, _ = c.relaxed(context.Background())
		x = &packing{chooser: c, left: mostPacked, nodes: packNodes, least: math.MaxInt64}
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
		low := x.low
		y, err := x.coreOf(context.Background(), failed, first)
		if err != nil || !y.proven {
			t.Fatal("no core of a small problem", err)
		}
		if len(y.bodies) < len(x.bodies)/2 {
			cores++
		}
		for k := range y.bodies {
			rest := x.membersOf(slices.Delete(slices.Clone(y.bodies), k, k+1))
			if status, err := x.packs(context.Background(), failed, rest, packNodes); err != nil || !status.HasPlan() {
				t.Fatalf("core %v does not pack without its %d: %v", y.bodies, k, status)
			}
		}
		best := int64(math.MaxInt64)
		x.each(func(of assignment) {
			if cost := x.cost(of); cost < best {
				members := x.split(x.pooled(of))[0]
				status, err := x.packs(context.Background(), 0, members, packNodes)
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
		if x.cost(packed) != best || x.low > best {
			t.Fatalf("packed %d, bound %d, best %d\n%s", x.cost(packed), x.low, best, drawn.DescribeRuled(x.Problem))
		}
		if x.low == best && low < best {
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
			result, err := x.assigned(context.Background(), x.pooled(x.best))
			if err != nil || !result.Status.HasPlan() || x.cost(first) > x.least {
				t.Fatal("no plan of what packs", err)
			}
		}
		// All into the slow pool, from where many can come back.
		x.best = make(assignment, len(first))
		for k := range x.best {
			x.best[k] = int32(slices.Index(x.bodies[x.single+k].pools, 1))
		}
		x.least, x.left = x.cost(x.best), mostPacked
		slow := x.least
		if err := x.back(context.Background()); err != nil {
			t.Fatal(err)
		}
		if x.least < slow && x.cost(x.best) == x.least {
			back++
		}
		x.best, x.least, x.left = nil, math.MaxInt64, mostPacked
		room := slices.Clone(x.room[failed])
		if err := x.margins(context.Background(), failed); err != nil || !slices.Equal(room, x.room[failed]) {
			t.Fatal("the room has changed", err)
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
type patient struct{ run.Planner }

func (p patient) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if o.NodeLimit > 0 && o.NodeLimit < moreNodes/2 && len(tl.Problem.Buffers) > 4 {
		return plan.Result{Status: model.Unknown, Stats: plan.Stats{Nodes: 1}}, nil
	}
	return p.Planner.Plan(ctx, tl, o)
}

// TestPackInsists: the cheapest assignment is asked about once more, with many nodes.
func TestPackInsists(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 37))
	met := 0
	for range 20 {
		p := spilled(r, 14)
		c, _ := chooserOf(t, p, "exact")
		c.planner = patient{c.planner}
		first, _ := c.relaxed(context.Background())
		packed, err := c.pack(context.Background(), first)
		if err != nil {
			t.Fatal(err)
		}
		if packed != nil && c.cost(packed) == c.cost(first) && c.kept.find(0, c.split(c.pooled(first))[0]).nodes == moreNodes {
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
		p := tight(r, 14)
		for i := range p.Buffers {
			p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 10 * (1 + r.Int64N(4))}}}
		}
		c, _ := chooserOf(t, p, "exact")
		c = &chooser{search: c.search, costFirst: true}
		got, err := c.decide(context.Background(), time.Now())
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
		p := tight(r, 7)
		p.Rules.Objective = []model.Measure{model.MeasureMaxHeight}
		p.Rules.Pools[1].Capacity = p.Rules.Pools[0].Capacity
		c, ok := chooserOf(t, p, "exact")
		if !ok {
			continue
		}
		fit := 0
		c.each(func(assignment) { fit++ })
		c = &chooser{search: c.search}
		if _, err := c.decide(context.Background(), time.Now()); err != nil {
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

// TestWalkIsShort: where the cost is known but for a little, most bodies are struck off the walk, and where lives end states become one.
func TestWalkIsShort(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 39))
	c, _ := chooserOf(t, spilled(r, 60), "exact")
	first, _ := c.relaxed(context.Background())
	walk := func(limit int64) int {
		w := &walk{prices: c.prices, bodies: c.bodies[c.single:], cut: math.MaxInt64, room: c.roomOf(nil), pools: []int32{0}}
		if !w.strike(limit, nil) {
			t.Fatal("struck off too much")
		}
		if _, ok := w.run(context.Background(), c.slots, limit, math.MaxInt32); !ok {
			t.Fatal("no state is left")
		}
		return len(w.records)
	}
	least, all := walk(c.prices.gap(c.cost(first))), walk(math.MaxInt64/4)
	t.Log(least, all, "records")
	if least > 140 || all > 20_000 {
		t.Errorf("%d records within the cost, %d without a limit", least, all)
	}
}

// TestDistanceRides: a buffer that may lie over one that dies moves there at the end, either way round.
func TestDistanceRides(t *testing.T) {
	for _, moves := range []int{0, 1} {
		p := &model.Problem{Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "fast", Capacity: 8}, {ID: "slow", Cost: 1}},
			Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 0}},
		}, Buffers: []model.Buffer{{ID: "x", Size: 8, Upper: 2}, {ID: "y", Size: 8, Lower: 1, Upper: 3}}}
		c, _ := chooserOf(t, p, "exact")
		of, offsets := []int32{0, 0}, []int64{0, 0}
		of[moves] = 1
		if !c.cheapen(of, offsets) || !slices.Equal(of, []int32{0, 0}) {
			t.Errorf("buffer %d stays in the slow pool", moves)
		}
	}
}

// TestPoolsThatCannot: a pool whose free stretches are too short for a buffer is not on its list.
func TestPoolsThatCannot(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
		{ID: "x", Capacity: 12, Reserved: []model.Range{{Lower: 7, Upper: 8}}}, {ID: "y", Capacity: 7}, {ID: "z"},
	}}}
	for i, size := range []int64{7, 8, 12} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: size, Upper: 1})
	}
	c, _ := chooserOf(t, p, "exact")
	for k := range c.bodies {
		b := &c.bodies[k]
		if want := map[int64][]int32{7: {0, 1, 2}, 8: {2}, 12: {2}}[b.size]; !slices.Equal(b.pools, want) {
			t.Errorf("size %d: pools %v, want %v", b.size, b.pools, want)
		}
	}
}

// TestAnswersAreKept: a set of a pool is planned once, however many assignments have it.
func TestAnswersAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 34))
	for range 30 {
		p := spilled(r, 8)
		p.Rules.Objective = []model.Measure{model.MeasureHeight}
		known, err := plan.Find("exact")
		if err != nil {
			t.Fatal(err)
		}
		s := &search{planner: run.Prepared(known), options: plan.Options{Minimize: true}, kept: &answers{}}
		s.Lowering = lower.New(p)
		of := make([]int32, len(p.Buffers))
		for n := range 200 {
			of[r.IntN(3)] = int32(n % 2)
			if _, err := s.assigned(context.Background(), of); err != nil {
				t.Fatal(err)
			}
		}
		if s.kept.asked > 16 || s.kept.reused < 150 {
			t.Fatalf("%d asked, %d not", s.kept.asked, s.kept.reused)
		}
	}
}

// TestAnswersOffered: a plan that is offered stands in for a worse one of the planner's, and not for a better one.
func TestAnswersOffered(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}, Objective: []model.Measure{model.MeasureHeight}}}
	for i, size := range []int64{3, 5} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: size, Upper: 1})
	}
	for _, offered := range [][]int64{{0, 3}, {0, 40}} {
		c, _ := chooserOf(t, p, "first-fit")
		of := []int32{0, 0}
		c.offer(of, offered)
		q := c.kept.find(0, []int32{0, 1})
		q.full, q.first = &pool{strip: c.Strip(0, []int32{0, 1}, nil), offsets: []int64{10, 0}, height: 13, bound: 8}, answer{status: model.Feasible, height: 13}
		r, err := c.assigned(context.Background(), of)
		if want := min(13, offered[1]+5); err != nil || r.Height != want {
			t.Errorf("offered %v: height %d, want %d", offered, r.Height, want)
		}
	}
}

// TestCells: a buffer of 17 bytes at multiples of 16 takes two cells, so two of them do not fit into 48 bytes.
func TestCells(t *testing.T) {
	known, err := plan.Find("exact")
	if err != nil {
		t.Fatal(err)
	}
	solve := func(capacity int64, reserved ...model.Range) plan.Result {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: capacity, Alignment: 16, Reserved: reserved}, {ID: "y", Capacity: 16},
		}}}
		for i := range 2 {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: 17, Upper: 1})
		}
		s := &search{planner: run.Prepared(known), options: plan.Options{Minimize: true}, Lowering: lower.New(p)}
		r, err := s.whole(context.Background(), p, time.Now())
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
	for lower, want := range map[int64]int64{32: 3, 16: 3, 33: 4, 0: 3, 17: 4} {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: 64, Alignment: 16, Reserved: []model.Range{{Lower: lower, Upper: lower + 16}}}, {ID: "y"},
		}}, Buffers: []model.Buffer{{ID: "0", Size: 1, Upper: 1}}}
		c, _ := chooserOf(t, p, "exact")
		if c.room[0][0] != want {
			t.Errorf("reserved from %d on: %d cells, want %d", lower, c.room[0][0], want)
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
	c, _ := chooserOf(t, p, "auto")
	r, err := c.choose(context.Background(), time.Now())
	if err != nil || r.Status != model.Optimal {
		t.Errorf("%v: %v, bounds %v", r.Status, r.Measures, r.Bounds)
	}
}
