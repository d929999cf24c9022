package gen

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
)

// The suite has 525 different problems, each with a plan that fits, room that is small, and many overlapping pairs.
func TestSynthetic(t *testing.T) {
	count, overlaps, pairs := 0, 0, 0
	names := map[string]bool{}
	for k := range 525 {
		in := must.Get(New("synthetic", Options{Buffers: 20 + 2*(k/25), Seed: uint64(k % 25)}))(t)
		p := in.Problem
		count++
		names[p.Name] = true
		if report := verify.Check(p, in.Offsets, p.Capacity); !report.OK() {
			t.Fatalf("%s: %v", p.Name, report.Violations)
		}
		if _, high := loads(p); float64(high) < 0.95*float64(p.Capacity) || high > p.Capacity {
			t.Errorf("%s: load %d of %d", p.Name, high, p.Capacity)
		}
		for i := range p.Buffers {
			for j := range i {
				a, b := &p.Buffers[i], &p.Buffers[j]
				pairs++
				if a.Lower < b.Upper && b.Lower < a.Upper {
					overlaps++
				}
			}
		}
	}
	if count != 525 || len(names) != 525 {
		t.Errorf("%d problems, %d names", count, len(names))
	}
	if share := float64(overlaps) / float64(pairs); share < 0.5 {
		t.Errorf("%.2f of the pairs overlap", share)
	}
}

func TestSyntheticAtItsLimits(t *testing.T) {
	if _, err := New("synthetic", Options{Buffers: 50, Capacity: 4, Horizon: 4}); err == nil {
		t.Error("50 buffers in 16 cells")
	}
	for seed := range uint64(50) {
		in, err := New("synthetic", Options{Buffers: 1 + int(seed)/5, Capacity: 5 * 8, Horizon: 6, Alignment: 8, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if report := verify.Check(in.Problem, in.Offsets, in.Problem.Capacity); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
	}
}
