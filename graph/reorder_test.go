package graph_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// orders calls f with each order in which the operators of a graph can run.
func orders(g *graph.Graph, f func(order []int)) {
	var order []int
	ready := func(k int) bool {
		if slices.Contains(order, k) {
			return false
		}
		for before := range g.Operators {
			made := func(x int) bool { return slices.Contains(g.Operators[before].Results, x) }
			o := &g.Operators[k]
			needed := slices.Contains(o.After, before) || slices.ContainsFunc(o.Operands, made)
			if needed && !slices.Contains(order, before) {
				return false
			}
		}
		return true
	}
	var extend func()
	extend = func() {
		if len(order) == len(g.Operators) {
			f(order)
			return
		}
		for k := range g.Operators {
			if ready(k) {
				order = append(order, k)
				extend()
				order = order[:len(order)-1]
			}
		}
	}
	extend()
}

// TestReorderAgainstBruteForce compares plans in any order with the lowest plan of all orders, all offsets and all
// choices of overlaps: each is that plan, and is said to be. The oracle counts small numbers; the graph that is
// planned has a multiple of them.
func TestReorderAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 23))
	graphs, saved, beyond, most := 2000, 0, 0, 0
	if testing.Short() {
		graphs = 200
	}
	for range graphs {
		g := drawn(r, 2+r.IntN(4))
		r.Shuffle(len(g.Operators), func(a, b int) { swap(g, a, b) })
		least, all := int64(-1), 0
		orders(g, func(order []int) {
			all++
			x := newOracle(g, order)
			if least < 0 || x.below(least, graph.AllPermits) {
				least = x.least(graph.AllPermits)
			}
		})
		unit := []int64{1, 1, 3, 64, 1000}[r.IntN(5)]
		h := scaled(g, unit)
		problems := 0
		count := func(ctx context.Context, p *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
			problems++
			return stowage.Solve(ctx, p, o)
		}
		p := must.Get(graph.Make(context.Background(), h, graph.Options{Solve: count, Reorder: true}))(t)
		if report, err := graph.Verify(h, p); err != nil || !report.OK() {
			t.Fatalf("%v %+v\n%+v\n%+v", err, report, h, p)
		}
		if p.Height != least*unit || p.Status != stowage.Optimal {
			t.Fatalf("%v, %d to %d bytes: the oracle says %d\n%+v\n%+v", p.Status, p.LowerBound, p.Height, least*unit, h, p)
		}
		if p.Saved.Order > 0 {
			saved++
		}
		for _, capacity := range []int64{max(p.Height-1, 1), max(p.Height, 1), 2*p.Height + 1} {
			o := graph.Options{Solve: stowage.Solve, Reorder: true}
			o.Run.Capacity = capacity
			q := must.Get(graph.Make(context.Background(), h, o))(t)
			fits := q.Status.HasPlan() && q.Height <= capacity
			if fits != (capacity >= p.Height) || !fits && q.Status != stowage.Infeasible ||
				fits && q.LowerBound > p.Height || q.Status == stowage.Optimal && q.Height != p.Height {
				t.Fatalf("capacity %d of %d: %v, bound %d\n%+v", capacity, p.Height, q.Status, q.LowerBound, h)
			}
		}
		few, err := graph.Make(context.Background(), h, graph.Options{Solve: stowage.Solve, Reorder: true, Problems: -1})
		if err != nil {
			t.Fatal(err)
		}
		if few.LowerBound > p.Height || few.Height < p.Height || few.Status == stowage.Optimal && few.Height > p.Height {
			t.Fatalf("without the search through all orders: %v, %d to %d bytes\n%+v", few.Status, few.LowerBound, few.Height, h)
		}
		if few.Status != stowage.Optimal {
			beyond++
			most = max(most, problems)
		}
	}
	t.Logf("%d graphs: the order saves bytes on %d; on %d only the search through all orders proves the plan,", graphs,
		saved, beyond)
	t.Logf("with at most %d problems for a graph", most)
	if saved < graphs/20 || beyond < graphs/100 {
		t.Error("too few to trust")
	}
}

// scaled returns a graph with so many times the bytes. Its plans are those of the graph: offsets that are rounded down
// to multiples keep all distances.
func scaled(g *graph.Graph, unit int64) *graph.Graph {
	s := *g
	s.Values, s.Operators = slices.Clone(g.Values), slices.Clone(g.Operators)
	for v := range s.Values {
		s.Values[v].Size *= unit
		s.Values[v].Alignment *= unit
		if at := s.Values[v].Fixed; at != nil {
			fixed := *at * unit
			s.Values[v].Fixed = &fixed
		}
	}
	for k := range s.Operators {
		s.Operators[k].Scratch *= unit
		s.Operators[k].ScratchAlignment *= unit
		s.Operators[k].Permits = slices.Clone(s.Operators[k].Permits)
		for n := range s.Operators[k].Permits {
			s.Operators[k].Permits[n].Distance *= unit
		}
	}
	return &s
}

// swap exchanges two operators of a graph, and what refers to them.
func swap(g *graph.Graph, a, b int) {
	g.Operators[a], g.Operators[b] = g.Operators[b], g.Operators[a]
	for k := range g.Operators {
		for n, before := range g.Operators[k].After {
			switch before {
			case a:
				g.Operators[k].After[n] = b
			case b:
				g.Operators[k].After[n] = a
			}
		}
	}
}
