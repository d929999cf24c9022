package beam

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// inUse returns the size of the buffers that do not end by a time.
func inUse(p *model.Problem, t int64) (size int64) {
	for i := range p.Buffers {
		if p.Buffers[i].Upper > t {
			size += p.Buffers[i].Size
		}
	}
	return size
}

// crowded returns buffers in a memory that is 97% full at all times: what begins is whatever fits.
func crowded(seed uint64, n int, capacity int64, size func(r *rand.Rand) int64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &model.Problem{}
	for t := int64(0); len(p.Buffers) < n; t++ {
		used := inUse(p, t)
		for range 20 {
			z := size(r)
			if used+z <= capacity && used*100 < capacity*97 && len(p.Buffers) < n {
				p.Buffers = append(p.Buffers, model.Buffer{
					ID: strconv.Itoa(len(p.Buffers)), Lower: t, Upper: t + 1 + int64(12*r.ExpFloat64()), Size: z,
				})
				used += z
			}
		}
	}
	return p
}

func even(r *rand.Rand) int64  { return 16 * (1 + r.Int64N(64)) }
func heavy(r *rand.Rand) int64 { return 16 * (1 + int64(24*math.Exp(0.7*r.NormFloat64()))) }

// TestPlans: small problems of all kinds. Plans are valid and never higher than a heuristic's.
func TestPlans(t *testing.T) {
	for seed := range uint64(300) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 44)))
		tl := timeline.New(p)
		o := plan.Options{NodeLimit: 2000, Without: plantest.Without(&Planner{}, rand.New(rand.NewPCG(seed, 45)), 4)}
		first := plantest.Solve(t, context.Background(), &Planner{}, tl, plan.Options{NodeLimit: 1})
		if r := plantest.Solve(t, context.Background(), &Planner{}, tl, o); r.Height > first.Height {
			t.Errorf("seed %d: %d nodes make the plan higher: %d, %d", seed, r.Stats.Nodes, r.Height, first.Height)
		}
	}
}

// TestAligned: plans of crowded problems with alignments are valid, and lower than those of heuristics.
func TestAligned(t *testing.T) {
	lower := 0
	for seed := range uint64(6) {
		p := crowded(seed, 120, 1<<13, even)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = []int64{1, 32, 48}[i%3]
		}
		first := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 1})
		if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 50_000}); r.Height < first.Height {
			lower++
		}
	}
	if lower < 3 {
		t.Errorf("%d of 6 plans are lower than a heuristic's", lower)
	}
}

// TestTechniques: each technique lowers the plans of crowded problems under a node limit, all taken together. Those of
// passes are compared without ejections, which would take the nodes that they save.
func TestTechniques(t *testing.T) {
	sum := func(seeds uint64, nodes int64, sizes []func(r *rand.Rand) int64, without ...string) (percent float64) {
		for seed := range seeds {
			for _, size := range sizes {
				p := crowded(seed, 400, 1<<14, size)
				r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: nodes, Without: without})
				percent += 100*float64(r.Height)/float64(r.LowerBound) - 100
			}
		}
		return percent / float64(int(seeds)*len(sizes))
	}
	sizes := []func(r *rand.Rand) int64{even, heavy}
	all := sum(4, 100_000, sizes, "eject")
	t.Logf("%.2f%% above the bound", all)
	bound := sum(4, 100_000, sizes, "eject", "loose")
	for _, c := range []struct {
		name    string
		with    float64
		without []string
	}{
		{"back", all, []string{"eject", "back"}},
		{"ahead", all, []string{"eject", "ahead"}},
		{"alike", all, []string{"eject", "alike"}},
		{"reverse", bound, []string{"eject", "loose", "reverse"}}, // so few nodes are too few for four ways
	} {
		off := sum(4, 100_000, sizes, c.without...)
		t.Logf("%.2f%% without %s, %.2f%% with it", off, c.name, c.with)
		if off <= c.with {
			t.Errorf("%.3f%% above the bound without %s, %.3f%% with it", off, c.name, c.with)
		}
	}
	if t.Logf("%.2f%% without loose", bound); bound <= all {
		t.Errorf("%.3f%% above the bound without loose, %.3f%% with it", bound, all)
	}
	heavy := func(without ...string) (percent float64) {
		for seed := range uint64(3) {
			r := plantest.Must(t, &Planner{}, brimful(seed, 500), plan.Options{NodeLimit: 150_000, Without: without})
			percent += 100*float64(r.Height)/float64(r.LowerBound) - 100
		}
		return percent / 3
	}
	with := heavy()
	for _, name := range []string{"eject", "slide", "hold"} { // TestUrgent has urgent
		off := heavy(name)
		if t.Logf("heavy tails: %.2f%%, %.2f%% without %s", with, off, name); with > off-0.5 {
			t.Errorf("heavy tails: %.2f%% above the bound, %.2f%% without %s", with, off, name)
		}
	}
}

