package tflm

import (
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestRowSearch asks for the heads of chains in rings: a head within a limit keeps it, is a valid plan of the rows, and
// is at least the load. With few steps the questions find lower heads than auto does with as many nodes.
func TestRowSearch(t *testing.T) {
	const few = 2_000
	o := Options{Named: true, Kernels: ReferenceKernels}
	lower := 0
	for _, layers := range [][][3]int32{
		{{3, 1, 16}, {3, 1, 16}, {3, 1, 8}, {3, 1, 24}, {5, 1, 8}},
		{{5, 1, 12}, {1, 1, 24}, {3, 1, 8}, {3, 1, 16}, {3, 1, 12}},
	} {
		p := must.Get(Make(t.Context(), parse(t, tflitemade.Convolutions(48, layers...)), o))(t)
		c := must.Get(newChooser(p, o, SplitOptions{Target: &Firmware32, MaxMACs: 1}))(t)
		for _, n := range []int{8, 12} {
			chain := strips.Chain{First: 0, Last: len(p.Model.Operators) - 1, Strips: n, Ring: true}
			x, of := c.segment(c.splitter, chain)
			if of != possible {
				t.Fatalf("%s: %v cannot run", p.Model.File, chain)
			}
			r := must.Get(c.alone(chain))(t)
			auto := must.Get(stowage.Solve(t.Context(), r.problem, stowage.Options{NodeLimit: few}))(t)
			asked := must.Get(r.search(t.Context(), stowage.Options{}, rowSearch{steps: few, only: true}))(t)
			if asked.Height < x.load || asked.LowerBound > auto.Height {
				t.Errorf("%v: a head of %d with load %d; bound %d, auto %d", chain, asked.Height, x.load, asked.LowerBound,
					auto.Height)
			}
			if asked.Height < auto.Height {
				lower++
			}
			s := rowSearch{steps: few, within: asked.Height - 1, only: true}
			less := must.Get(r.search(t.Context(), stowage.Options{}, s))(t)
			if less.Status.HasPlan() && less.Height > s.within {
				t.Errorf("%v: a head of %d, within %d", chain, less.Height, s.within)
			}
			if head := less.Offsets; head != nil {
				if report := must.Get(stowage.Verify(r.problem, head, s.within))(t); !report.OK() {
					t.Errorf("%v: %v", chain, report.Violations)
				}
			}
		}
	}
	if lower == 0 {
		t.Error("the questions never find a lower head than auto")
	}
}
