package oracle

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestOracle compares the oracle with every vector of offsets, for problems of up to 3 buffers, and its plans with
// the verifier for larger ones.
func TestOracle(t *testing.T) {
	collide, windows, above := 0, 0, 0
	for seed := range uint64(4000) {
		p := drawn.Tiny(seed)
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		height, offsets, ok := MinHeight(p)
		if ok {
			if r := verify.CheckHeight(p, offsets, height, height); !r.OK() {
				t.Fatalf("seed %d: %s", seed, r.Violations[0].Message)
			}
			if !Fits(p, height) || Fits(p, height-1) {
				t.Fatalf("seed %d: Fits and MinHeight %d disagree", seed, height)
			}
			if height > newOracle(p, 100).load() {
				above++
			}
		} else {
			collide++
		}
		for _, b := range p.Buffers {
			for _, g := range b.Gaps {
				if g.Window != nil {
					windows++
				}
			}
		}
		if len(p.Buffers) > 3 {
			continue
		}
		limit := height - 1
		if !ok {
			limit = 20
		}
		at := make([]int64, len(p.Buffers))
		var try func(k int) bool
		try = func(k int) bool {
			if k == len(at) {
				return verify.Check(p, at, limit).OK()
			}
			for at[k] = 0; at[k]+p.Buffers[k].Size <= limit; at[k]++ {
				if try(k + 1) {
					return true
				}
			}
			return false
		}
		if limit > 0 && try(0) {
			t.Fatalf("seed %d: %v fits in %d, the oracle says height %d, %v", seed, at, limit, height, ok)
		}
	}
	if collide < 50 || windows < 500 || above < 200 {
		t.Errorf("tiny problems are lopsided: %d have no plan, %d windows, %d above the load", collide, windows, above)
	}
}

func BenchmarkGrid(b *testing.B) {
	for b.Loop() {
		for seed := range uint64(100) {
			MinHeight(drawn.Tiny(seed))
		}
	}
}
