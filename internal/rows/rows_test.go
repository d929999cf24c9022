package rows

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// many draws buffers that begin evenly, and about so many are live at once. Sizes, times and alignments have scales of
// their own.
func many(seed uint64, n, live int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 46))
	tick, byte, from := int64(1)<<r.IntN(8), int64(1)<<r.IntN(12), r.Int64N(1000)-500
	var alignments []int64
	if seed%3 == 1 {
		alignments = []int64{1, 16, 48}
	}
	p := &model.Problem{}
	for i := range n {
		at := int64(r.IntN(n))
		b := model.Buffer{ID: strconv.Itoa(i), Lower: tick * (from + at)}
		b.Upper = b.Lower + tick*(1+int64(r.IntN(2*live)))
		if b.Size = byte * (1 + r.Int64N(1000)); seed%2 == 1 {
			b.Size += r.Int64N(byte)
		}
		if alignments != nil {
			b.Alignment = alignments[r.IntN(3)]
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// TestPlans: problems of all kinds. Plans are valid and never higher than the one to begin with.
func TestPlans(t *testing.T) {
	lower := 0
	for seed := range uint64(24) {
		p := many(seed, thresholds.CoresLeast+int(seed), 2<<(seed%8))
		tl := timeline.New(p)
		first := greedy.NewPortfolio(context.Background(), tl, 0)
		o := plan.Options{
			Start: first.Offsets, NodeLimit: 20_000,
			Without: plantest.Without(&Planner{}, rand.New(rand.NewPCG(seed, 48)), 4),
		}
		switch r := plantest.Solve(t, context.Background(), &Planner{}, tl, o); {
		case r.Height > first.Height:
			t.Errorf("seed %d: %d nodes make the plan higher: %d, %d", seed, r.Stats.Nodes, r.Height, first.Height)
		case r.Height < first.Height:
			lower++
		}
	}
	if lower < 12 {
		t.Errorf("%d of 24 plans are lower", lower)
	}
}

// TestFew: fewer buffers are left to searches.
func TestFew(t *testing.T) {
	for n, want := range map[int]bool{thresholds.CoresLeast - 1: false, thresholds.CoresLeast: true} {
		if r := plantest.Must(t, &Planner{}, many(4, n, 100), plan.Options{NodeLimit: 1000}); (r.Stats.Nodes > 0) != want {
			t.Errorf("%d nodes of %d buffers", r.Stats.Nodes, n)
		}
	}
}

// TestAllLive: all buffers are live at the peak, so no sweep has any to place. The runs come to an end all the same.
func TestAllLive(t *testing.T) {
	p := many(4, 1100, 100)
	start, top := make([]int64, len(p.Buffers)), int64(0)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Lower, b.Upper = int64(-i), int64(2000+i%7)
		start[i] = (top + b.Align() - 1) / b.Align() * b.Align()
		top = start[i] + b.Size
	}
	tl := timeline.New(p)
	reached := new(Reached)
	for range 60 {
		o := plan.Options{NodeLimit: 10, Start: start}
		r := plantest.Solve(t, context.Background(), &Planner{Reached: reached}, tl, o)
		if start = r.Offsets; reached.Done() || r.Status == model.Optimal {
			return
		}
	}
	t.Errorf("a width of %d after 60 runs", reached.width)
}

// TestLowers: where many are live, plans are lower than those of heuristics, and each technique lowers them.
func TestLowers(t *testing.T) {
	const problems = 4
	first := 0.0
	var tls [problems]*timeline.Timeline
	var starts [problems][]int64
	percent := func(r *plan.Result) float64 {
		return (100*float64(r.Height)/float64(r.LowerBound) - 100) / problems
	}
	for k := range tls {
		tls[k] = timeline.New(many(uint64(k), 2500, 400))
		r := plantest.Solve(t, context.Background(), &Planner{}, tls[k], plan.Options{NodeLimit: 1})
		starts[k] = r.Offsets
		first += percent(&r)
	}
	above := func(without ...string) (sum float64) {
		for k, tl := range tls {
			o := plan.Options{Start: starts[k], Without: without, Params: map[string]string{"widest": "8"}}
			r := plantest.Solve(t, context.Background(), &Planner{}, tl, o)
			sum += percent(&r)
		}
		return sum
	}
	all := above()
	if t.Logf("%.2f%% above the bound, heuristics %.2f%%", all, first); all > first/2 {
		t.Errorf("%.2f%% above the bound, heuristics %.2f%%", all, first)
	}
	for _, name := range []string{"peak", "mates", "holes"} {
		off := above(name)
		if t.Logf("%.2f%% without %s", off, name); off < 1.1*all {
			t.Errorf("%.2f%% above the bound without %s, %.2f%% with it", off, name, all)
		}
	}
}

// TestReached: a run goes on with the width that the one before has reached, and two runs with the same limits make the
// same plan.
func TestReached(t *testing.T) {
	tl := timeline.New(many(3, 1100, 100))
	var widths []int
	for range 2 {
		planner := &Planner{Reached: new(Reached)}
		o := plan.Options{NodeLimit: 80_000}
		var heights []int64
		for range 3 {
			r := plantest.Solve(t, context.Background(), planner, tl, o)
			o.Start = r.Offsets
			heights, widths = append(heights, r.Height), append(widths, planner.Reached.width)
		}
		if !slices.IsSortedFunc(heights, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("heights %v", heights)
		}
	}
	if !slices.Equal(widths[:3], widths[3:]) || widths[2] <= widths[0] || widths[0] <= 8 {
		t.Errorf("widths %v", widths)
	}
}

// TestLimits: a run ends at its node limit, at a context that has ended, and at the widest sweep.
func TestLimits(t *testing.T) {
	p := many(3, 1100, 100)
	tl := timeline.New(p)
	for _, nodes := range []int64{1, 100, 5000} {
		if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: nodes}); r.Stats.Nodes != nodes {
			t.Errorf("%d nodes of %d", r.Stats.Nodes, nodes)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	start := plantest.Solve(t, context.Background(), &Planner{}, tl, plan.Options{NodeLimit: 1})
	r, err := run.Run(ended, &Planner{}, tl, plan.Options{Start: start.Offsets})
	if err != nil || r.Height > start.Height || r.Stats.Nodes > 1000 {
		t.Errorf("height %d, %d nodes, %v", r.Height, r.Stats.Nodes, err)
	}
	reached, widest := new(Reached), plan.Options{Params: map[string]string{"widest": "16"}}
	for k := range 2 {
		r := plantest.Solve(t, context.Background(), &Planner{Reached: reached}, tl, widest)
		if widest.Start = r.Offsets; (r.Stats.Nodes > 0) != (k == 0) {
			t.Errorf("%d nodes in run %d", r.Stats.Nodes, k)
		}
	}
	narrow := plantest.Must(t, &Planner{}, p, plan.Options{Params: map[string]string{"widest": "8"}})
	wide := plantest.Must(t, &Planner{}, p, plan.Options{Params: map[string]string{"widest": "16"}})
	if narrow.Stats.Nodes == 0 || wide.Stats.Nodes <= narrow.Stats.Nodes {
		t.Errorf("%d nodes, %d with wider sweeps", narrow.Stats.Nodes, wide.Stats.Nodes)
	}
}

// TestLeft: problems with gaps or fixed offsets are left as they are.
func TestLeft(t *testing.T) {
	for _, change := range []func(b *model.Buffer){
		func(b *model.Buffer) { b.Fixed = new(int64) },
		func(b *model.Buffer) { b.Lower, b.Upper, b.Gaps = 0, 10, []model.Gap{{Lower: 4, Upper: 6}} },
	} {
		p := many(0, 1100, 20)
		change(&p.Buffers[7])
		if tl := timeline.New(p); Able(tl) {
			t.Errorf("able to plan %+v", p.Buffers[7])
		}
		if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 1000}); r.Stats.Nodes > 0 {
			t.Errorf("%d nodes", r.Stats.Nodes)
		}
	}
}

