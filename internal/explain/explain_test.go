package explain

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/oracle"

	_ "github.com/stowage-go/stowage/internal/exact"
)

// brute is a planner for tiny problems: it tries every offset of every buffer and does not use the timeline. dice, if
// set, says which runs stay undecided.
type brute struct {
	dice  *rand.Rand
	calls *int
}

func (brute) Name() string { return "brute" }

func (b brute) Info() plan.Info { return plan.Info{Name: b.Name(), Exact: true} }

func (b brute) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if b.calls != nil {
		*b.calls++
	}
	if ctx.Err() != nil || b.dice != nil && *b.calls > 1 && b.dice.IntN(3) == 0 {
		return plan.Result{}, nil
	}
	if offsets := search(tl.Problem, o.Capacity, nil); offsets != nil {
		return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: offsets}}, nil
	}
	return plan.Result{Status: model.Infeasible}, nil
}

// search extends offsets to a whole plan, or returns nil.
func search(p *model.Problem, capacity int64, offsets []int64) []int64 {
	k := len(offsets)
	if k == len(p.Buffers) {
		return append([]int64{}, offsets...)
	}
	b := &p.Buffers[k]
	for at := int64(0); at+b.Size <= capacity; at += b.Align() {
		if b.Fixed != nil && *b.Fixed != at {
			continue
		}
		free := true
		for j := range k {
			free = free && !clash(b, at, &p.Buffers[j], offsets[j])
		}
		if free {
			if whole := search(p, capacity, append(offsets, at)); whole != nil {
				return whole
			}
		}
	}
	return nil
}

// clash reports whether two placed buffers use a byte at the same time.
func clash(a *model.Buffer, x int64, b *model.Buffer, y int64) bool {
	for t := max(a.Lower, b.Lower); t < min(a.Upper, b.Upper); t++ {
		a0, a1 := oracle.Used(a, t)
		b0, b1 := oracle.Used(b, t)
		if a0 < a1 && b0 < b1 && x+a0 < y+b1 && y+b0 < x+a1 {
			return true
		}
	}
	return false
}

