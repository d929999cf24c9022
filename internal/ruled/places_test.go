package ruled_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestPlaces has problems that no search decided within its effort: with evictions, several pools, and a body that has
// no place.
func TestPlaces(t *testing.T) {
	known := must.Get(plan.Find("auto"))(t)
	for name, want := range map[string]string{
		"undecided-min-31126": "buffers b0 of 1 and b3 of 1, which are tied, have no place: " +
			"in the pool p no offset has b0 at a multiple of 3 and b3, 7 above it, at a multiple of 3; " +
			"in the pool q they take 8, more than the capacity of 2; in the pool r they take 8, more than the capacity of 3",
		"undecided-min-49211": "buffer b0 of 4 has no place: in the pool q it is fixed at 6 and ends at 10, above the capacity of 6",
	} {
		p := read(t, name)
		r, err := ruled.Solve(context.Background(), p, run.Prepared(known), plan.Options{})
		if err != nil || r.Status != model.Infeasible || r.ProvedBy != places.Proved {
			t.Errorf("%s: %v by %q, %v", name, r.Status, r.ProvedBy, err)
		}
		if proof := places.Prove(p, func(id string) string { return id }); proof == nil || proof.Reason != want {
			t.Errorf("%s: %+v", name, proof)
		}
	}
}
