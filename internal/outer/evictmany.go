package outer

import (
	"cmp"
	"context"
	"slices"
)

// Idea: the plan of all evictions comes first. Batches of them are left out as long as there is a plan, the dearest first,
// and the batches get smaller.
//
// Complexity: O(n) plans for n evictions.

// many starts from the plan of all evictions, and leaves out as many as it can.
func (e *evicting) many(ctx context.Context, every []bool) error {
	e.answers = append(e.answers, e.least(nil, 0))
	if !e.room.Status.HasPlan() {
		return nil
	}
	e.keep(&e.room, every)
	none := make([]bool, len(every))
	r, err := e.ask(ctx, none, e.measures, someNodes)
	if err != nil {
		return err
	}
	if r.Status.HasPlan() {
		e.keep(&r, none)
	}
	order := make([]int, 0, len(every))
	for n := range every {
		order = append(order, n)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.all[b].Cost, e.all[a].Cost) })
	for batch := len(order); batch > 0 && !e.over(ctx); batch /= 2 {
		for k := 0; k < len(order) && !e.over(ctx); k += batch {
			less := slices.Clone(e.taken)
			for _, n := range order[k:min(k+batch, len(order))] {
				less[n] = false
			}
			if slices.Equal(less, e.taken) {
				continue
			}
			r, err := e.ask(ctx, less, e.measures, someNodes)
			if err != nil {
				return err
			}
			if r.Status.HasPlan() {
				e.keep(&r, less)
			}
		}
	}
	return nil
}