func random(rng *rand.Rand) *model.Problem {
	p := &model.Problem{}
	aligned, fixed, gaps := rng.IntN(2) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0
	for i := range 2 + rng.IntN(6) {
		lower := rng.Int64N(6)
		b := model.Buffer{ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(4), Size: 1 + rng.Int64N(5)}
		if aligned {
			b.Alignment = 1 + rng.Int64N(4)
		}
		if fixed && rng.IntN(3) == 0 {
			at := b.Align() * rng.Int64N(3)
			b.Fixed = &at
		}
		if gaps && rng.IntN(2) == 0 {
			from := b.Lower + rng.Int64N(b.Upper-b.Lower)
			g := model.Gap{Lower: from, Upper: from + 1 + rng.Int64N(b.Upper-from)}
			if rng.IntN(2) == 0 {
				g.Window = &model.Window{Upper: 1 + rng.Int64N(b.Size)}
			}
			b.Gaps = []model.Gap{g}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// check compares an explanation with exhaustive search.
func check(t *testing.T, seed uint64, p *model.Problem, e *plan.Explanation, capacity int64) {
	t.Helper()
	fits := func(set []int) bool { return search(subset(p, set, capacity), capacity, nil) != nil }
	all := make([]int, len(p.Buffers))
	for i := range all {
		all[i] = i
	}
	if fits(all) {
		if e.Status != model.Feasible || e.Buffers != nil {
			t.Fatalf("seed %d: %+v; there is a plan", seed, e)
		}
		return
	}
	if e.Status != model.Infeasible || e.Capacity != capacity {
		t.Fatalf("seed %d: %+v; there is no plan for %d", seed, e, capacity)
	}
	if !slices.IsSorted(e.Buffers) || len(slices.Compact(slices.Clone(e.Buffers))) != len(e.Buffers) {
		t.Fatalf("seed %d: buffers %v", seed, e.Buffers)
	}
	if fits(e.Buffers) {
		t.Fatalf("seed %d: the buffers %v fit %d", seed, e.Buffers, capacity)
	}
	if !e.Irreducible {
		return
	}
	for k := range e.Buffers {
		if rest := slices.Delete(slices.Clone(e.Buffers), k, k+1); !fits(rest) {
			t.Fatalf("seed %d: without %d the buffers %v do not fit %d either", seed, e.Buffers[k], e.Buffers, capacity)
		}
	}
}

func TestIrreducibleAgainstBruteForce(t *testing.T) {
	exact := must.Get(run.Lookup("exact"))(t)
	seen := map[model.Status]int{}
	var loads, others int
	seeds := plantest.Share(1500, 500)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := random(rng)
		capacity := max(1, timeline.New(p).MaxLoad+rng.Int64N(4)-1)
		for _, planner := range []run.Planner{brute{}, exact} {
			e, err := Irreducible(context.Background(), p, planner, plan.Options{Capacity: capacity, Minimize: true})
			if err != nil {
				t.Fatal(err)
			}
			check(t, seed, p, e, capacity)
			if e.Status == model.Infeasible {
				if !e.Irreducible {
					t.Fatalf("seed %d: %s: %+v is not irreducible, without a limit", seed, planner.Info().Name, e)
				}
				if e.Load > capacity {
					loads++
				} else {
					others++
				}
			}
			seen[e.Status]++
		}
	}
	if seen[model.Feasible] < seeds/3 || loads < seeds/6 || others < seeds/6 {
		t.Errorf("%d feasible, %d by load, %d otherwise: the cases are lopsided", seen[model.Feasible], loads, others)
	}
}

// A planner that often gives no answer costs size, never truth.
func TestIrreducibleUndecided(t *testing.T) {
	var minimal, larger int
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := random(rng)
		capacity := max(1, timeline.New(p).MaxLoad+rng.Int64N(2))
		calls := 0
		e := must.Get(Irreducible(context.Background(), p, brute{dice: rng, calls: &calls},
			plan.Options{Capacity: capacity, NodeLimit: 1}))(t)
		check(t, seed, p, e, capacity)
		if e.Status == model.Infeasible {
			if e.Irreducible {
				minimal++
			} else {
				larger++
			}
		}
	}
	if minimal < 50 || larger < 50 {
		t.Errorf("%d irreducible, %d not: the cases are lopsided", minimal, larger)
	}
}

func at(offset int64) *int64 { return &offset }

func TestReasons(t *testing.T) {
	long := func(id string, size int64) model.Buffer { return model.Buffer{ID: id, Upper: 10, Size: size} }
	for _, c := range []struct {
		name     string
		capacity int64
		buffers  []model.Buffer
		want     []int
		load     int64
		runs     int // at most
	}{
		{"few large ones", 10, []model.Buffer{long("a", 1), long("b", 5), long("c", 1), long("d", 6), long("e", 2)}, []int{
			1, 3,
		}, 11, 1},
		{"one too large", 10, []model.Buffer{long("a", 1), long("b", 11)}, []int{1}, 11, 0},
		{"fixed above", 10, []model.Buffer{long("a", 1), {ID: "b", Upper: 1, Size: 4, Fixed: at(7)}}, []int{1}, 4, 0},
		{"fixed at once", 10, []model.Buffer{
			long("a", 1),
			{ID: "b", Upper: 2, Size: 3, Fixed: at(0)},
			{ID: "c", Lower: 5, Upper: 8, Size: 3, Fixed: at(0)},
			{ID: "d", Lower: 1, Upper: 3, Size: 3, Fixed: at(2)},
		}, []int{1, 3}, 6, 20},
		{"aligned", 9, []model.Buffer{
			{ID: "a", Upper: 2, Size: 1},
			{ID: "b", Upper: 2, Size: 3, Alignment: 4},
			{ID: "c", Upper: 2, Size: 2, Alignment: 4},
			{ID: "d", Upper: 2, Size: 2, Alignment: 4},
		}, []int{1, 2, 3}, 7, 20},
		{"a fixed one in the middle", 10, []model.Buffer{
			long("a", 1), {ID: "b", Upper: 5, Size: 2, Fixed: at(4)}, {ID: "c", Lower: 3, Upper: 9, Size: 5},
		}, []int{1, 2}, 7, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &model.Problem{Buffers: c.buffers}
			e := must.Get(Irreducible(context.Background(), p, brute{}, plan.Options{Capacity: c.capacity}))(t)
			if e.Status != model.Infeasible || !e.Irreducible || !slices.Equal(e.Buffers, c.want) || e.Load != c.load ||
				e.Runs > c.runs {
				t.Errorf("%+v; want buffers %v, load %d, at most %d runs", e, c.want, c.load, c.runs)
			}
		})
	}
}

