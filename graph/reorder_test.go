package graph_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
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

// TestReorderAgainstBruteForce holds plans in any order against the lowest plan of all orders.
// The bound and the status must hold for all of them. That the plan is the lowest is not
// promised; how often it is not is counted.
func TestReorderAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 23))
	graphs, above, proven, saved := 2000, 0, 0, 0
	if testing.Short() {
		graphs = 200
	}
	for range graphs {
		g := drawn(r, 2+r.IntN(3))
		r.Shuffle(len(g.Operators), func(a, b int) { swap(g, a, b) })
		least := int64(-1)
		orders(g, func(order []int) {
			x := newOracle(g, order)
			if least < 0 || x.below(least, graph.AllPermits) {
				least = x.least(graph.AllPermits)
			}
		})
		p, err := graph.Make(context.Background(), g, graph.Options{Solve: stowage.Solve, Reorder: true})
		if err != nil {
			t.Fatal(err)
		}
		if report, err := graph.Verify(g, p); err != nil || !report.OK() {
			t.Fatalf("%v %+v\n%+v\n%+v", err, report, g, p)
		}
		if p.Height < least || p.LowerBound > least || p.Status == stowage.Optimal && p.Height != least {
			t.Fatalf("%v, %d to %d bytes: the oracle says %d\n%+v\n%+v", p.Status, p.LowerBound, p.Height, least, g, p)
		}
		if p.Height > least {
			above++
		}
		if p.Status == stowage.Optimal {
			proven++
		}
		if p.Saved.Order > 0 {
			saved++
		}
	}
	t.Logf("%d graphs: %d plans are not the lowest, %d are proven", graphs, above, proven)
	t.Logf("the order saves bytes on %d", saved)
	if above > graphs/50 || proven < graphs*9/10 || saved < graphs/20 {
		t.Error("that is worse than it was")
	}
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
