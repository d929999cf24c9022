package pools

import (
	"errors"
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner refuses a strip in the strip's terms: fixed offsets, gaps with windows. The problem may have none of
// these, since the strip has a fixed offset for a reserved range, and gaps with windows for ties, distances and
// objects. The refusal then names the rule.

// refusal words the error of a planner for a strip. The first n buffers of the strip are bodies, the others reserved
// ranges.
func (s *Search) refusal(err error, strip *model.Problem, n int) error {
	if !errors.Is(err, plan.ErrUnsupported) {
		return err
	}
	has := func(buffers []model.Buffer, what func(b *model.Buffer) bool) bool {
		return slices.ContainsFunc(buffers, func(b model.Buffer) bool { return what(&b) })
	}
	fixed := func(b *model.Buffer) bool { return b.Fixed != nil }
	r := s.Lowering.Problem.Rules
	switch {
	case len(strip.Buffers) > n && !has(strip.Buffers[:n], fixed):
		return plan.Unsupported(s.planner.Name(),
			"cannot honour reserved ranges: they are planned as buffers with fixed offsets, which it does not take")
	case has(strip.Buffers, fixed) || !has(strip.Buffers, (*model.Buffer).HasWindow) ||
		has(s.Lowering.Problem.Buffers, (*model.Buffer).HasWindow):
		return err
	case r.HasObjects():
		return plan.Unsupported(s.planner.Name(),
			"cannot honour objects: they are planned as gaps with windows, which it does not take")
	case len(r.Distances) > 0:
		return plan.Unsupported(s.planner.Name(),
			"cannot honour distances: they are planned as gaps with windows, which it does not take")
	case len(r.Together) > 0:
		return plan.Unsupported(s.planner.Name(),
			"cannot honour buffers that are tied: they are planned as gaps with windows, which it does not take")
	}
	return err
}
