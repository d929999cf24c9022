package explain

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	_ "github.com/stowage-go/stowage/internal/auto"
)

// fewest returns the size of the smallest subset that does not fit, by trying all; 0 if the problem fits.
func fewest(p *model.Problem, capacity int64) int {
	var judge oracle.Orders
	var choose func(set []int, from, more int) bool
	choose = func(set []int, from, more int) bool {
		if more == 0 {
			height, _, ok := judge.Lowest(subset(p, set, 0))
			return !ok || height > capacity
		}
		for i := from; i+more <= len(p.Buffers); i++ {
			if choose(append(set, i), i+1, more-1) {
				return true
			}
		}
		return false
	}
	for k := 1; k <= len(p.Buffers); k++ {
		if choose(nil, 0, k) {
			return k
		}
	}
	return 0
}

// tight returns a problem and a capacity that it does not fit; ok is false where the seed has none.
func tight(seed uint64) (p *model.Problem, capacity int64, ok bool) {
	if seed%2 > 0 {
		return beside(seed)
	}
	p = drawn.Wide(seed)
	height, _, ok := oracle.Lowest(p)
	if !ok {
		return p, max(1, timeline.New(p).LowerBound), true
	}
	capacity = height - 1
	if load := timeline.New(p).MaxLoad; seed%3 == 0 && load < height {
		capacity = max(1, load-int64(seed%4/2))
	}
	return p, capacity, capacity > 0
}

// beside returns two or three problems that follow each other in time, and a capacity that none of them fits, if
// there is one.
func beside(seed uint64) (p *model.Problem, capacity int64, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 7))
	p = &model.Problem{Name: "beside-seed-" + strconv.FormatUint(seed, 10)}
	for k := range 2 + rng.Int64N(2) {
		part := random(rng)
		height, _, ok := oracle.Lowest(part)
		if !ok || len(p.Buffers)+len(part.Buffers) > 12 {
			continue
		}
		if height--; capacity == 0 || height < capacity {
			capacity = height
		}
		for _, b := range part.Buffers {
			b.ID = strconv.Itoa(len(p.Buffers))
			b.Lower, b.Upper, b.Gaps = b.Lower+100*k, b.Upper+100*k, slices.Clone(b.Gaps)
			for g := range b.Gaps {
				b.Gaps[g].Lower, b.Gaps[g].Upper = b.Gaps[g].Lower+100*k, b.Gaps[g].Upper+100*k
			}
			p.Buffers = append(p.Buffers, b)
		}
	}
	return p, capacity, capacity > 0
}

// truthful fails the test if an explanation claims what is not so; least is the size of the smallest subset.
func truthful(t *testing.T, p *model.Problem, e *plan.Explanation, capacity int64, least int) {
	t.Helper()
	if e.Status == model.Unknown {
		return
	}
	if e.Status != model.Infeasible {
		t.Fatalf("%s: %s; there is no plan for %d", p.Name, e.Status, capacity)
	}
	n := len(e.Buffers)
	if height, _, ok := oracle.Lowest(subset(p, e.Buffers, 0)); ok && height <= capacity {
		t.Fatalf("%s: the buffers %v fit %d", p.Name, e.Buffers, capacity)
	}
	if e.AtLeast < 1 || e.AtLeast > least || e.Smallest != (e.AtLeast == n) || e.Smallest && !e.Irreducible {
		t.Fatalf("%s, capacity %d: %+v; the smallest have %d", p.Name, capacity, e, least)
	}
	if e.Irreducible {
		for k := range e.Buffers {
			height, _, ok := oracle.Lowest(subset(p, slices.Delete(slices.Clone(e.Buffers), k, k+1), 0))
			if !ok || height > capacity {
				t.Fatalf("%s: %v is not irreducible", p.Name, e.Buffers)
			}
		}
	}
}

// exactly is the planner that the tests ask.
func exactly(t *testing.T) run.Planner {
	t.Helper()
	return must.Get(run.Lookup("exact"))(t)
}

// A tally counts answers that are proven smallest and answers that are not.
type tally struct{ proven, open int }

func (c *tally) add(e *plan.Explanation) {
	if e.Smallest {
		c.proven++
	} else if e.Status == model.Infeasible {
		c.open++
	}
}

// each demands so many of either kind.
func (c *tally) each(t *testing.T, least int) {
	t.Helper()
	t.Logf("%+v", *c)
	if c.proven < least || c.open < least {
		t.Errorf("the cases are lopsided: %+v", *c)
	}
}

