package shapes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/shapes"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// torn returns a family of three scenarios whose best order is 28.6% above the load at one of them, as trying all
// orders shows. Two orders are at the load.
func torn(t *testing.T) *model.Family {
	t.Helper()
	f := &model.Family{Problem: &model.Problem{}, Scenarios: []string{"a", "b", "c"}, Sizes: make([][]int64, 3)}
	for i, b := range []struct {
		lower, upper, align int64
		sizes               [3]int64
	}{
		{3, 6, 8, [3]int64{3, 5, 2}},
		{5, 7, 1, [3]int64{1, 1, 1}},
		{2, 6, 1, [3]int64{6, 6, 5}},
		{2, 4, 2, [3]int64{4, 2, 2}},
		{5, 9, 3, [3]int64{6, 6, 6}},
		{0, 5, 1, [3]int64{6, 3, 0}},
	} {
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{ID: fmt.Sprint(i), Lower: b.lower, Upper: b.upper, Alignment: b.align})
		for k, size := range b.sizes {
			f.Sizes[k] = append(f.Sizes[k], size)
		}
	}
	must.Do(t, f.Complete())
	return f
}

// TestSwitched: of a family, one order cannot be at the load everywhere, and two can.
func TestSwitched(t *testing.T) {
	f := torn(t)
	height, worst := all(f)
	one := must.Get(shapes.SolveOrders(t.Context(), f, plan.Options{}, 1, stowage.Solve))(t)
	if one.Height != height || worst < 0.28 || one.Worst < worst-1e-9 || one.Switched != nil {
		t.Errorf("one order: height %d and an excess of %v, switched %v; all orders have %d and %v", one.Height, one.Worst,
			one.Switched, height, worst)
	}
	two := must.Get(shapes.SolveOrders(t.Context(), f, plan.Options{}, 2, stowage.Solve))(t)
	s := two.Switched
	if s == nil || len(s.Orders) != 2 || s.Worst != 0 || two.Height != height {
		t.Fatalf("two orders: %+v", s)
	}
	for k, x := range two.Points {
		if s.Heights[k] != x.Load {
			t.Errorf("scenario %s: height %d, load %d", x.Name, s.Heights[k], x.Load)
		}
	}
	if report := verify.CheckSwitched(f, s, two.Points, height); !report.OK() {
		t.Error(report.Violations[0].Message)
	}
	wrong, bare, from := *s, *s, *s
	bare.Orders = []*model.Order{s.Orders[0], must.Get(model.NewOrder(f.Problem, make([][]int32, 6), nil))(t)}
	from.From = []int64{1, 2}
	wrong.Heights = slices.Clone(s.Heights)
	wrong.Heights[1]++
	for what, report := range map[string]*model.Report{
		"a height":  verify.CheckSwitched(f, &wrong, two.Points, height),
		"the arena": verify.CheckSwitched(f, s, two.Points, slices.Max(s.Heights)-1),
		"no pairs":  verify.CheckSwitched(f, &bare, two.Points, height),
		"a value":   verify.CheckSwitched(f, &from, two.Points, height),
	} {
		if report.OK() {
			t.Errorf("%s is wrong, and passes", what)
		}
	}
}

// TestSwitchedTiny holds up to two orders of tiny families against brute force over all pairs of orders: none is better
// than the best, and nearly all are as good.
func TestSwitchedTiny(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 3))
	torn, best := 0, 0
	for k := 0; torn < 60; k++ {
		f := drawn(rng, 6)
		if _, worst := all(f); f.Points() < 2 || worst <= 1e-4 {
			continue
		}
		torn++
		r := must.Get(shapes.SolveOrders(t.Context(), f, plan.Options{Seed: uint64(k)}, 2, stowage.Solve))(t)
		got := r.Worst
		if r.Switched != nil {
			got = r.Switched.Worst
			if report := verify.CheckSwitched(f, r.Switched, r.Points, r.Height); !report.OK() || len(r.Switched.Orders) > 2 {
				t.Fatalf("family %d: %v", k, report.Violations)
			}
		}
		switch want := pair(f, r.Height); {
		case got < want-1e-9:
			t.Fatalf("family %d: an excess of %v by two orders, and %v is the least", k, got, want)
		case got <= want+1e-9:
			best++
		}
	}
	if best < 54 {
		t.Errorf("the best two orders in %d of %d families", best, torn)
	}
}

// pair returns the least worst excess of two orders. The first holds up to a point, the second from there on, and
// neither is above the arena where it holds.
func pair(f *model.Family, arena int64) float64 {
	n := int(f.Points())
	loads := make([]int64, n)
	first, second := make([]float64, n+1), make([]float64, n+1) // of points below k, and from k on
	for k := range n + 1 {
		first[k], second[k] = math.Inf(1), math.Inf(1)
	}
	for k := range n {
		for at := range int64(2 * len(f.Problem.Buffers)) {
			load := int64(0)
			for i, size := range f.SizesAt(int64(k)) {
				if live(&f.Problem.Buffers[i], at) {
					load += size
				}
			}
			loads[k] = max(loads[k], load)
		}
	}
	everyOrder(f, func(_ int64, excess []float64) {
		worst := 0.0
		for k := 0; k <= n; k++ {
			first[k] = min(first[k], worst)
			if k < n {
				worst = max(worst, excess[k], over(excess[k], loads[k], arena))
			}
		}
		worst = 0
		for k := n; k >= 0; k-- {
			if k < n {
				worst = max(worst, excess[k], over(excess[k], loads[k], arena))
			}
			second[k] = min(second[k], worst)
		}
	})
	least := math.Inf(1)
	for k := range n + 1 {
		least = min(least, max(first[k], second[k]))
	}
	return least
}

// over is infinite if an excess over a load is above the arena.
func over(excess float64, load, arena int64) float64 {
	if excess*float64(max(1, load))+float64(load) > float64(arena)+0.5 {
		return math.Inf(1)
	}
	return 0
}
