package merge

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func TestAgainstOracle(t *testing.T) {
	plantest.Plans(t, &Planner{}, 600, 0.6, func(seed uint64) plan.Options {
		return plan.Options{Seed: seed, Params: map[string]string{"patience": "3"}}
	})
}

// made returns a perfect packing.
func made(t testing.TB, kind string, o gen.Options) *model.Problem {
	t.Helper()
	in := must.Get(gen.New(kind, o))(t)
	return in.Problem
}

// TestPacked plans packings without a byte to spare, cut by guillotine and by
// pinwheels, and on coarse grids, where much fits by accident.
func TestPacked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  string
		o     gen.Options
		least int // of ten seeds
	}{
		{"perfect", gen.Options{Buffers: 100}, 10},
		{"perfect", gen.Options{Buffers: 1000}, 10},
		{"perfect", gen.Options{Buffers: 1000, Alignment: 64}, 10},
		{"perfect", gen.Options{Buffers: 200, Horizon: 300, Capacity: 4096}, 10},
		{"perfect", gen.Options{Buffers: 500, Horizon: 1000}, 9},
		{"pinwheel", gen.Options{Buffers: 200}, 10},
		{"pinwheel", gen.Options{Buffers: 1000}, 8},
	} {
		solved := 0
		for seed := range uint64(10) {
			c.o.Seed = seed
			p := made(t, c.kind, c.o)
			if r := plantest.Must(t, &Planner{}, p, plan.Options{Capacity: p.Capacity, NodeLimit: 20_000}); r.Status.HasPlan() {
				solved++
			}
		}
		t.Logf("%s, %d buffers, horizon %d, capacity %d: %d of 10", c.kind, c.o.Buffers, c.o.Horizon, c.o.Capacity, solved)
		if solved < c.least {
			t.Errorf("%s %+v: %d of 10 solved, want %d", c.kind, c.o, solved, c.least)
		}
	}
}

// TestChallenging plans the challenging suite of google/minimalloc as low as its load,
// where nobody has had D there before: 986,112.
func TestChallenging(t *testing.T) {
	for _, letter := range "DKHABCEFGI"[:plantest.Share(10, 10, 3)] {
		p := plantest.Load(t, "challenging/"+string(letter)+".1048576.csv")
		load := timeline.New(p).LowerBound
		if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 20_000}); r.Height != load {
			t.Errorf("%c: height %d, load %d", letter, r.Height, load)
		}
	}
	if testing.Short() {
		return
	}
	p := plantest.Load(t, "challenging/J.1048576.csv")
	if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 20_000}); r.Height > 1_034_240 {
		t.Errorf("J: height %d", r.Height)
	}
}

// text is a forest in words, whatever its lists are like.
func (f *forest) text() string {
	var in func(p id) string
	in = func(p id) string {
		c := &f.all[p]
		s := fmt.Sprint(c.shape, c.first, c.last, c.size)
		for _, q := range c.part[:c.count()] {
			s += "(" + in(q) + ")"
		}
		if c.shape == single {
			s += fmt.Sprint(" b", p)
		}
		return s
	}
	var roots []string
	for _, p := range f.live {
		roots = append(roots, in(p))
	}
	slices.Sort(roots)
	return fmt.Sprint(roots)
}

// check recomputes what the forest keeps.
func (f *forest) check(t *testing.T, buffers int) {
	t.Helper()
	seen := make([]int, len(f.all))
	var in func(p id)
	in = func(p id) {
		seen[p]++
		c := &f.all[p]
		if c.shape == single {
			return
		}
		var area int64
		for _, q := range c.part[:c.count()] {
			d := &f.all[q]
			area += d.size * int64(d.last-d.first)
			if d.root || d.first < c.first || d.last > c.last || d.sealed || d.align != c.align {
				t.Fatalf("part %d of %d: %+v of %+v", q, p, d, c)
			}
			in(q)
		}
		if area != c.size*int64(c.last-c.first) {
			t.Fatalf("%+v is not filled: %d", c, area)
		}
	}
	for k, p := range f.live {
		c := &f.all[p]
		if !c.root || c.at[2] != int32(k) || f.starts[c.first][c.at[0]] != p || f.ends[c.last][c.at[1]] != p {
			t.Fatalf("root %d: %+v", p, c)
		}
		in(p)
	}
	for i := range buffers {
		if seen[i] != 1 {
			t.Fatalf("buffer %d is in %d roots", i, seen[i])
		}
	}
	entries := 0
	for k := range f.starts {
		entries += len(f.starts[k]) + len(f.ends[k])
	}
	if entries != 2*len(f.live) {
		t.Fatalf("%d entries for %d roots", entries, len(f.live))
	}
}

