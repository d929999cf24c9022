package parts_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestTake: a plan of the parts keeps their problem's rules if and only if the lifted plan keeps the whole problem's.
// The measures are the same, except that of evictions, which is the price of what was taken.
func TestTake(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 7))
	right, wrong, several, turned := 0, 0, 0, 0
	for range plantest.Share(20_000, 6_000, 3_000) {
		p := drawn.Evicted(r)
		var taken []bool
		price := int64(0)
		for i := range p.Buffers {
			if x := p.Buffers[i].Extra; x != nil {
				for _, e := range x.Evictions {
					taken = append(taken, r.IntN(2) == 0)
					if taken[len(taken)-1] {
						price += e.Cost
					}
				}
			}
		}
		q := parts.Take(p, taken, nil)
		made := plan.NewResult(model.Feasible, make([]int64, len(q.Problem.Buffers)))
		if pools := len(p.Rules.Pools); pools > 1 {
			made.Pools = make([]int32, len(q.Problem.Buffers))
			for k := range made.Pools {
				made.Pools[k] = int32(r.IntN(pools))
			}
		}
		for k := range made.Offsets {
			b := &q.Problem.Buffers[k]
			if made.Offsets[k] = r.Int64N(24) * b.Align(); b.Fixed != nil && r.IntN(4) > 0 {
				made.Offsets[k] = *b.Fixed
			}
		}
		made.Measures = model.MeasuresOf(q.Problem, &made.Plan)
		made.Height = model.ValueOf(made.Measures, model.MeasureHeight)
		ofParts := verify.FirstOf(q.Problem, &made.Plan)
		lifted := q.Lift(p, made)
		ofWhole := verify.FirstOf(p, &lifted.Plan)
		if (ofParts == "") != (ofWhole == "") {
			t.Fatalf("the parts: %q, the whole: %q\n%v\n%s", ofParts, ofWhole, taken, drawn.DescribeRuled(p))
		}
		for _, v := range made.Measures {
			want := v.Value
			if v.Measure == model.MeasureEviction {
				want = price
			}
			if got := model.ValueOf(lifted.Measures, v.Measure); got != want {
				t.Fatalf("%s is %d, want %d\n%s", v.Measure, got, want, drawn.DescribeRuled(p))
			}
		}
		if ofWhole == "" {
			right++
		} else {
			wrong++
		}
		several += len(lifted.Parts)
		if p.Rules.Period > 0 && len(lifted.Parts) > 0 {
			turned++
		}
	}
	t.Log(right, "right,", wrong, "wrong,", several, "evicted buffers,", turned, "with a period")
	if right < 100 || wrong < 100 || several < 1000 || turned < 30 {
		t.Error("the test is lopsided")
	}
}
