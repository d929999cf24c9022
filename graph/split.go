package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/tiling"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: each chain of operators is looked at in several numbers of strips, by itself: the most bytes in use while it
// runs, and the arithmetic that it adds. Package tiling chooses the sets of chains with the lowest loads
// (internal/tiling/choose.go), as it does for TFLite models. The plans of these sets are compared with the plan without
// strips.
//
// Invariant: the plan is never higher than the one without strips. LowerBound is a bound for all sets of chains that
// alone do not add too much arithmetic. If not all of them were looked at, the others count at their best (bound). With
// a capacity that the plan without strips does not fit, the set with the least arithmetic is looked for.
//
// Complexity: O(operators² · numbers of strips) chains, at most mostLooked, each in O(its calls + values); then at most
// mostSets plans with a limit of nodes.
//
// Source: Stowage.

// The limits of the search for strips.
const (
	mostSets = 24     // sets of chains that are planned
	setNodes = 20_000 // of each of these plans, unless Run.NodeLimit is set
)

// mostLooked is how many chains in strips are looked at.
var mostLooked = 20_000

// stripCounts are the numbers of strips that are looked at.
var stripCounts = tiling.Counts

// makeStrips plans a graph without strips first, and then with them.
func makeStrips(ctx context.Context, g *Graph, o Options) (*Plan, error) {
	began, limit := time.Now(), o.Run.Timeout
	o.Strips, o.Run.Timeout = false, limit/2
	p, err := Make(ctx, g, o)
	if err != nil || p.Status.HasPlan() && (o.Run.Capacity > 0 || !o.Run.Minimizing()) {
		return p, err
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(limit))
		defer cancel()
	}
	c := splitter{stripper: newStripper(g, p.Order, o.Permits), o: o, best: p, known: map[string]bool{}}
	if err := c.choose(ctx); err != nil {
		return nil, err
	}
	if c.best.Chains != nil { // the checker knows nothing of how it was made
		r, err := Verify(g, c.best)
		if err != nil {
			return nil, err
		}
		if !r.OK() {
			return nil, errors.New("graph: the plan in strips is faulty: " + r.Violations[0].Message)
		}
	}
	return c.best, nil
}

// A splitter looks for the best chains.
type splitter struct {
	*stripper
	o    Options
	best *Plan
	all  []tiling.Segment
	in   []chainIn // by segment
	left []int     // nil, or by last operator the first one of the shortest chain that was not looked at, -1 for none

	known  map[string]bool // sets of segments that were planned
	chosen []int           // the segments of the best plan
}

// choose replaces the best plan by one in strips, if it is lower, or if with a capacity it alone fits.
func (c *splitter) choose(ctx context.Context) error {
	ops := &tiling.Operators{Most: int64(c.o.MaxWork * float64(c.g.Work()))}
	low := lower(c.g, c.order, c.permits)
	loads := low.loads()
	floor := int64(0) // the load of operators that are in no chain
	for place, k := range c.order {
		load := slices.Max(loads[low.Start[k]:low.End[k]])
		if ops.Load = append(ops.Load, load); len(c.at(place).Reads) == 0 {
			floor = max(floor, load)
		}
	}
	ops.Least = ops.Load
	c.look(ctx, ops, floor)
	bound := c.bound(ops)
	paths := ops.Paths(c.all)
	given := c.best
	capacity := c.o.Run.Capacity
	if capacity > 0 {
		paths = slices.DeleteFunc(paths, func(x tiling.Path) bool { return x.Load > capacity })
		slices.SortStableFunc(paths, func(x, y tiling.Path) int { return cmp.Compare(x.Work, y.Work) })
	}
	for k := range paths {
		if err := c.try(ctx, &paths[k], bound); err != nil {
			return err
		}
		if capacity > 0 && c.best.Status.HasPlan() {
			break // the others have no less arithmetic
		}
	}
	for varied := capacity == 0; varied; {
		varied = false
		for _, x := range c.variants(ops) {
			height := c.best.Height
			if err := c.try(ctx, &x, bound); err != nil {
				return err
			}
			varied = varied || c.best.Height < height
		}
	}
	if p := c.best; p.Status.HasPlan() && given.Status.HasPlan() {
		if p != given {
			p.Saved = given.Saved
			p.Saved.Strips = given.Height - p.Height
		}
		p.bounded(min(bound, p.Height))
	} else if !p.Status.HasPlan() {
		p.LowerBound, p.Status = bound, model.Unknown
		if capacity > 0 && bound > capacity {
			p.Status = model.Infeasible
		}
	}
	return nil
}

