package arena

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/lower"
)

// Idea: an allocator at run time sees the steps one after the other. Its height is its peak over some cycles in a row.
// It knows nothing of one cycle with gaps. So a planner that imitates such an allocator (online) gets these cycles as a
// plain problem. Such an allocator may put the same allocation elsewhere in each cycle, and a plan may not. So the
// allocator may need less than the lowest plan.
//
// A planner that sees the future gets the problem of the plan itself, with the seam between cycles as gaps. So it never
// needs less than the lowest plan.
//
// All figures are simulations, of the allocations that the plan serves. The sizes are the trace's.

// event is a moment of a replay: the buffer with this number, counted through all cycles, begins or ends.
type event struct {
	at     int64
	ends   bool
	buffer int
}

// replay lists what happens in some cycles in a row, in order; ends come before beginnings of one time.
func replay(h *trace.Heap, cycles int) []event {
	n, period := len(h.Problem.Buffers), periodOf(h.Problem)
	all := make([]event, 0, 2*n*cycles)
	for c := range cycles {
		shift := int64(c) * period
		for i := range h.Problem.Buffers {
			b := &h.Problem.Buffers[i]
			all = append(all, event{b.Lower + shift, false, c*n + i}, event{b.Upper + shift, true, c*n + i})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		switch {
		case a.ends == b.ends:
			return 0
		case a.ends:
			return -1
		}
		return 1
	})
	return all
}

// periodOf returns the length of a cycle. If the problem has no period, it is the last end, since no buffer lives
// beyond that.
func periodOf(p *stowage.Problem) int64 {
	if p.Rules != nil {
		return p.Rules.Period
	}
	last := int64(0)
	for i := range p.Buffers {
		last = max(last, p.Buffers[i].Upper)
	}
	return last
}

// Load returns the most bytes that are live at once in a stream: no plan of it is lower.
func Load(h *trace.Heap) int64 {
	live, most := int64(0), int64(0)
	for _, e := range replay(h, 2) { // in the second cycle, allocations of the first are still live
		size := h.Problem.Buffers[e.buffer%len(h.Problem.Buffers)].Size
		if e.ends {
			live -= size
		} else {
			live += size
		}
		most = max(most, live)
	}
	return most
}

// online has the planners that imitate allocators of running programs.
var online = []string{"bfc", "ggml", "tsl-bfc"}

// Roams reports whether a baseline's allocator may put an allocation elsewhere in each cycle.
func Roams(name string) bool { return name == CachingName || slices.Contains(online, name) }

// problemFor returns a stream as the planner of this name gets it.
func problemFor(h *trace.Heap, name string) *stowage.Problem {
	if Roams(name) {
		return unrolled(h, cachingCycles)
	}
	return lower.Turned(h.Problem)
}

// unrolled returns some cycles in a row as a plain problem.
func unrolled(h *trace.Heap, cycles int) *stowage.Problem {
	p, period := &stowage.Problem{}, periodOf(h.Problem)
	for c := range cycles {
		shift := int64(c) * period
		for _, b := range h.Problem.Buffers {
			b.ID = fmt.Sprintf("%d/%s", c, b.ID)
			b.Lower, b.Upper = b.Lower+shift, b.Upper+shift
			p.Buffers = append(p.Buffers, b)
		}
	}
	return p
}

// Compare returns what other allocators would take for the allocations that plans serve: the simulation of PyTorch's
// caching allocator, whether it is named or not, and the named planners. Streams are apart, as in the plan. A planner
// that cannot take the problem is left out. The error is ctx's, or about an unknown planner.
func Compare(ctx context.Context, plans []trace.Plan, planners []string) ([]trace.Baseline, error) {
	plain := slices.Clone(plans)
	for i := range plain {
		plain[i].Guard = 0
	}
	heaps := trace.Heaps(plain)
	all := []trace.Baseline{{Name: CachingName}}
	for k := range heaps {
		all[0].Bytes += cachingOf(&heaps[k])
	}
	for _, name := range planners {
		if name == CachingName {
			continue // it is there
		}
		total, whole := int64(0), true
		for k := range heaps {
			r, err := stowage.Minimize(ctx, problemFor(&heaps[k], name), stowage.Options{Planner: name, Timeout: DefaultTimeout})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil || !r.Status.HasPlan() {
				whole = false
				break
			}
			total = up(total, plans[0].Alignment) + r.Height
		}
		if whole {
			all = append(all, trace.Baseline{Name: name, Bytes: total})
		}
	}
	return all, nil
}
