package order

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// a watcher collects all orders, except those with a beginning that refuse rejects.
type watcher struct {
	order  []int32
	all    [][]int32
	full   func(order []int32) (limit int64, keep int)
	refuse func(order []int32) bool
	tried  int
}

func (w *watcher) Enter(o int32) bool {
	w.tried++
	if w.refuse != nil && w.refuse(append(w.order, o)) {
		return false
	}
	w.order = append(w.order, o)
	return true
}

func (w *watcher) Leave() { w.order = w.order[:len(w.order)-1] }

func (w *watcher) Full() (limit int64, keep int) {
	w.all = append(w.all, slices.Clone(w.order))
	if w.full == nil {
		return math.MaxInt64, len(w.order) - 1
	}
	return w.full(w.order)
}

// within returns all orders of the oracle with a peak of at most limit.
func (o *oracle) within(limit int64) (all [][]int32) {
	var order []int32
	var extend func()
	extend = func() {
		if len(order) == o.n {
			if o.peak(order) <= limit {
				all = append(all, slices.Clone(order))
			}
			return
		}
		for k := range int32(o.n) {
			late := func(q int) bool { return !slices.Contains(order, int32(q)) }
			if !slices.Contains(order, k) && !slices.ContainsFunc(o.before[k], late) {
				order = append(order, k)
				extend()
				order = order[:len(order)-1]
			}
		}
	}
	extend()
	return all
}

func eachOf(t *testing.T, p *Program, limit int64, steps int, w *watcher) bool {
	t.Helper()
	done, err := Each(context.Background(), p, limit, steps, w)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.order) > 0 {
		t.Fatalf("%v is left behind", w.order)
	}
	return done
}

// TestEachShowsAll: the orders within a limit are shown, each once. After the visitor lowers the limit, none above it
// is shown. Only orders that the visitor rejects are missing.
func TestEachShowsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 23))
	shown, spared := 0, 0
	for range 400 {
		p, _ := drawn(r.Uint64(), 1+r.IntN(6))
		o := newOracle(p)
		lowest, _ := o.best(5000)
		limit := lowest + r.Int64N(lowest+2)/2
		want := o.within(limit)
		w := &watcher{}
		if !eachOf(t, p, limit, math.MaxInt, w) {
			t.Fatal("it says that it has not shown all")
		}
		slices.SortFunc(w.all, slices.Compare)
		if !slices.EqualFunc(w.all, want, slices.Equal) {
			t.Fatalf("limit %d: got %v, want %v of %+v", limit, w.all, want, p)
		}
		shown += len(want)
		if all := len(o.within(math.MaxInt64)); all > len(want) && len(want) > 0 {
			spared++
		}

		// A limit that falls to the lowest peak with the first order.
		w = &watcher{full: func(order []int32) (int64, int) { return lowest, len(order) - 1 }}
		eachOf(t, p, limit, math.MaxInt, w)
		low := o.within(lowest)
		for _, order := range w.all[1:] {
			if o.peak(order) > lowest {
				t.Fatalf("%v has the peak %d, above %d", order, o.peak(order), lowest)
			}
		}
		if missing := len(low) - len(w.all); missing > 0 {
			t.Fatalf("%d of %d orders with the lowest peak are missing", missing, len(low))
		}

		// Beginnings that are left out, before they are entered and when an order is complete.
		first := func(order []int32) bool { return len(order) == 2 && order[0] > order[1] }
		w = &watcher{refuse: first, full: func(order []int32) (int64, int) { return limit, min(2, len(order)-1) }}
		eachOf(t, p, limit, math.MaxInt, w)
		begun := map[[3]int32]bool{}
		for _, order := range want {
			if len(order) < 2 || !first(order[:2]) {
				begun[[3]int32(append(slices.Clone(order[:min(3, len(order))]), -1, -1, -1)[:3])] = true
			}
		}
		if len(w.all) != len(begun) {
			t.Fatalf("%d orders are shown, want one for each of %d beginnings", len(w.all), len(begun))
		}
	}
	if shown < 4000 || spared < 50 {
		t.Errorf("%d orders shown, a limit left out some in %d programs: too few to trust", shown, spared)
	}
}

// TestEachEnds: with few steps, or when the context ends, it says that it has not shown all.
func TestEachEnds(t *testing.T) {
	p := &Program{Sizes: make([]int64, 8)}
	for k := range int32(8) {
		p.Operators = append(p.Operators, Operator{Results: []int32{k}})
	}
	w := &watcher{}
	if eachOf(t, p, 10, 100, w) || w.tried > 100 || len(w.all) == 0 {
		t.Errorf("%d tried, %d shown", w.tried, len(w.all))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if done, err := Each(ended, p, 10, math.MaxInt, &watcher{}); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if done, err := Each(context.Background(), p, -1, 100, &watcher{}); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if _, err := Each(context.Background(), &Program{Outputs: []int32{7}}, 10, 100, &watcher{}); err == nil {
		t.Error("a bad program is taken")
	}
}

// TestEachRemembersSets: a set from which no order goes on is entered once. Here the bad operator is late, and all
// orders of the others lead to it.
func TestEachRemembersSets(t *testing.T) {
	p := &Program{Sizes: make([]int64, 11)}
	bad := Operator{Results: []int32{10}, Scratch: 100}
	for k := range int32(10) {
		p.Operators = append(p.Operators, Operator{Results: []int32{k}})
		bad.Operands = append(bad.Operands, k)
	}
	p.Operators = append(p.Operators, bad)
	w := &watcher{}
	if !eachOf(t, p, 50, math.MaxInt, w) || len(w.all) > 0 || w.tried > 1<<10 {
		t.Errorf("%d tried, %d shown: want one for each set at most", w.tried, len(w.all))
	}
}
