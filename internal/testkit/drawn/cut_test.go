package drawn

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestCut checks what is known of cuts: the plan is one, and the load at every time is the optimum.
func TestCut(t *testing.T) {
	windows, gaps, fixed, aligned := 0, 0, 0, 0
	for seed := range uint64(2000) {
		in := Cut(seed)
		if err := model.Validate(in.Problem); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r := verify.CheckHeight(in.Problem, in.Offsets, in.Optimum, in.Optimum); !r.OK() {
			t.Fatalf("seed %d: %s", seed, r.Violations[0].Message)
		}
		for i := range in.Problem.Buffers {
			b := &in.Problem.Buffers[i]
			var load int64
			for j := range in.Problem.Buffers {
				from, to := oracle.Used(&in.Problem.Buffers[j], b.Lower)
				load += to - from
			}
			if load != in.Optimum {
				t.Fatalf("seed %d: the load is %d at %d, not %d", seed, load, b.Lower, in.Optimum)
			}
			for _, g := range b.Gaps {
				if g.Window != nil {
					windows++
				} else {
					gaps++
				}
			}
			if b.Fixed != nil {
				fixed++
			}
			if b.Alignment > 1 {
				aligned++
			}
		}
	}
	if windows < 500 || gaps < 500 || fixed < 500 || aligned < 500 {
		t.Errorf("%d windows, %d gaps, %d fixed, %d aligned", windows, gaps, fixed, aligned)
	}
}
