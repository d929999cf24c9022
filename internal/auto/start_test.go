package auto

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestStart gives auto a plan lower than any heuristic's: no limit may lose it.
func TestStart(t *testing.T) {
	in := packing(t, 80, 5)
	tl := timeline.New(in.Problem)
	for _, o := range []plan.Options{
		{NodeLimit: 1}, {Timeout: 1}, {Without: []string{"exact"}}, {NodeLimit: 1, Capacity: in.Optimum},
	} {
		o.Start = in.Offsets
		if r := planned(t, "auto", context.Background(), tl, o); r.Status != model.Optimal || r.Height != in.Optimum {
			t.Errorf("%+v: %s %d, started from %d", o, r.Status, r.Height, in.Optimum)
		}
	}
}
