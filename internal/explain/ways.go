package explain

import (
	"context"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an answer of "no" carries the cheapest ways out. A larger capacity: the least that a short run finds, and the
// bound below it. A change of one buffer: fewer bytes, or a time at which it is not in use, because it is split there,
// ends earlier or begins later. A set that cannot fit stays so whatever happens to other buffers. So only a change of a
// buffer of the set can be a way out.
//
// Let E be the sections whose load is above the capacity. A buffer alone is a way out only if it is in use in all of E.
// It must then shrink by max over E of load − capacity at least. If a plan shows that this is enough, no smaller change
// is. If there are no such sections, bisection looks for the size.
//
// Invariant: a plan shows that each named way is enough. Other ways may exist.
//
// Complexity: at most mostShrunk buffers, each with a few runs of wayNodes nodes; fewer of a large
// problem, and none above waysBuffers buffers.

const (
	// wayNodes is the node limit of a run that checks a way out.
	wayNodes = 2000
	// capacityNodes is the node limit of the run that looks for the least capacity, if there is more to say.
	capacityNodes = 20_000
	// mostShrunk is how many buffers are tried at most, mostFound how many ways of a kind are enough.
	mostShrunk, mostFound = 8, 3
	// waysBuffers is the number of buffers above which no runs are made. triedBuffers limits the sum of the buffers
	// of all runs.
	waysBuffers, triedBuffers = 20_000, 100_000
	// halvings is the number of runs that look for a size.
	halvings = 12
)

// Ways are ways out of a problem that does not fit.
type Ways struct {
	Enough int64 // a capacity for which there is a plan; 0 if none is known
	Least  int64 // no smaller capacity is enough
	Shrink []Shrunk
	Absent []Absent

	// Of problems with rules.
	Rooms    []Room       // each alone is enough
	Together []Room       // all of them are, if no pool alone is
	NoRoom   bool         // it is proven that no capacities of the pools are enough
	Allowed  []Allowed    // each alone
	Unfixed  []int        // buffers whose fixed offset may go; each alone is enough
	Loose    []model.Pair // pairs that need no longer be apart; each alone is enough
	Without  []Dropped    // rules of banks; each alone is enough, if it goes
}

// Changes counts the ways that change a buffer or a pair.
func (w *Ways) Changes() int {
	return len(w.Shrink) + len(w.Absent) + len(w.Allowed) + len(w.Unfixed) + len(w.Loose) + len(w.Without)
}

// A Shrunk is a buffer that must shrink by By bytes. Exact says that fewer bytes are not enough.
type Shrunk struct {
	Buffer int
	By, To int64
	Exact  bool
}

// An Absent buffer is not in use in [Lower, Upper). Splits says that it lives before and behind that time.
type Absent struct {
	Buffer       int
	Lower, Upper int64
	Splits       bool
}

// A Planner plans a problem with options, as Solve of the root package does.
type Planner func(ctx context.Context, p *model.Problem, o plan.Options) (*plan.Result, error)

// LeastCapacity looks for the least capacity of a problem, within so many nodes. enough is 0 if it finds none, if the
// problem is large, or if it has pools (see Rooms).
func LeastCapacity(ctx context.Context, p *model.Problem, nodes int64, solve Planner) (enough, least int64, err error) {
	if len(p.Buffers) > waysBuffers || p.Ruled() && (len(p.Buffers) > ruledWaysBuffers || len(p.Rules.Pools) > 0) {
		return 0, 0, nil
	}
	free := *p
	if free.Capacity = 0; p.Ruled() {
		rules := *p.Rules
		rules.Objective = []model.Measure{model.MeasureHeight}
		free.Rules = &rules
	}
	r, err := solve(ctx, &free, plan.Options{Minimize: true, NodeLimit: nodes})
	if err != nil {
		return 0, 0, err
	}
	if r.Status.HasPlan() {
		enough = r.Height
	}
	return enough, r.LowerBound, nil
}

// WaysOut returns ways out of a problem that does not fit x.Capacity, or that has no plan that keeps its rules. It
// returns nil if fixed offsets collide, or if the problem is large.
func WaysOut(ctx context.Context, p *model.Problem, x *plan.Explanation, solve Planner) (*Ways, error) {
	if x.Status != model.Infeasible || x.Collision != nil || len(p.Buffers) > waysBuffers {
		return nil, nil
	}
	if p.Ruled() {
		return ruledWays(ctx, p, x, solve)
	}
	w := &Ways{}
	var err error
	if w.Enough, w.Least, err = LeastCapacity(ctx, p, capacityNodes, solve); err != nil {
		return nil, err
	}
	w.Least = max(w.Least, x.Capacity+1)
	t := newWay(ctx, p, x, solve)
	for _, c := range t.candidates() {
		if t.err != nil || t.left < len(p.Buffers) || len(w.Shrink) >= mostFound && len(w.Absent) >= mostFound {
			break
		}
		if s, ok := t.shrink(c); ok && len(w.Shrink) < mostFound {
			w.Shrink = append(w.Shrink, s)
		}
		if a, ok := t.absent(c); ok && len(w.Absent) < mostFound {
			w.Absent = append(w.Absent, a)
		}
	}
	sorting.Structs(w.Shrink, func(a, b Shrunk) int { return int(min(1, max(-1, a.By-b.By))) })
	return w, t.err
}

// A way tries changes of one buffer of a problem.
type way struct {
	ctx          context.Context
	p            *model.Problem
	x            *plan.Explanation
	solve        Planner
	tl           *timeline.Timeline
	excess       int64 // of the fullest section over the capacity; at most 0 if no section is too full
	lower, upper int64 // the time of the sections that are too full, or of the explanation
	left         int   // buffers that may still be planned
	err          error
}

func newWay(ctx context.Context, p *model.Problem, x *plan.Explanation, solve Planner) *way {
	t := &way{ctx: ctx, p: p, x: x, solve: solve, tl: timeline.New(p), lower: x.At[0], upper: x.At[1], left: triedBuffers}
	first := true
	for s, load := range t.tl.Load {
		if t.excess = max(t.excess, load-x.Capacity); load <= x.Capacity {
			continue
		}
		if first {
			t.lower, first = t.tl.Starts[s], false
		}
		t.upper = t.tl.Ends[s]
	}
	return t
}

// candidates returns the buffers of the explanation that are in use in all sections that are too full, the largest
// first.
func (t *way) candidates() (all []int) {
	for _, i := range t.x.Buffers {
		if !t.p.Buffers[i].HasWindow() && t.always(i) {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return int(min(1, max(-1, t.p.Buffers[b].Size-t.p.Buffers[a].Size))) })
	return all[:min(len(all), mostShrunk)]
}

// always reports whether a buffer is in use in all sections that are too full.
func (t *way) always(i int) bool {
	spans := t.tl.Spans(i)
	for s, load := range t.tl.Load {
		if load > t.x.Capacity && !slices.ContainsFunc(spans,
			func(x timeline.Span) bool { return int(x.First) <= s && s < int(x.Last) }) {
			return false
		}
	}
	return true
}

// fits reports whether the problem fits with another buffer in the place of the i-th. A limit counts as no.
func (t *way) fits(i int, b model.Buffer) bool { return t.status(i, b).HasPlan() }

// status plans the problem with another buffer in the place of the i-th.
func (t *way) status(i int, b model.Buffer) model.Status {
	if t.left -= len(t.p.Buffers); t.err != nil || t.left < 0 {
		return model.Unknown
	}
	with := *t.p
	with.Buffers = slices.Clone(t.p.Buffers)
	with.Buffers[i] = b
	if !with.Ruled() {
		with.Capacity = t.x.Capacity
	}
	r, err := replan(t.ctx, &with, plan.Options{NodeLimit: wayNodes}, t.solve)
	if t.err = err; err != nil {
		return model.Unknown
	}
	return r.Status
}

// shrink looks for the fewest bytes by which a buffer alone has to shrink.
func (t *way) shrink(i int) (Shrunk, bool) {
	b := t.p.Buffers[i]
	sized := func(size int64) bool {
		smaller := b
		smaller.Size = size
		return t.fits(i, smaller)
	}
	most := b.Size - max(t.excess, 1) // the size at most
	if b.Fixed != nil {
		most = min(most, t.x.Capacity-*b.Fixed)
	}
	switch {
	case most < 1:
		return Shrunk{}, false
	case sized(most):
		return Shrunk{i, b.Size - most, most, true}, true
	case !sized(1):
		return Shrunk{}, false
	}
	low, high := int64(1), most // low fits, and high is not known to
	for range halvings {
		if high-low < 2 {
			break
		}
		if mid := low + (high-low)/2; sized(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return Shrunk{i, b.Size - low, low, false}, true
}

// absent asks whether it is enough if a buffer is not in use at the time that is too full.
func (t *way) absent(i int) (Absent, bool) {
	b := t.p.Buffers[i]
	from, to := max(t.lower, b.Lower), min(t.upper, b.Upper)
	a := Absent{Buffer: i, Lower: from, Upper: to, Splits: b.Lower < from && to < b.Upper}
	switch {
	case from >= to, b.Lower >= from && to >= b.Upper, len(b.Gaps) > 0: // with gaps, other words would be needed
		return a, false
	case a.Splits:
		b.Gaps = []model.Gap{{Lower: from, Upper: to}}
	case b.Lower < from:
		b.Upper = from
	default:
		b.Lower = to
	}
	return a, t.fits(i, b)
}

// Lines words ways out, a line each; capacity is what the problem does not fit. name is how an ID is written.
func (w *Ways) Lines(p *model.Problem, name func(id string) string) (lines []string) {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	if line := Enough(w.Enough, w.Least); line != "" {
		lines = append(lines, line)
	}
	rooms, others := w.ruledLines(p, name)
	lines = append(lines, rooms...)
	for _, s := range w.Shrink {
		lines = append(lines, name(p.Buffers[s.Buffer].ID)+" smaller by "+n(s.By)+": "+n(s.To)+" in place of "+n(s.To+s.By))
	}
	for _, a := range w.Absent {
		b := &p.Buffers[a.Buffer]
		line := name(b.ID) + " (" + n(b.Size) + ") "
		switch {
		case a.Splits:
			line += "split, so that it is not in use in [" + n(a.Lower) + ", " + n(a.Upper) + ")"
		case a.Upper == b.Upper:
			line += "ending at " + n(a.Lower) + " in place of " + n(b.Upper)
		default:
			line += "beginning at " + n(a.Upper) + " in place of " + n(b.Lower)
		}
		lines = append(lines, line)
	}
	return append(lines, others...)
}

// Enough says which capacity is enough, and below which none is; "" if no plan is known.
func Enough(enough, least int64) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	switch {
	case enough == 0:
		return ""
	case enough <= least:
		return "a capacity of " + n(enough) + ", the least that is enough"
	}
	return "a capacity of " + n(enough) + "; less than " + n(least) + " is not enough"
}