// TestSameAgain: the same seed and node limit give the same plan, whatever ran before, and a pass that runs a second
// time allocates next to nothing.
func TestSameAgain(t *testing.T) {
	tl := timeline.New(crowded(1, 200, 1<<13, even))
	o := plan.Options{NodeLimit: 50_000}
	a := plantest.Solve(t, context.Background(), &Planner{}, tl, o)
	if b := plantest.Solve(t, context.Background(), &Planner{}, tl, o); !slices.Equal(a.Offsets, b.Offsets) {
		t.Error("two runs differ")
	}
	x := passOf(t, tl)
	if got := testing.AllocsPerRun(3, func() { x.run(2*tl.LowerBound, 16) }); got > 4 {
		t.Errorf("%v allocations in a pass of %d buffers", got, len(x.order))
	}
}

// passOf returns a pass without limits.
func passOf(t *testing.T, tl *timeline.Timeline) *pass {
	s := &search{o: &plan.Options{}, watch: run.NewWatch(context.Background()), end: math.MaxInt64}
	t.Cleanup(s.watch.Close)
	s.settings.back, s.settings.ahead, s.settings.alike, s.settings.slide = true, true, true, true
	return newPass(s, tl, false)
}

// TestRestore: a beam that is made anew from the trace is the beam that was there: the same layouts and scores.
func TestRestore(t *testing.T) {
	tl := timeline.New(crowded(2, 150, 1<<13, even))
	x := passOf(t, tl)
	x.run(2*tl.LowerBound, 8)
	for k := 10; k > 0; k-- { // the layouts after buffer 14k
		x.restore(14 * k)
		before := slices.Clone(x.now.at[:x.now.n*x.now.stride])
		x.advance(x.first[14*k-1])
		for s := range x.now.n {
			if from := s * x.now.stride; !slices.IsSorted(before[from : from+x.now.live]) {
				t.Fatalf("buffer %d: offsets do not ascend", 14*k)
			}
		}
		scores := slices.Clone(x.now.score[:x.now.n])
		if slices.Sort(scores); len(slices.Compact(scores)) != x.now.n {
			t.Errorf("buffer %d: two layouts of a beam are alike", 14*k)
		}
	}
}

// TestScore: the score of each child is the score that its layout has when it is added up anew.
func TestScore(t *testing.T) {
	tl := timeline.New(crowded(3, 150, 1<<13, even))
	x := passOf(t, tl)
	x.ceiling = tl.LowerBound + tl.LowerBound/8
	x.widen(8)
	x.restore(0)
	for k := range 100 {
		if k == 0 || x.first[k] != x.first[k-1] {
			x.advance(x.first[k])
		}
		x.value[k] = worth(x.last[k] - x.first[k])
		x.bear(k)
		x.choose(k)
		if x.next.n == 0 {
			return
		}
		x.now, x.next = x.next, x.now
		x.levels = append(x.levels, int32(len(x.parent)))
		want := slices.Clone(x.now.score[:x.now.n])
		if x.advance(x.first[k]); !slices.Equal(want, x.now.score[:x.now.n]) {
			t.Fatalf("buffer %d: scores %v, added up anew %v", k, want, x.now.score[:x.now.n])
		}
	}
}

