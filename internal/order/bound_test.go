package order

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestSampledBound: with fewer operators than samples, ancestors and descendants found one by one give the same bound
// as all together. The bound of a single operator is never higher.
func TestSampledBound(t *testing.T) {
	above := 0
	for seed := range plantest.Share[uint64](6000, 1000) {
		p, given := drawn(seed, 2+int(seed%40))
		w, order := must.Two(p.prepare(given))(t)
		g := w.g
		full := g.unavoidable(context.Background(), newReach(g))
		sampled, alone := g.sampled(context.Background(), order), g.footprint()
		if sampled != full || alone > full {
			t.Fatalf("seed %d: %d of samples, %d of all, %d alone", seed, sampled, full, alone)
		}
		if full > alone {
			above++
		}
	}
	if above < 300 {
		t.Errorf("%d bounds above that of an operator by itself: too few to trust", above)
	}
}
