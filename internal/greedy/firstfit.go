package greedy

import (
	"context"
	"strings"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: place the largest buffer first, or buffers in an order that the user names. Each buffer goes to the lowest
// offset at which it conflicts with no buffer placed before. Large buffers are hard to place late, and small ones fill
// the holes that are left. If a candidate offset is in use, the next candidate is the end of the range in use (offset
// jumping).
//
// Invariant: the keys of the order do not increase; by default they are the sizes. Equal keys keep
// the order of the input, so the plan follows from the file alone.
//
// Complexity: that of place.Place.
//
// Source: IREE wave (ceaa2b5), "Optimizing Shared Memory Allocations". Its worked example is a test. Its lifetimes are
// inclusive: (1, 5) is [1, 6) here. Fixed offsets, gaps, windows and alignment are additions.
//
// Trials: docs/lab/greedy.md (breaking ties by duration helps S_1 and hurts pangu_2.6B).

func init() {
	run.RegisterWith(&firstFit{}, false, func() run.Settings { return new(firstFitSettings) })
}

type firstFit struct{}

// Name returns the planner's name.
func (*firstFit) Name() string { return "first-fit" }

// firstFitSettings are the parameters.
type firstFitSettings struct{ order, fit string }

// firstFitKeys are the keys that the parameter order takes; a lower-case letter is the key ascending.
const firstFitKeys = "ABCEGOTUWZ"

// Declare lists the parameters.
func (s *firstFitSettings) Declare(d *run.Declaration) {
	d.Text(&s.order, "order", "Z", "keys of "+firstFitKeys+", in lower case for the reverse", validOrder,
		"which buffer goes first; the keys are A area, B start, C sections, E end, G alignment, O overlaps, T "+
			"total, U last section, W width, Z size")
	d.Choice(&s.fit, "fit", "which free place a buffer takes: the lowest (first), or the smallest (best)", "first", "best")
}

// validOrder reports whether a text is an order.
func validOrder(text string) bool {
	return text != "" && strings.Trim(strings.ToUpper(text), firstFitKeys) == ""
}

// Info describes the planner.
func (p *firstFit) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "largest first, each at the lowest free offset; parameters select other orders and best fit",
		Source:  "IREE wave, Optimizing Shared Memory Allocations",
	}, func() run.Settings { return new(firstFitSettings) })
}

// Plan places all buffers once. It ignores NodeLimit, Seed and Workers. A plan above the
// capacity proves nothing, so the status is then Unknown. The error is for a bad parameter.
func (*firstFit) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set firstFitSettings
	if err := run.Bind("first-fit", &o, &set); err != nil {
		return r, err
	}
	fit := place.FirstFit
	if set.fit == "best" {
		fit = place.BestFit
	}
	w := place.Watch(ctx, tl)
	defer w.Close()
	order, below := Sorted(w, tl, set.order), int64(place.Unlimited)
	if o.Capacity > 0 {
		below = o.Capacity + 1
	}
	r.Stats.Nodes = int64(len(order))
	if !place.FixedFit(tl.Problem, o.Capacity) {
		r.Status = model.Infeasible
		return r, nil
	}
	offsets, height, end := place.Below(w, tl, order, fit, below)
	if offsets != nil {
		r.Status, r.Offsets, r.Height = model.Feasible, offsets, height
	} else if end == place.TooHigh {
		// The placement may have ended before it met a collision.
		end = place.Collide(w, tl)
	}
	if end == place.Collided {
		r.Status = model.Infeasible
	}
	return r, nil
}