// TestRounds: a round never leaves more roots, and the lists stay right throughout.
func TestRounds(t *testing.T) {
	w := run.NewWatch(context.Background())
	defer w.Close()
	kept, undone := 0, 0
	seeds := plantest.Share(60, 60, 12)
	for seed := range uint64(seeds) {
		kind := []string{"perfect", "pinwheel"}[seed%2]
		p := made(t, kind, gen.Options{Buffers: 60, Horizon: 40 + int64(seed)*10, Capacity: 256, Seed: seed})
		rng := rand.New(rand.NewPCG(seed, 1))
		m := &merger{watch: w, rng: rng, unit: 1, stacking: 1, noise: 2, stacks: true, wheeling: true, most: math.MaxInt64}
		m.init(timeline.New(p), new(base))
		m.begin()
		m.check(t, len(p.Buffers))
		for range 200 {
			before, was := len(m.live), m.text()
			at := rng.Int32N(int32(len(m.starts)))
			if !m.round(at-2, at+2, rng.IntN(2) == 0) {
				undone++
				if m.text() != was {
					t.Fatalf("seed %d: not as it was", seed)
				}
			} else if kept++; len(m.live) > before {
				t.Fatalf("seed %d: %d roots of %d", seed, len(m.live), before)
			}
			m.check(t, len(p.Buffers))
		}
	}
	if t.Logf("%d kept, %d undone", kept, undone); kept < 16*seeds || undone < 8*seeds {
		t.Error("one-sided")
	}
}

// TestSealed: a buffer that is no free rectangle is merged with nothing, and buffers of different alignments are not
// merged.
func TestSealed(t *testing.T) {
	at := int64(4)
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 4},
		{ID: "gap", Lower: 0, Upper: 2, Size: 4, Gaps: []model.Gap{{Lower: 1, Upper: 2}}},
		{ID: "fixed", Lower: 2, Upper: 4, Size: 4, Fixed: &at},
		{ID: "aligned", Lower: 2, Upper: 4, Size: 4, Alignment: 4},
		{ID: "odd", Lower: 0, Upper: 2, Size: 3, Alignment: 2},
		{ID: "odder", Lower: 0, Upper: 2, Size: 5, Alignment: 2},
		{ID: "b", Lower: 2, Upper: 4, Size: 4},
		{ID: "cut", Lower: 1, Upper: 3, Size: 1},
	}}
	w := run.NewWatch(t.Context())
	defer w.Close()
	m := &merger{watch: w, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
	m.init(timeline.New(p), new(base))
	m.begin()
	if len(m.live) != len(p.Buffers)-1 { // a and b alone
		t.Errorf("%s", m.text())
	}
}

// TestEqualLifespans merges thousands of buffers of one lifespan, of which each could go
// with each: the candidates stay few, and a node limit holds.
func TestEqualLifespans(t *testing.T) {
	const n = 6000
	p := &model.Problem{}
	for i := range n {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(i), Upper: 10, Size: 4, Alignment: 2})
	}
	p.Buffers = append(p.Buffers, model.Buffer{ID: "x", Upper: 20, Size: 3, Alignment: 4},
		model.Buffer{ID: "y", Lower: 10, Upper: 20, Size: 4 * n, Alignment: 9})
	w := run.NewWatch(t.Context())
	defer w.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	m := &merger{watch: w, rng: rng, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
	m.init(timeline.New(p), new(base))
	m.begin()
	if len(m.live) > 100 || cap(m.heap) > 4*offerMost*n || m.work > 4*scanMost*n {
		t.Errorf("%d roots, room for %d candidates, %d looked at", len(m.live), cap(m.heap), m.work)
	}
	if r := plantest.Must(t, &Planner{}, p, plan.Options{NodeLimit: 50}); r.Stats.Nodes > 50 || !r.Status.HasPlan() {
		t.Errorf("%d nodes of 50, %v", r.Stats.Nodes, r.Status)
	}
}