func TestSmallestAgainstAllSubsets(t *testing.T) {
	better, sizes, seeds := 0, map[int]int{}, plantest.Share(1200, 500)
	for seed := range uint64(seeds) {
		p, capacity, ok := tight(seed)
		if !ok {
			continue
		}
		least := fewest(p, capacity)
		sizes[least]++
		for _, name := range []string{"exact", "auto"} {
			planner := must.Get(run.Lookup(name))(t)
			e := must.Get(Smallest(context.Background(), p, planner, plan.Options{Capacity: capacity}))(t)
			truthful(t, p, e, capacity, least)
			if !e.Smallest {
				t.Fatalf("%s, capacity %d: %s: %+v is not smallest, without a limit", p.Name, capacity, name, e)
			}
			again := must.Get(Irreducible(context.Background(), p, planner, plan.Options{Capacity: capacity}))(t)
			if len(again.Buffers) > least {
				better++
			}
		}
	}
	t.Logf("%d times smaller than what Irreducible finds; sizes %v", better, sizes)
	if better < seeds/120 || sizes[3] < seeds/24 || sizes[4] < seeds/60 {
		t.Errorf("the cases are lopsided: %d times smaller than what Irreducible finds, sizes %v", better, sizes)
	}
}

// Wherever a limit falls, what is said is true.
func TestSmallestUnderLimits(t *testing.T) {
	exact, seen := exactly(t), tally{}
	for seed := range uint64(120) {
		p, capacity, ok := tight(seed)
		if !ok {
			continue
		}
		least := fewest(p, capacity)
		for n := int64(0); n < 400; n = n*4/3 + 1 {
			for _, c := range []struct {
				ctx context.Context
				o   plan.Options
			}{
				{run.EndAtLook(context.Background(), n), plan.Options{Capacity: capacity}},
				{context.Background(), plan.Options{Capacity: capacity, NodeLimit: n + 1}},
			} {
				e := must.Get(Smallest(c.ctx, p, exact, c.o))(t)
				truthful(t, p, e, capacity, least)
				seen.add(e)
			}
		}
	}
	seen.each(t, 100)
}

// unlimited is a planner that takes no node limit: the limit is on hitting sets alone.
type unlimited struct{ run.Planner }

func (u unlimited) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	o.NodeLimit = 0
	return u.Planner.Plan(ctx, tl, o)
}

// A search for a hitting set that ends at its limit proves nothing.
func TestSmallestHittingLimit(t *testing.T) {
	exact, seen := exactly(t), tally{}
	for seed := range plantest.Share[uint64](1200, 500) {
		p, capacity, ok := tight(seed)
		if !ok {
			continue
		}
		least := fewest(p, capacity)
		for limit := int64(1); limit < 6; limit++ {
			e, err := Smallest(context.Background(), p, unlimited{exact}, plan.Options{Capacity: capacity, NodeLimit: limit})
			if err != nil {
				t.Fatal(err)
			}
			truthful(t, p, e, capacity, least)
			seen.add(e)
		}
	}
	seen.each(t, 100)
}

// hazy never answers for some sets of buffers, other than the first it is asked for.
type hazy struct {
	run.Planner
	seed  uint64
	calls int
}

func (h *hazy) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	x := h.seed
	for i := range tl.Problem.Buffers {
		for _, c := range []byte(tl.Problem.Buffers[i].ID + " ") {
			x = (x ^ uint64(c)) * 1099511628211
		}
	}
	if h.calls++; h.calls > 1 && x>>32%3 == 0 {
		return plan.Result{}, nil
	}
	return h.Planner.Plan(ctx, tl, o)
}

// A planner that often gives no answer costs the proof, never truth.
func TestSmallestUndecided(t *testing.T) {
	exact, seen := exactly(t), tally{}
	for seed := range uint64(2500) {
		p, capacity, ok := tight(seed)
		if !ok {
			continue
		}
		if least := fewest(p, capacity); least > 2 {
			e, err := Smallest(context.Background(), p, &hazy{Planner: exact, seed: seed}, plan.Options{Capacity: capacity})
			if err != nil {
				t.Fatal(err)
			}
			truthful(t, p, e, capacity, least)
			seen.add(e)
		}
	}
	seen.each(t, 50)
}

