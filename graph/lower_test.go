package graph_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

func listed(g *graph.Graph) []int {
	order := make([]int, len(g.Operators))
	for k := range order {
		order[k] = k
	}
	return order
}

// TestLowerSaysTheSame compares the problem that Lower makes, the checker and the oracle with each other, at random
// offsets of random graphs: all three accept, or none.
func TestLowerSaysTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 23))
	accepted, over, judged := 0, 0, 0
	for range 3000 {
		g := drawn(r, 1+r.IntN(4))
		l := must.Get(graph.Lower(g, listed(g), graph.AllPermits))(t)
		x := newOracle(g, listed(g))
		for range 60 {
			at := make([]int64, len(x.size))
			for i := range at {
				at[i] = r.Int64N(7) * x.align[i]
				if r.IntN(2) == 0 && i > 0 { // near another, for there permits decide
					at[i] = max(0, at[r.IntN(i)]+r.Int64N(5)-2) / x.align[i] * x.align[i]
				}
				if x.fixed[i] != nil && r.IntN(8) > 0 {
					at[i] = *x.fixed[i]
				}
			}
			want, overlap := true, false
			for b := range at {
				want = want && (x.fixed[b] == nil || *x.fixed[b] == at[b])
				for a := range b {
					want = want && x.may(a, b, at, graph.AllPermits)
					overlap = overlap || !x.may(a, b, at, graph.NoPermits)
				}
			}
			report := must.Get(stowage.Verify(l.Problem, at, 0))(t)
			p := spread(g, l, at)
			replayed := must.Get(graph.Verify(g, p))(t)
			legal := true // what Verify says of the overlaps that are listed is not of offsets
			for _, v := range replayed.Violations {
				legal = legal && v.Rule == graph.RuleOverlaps
			}
			if report.OK() != want || legal != want {
				t.Errorf("offsets %v: the problem says %v, Verify %v, the oracle %v", at, report.OK(), legal, want)
				t.Fatalf("%+v\n%+v\n%+v", g, l.Problem, replayed)
			}
			judged++
			if want {
				accepted++
				if overlap {
					over++
				}
			}
		}
	}

	if accepted < 5000 || over < 2000 || judged-accepted < 20_000 {
		t.Errorf("%d accepted, %d with results over operands, out of %d: too few to trust", accepted, over, judged)
	}
}

// TestLowerKeepsOthersApart: an operand and a result without a permit for the pair lie apart, even if both are in
// other permits and smaller than their alignment.
func TestLowerKeepsOthersApart(t *testing.T) {
	g := &graph.Graph{Inputs: []int{0, 1}, Outputs: []int{2, 3}}
	for _, name := range []string{"x1", "x2", "y1", "y2"} {
		g.Values = append(g.Values, graph.Value{Name: name, Size: 2, Alignment: 16})
	}
	g.Operators = []graph.Operator{{
		Name: "f", Operands: []int{0, 1}, Results: []int{2, 3},
		Permits: []graph.Permit{{Result: 2, Operand: 0}, {Result: 3, Operand: 1}},
	}}
	l := must.Get(graph.Lower(g, []int{0}, graph.AllPermits))(t)
	for _, tc := range []struct {
		at   []int64
		want bool
	}{{[]int64{0, 16, 0, 16}, true}, {[]int64{0, 16, 16, 0}, false}} {
		if report, err := stowage.Verify(l.Problem, tc.at, 0); err != nil || report.OK() != tc.want {
			t.Errorf("%v: %+v, %v", tc.at, report, err)
		}
	}
}

// spread returns offsets of the buffers as a plan of the graph.
func spread(g *graph.Graph, l *graph.Lowering, at []int64) *graph.Plan {
	p := &graph.Plan{Order: listed(g)}
	of := func(i int) int64 {
		if i < 0 {
			return -1
		}
		p.Height = max(p.Height, at[i]+l.Problem.Buffers[i].Size)
		return at[i]
	}
	for _, i := range l.Value {
		p.Offsets = append(p.Offsets, of(i))
	}
	for _, i := range l.Scratch {
		p.Scratch = append(p.Scratch, of(i))
	}
	return p
}

// TestMakeAgainstBruteForce compares the plans of random graphs with the lowest ones.
func TestMakeAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 23))
	graphs, saved, over := 2000, 0, 0
	if testing.Short() {
		graphs = 250
	}
	for range graphs {
		g := drawn(r, 1+r.IntN(4))
		x := newOracle(g, listed(g))
		least := map[graph.Permits]int64{}
		for _, permits := range []graph.Permits{graph.NoPermits, graph.InPlace, graph.AllPermits} {
			p := must.Get(graph.Make(context.Background(), g, graph.Options{Solve: stowage.Solve, Permits: permits}))(t)
			least[permits] = p.Height
			if p.Height > 0 && x.below(p.Height, permits) {
				least[permits] = x.least(permits)
			}
			if p.Status != stowage.Optimal || p.Height != least[permits] {
				t.Fatalf("%v: %v, height %d, the oracle says %d\n%+v", permits, p.Status, p.Height, least[permits], g)
			}
			if report, err := graph.Verify(g, p); err != nil || !report.OK() {
				t.Fatalf("permits %v: %v %+v\n%+v\n%+v", permits, err, report, g, p)
			}
			want := graph.Saved{}
			if permits != graph.NoPermits {
				want.InPlace = least[graph.NoPermits] - least[graph.InPlace]
			}
			if permits == graph.AllPermits {
				want.Distance = least[graph.InPlace] - p.Height
			}
			if p.Saved != want {
				t.Fatalf("permits %v: saved %+v, want %+v\n%+v", permits, p.Saved, want, g)
			}
			over += len(p.Overlaps)
		}
		if least[graph.AllPermits] < least[graph.NoPermits] {
			saved++
		}
	}

	if saved < graphs/10 || over < graphs/4 {
		t.Errorf("permits save bytes on %d of %d graphs, %d overlaps: too few to trust", saved, graphs, over)
	}
}
