package order

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// all are combinations of techniques that are off: none, each one, all.
func all() map[string]Techniques {
	return map[string]Techniques{
		"none": {}, "collapse": {Collapse: true}, "chains": {Chains: true}, "backward": {Backward: true},
		"bounds": {Bounds: true}, "greedy": {Greedy: true}, "memory": {Memory: true},
		"cuts": {Cuts: true}, "dives": {Dives: true}, "beams": {Beams: true},
		"all but memory": {
			Collapse: true, Chains: true, Backward: true, Bounds: true, Cuts: true, Greedy: true, Dives: true, Beams: true,
		},
	}
}

// judge compares a result with the oracle: the order runs, its peak is right and never above the given order's, and
// the bound holds.
func judge(t *testing.T, o *oracle, r Result, given []int32, lowest int64) {
	t.Helper()
	if peak := o.peak(given); r.Given != peak {
		t.Fatalf("the given order has peak %d, said to be %d", peak, r.Given)
	}
	must.Do(t, newGraph(o.p).runs(r.Order))
	if peak := o.peak(r.Order); r.Peak != peak {
		t.Fatalf("the order has peak %d, said to be %d", peak, r.Peak)
	}
	if r.Peak > r.Given || r.Bound > lowest || r.Peak < lowest {
		t.Fatalf("peak %d, given %d, bound %d, lowest %d", r.Peak, r.Given, r.Bound, lowest)
	}
	if (r.Status == model.Optimal) != (r.Peak == r.Bound) || r.Status == model.Unknown {
		t.Fatalf("status %v with peak %d and bound %d", r.Status, r.Peak, r.Bound)
	}
}

// TestEqualsBruteForce finds the lowest peak of all orders, with each technique on and off.
func TestEqualsBruteForce(t *testing.T) {
	graphs := 2500
	if testing.Short() {
		graphs = 1000
	}
	compared, gained := 0, 0
	for seed := range uint64(graphs) {
		p, given := drawn(seed, 1+int(seed%8))
		oracle := newOracle(p)
		lowest, orders := oracle.best(3000)
		if orders > 3000 {
			continue
		}
		compared++
		for name, off := range all() {
			r := must.Get(Best(context.Background(), p, Options{Given: given, Off: off}))(t, "seed %d", seed)
			judge(t, oracle, r, given, lowest)
			if r.Status != model.Optimal {
				t.Fatalf("seed %d without %s: %v, peak %d, lowest %d", seed, name, r.Status, r.Peak, lowest)
			}
			if name == "none" && r.Peak < r.Given {
				gained++
			}
		}
	}
	if compared < graphs*8/10 || gained < graphs/10 {
		t.Errorf("%d of %d graphs compared, %d with a gain", compared, graphs, gained)
	}
	t.Logf("%d graphs, %d with a gain", compared, gained)
}

// TestEqualsSets finds the lowest peak of programs with too many orders to try.
func TestEqualsSets(t *testing.T) {
	graphs := 1000
	if testing.Short() {
		graphs = 200
	}
	gained := 0
	for seed := range uint64(graphs) {
		p, given := drawn(seed+20_000, 8+int(seed%5))
		oracle := newOracle(p)
		lowest := oracle.bestBySets()
		for name, off := range all() {
			r := must.Get(Best(context.Background(), p, Options{Given: given, Off: off}))(t)
			judge(t, oracle, r, given, lowest)
			if r.Status != model.Optimal {
				t.Fatalf("seed %d without %s: %v, peak %d, lowest %d", seed, name, r.Status, r.Peak, lowest)
			}
			if name == "none" && r.Peak < r.Given {
				gained++
			}
		}
	}
	if gained < graphs/10 {
		t.Errorf("%d of %d graphs have a gain", gained, graphs)
	}
	t.Logf("%d graphs, %d with a gain", graphs, gained)
}

// ending is a context that has ended after so many looks.
type ending struct {
	context.Context
	looks int
}

func (e *ending) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestContext ends the context at every look: the result is as after any other limit.
func TestContext(t *testing.T) {
	ended := 0
	for seed := range uint64(40) {
		p, given := drawn(seed+30_000, 12)
		oracle := newOracle(p)
		lowest := oracle.bestBySets()
		off := Techniques{Collapse: true, Chains: true, Greedy: true} // many states
		for looks := 0; ; looks++ {
			r := must.Get(Best(&ending{context.Background(), looks}, p, Options{Given: given, Off: off}))(t)
			judge(t, oracle, r, given, lowest)
			if r.Status == model.Optimal {
				break
			}
			ended++
		}
	}
	if ended < 30 {
		t.Errorf("only %d runs were cut short", ended)
	}
}

// TestLimits ends the search at every state: the result is never worse than the given order, and never false.
func TestLimits(t *testing.T) {
	ended := 0
	for seed := range uint64(300) {
		p, given := drawn(seed+10_000, 7)
		oracle := newOracle(p)
		lowest, orders := oracle.best(2000)
		if orders > 2000 {
			continue
		}
		for name, off := range all() {
			if name == "none" || name == "dives" || name == "all but memory" {
				for limit := -1; ; limit++ {
					if limit == 0 {
						continue
					}
					r := must.Get(Best(context.Background(), p, Options{Given: given, States: limit, Off: off}))(t)
					judge(t, oracle, r, given, lowest)
					if r.Status == model.Optimal {
						break
					}
					ended++
				}
			}
		}
	}
	if ended < 500 {
		t.Errorf("only %d runs were cut short", ended)
	}
}

// TestDeterministic runs twice.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		p, given := drawn(seed, 30)
		a, _ := Best(context.Background(), p, Options{Given: given, States: 200})
		b, _ := Best(context.Background(), p, Options{Given: given, States: 200})
		if !slices.Equal(a.Order, b.Order) || a.Bound != b.Bound || a.States != b.States {
			t.Fatalf("seed %d: %v and %v", seed, a, b)
		}
	}
}