// try plans a set of chains, and keeps the plan if it is lower.
func (c *splitter) try(ctx context.Context, x *tiling.Path, bound int64) error {
	key := fmt.Sprint(x.Segments)
	if len(x.Segments) == 0 || len(c.known) == mostSets || c.known[key] || ctx.Err() != nil ||
		c.best.Status.HasPlan() && (x.Load >= c.best.Height || c.best.Height <= bound) {
		return nil
	}
	c.known[key] = true
	p, err := c.plan(ctx, x, bound)
	if err == nil && p != nil && (!c.best.Status.HasPlan() || p.Height < c.best.Height) {
		c.best, c.chosen = p, x.Segments
	}
	return err
}

// variants returns the best set without one of its chains, or with one more in place of those that share operators with
// it, the lowest load first.
func (c *splitter) variants(ops *tiling.Operators) (out []tiling.Path) {
	add := func(segments []int) {
		x, next := tiling.Path{Segments: segments}, 0
		for _, k := range segments {
			s := &c.all[k]
			x.Load = max(x.Load, s.Load, slices.Max(append([]int64{0}, ops.Load[next:s.First]...)))
			x.Work, next = x.Work+s.Work, s.Last+1
		}
		x.Load = max(x.Load, slices.Max(append([]int64{0}, ops.Load[next:]...)))
		if x.Work <= ops.Most && x.Load < c.best.Height {
			out = append(out, x)
		}
	}
	for n := range c.chosen {
		add(slices.Delete(slices.Clone(c.chosen), n, n+1))
	}
	for i := range c.all {
		x := &c.all[i]
		segments := slices.DeleteFunc(slices.Clone(c.chosen), func(k int) bool {
			return c.all[k].First <= x.Last && x.First <= c.all[k].Last
		})
		at := slices.IndexFunc(segments, func(k int) bool { return c.all[k].First > x.Last })
		if at < 0 {
			at = len(segments)
		}
		add(slices.Insert(segments, at, i))
	}
	slices.SortStableFunc(out, func(x, y tiling.Path) int { return cmp.Compare(x.Load, y.Load) })
	return out
}

// look looks at the chains, the shortest first, and notes those that save something. A chain computes at least as many
// lines of its last operators as a shorter one does that ends with the same operator. So if that adds too much work,
// the longer one does.
func (c *splitter) look(ctx context.Context, ops *tiling.Operators, floor int64) {
	looked := 0
	was := make([]int64, len(c.order))     // by last operator: the load of the operators as they are
	costly := make([][]bool, len(c.order)) // and by number of strips
	for last := range costly {
		costly[last] = make([]bool, len(stripCounts))
	}
	for length, more := 0, true; more; length++ {
		more = false
		for last := length; last < len(c.order); last++ {
			first := last - length
			if len(c.at(first).Reads) == 0 {
				costly[last] = nil
			}
			if !slices.Contains(costly[last], false) {
				continue
			}
			more, was[last] = true, max(was[last], ops.Load[first])
			result := c.result(first, last)
			if was[last] <= floor || result < 0 {
				continue
			}
			for i, strips := range stripCounts {
				dear := &costly[last][i]
				if *dear = *dear || strips > c.g.Values[result].Lines; *dear {
					continue
				}
				if looked++; looked > mostLooked || ctx.Err() != nil {
					c.leave(length, last, costly)
					return
				}
				in := chainIn{first, last, strips}
				load, work := c.alone(in)
				if *dear = work > ops.Most; load < was[last] && !*dear {
					c.all = append(c.all, tiling.Segment{First: first, Last: last, Load: load, Least: load, Work: work})
					c.in = append(c.in, in)
				}
			}
		}
	}
}