func TestPeakOfTheReason(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 40, Size: 6},
		{ID: "b", Lower: 20, Upper: 30, Size: 6},
		{ID: "c", Lower: 35, Upper: 50, Size: 1},
	}}
	e, err := Irreducible(context.Background(), p, brute{}, plan.Options{Capacity: 10})
	if err != nil || e.Load != 12 || e.At != [2]int64{20, 30} {
		t.Errorf("%+v, %v; want load 12 at [20, 30)", e, err)
	}
}

func TestNoAnswer(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 4}, {ID: "b", Upper: 1, Size: 4, Alignment: 8}}}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := Irreducible(done, p, brute{}, plan.Options{Capacity: 9}); err != nil || e.Status != model.Unknown ||
		e.Buffers != nil {
		t.Errorf("%+v, %v; want unknown", e, err)
	}
	if _, err := Irreducible(context.Background(), p, brute{}, plan.Options{}); err == nil {
		t.Error("no error without a capacity")
	}
	if _, err := Irreducible(context.Background(), p, refusing{}, plan.Options{Capacity: 9}); !errors.Is(err, errRefused) {
		t.Errorf("error %v, want that of the planner", err)
	}
}

var errRefused = errors.New("refused")

type refusing struct{ brute }

func (refusing) Plan(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
	return plan.Result{}, errRefused
}

// stalling proves the whole problem infeasible. At the second question it ends the whole call without an answer.
type stalling struct {
	brute
	latest *time.Time // the latest end of a run
	end    func()
}

func (s stalling) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if end, ok := ctx.Deadline(); !ok {
		*s.latest = time.Now().Add(time.Hour)
	} else if end.After(*s.latest) {
		*s.latest = end
	}
	if *s.calls++; *s.calls == 1 {
		return plan.Result{Status: model.Infeasible}, nil
	}
	s.end()
	<-ctx.Done()
	return plan.Result{}, nil
}

func TestTimeout(t *testing.T) {
	p := &model.Problem{}
	for i := range int64(30) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(int(i)), Lower: i, Upper: i + 3, Size: 4})
	}
	calls, latest := 0, time.Time{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	e, err := Irreducible(ctx, p, stalling{brute{calls: &calls}, &latest, cancel}, plan.Options{Capacity: 12})
	if err != nil || e.Status != model.Infeasible || e.Irreducible {
		t.Errorf("%+v, %v; want infeasible, not irreducible", e, err)
	}
	if calls < 2 {
		t.Error("the planner was asked once")
	}
	if end, _ := ctx.Deadline(); latest.After(end) {
		t.Errorf("a run may last %v longer than the call", latest.Sub(end))
	}
}

// One overloaded section among many buffers is found without search.
func TestLargeOverload(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	p := &model.Problem{}
	for i := range 20000 {
		lower := rng.Int64N(10000)
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: strconv.Itoa(i), Lower: lower, Upper: lower + 1 + rng.Int64N(10000), Size: 1 + rng.Int64N(1000)})
	}
	capacity := timeline.New(p).MaxLoad - 1
	e, err := Irreducible(context.Background(), p, brute{}, plan.Options{Capacity: capacity})
	if err != nil || e.Status != model.Infeasible || !e.Irreducible || e.Load <= capacity || e.Runs != 1 {
		t.Errorf("%d buffers, %+v, %v", len(e.Buffers), e.Status, err)
	}
}

// TestStartsFromSearchedBuffers: in problems of 160 buffers about a dozen cannot fit together. Exact search names the
// buffers that it has refuted, and Irreducible starts from these. So it needs at most 100 runs and leaves at most 20
// buffers.
func TestStartsFromSearchedBuffers(t *testing.T) {
	planner := must.Get(run.Lookup("exact"))(t)
	for _, seed := range []uint64{2, 4, 7, 10} {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 160, Horizon: 400, Seed: seed}))(t)
		e, err := Irreducible(context.Background(), in.Problem, planner, plan.Options{Capacity: in.Problem.Capacity})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(seed, len(e.Buffers), "buffers after", e.Runs, "runs")
		if e.Status != model.Infeasible || !e.Irreducible || len(e.Buffers) > 20 || e.Runs > 100 {
			t.Errorf("seed %d: %s, irreducible %v, %d buffers, %d runs", seed, e.Status, e.Irreducible, len(e.Buffers), e.Runs)
		}
	}
}