// TestHoles: the score of a layout is the sum over its holes, moment by moment; a layout that is upside down has the
// same score; and layouts of the same buffers with the same score have holes of the same sizes at each moment.
func TestHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	same, differ := 0, 0
	for range 300 {
		const n, ceiling = 6, 24
		x := &pass{ceiling: ceiling, mean: 2, value: make([]int64, n)}
		for k := range n {
			x.size, x.last = append(x.size, 1+r.Int64N(3)), append(x.last, 1+r.Int32N(5))
			x.value[k] = worth(x.last[k])
		}
		seen := map[int64]string{}
		for range 30 {
			at, id, lower := []int64{}, []int32{}, int64(0)
			for _, k := range r.Perm(n) {
				lower += r.Int64N(2)
				at, id = append(at, lower), append(id, int32(k))
				lower += x.size[k]
			}
			want, shape := int64(0), ""
			for now := range int32(6) {
				var holes []int64
				top, until := int64(0), worth(now+1)
				if now == 5 {
					until = horizon
				}
				for i := range n + 1 {
					upper := int64(ceiling)
					if i < n {
						if x.last[id[i]] <= now {
							continue
						}
						upper = at[i]
					}
					if upper > top {
						holes = append(holes, upper-top)
						want += x.weight(upper-top) * (until - worth(now))
					}
					if i < n {
						top = upper + x.size[id[i]]
					}
				}
				slices.Sort(holes)
				shape += fmt.Sprint(holes)
			}
			got := x.total(at, id)
			if got != want {
				t.Fatalf("score %d, moment by moment %d: %v of sizes %v until %v", got, want, at, x.size, x.last)
			}
			for i := range n / 2 {
				at[i], at[n-1-i], id[i], id[n-1-i] = at[n-1-i], at[i], id[n-1-i], id[i]
			}
			for i, k := range id {
				at[i] = ceiling - at[i] - x.size[k]
			}
			if turned := x.total(at, id); turned != got {
				t.Fatalf("score %d, upside down %d: %v of sizes %v until %v", got, turned, at, x.size, x.last)
			}
			if before, ok := seen[got]; ok && before != shape {
				t.Fatalf("two layouts of score %d: holes %s and %s", got, before, shape)
			} else if ok {
				same++
			} else {
				differ++
			}
			seen[got] = shape
		}
	}
	if same < 100 || differ < 100 {
		t.Errorf("%d layouts have the score of another, %d do not: the cases are lopsided", same, differ)
	}
}

// TestOpen: a layout is dropped if and only if, at some coming buffer's begin, no offset is free among those that still
// live. All offsets are tried.
func TestOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	dropped := 0
	for range 2000 {
		x := &pass{ceiling: 12, size: []int64{1, 1, 2, 2 + r.Int64N(6)}, align: []int64{1, 1, 1, 1 + r.Int64N(3)}}
		x.first, x.coming = []int32{0, 0, 0, 3}, []int32{3}
		x.last = []int32{1 + r.Int32N(5), 1 + r.Int32N(5), 1 + r.Int32N(5), 9}
		at := r.Perm(5)[:3]
		slices.Sort(at)
		x.next = beam{live: 3, stride: 4, at: []int64{2 * int64(at[0]), 2 * int64(at[1]), 2 * int64(at[2]), 0}, id: []int32{0, 1, 2, 0}}
		want := false
		for o := int64(0); o+x.size[3] <= x.ceiling; o += x.align[3] {
			free := true
			for k := range 3 {
				free = free && (x.last[k] <= 3 || o+x.size[3] <= x.next.at[k] || x.next.at[k]+x.size[k] <= o)
			}
			want = want || free
		}
		if x.open() != want {
			t.Fatalf("open is %v: %+v", !want, x)
		}
		if !want {
			dropped++
		}
	}
	if dropped < 100 || dropped > 1900 {
		t.Errorf("%d of 2000 layouts are dropped: the cases are lopsided", dropped)
	}
}
