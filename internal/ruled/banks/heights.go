package banks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/ruled/floor"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: with each buffer in its pool, the merged problem is asked for a plan within a height of each pool, with the
// least penalty, or the fewest objects. If a plan has heights h(1), h(2), …, each better plan is lower in some pool,
// because none within the same heights pays less. So the search goes on with one pool lower than in that plan:
//
//	height of pool k <= h(k) - 1     for each k in turn
//
// The best plan so far says how high the pools may be in a better one. If the first measure that can change is the
// largest height, it is bisected first.
//
// Invariant: a better plan is within the heights of some branch.
//
// Complexity: at most relax.MostQuestions problems in all.

// heights is the search with each buffer in its pool.
type heights struct {
	*search
	m     *merged
	floor []int64 // of each pool: no plan is lower
	cost  int64
	of    []int32
	ask   []model.Measure
	seen  map[string]bool
	above map[model.Measure]int64 // bounds of measures, from bisections
	open  bool                    // a branch was left open
}

func (x *search) newHeights(m *merged) *heights {
	h := &heights{
		search: x, m: m, of: m.of, floor: make([]int64, len(x.pools)), seen: map[string]bool{},
		above: map[model.Measure]int64{},
	}
	may := make([][]int32, len(m.of))
	for i, q := range m.of {
		may[i] = []int32{q}
		h.cost += x.P.Buffers[i].CostIn(x.pools, q)
	}
	f := floor.New(x.question(may))
	for q := range x.pools {
		h.floor[q] = f.Least(model.MeasureHeight)
		if id := x.pools[q].ID; id != "" {
			h.floor[q] = f.Least(model.HeightIn(id))
		}
	}
	var low model.Measure
	for _, m := range x.P.Objective() {
		switch name, _, _ := strings.Cut(string(m), ":"); {
		case m == model.MeasurePenalty || m == model.MeasureObjects:
			h.open = h.open || len(h.ask) > 0 // the least of both says nothing of plans between
			h.ask = append(h.ask, m)
		case m == model.MeasureCost || m == model.MeasureEviction || low != "":
		case strings.HasPrefix(name, "max_"):
			low = model.MeasureMaxHeight
		default:
			low = model.MeasureHeight
		}
	}
	switch {
	case !x.O.Least:
		h.ask = []model.Measure{model.MeasureEviction}
	case low != "":
		h.ask = append(h.ask, low)
	case len(h.ask) == 0:
		h.ask = []model.Measure{model.MeasureEviction}
	}
	return h
}

// lowest looks for the best plan.
func (h *heights) lowest(ctx context.Context) error {
	high := make([]int64, len(h.pools))
	for q := range high {
		if high[q] = h.m.most; h.pools[q].Capacity > 0 {
			high[q] = min(high[q], h.pools[q].Capacity)
		}
	}
	if h.O.Least {
		status, _, err := h.question(ctx, high)
		if err != nil || status == model.Infeasible {
			return err
		}
		for on := status.HasPlan(); on; {
			if on, err = h.bisect(ctx, high); err != nil {
				return err
			}
		}
	}
	return h.within(ctx, high)
}

// within searches the plans within heights of the pools.
func (h *heights) within(ctx context.Context, high []int64) error {
	if h.Over(ctx) {
		h.open = true
		return nil
	}
	if !h.tighten(high) || h.seen[fmt.Sprint(high)] {
		return nil
	}
	h.seen[fmt.Sprint(high)] = true
	status, found, err := h.question(ctx, high)
	switch {
	case err != nil || status == model.Infeasible:
		return err
	case found == nil:
		h.open = true
		return nil
	case !h.O.Least:
		return nil
	}
	for q := range high {
		if found[q] > h.floor[q] {
			lower := slices.Clone(high)
			lower[q] = found[q] - 1
			if err := h.within(ctx, lower); err != nil {
				return err
			}
		}
	}
	return nil
}

