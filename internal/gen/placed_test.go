package gen

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestFullPlaced: the plan is valid and at the load, memory is full until the last buffer begins, and small problems have the
// optimum that is claimed.
func TestFullPlaced(t *testing.T) {
	for seed := range uint64(40) {
		unit := 1 + int64(seed%3)*7
		in := must.Get(New("full-placed", Options{Seed: seed, Buffers: 1 + int(seed)*20, Alignment: unit, Capacity: 10_000 * unit}))(t)
		p := in.Problem
		if r := verify.CheckHeight(p, in.Offsets, in.Optimum, in.Optimum); !r.OK() || len(p.Buffers) != 1+int(seed)*20 {
			t.Fatalf("seed %d: %d buffers: %v", seed, len(p.Buffers), r.Violations)
		}
		last, used := int64(0), int64(0)
		for _, b := range p.Buffers {
			last = max(last, b.Lower)
		}
		for _, b := range p.Buffers {
			used += b.Size * (min(b.Upper, last) - min(b.Lower, last))
		}
		if _, high := loads(p); high != in.Optimum || used != last*in.Optimum {
			t.Errorf("seed %d: the load is %d of %d, and %d of %d bytes are in use", seed, high, in.Optimum, used, last*in.Optimum)
		}
	}
	for seed := range uint64(60) {
		in := must.Get(New("full-placed", Options{Seed: seed, Buffers: 2 + int(seed%5), Capacity: 7}))(t)
		if h, _, _ := oracle.MinHeight(in.Problem); h != in.Optimum {
			t.Fatalf("seed %d: the optimum is %d, not %d", seed, h, in.Optimum)
		}
	}
	if _, err := New("full-placed", Options{Capacity: 10, Alignment: 3}); err == nil {
		t.Error("no error for a capacity that is no multiple of the alignment")
	}
}