// sweeperOf returns sweeps of a problem without limits.
func sweeperOf(tl *timeline.Timeline) *search {
	s := &search{tl: tl, o: &plan.Options{}, watch: run.Endless(context.Background())}
	s.settings = settings{peak: true, mates: true, holes: true}
	s.sweeper.over = func() bool { return false }
	s.begin(s.watch, tl)
	return s
}

// load returns the sizes of the buffers of the first row.
func (x *sweeper) load(pile []int32) (size int64) {
	for _, i := range pile {
		size += x.size[i]
	}
	return size
}

// TestSweep: first fit in the order of both sweeps ends no higher than the longer of their rows, and under a
// ceiling rows get no longer.
func TestSweep(t *testing.T) {
	refused := 0
	for seed := range uint64(30) {
		tl := timeline.New(many(seed, 100+10*int(seed), 5+int(seed)))
		s := sweeperOf(tl)
		for order := range orders {
			pile, later, earlier := s.split(order)
			if len(pile)+len(later)+len(earlier) != len(tl.Problem.Buffers) {
				t.Fatalf("seed %d: %d, %d and %d buffers", seed, len(pile), len(later), len(earlier))
			}
			longest := tl.LowerBound
			var parts [2][]int32
			for way, list := range [][]int32{later, earlier} {
				ceiling := int64(1) << 60
				parts[way] = s.sweep(&s.ways[way], pile, list, 1+int(seed%5), ceiling)
				length := slices.Min(s.now.length[:s.now.n])
				longest = max(longest, length)
				if ceiling = (length + s.load(pile)) / 2; s.sweep(&s.ways[way], pile, list, 4, ceiling) == nil {
					refused++
				} else if length := slices.Min(s.now.length[:s.now.n]); length > ceiling {
					t.Errorf("seed %d: %d bytes under a ceiling of %d", seed, length, ceiling)
				}
			}
			all := s.join(pile, parts[0], parts[1])
			offsets, end := place.Place(nil, tl, all, place.FirstFit)
			if end != place.Whole || len(all) != len(offsets) {
				t.Fatalf("seed %d: %d of %d buffers", seed, len(all), len(offsets))
			}
			if height := model.HeightOf(tl.Problem, offsets); height > longest {
				t.Errorf("seed %d, order %d: first fit ends at %d, the rows at %d", seed, order, height, longest)
			}
		}
	}
	if refused < 20 {
		t.Errorf("%d sweeps end at a ceiling", refused)
	}
}

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "rows", Nodes: 3000, Quiet: []string{
		"without peak", "without mates", "without holes", // no problem has as many buffers: see TestLowers
	}}.Hold(t)
}