func TestSmallestReasons(t *testing.T) {
	long := func(id string, size int64) model.Buffer { return model.Buffer{ID: id, Upper: 10, Size: size} }
	for _, c := range []struct {
		name     string
		capacity int64
		buffers  []model.Buffer
		want     int
		runs     int // at most
	}{
		{"one too large", 10, []model.Buffer{long("a", 1), long("b", 11)}, 1, 0},
		{"two fixed that collide", 0, []model.Buffer{
			long("a", 1), {ID: "b", Upper: 2, Size: 3, Fixed: at(0)}, {ID: "c", Upper: 2, Size: 3, Fixed: at(2)},
		}, 2, 0},
		{"two", 10, []model.Buffer{
			long("a", 5), long("b", 5), long("c", 1),
			{ID: "d", Lower: 20, Upper: 22, Size: 6},
			{ID: "e", Lower: 20, Upper: 21, Size: 5},
		}, 2, 1},
		{"the larger of many alike", 100, []model.Buffer{
			long("a", 26), long("b", 26), long("c", 26), long("d", 26), long("e", 26), long("f", 25), long("g", 25),
			long("h", 25), long("i", 25),
		}, 4, 8},
		{"two rather than the overload of three", 10, []model.Buffer{
			long("a", 4), long("b", 4), long("c", 4),
			{ID: "d", Lower: 20, Upper: 22, Size: 2, Fixed: at(4)},
			{ID: "e", Lower: 20, Upper: 22, Size: 5},
		}, 2, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &model.Problem{Buffers: c.buffers}
			e := must.Get(Smallest(context.Background(), p, brute{}, plan.Options{Capacity: c.capacity}))(t)
			if e.Status != model.Infeasible || !e.Smallest || !e.Irreducible || len(e.Buffers) != c.want ||
				e.AtLeast != c.want || e.Runs > c.runs {
				t.Errorf("%+v; want %d buffers in at most %d runs", e, c.want, c.runs)
			}
			again, err := Smallest(context.Background(), p, brute{}, plan.Options{Capacity: c.capacity})
			if err != nil || !slices.Equal(again.Buffers, e.Buffers) || again.Runs != e.Runs {
				t.Errorf("%+v, then %+v, %v", e, again, err)
			}
		})
	}
	if e, err := Smallest(context.Background(), &model.Problem{Buffers: []model.Buffer{long("a", 1)}}, brute{},
		plan.Options{Capacity: 9}); err != nil || e.Status != model.Feasible || e.Smallest || e.AtLeast != 0 {
		t.Errorf("%+v, %v; want feasible", e, err)
	}
}

// What dominates can stand in for what it dominates, in every plan.
func TestDominance(t *testing.T) {
	exact := must.Get(run.Lookup("exact"))(t)
	pairs := 0
	for seed := range uint64(1500) {
		p := drawn.Wide(seed)
		tl := timeline.New(p)
		capacity := tl.LowerBound + int64(seed%3)
		c := newCounter(tl, capacity, func() bool { return false })
		for i := range p.Buffers {
			for j := range p.Buffers {
				if i == j || !tl.Overlaps(i, j) || !c.dominates(j, i) {
					continue
				}
				// All but i in a plan; then i in the place of j.
				with := slices.DeleteFunc(sequence(len(p.Buffers)), func(k int) bool { return k == i })
				sub := subset(p, with, 0)
				r := must.Get(run.Run(context.Background(), exact, timeline.New(sub), plan.Options{}))(t)
				if !r.Status.HasPlan() {
					continue
				}
				pairs++
				sub.Buffers[slices.Index(with, j)] = p.Buffers[i]
				if report := verify.Check(sub, r.Offsets, r.Height); !report.OK() {
					t.Fatalf("%s: %d cannot take the place of %d: %s", p.Name, i, j, report.Violations[0].Message)
				}
			}
		}
	}
	if pairs < 500 {
		t.Errorf("%d pairs", pairs)
	}
}

func sequence(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A large problem ends at its limit, with the best so far and a bound.
func TestSmallestTimeout(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := &model.Problem{}
	for i := range 20000 {
		lower := rng.Int64N(10000)
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(10000), Size: 1 + rng.Int64N(1000)})
	}
	exact := must.Get(run.Lookup("exact"))(t)
	o := plan.Options{Capacity: timeline.New(p).MaxLoad - 1}
	e, err := Smallest(run.EndAtLook(context.Background(), 10_000), p, exact, o)
	if err != nil || e.Status != model.Infeasible || e.Smallest || e.AtLeast < 1 || e.AtLeast >= len(e.Buffers) {
		t.Errorf("%d buffers, at least %d, %v, %v", len(e.Buffers), e.AtLeast, e.Smallest, err)
	}
	// How far the bound gets in a time depends on the machine.
	o.Timeout = 300 * time.Millisecond
	pace.Within(t, 3*time.Second, "a timeout of 0.3 s", func() { e, err = Smallest(context.Background(), p, exact, o) })
	if err != nil || e.Status.HasPlan() {
		t.Errorf("%v, %v", e.Status, err)
	}
}
