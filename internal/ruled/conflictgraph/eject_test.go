package conflictgraph

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// graphOf is the graph of a problem's conflicts.
func graphOf(p *model.Problem) *Graph {
	n := len(p.Buffers)
	g := &Graph{Buffers: p.Buffers, Words: (n + 63) / 64}
	g.Edges = make([]uint64, n*g.Words)
	c := model.NewConflicts(p)
	for i := range n {
		for j := range n {
			if i != j && c.Conflict(i, j) {
				g.Edges[i*g.Words+j/64] |= 1 << (j % 64)
			}
		}
	}
	return g
}

// checked fails if the search's plan is not one, and returns its height.
func checked(t *testing.T, p *model.Problem, s *Search) int64 {
	t.Helper()
	if !oracle.Legal(p, &model.Plan{Offsets: s.Offsets}) || model.HeightOf(p, s.Offsets) != s.Height {
		t.Fatalf("not a plan of height %d: %v", s.Height, s.Offsets)
	}
	return s.Height
}

func watch() *run.Watch { return run.NewWatch(context.Background()) }

// drawn returns a small problem with clocks, some alignments and some fixed offsets.
func drawn(t *testing.T, r *rand.Rand, most int) *model.Problem {
	t.Helper()
	patterns := gen.Patterns()
	in, err := gen.New("clocks", gen.Options{
		Buffers: 2 + r.IntN(most-1), Seed: r.Uint64(), Threads: 2 + r.Int64N(3), Pattern: patterns[r.IntN(len(patterns))],
		MinSize: 1, MaxSize: 9, Horizon: 7 + r.Int64N(20), MaxLife: 6,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := in.Problem
	for i := range p.Buffers {
		if r.IntN(8) == 0 {
			p.Buffers[i].Alignment = 1 + r.Int64N(4)
		}
	}
	if b := &p.Buffers[r.IntN(len(p.Buffers))]; r.IntN(4) == 0 {
		at := r.Int64N(5) * b.Align()
		b.Fixed = &at
	}
	return p
}

// TestEject compares plans of small problems with brute force.
func TestEject(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	asked, found, orders := 0, 0, 0
	for range plantest.Share(2000, 300, 100) {
		p := drawn(t, r, 6)
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided {
			continue
		}
		asked++
		s := New(graphOf(p), best[0], r.Uint64())
		s.Orders(watch())
		before := checked(t, p, s)
		s.Eject(watch(), 2000, 0)
		after := checked(t, p, s)
		if after < best[0] || after > before {
			t.Fatalf("height %d after %d, brute force %d", after, before, best[0])
		}
		if before == best[0] {
			orders++
		}
		if after == best[0] {
			found++
		}
	}
	t.Logf("of %d problems, orders solve %d and ejection %d", asked, orders, found)
	if asked < 90 || found < asked*97/100 || found-orders < asked/50 {
		t.Errorf("of %d problems, orders solve %d and ejection %d", asked, orders, found)
	}
}

// clique is the weight of a clique: no plan is lower.
func clique(g *Graph) (weight int64) {
	var in []int32
	for i := range int32(len(g.Buffers)) {
		if !slices.ContainsFunc(in, func(j int32) bool { return !has(g.row(i), j) }) {
			in, weight = append(in, i), weight+g.Buffers[i].Size
		}
	}
	return weight
}

// TestEjectLarge asks how much lower ejection brings plans of 128 buffers than the orders do, and that a run can be
// repeated.
func TestEjectLarge(t *testing.T) {
	orders, ejected, again := 0.0, 0.0, 0.0
	for seed, pattern := range []string{"independent", "irregular", "tree", "dense"} {
		in := must.Get(gen.New("clocks", gen.Options{
			Buffers: 128, Seed: uint64(seed), Threads: 4, Pattern: pattern, MinSize: 1 << 10, MaxSize: 1 << 20,
		}))(t)
		p := in.Problem
		g := graphOf(p)
		a, b := New(g, clique(g), 3), New(g, clique(g), 3)
		for _, s := range []*Search{a, b} {
			s.Orders(watch())
			if s == a {
				orders += float64(checked(t, p, s))
			}
			s.Eject(watch(), 20_000, 0)
		}
		ejected += float64(checked(t, p, a))
		again += float64(checked(t, p, b))
		if !slices.Equal(a.Offsets, b.Offsets) {
			t.Errorf("%s: two plans of one seed", pattern)
		}
	}
	t.Logf("ejection brings %.0f to %.0f", orders, ejected)
	if ejected > 0.98*orders {
		t.Errorf("ejection brings %.0f only to %.0f", orders, ejected)
	}
}

// TestOrdersInput: a tiling whose input is in the order of the cuts is planned at once.
func TestOrdersInput(t *testing.T) {
	in := must.Get(gen.New("clock-tiling",
		gen.Options{Buffers: 200, Seed: 5, Threads: 4, Messages: 20, Horizon: 1 << 20, Capacity: 1 << 20}))(t)
	// The order of the cuts: by offset.
	order := make([]int, len(in.Problem.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(in.Offsets[i] - in.Offsets[j]) })
	p := *in.Problem
	p.Buffers = nil
	for _, i := range order {
		p.Buffers = append(p.Buffers, in.Problem.Buffers[i])
	}
	s := New(graphOf(&p), in.Optimum, 0)
	s.Orders(watch())
	if checked(t, &p, s) != in.Optimum || s.Steps != 200 {
		t.Errorf("height %d after %d steps, want %d", s.Height, s.Steps, in.Optimum)
	}
}

// TestMisses: a search for what is out of reach ends by itself.
func TestMisses(t *testing.T) {
	p := drawn(t, rand.New(rand.NewPCG(1, 3)), 30)
	s := New(graphOf(p), 0, 0)
	s.Orders(watch())
	s.Eject(watch(), 1<<40, 3)
	checked(t, p, s)
}

// TestEnds: a watch that is over ends both searches, with or without a plan.
func TestEnds(t *testing.T) {
	p := drawn(t, rand.New(rand.NewPCG(1, 1)), 30)
	over := run.Stoppable(context.Background())
	over.Stop()
	s := New(graphOf(p), 0, 0)
	s.Orders(over)
	s.Eject(over, 1<<40, 0)
	if s.Offsets != nil {
		t.Error("a plan although the time was over")
	}
	s.Orders(watch())
	s.Eject(over, 1<<40, 0)
	checked(t, p, s)
}
