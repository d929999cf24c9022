package beam

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestPersist: what Persist returns is a plan below the ceiling. Below the load there is none. Attempts from a plan
// have the patience and the costs that they had before.
func TestPersist(t *testing.T) {
	found := 0
	w := run.NewWatch(context.Background())
	t.Cleanup(w.Close)
	for seed := range uint64(20) {
		tl := timeline.New(crowded(seed, 100, 1<<12, heavy))
		x := NewEjector(w, tl, seed, seed%2 == 0)
		patience, step := x.e.patience, x.e.step
		ceiling := tl.LowerBound + tl.LowerBound/8
		offsets, nodes := x.Persist(ceiling, ceiling, 20_000)
		if offsets != nil {
			found++
			if fault := verify.First(tl.Problem, offsets, ceiling, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		if nodes < 100 || nodes > 20_000 {
			t.Errorf("seed %d: %d nodes", seed, nodes)
		}
		below := tl.LowerBound - 1
		if offsets, _ := x.Persist(below, below, 20_000); offsets != nil {
			t.Errorf("seed %d: a plan below the load", seed)
		}
		if x.e.patience != patience || x.e.step != step {
			t.Errorf("seed %d: attempts from a plan are not as before", seed)
		}
	}
	if found < 15 {
		t.Errorf("%d of 20 problems have a plan", found)
	}
}

// TestScarcity compares the order with its formula, section by section. Without it the order is by area.
func TestScarcity(t *testing.T) {
	tl := timeline.New(crowded(7, 80, 1<<12, even))
	w := run.NewWatch(context.Background())
	t.Cleanup(w.Close)
	x, area := NewEjector(w, tl, 1, true).e, NewEjector(w, tl, 1, false).e
	highest := float64(slices.Max(tl.Load)) / float64(x.granule)
	last, apart := math.Inf(1), 0
	for r, k := range x.ranked {
		number := 0.0
		for s := x.first[k]; s < x.last[k]; s++ {
			load := 0.0
			for j := range x.order {
				if x.first[j] <= s && s < x.last[j] {
					load += float64(x.size[j])
				}
			}
			number += math.Pow(load/highest, 32)
		}
		if number *= float64(x.size[k] * x.size[k]); number > last*(1+1e-9) {
			t.Errorf("rank %d: buffer %d has %g, the one before %g", r, k, number, last)
		}
		last = number
		if k != area.ranked[r] {
			apart++
		}
	}
	if apart < 40 {
		t.Errorf("only %d of 80 ranks differ from those by area", apart)
	}
}