// leave notes which chains were not looked at: longer ones, and those of this length that end with last or behind it.
func (c *splitter) leave(length, last int, costly [][]bool) {
	c.left = slices.Repeat([]int{-1}, len(c.order))
	for k := range c.left {
		if slices.Contains(costly[k], false) {
			c.left[k] = k - length
			if k < last {
				c.left[k]--
			}
		}
	}
}

// bound returns a load that no set of chains is below. A chain that was not looked at has its whole result when it
// ends. It has its whole operands when it begins, if all of them are read. With all that lives on around it, no number
// of strips has less.
func (c *splitter) bound(ops *tiling.Operators) int64 {
	if c.left == nil {
		return ops.Bound(c.all)
	}
	n := len(c.order)
	lives := make([]int64, n+2) // by place: bytes that are there before its operator, and are needed then or later
	for v := range c.g.Values {
		last := n
		if r := c.readers[v]; !c.output[v] && len(r) > 0 {
			last = r[len(r)-1]
		} else if !c.output[v] {
			last = c.maker[v]
		}
		if x := &c.g.Values[v]; x.planned() && last > c.maker[v] {
			lives[c.maker[v]+1] += x.Size
			lives[last+1] -= x.Size
		}
	}
	for k := range n {
		lives[k+1] += lives[k]
	}
	reads := make([]bool, n)
	for place := range reads {
		reads[place] = c.eachReads(c.at(place))
	}
	ends := ops.Endings(c.all)
	least := make([]int64, n+1) // by place: of the paths up to it, the largest load
	for last := range n {
		best := max(least[last], ops.Least[last])
		for _, k := range ends[last] {
			best = min(best, max(least[c.all[k].First], c.all[k].Least))
		}
		sure, next := true, last // whether each line that an operator from next on makes reads something
		for first := c.left[last]; first >= 0 && len(c.at(first).Reads) > 0; first-- {
			for ; next >= first; next-- {
				sure = sure && reads[next]
			}
			if load := max(least[first], lives[last+1]); sure {
				best = min(best, max(load, lives[first]))
			} else {
				best = min(best, load)
			}
		}
		least[last+1] = best
	}
	return least[n]
}

// eachReads reports whether each line of an operator's results reads a line of each operand. If it lies in the padding
// alone, or lists none, it does not.
func (c *splitter) eachReads(o *Operator) bool {
	for k := range o.Reads {
		r := &o.Reads[k]
		if len(o.Results) == 0 {
			return false
		}
		for line := range c.g.Values[o.Results[0]].Lines {
			if first, end := r.lines(line, line+1, c.g.Values[r.Operand].Lines); first >= end {
				return false
			}
		}
	}
	return true
}

// plan plans a set of chains. It returns nil if there is no plan.
func (c *splitter) plan(ctx context.Context, path *tiling.Path, bound int64) (*Plan, error) {
	var chains []chainIn
	for _, k := range path.Segments {
		chains = append(chains, c.in[k])
	}
	x := c.expand(chains)
	run := c.o.Run
	run.Timeout = 0
	if until, limited := ctx.Deadline(); limited {
		run.Timeout = max(time.Until(until)/2, time.Millisecond)
	}
	if run.NodeLimit == 0 {
		run.NodeLimit = setNodes
	}
	r, err := c.o.Solve(ctx, x.low.Problem, run)
	if err != nil || !r.Status.HasPlan() {
		return nil, err
	}
	p := &Plan{Order: c.order, Status: model.Feasible, Height: r.Height, LowerBound: bound, Planner: r.Planner}
	p.Stopped = r.Stopped
	x.place(p, r.Offsets)
	p.Overlaps = x.overlaps(c.stripper, p)
	if p.bounded(min(bound, p.Height)); p.Status == model.Optimal {
		p.Stopped = plan.Finished
	}
	return p, nil
}

// overlaps returns which results lie over operands, outside of chains.
func (x *calls) overlaps(s *stripper, p *Plan) (out []Overlap) {
	for _, o := range overlaps(s.g, s.order, p.Offsets) {
		if x.whole[o.Operator] >= 0 {
			out = append(out, o)
		}
	}
	return out
}