// question asks for a plan within heights, and offers it. found are its heights.
func (h *heights) question(ctx context.Context, high []int64) (status model.Status, found []int64, err error) {
	q := h.m.within(h.pools, high)
	if q.Rules.Objective = h.ask; model.Validate(q) != nil {
		return model.Unknown, nil, nil // numbers are too large
	}
	r, err := h.Ask(ctx, q)
	if err != nil || !r.Status.HasPlan() {
		return r.Status, nil, err
	}
	if a := h.ask[0]; a == model.MeasurePenalty || a == model.MeasureObjects {
		h.open = h.open || len(r.Bounds) == 0 || r.Bounds[0].Value < model.ValueOf(r.Measures, a)
	}
	y := plan.Result{
		Status: model.Feasible, Planner: h.O.Name, Objective: h.P.Objective(),
		Plan: model.Plan{Offsets: slices.Clone(r.Offsets[:len(h.of)])},
	}
	if len(h.pools) > 1 {
		y.Pools = h.of
	}
	y.Measures = model.MeasuresOf(h.P, &y.Plan)
	y.Height = model.ValueOf(y.Measures, model.MeasureHeight)
	h.Offer(&y)
	for _, q := range h.pools {
		measure := model.HeightIn(q.ID)
		if q.ID == "" { // the only one
			measure = model.MeasureHeight
		}
		found = append(found, model.ValueOf(y.Measures, measure))
	}
	return r.Status, found, nil
}

// bisect halves what is open of the largest height, if that is the first measure in which plans may differ. It returns
// false if nothing is.
func (h *heights) bisect(ctx context.Context, high []int64) (bool, error) {
	least := h.least()
	for k, m := range h.P.Objective() {
		best := model.ValueOf(h.Best.Measures, m)
		if least[k] == best {
			continue
		}
		if least[k] > best || !strings.HasPrefix(string(m), "max_") && h.many(m) || best-least[k] < 2 || h.Over(ctx) {
			return false, nil
		}
		half := slices.Clone(high)
		middle := least[k] + (best-least[k])/2
		for _, q := range h.about(m) {
			half[q] = min(half[q], middle)
		}
		status, _, err := h.question(ctx, half)
		if status == model.Infeasible { // so every plan has a pool above
			h.above[m] = max(h.above[m], middle+1)
		}
		return err == nil && status != model.Unknown, err
	}
	return false, nil
}

// many reports whether a measure adds up several pools.
func (h *heights) many(m model.Measure) bool {
	n := 0
	for _, q := range h.about(m) {
		if h.end(m, q) > 0 {
			n++
		}
	}
	return n > 1 || !strings.Contains(string(m), "height") && !strings.Contains(string(m), "peak")
}

// least bounds the measures of all plans.
func (h *heights) least() (values []int64) {
	for _, m := range h.P.Objective() {
		name, _, _ := strings.Cut(string(m), ":")
		switch v := int64(0); {
		case m == model.MeasureCost:
			values = append(values, h.cost)
		case m == model.MeasurePenalty || m == model.MeasureEviction || m == model.MeasureObjects:
			values = append(values, 0)
		case strings.HasPrefix(name, "max_"):
			for _, q := range h.about(m) {
				v = max(v, h.end(m, q))
			}
			values = append(values, max(v, h.above[m]))
		default:
			for _, q := range h.about(m) {
				v += h.end(m, q)
			}
			values = append(values, max(v, h.above[m]))
		}
	}
	return values
}

// about returns the pools that a measure of heights is about.
func (h *heights) about(m model.Measure) (all []int) {
	for q := range h.pools {
		id := h.pools[q].ID
		if !strings.Contains(string(m), ":") || m == model.HeightIn(id) || m == model.PeakIn(id) {
			all = append(all, q)
		}
	}
	return all
}

// end bounds the end of a pool: of its buffers, or also of its reserved ranges.
func (h *heights) end(m model.Measure, q int) int64 {
	end := h.floor[q]
	if strings.Contains(string(m), "peak") {
		for _, r := range h.pools[q].Reserved {
			end = max(end, r.Upper)
		}
	}
	return end
}

// tighten lowers heights that only plans have that are no better than the best. It returns false if no plan is better.
func (h *heights) tighten(high []int64) bool {
	if h.Best == nil {
		return true
	}
	least, o := h.least(), h.P.Objective()
	for k, m := range o {
		best := model.ValueOf(h.Best.Measures, m)
		most := best // of a better plan
		if k == len(o)-1 {
			most--
		}
		if least[k] > most {
			return false
		}
		name, _, _ := strings.Cut(string(m), ":")
		ends := int64(0)
		for _, q := range h.about(m) {
			ends += h.end(m, q)
		}
		for _, q := range h.about(m) {
			switch {
			case m == model.MeasureCost || m == model.MeasurePenalty || m == model.MeasureEviction || m == model.MeasureObjects:
			case strings.HasPrefix(name, "max_"):
				high[q] = min(high[q], most)
			default:
				high[q] = min(high[q], most-ends+h.end(m, q))
			}
		}
		if least[k] < best {
			return true
		}
	}
	return false
}
