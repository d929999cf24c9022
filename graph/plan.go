package graph

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: each step may only help. The graph is planned in its own order, without permits; then with results in place;
// then with all permits. Each run starts from the plan of the run before. That is a plan of its problem too, since
// permits only remove conflicts. If other orders are allowed, the orders with the lowest peaks are planned in the
// same way (reorder.go). The lowest plan is kept. So under any limit, the result is never higher than the plan in the
// given order without permits. The differences say what each step saves.
//
// Complexity: one run of the planner for each kind of permit that the graph has, and one more; up to four more for
// other orders; then Options.Problems runs, each for a lower plan. rest.go says how a timeout is divided among them.

// Permits says which permits count.
type Permits uint8

// The choices.
const (
	AllPermits Permits = iota // all of them
	InPlace                   // permits at exact distances, and permits with a distance of 0 or less
	NoPermits                 // none: any two values that take memory at once lie apart
)

var permitNames = [...]string{"all", "in-place", "none"}

// String returns the name in the command and its JSON.
func (p Permits) String() string {
	if int(p) < len(permitNames) {
		return permitNames[p]
	}
	return "permits(" + strconv.Itoa(int(p)) + ")"
}

// count reports whether permit x counts under the choice p.
func (p Permits) count(x Permit) bool {
	return p == AllPermits || p == InPlace && (x.Exactly || x.Distance <= 0)
}

// DefaultMaxWork is the MaxWork of the command and of the C library: 10% more arithmetic.
const DefaultMaxWork = 0.1

// A Solver plans a problem: stowage.Solve is one.
type Solver func(context.Context, *model.Problem, plan.Options) (*plan.Result, error)

// Options say how Make plans. The zero value lacks only Solve.
type Options struct {
	// Solve is the planner's entry, usually stowage.Solve. It must be set.
	Solve Solver
	// Permits says which permits count; by default all do.
	Permits Permits
	// Reorder looks for the order with the lowest plan. If it is false, the operators run in the
	// order in which they stand.
	Reorder bool
	// States limits the search for an order: how many sets of operators it keeps. 0 means
	// 262,144, about 25 MB for 500 operators. It has a bound in any case.
	States int
	// Problems limits the search through all orders, if the orders with the lowest peaks do not lead
	// to a plan that is proven: how many orders and beginnings of orders are planned. 0 means
	// DefaultProblems; a negative number allows none.
	Problems int
	// Strips also looks for chains of operators that run in strips, where operators say which lines they read, with which
	// the plan is lower; with Run.Capacity only if the graph does not fit without, and those that add the least
	// arithmetic.
	Strips bool
	// MaxWork is the most arithmetic that Strips may add, as a share of that of the graph: 0.1 is 10%. The default is 0:
	// chains that compute nothing twice.
	MaxWork float64
	// Run has the options of the planner. Run.Capacity is the capacity of the plan. Without
	// it, or with Run.Minimize, Make looks for the lowest plan. Run.Timeout is for the whole of
	// Make. Run.NodeLimit is for each run. Run.Start must be nil.
	Run plan.Options
}

// An Overlap is a result that lies over an operand.
type Overlap struct {
	Operator, Result, Operand int   // indices into the graph
	Distance                  int64 // offset(operand) - offset(result), in bytes
	Bytes                     int64 // how many bytes the two share
}

// Saved says how many bytes each step saves beyond those before it. A number is 0 if the plan
// before it does not fit the capacity.
type Saved struct {
	InPlace  int64 // by exact distances, and by distances of 0 or less
	Distance int64 // by the other distances
	Order    int64 // by another order of the operators
	Strips   int64 // by chains in strips
}

// A Plan is the outcome of Make.
type Plan struct {
	// Order has the operators in the order in which they run.
	Order []int
	// Offsets has the offset of each value in bytes: -1 for constants, and for values between two operators of a chain in
	// strips, which are never there as a whole. It is nil if Status has no plan.
	Offsets []int64
	// Scratch has the offset of each operator's scratch in bytes: -1 if it has none, or is in a chain. It is nil if
	// Offsets is.
	Scratch []int64
	// Height is the largest offset + size: the number of bytes that the plan needs; 0 if there is none.
	Height int64
	// LowerBound: no plan with the permits that count is lower, in bytes. With Options.Reorder it holds for all orders,
	// else for the order of the graph. With Options.Strips it holds for Order, and for all chains and numbers of strips
	// that were looked at.
	LowerBound int64
	// Status is the outcome. Optimal and Infeasible hold for all orders or for one, as LowerBound does.
	Status model.Status
	// Overlaps has each result that lies over an operand, in the order of the operators.
	Overlaps []Overlap
	// Chains are the operators that run in strips, in order. Overlaps has none of theirs.
	Chains []Chain
	// Saved has what the permits, the order and strips save.
	Saved Saved
	// Planner is the planner that made the plan.
	Planner string
	// Stopped says what ended the work before it had an answer: the last state of each run and of the search for orders
	// counts. It is plan.Finished if there is an answer.
	Stopped plan.Stop
}

// Make plans a graph. The error is a *model.InputError for a bad graph or option, or the solver's. Plan.Status says
// whether a plan was found.
func Make(ctx context.Context, g *Graph, o Options) (*Plan, error) {
	var issues model.Issues
	if o.Solve == nil {
		issues.Say("solve", "", "there is no planner: Options.Solve is nil")
	}
	if o.Permits > NoPermits {
		issues.Say("permits", o.Permits.String(), "must be all, in-place or none")
	}
	if o.Run.Start != nil {
		issues.Say("start", "", "a graph takes no plan to start from")
	}
	if o.Strips && !(o.MaxWork >= 0 && o.MaxWork <= 1000) {
		issues.Say("max-work", strconv.FormatFloat(o.MaxWork, 'g', -1, 64),
			"must be from 0 to 1000 times the work of the graph")
	}
	issues.Join(Validate(g))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	if o.Strips {
		return makeStrips(ctx, g, o)
	}
	order := runnable(g)
	if !o.Reorder {
		for k := range order {
			order[k] = k
		}
		if err := checkOrder(g, order); err != nil {
			return nil, err
		}
	}
	m := maker{g: g, o: o, began: time.Now()}
	p, err := m.make(ctx, order)
	if err == nil {
		m.ended(ctx, p)
	}
	return p, err
}

// ended sets the reason for which the work ended. The last run alone does not know it: the orders may be proven since,
// and a limit may have cut off another run or the search for orders.
func (m *maker) ended(ctx context.Context, p *Plan) {
	if p.Status == model.Optimal || p.Status == model.Infeasible || p.Status == model.Feasible && !m.o.Run.Minimizing() {
		p.Stopped = plan.Finished
		return
	}
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		m.cuts = append(m.cuts, plan.StopTimeout)
	case err != nil:
		m.cuts = append(m.cuts, plan.StopInterrupt)
	}
	for _, modes := range m.tried {
		for _, x := range modes {
			if x.result != nil {
				m.cuts = append(m.cuts, x.result.Stopped)
			}
		}
	}
	for _, by := range []plan.Stop{plan.StopInterrupt, plan.StopTimeout, plan.StopNodes, plan.StopEffort} {
		if slices.Contains(m.cuts, by) {
			p.Stopped = by
			return
		}
	}
}

type maker struct {
	g     *Graph
	o     Options
	began time.Time
	until time.Duration // the time that the next runs share, counted from began; 0 for no limit
	runs  int           // the most runs that may still come
	tried [][]mode      // every order's modes
	cuts  []plan.Stop   // what ended searches for orders
}

// A mode is an order with a choice of permits, and the best result of its runs so far.
type mode struct {
	order   []int
	permits Permits
	result  *plan.Result // nil if the mode is not needed
}

// make plans the graph, first in the given order.
func (m *maker) make(ctx context.Context, order []int) (*Plan, error) {
	kinds := m.kinds()
	reorder := m.o.Reorder && !forced(m.g, order)
	if m.runs = len(kinds); reorder || m.runs > 1 {
		m.until = m.part(1, 4)
	} else {
		m.until = m.part(1, 1)
	}
	given, err := m.inOrder(ctx, order, kinds)
	if err != nil {
		return nil, err
	}
	tried := [][]mode{given}
	if !reorder {
		if err := m.rest(ctx, tried, m.part(1, 1)); err != nil {
			return nil, err
		}
		return m.plan(given)
	}
	if err := m.rest(ctx, tried, m.part(4, 5)); err != nil {
		return nil, err
	}
	p, err := m.plan(given)
	if err != nil {
		return nil, err
	}
	if p.Status.HasPlan() && !m.o.Run.Minimizing() {
		m.o.States = -1 // only the bound of all orders that needs no search
		_, bound, err := m.search(ctx, order)
		p.bounded(bound)
		return p, err
	}
	m.until, m.runs = m.part(1, 1), 2
	others, bound, err := m.search(ctx, order)
	if err != nil {
		return nil, err
	}
	if len(kinds) > 2 {
		kinds = []Permits{NoPermits, m.o.Permits} // results in place are part of the second
	}
	m.runs = 2 * len(kinds) // two orders at most
	for _, other := range others {
		if slices.Equal(other, order) {
			continue
		}
		if least, err := m.least(other); err != nil || least >= lowest(tried) {
			continue // its plans are no lower
		}
		modes, err := m.inOrder(ctx, other, kinds)
		if err != nil {
			return nil, err
		}
		tried = append(tried, modes)
	}
	if lowest(tried) > bound {
		if err := m.rest(ctx, tried, m.part(1, 1)); err != nil {
			return nil, err
		}
	}
	if p, err = m.lowestOf(tried); err != nil {
		return nil, err
	}
	proven := p.Status.HasPlan() && p.Height <= bound || m.o.Run.Capacity > 0 && bound > m.o.Run.Capacity
	if !proven {
		if p, proven, err = m.exhaust(ctx, p, bound); err != nil {
			return nil, err
		}
	}
	// A bound for one order does not hold for all orders.
	p.LowerBound = bound
	switch {
	case p.Status.HasPlan():
		if p.Status = model.Feasible; proven {
			p.Status, p.LowerBound = model.Optimal, p.Height
		}
	case proven:
		p.Status, p.LowerBound = model.Infeasible, max(bound, m.o.Run.Capacity+1)
	default:
		p.Status = model.Unknown
	}
	return p, nil
}

// search is orders with its share of the time.
func (m *maker) search(ctx context.Context, order []int) ([][]int, int64, error) {
	if limit := m.share(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	defer func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			m.cuts = append(m.cuts, plan.StopTimeout)
		}
	}()
	return m.orders(ctx, order)
}

// inOrder plans the graph in one order, with each of the kinds of permits in turn.
func (m *maker) inOrder(ctx context.Context, order []int, kinds []Permits) ([]mode, error) {
	modes := make([]mode, len(kinds))
	for k, permits := range kinds {
		modes[k] = mode{order: order, permits: permits}
	}
	m.tried = append(m.tried, modes)
	for k := range modes {
		if err := m.run(ctx, modes, k, m.share()); err != nil {
			return nil, err
		}
		if modes[k].result.Status.HasPlan() && !m.o.Run.Minimizing() {
			break
		}
	}
	return modes, nil
}

// run plans mode k. It starts from the mode's own plan, or from the plan of the mode before. What it finds is also a
// plan of the later modes.
func (m *maker) run(ctx context.Context, modes []mode, k int, limit time.Duration) error {
	o, now := m.o.Run, &modes[k]
	o.Timeout = limit
	for _, x := range modes[:k+1] {
		if x.result != nil && x.result.Status.HasPlan() {
			o.Start = x.result.Offsets
		}
	}
	r, err := m.o.Solve(ctx, lower(m.g, now.order, now.permits).Problem, o)
	if err != nil {
		return err
	}
	now.adopt(r)
	for n := k + 1; n < len(modes) && modes[n].result != nil; n++ {
		later := *r
		later.LowerBound, later.Stopped = 0, modes[n].result.Stopped // with more permits less may be possible
		modes[n].adopt(&later)
	}
	return nil
}

// adopt adopts the plan of another run if it is lower, and its bound if that is higher.
func (x *mode) adopt(r *plan.Result) {
	before := x.result
	if x.result = r; before == nil {
		return
	}
	r.LowerBound = max(r.LowerBound, before.LowerBound)
	if before.Status.HasPlan() && (!r.Status.HasPlan() || before.Height <= r.Height) {
		r.Status, r.Height, r.Offsets, r.Planner = before.Status, before.Height, before.Offsets, before.Planner
	}
	if r.Status.HasPlan() {
		if r.Status = model.Feasible; r.Height == r.LowerBound {
			r.Status = model.Optimal
		}
	}
}

// plan returns the best plan of the modes of one order.
func (m *maker) plan(modes []mode) (*Plan, error) {
	p, last := &Plan{Order: modes[0].order}, 0
	for k := range modes {
		r := modes[k].result
		if r == nil {
			break
		}
		if last = k; k > 0 && modes[k-1].result.Status.HasPlan() && r.Status.HasPlan() {
			saved := modes[k-1].result.Height - r.Height
			if modes[k].permits == InPlace {
				p.Saved.InPlace = saved
			} else {
				p.Saved.Distance = saved
			}
		}
	}
	m.fill(p, lower(m.g, p.Order, modes[last].permits), modes[last].result)
	if last == len(modes)-1 {
		return p, nil
	}
	least, err := m.least(p.Order) // the run's bound is for fewer permits
	p.bounded(least)
	return p, err
}

// lowestOf returns the lowest plan of several orders. The first order is that of the graph.
func (m *maker) lowestOf(tried [][]mode) (*Plan, error) {
	p, err := m.plan(tried[0])
	for _, modes := range tried[1:] {
		if err != nil {
			return nil, err
		}
		var q *Plan
		switch q, err = m.plan(modes); {
		case err != nil || !q.Status.HasPlan():
		case !p.Status.HasPlan():
			q.Saved = Saved{}
			p = q
		case q.Height < p.Height:
			q.Saved, q.Saved.Order = p.Saved, p.Saved.Order+p.Height-q.Height
			p = q
		}
	}
	return p, err
}

// bounded sets a lower bound of a plan, and its status if the plan meets it.
func (p *Plan) bounded(bound int64) {
	p.LowerBound = bound
	if p.Status = model.Feasible; p.Height == bound {
		p.Status = model.Optimal
	}
}

// kinds returns which permits count in each run. A run that would repeat the run before it is left out.
func (m *maker) kinds() []Permits {
	kinds := []Permits{NoPermits}
	var near, far bool
	for k := range m.g.Operators {
		for _, x := range m.g.Operators[k].Permits {
			near = near || InPlace.count(x)
			far = far || !InPlace.count(x)
		}
	}
	if near && m.o.Permits != NoPermits {
		kinds = append(kinds, InPlace)
	}
	if far && m.o.Permits == AllPermits {
		kinds = append(kinds, AllPermits)
	}
	return kinds
}

// fill completes a plan with the result of its last run.
func (m *maker) fill(p *Plan, l *Lowering, r *plan.Result) {
	p.Status, p.LowerBound, p.Planner, p.Stopped = r.Status, r.LowerBound, r.Planner, r.Stopped
	if !r.Status.HasPlan() {
		return
	}
	p.Height = r.Height
	p.Offsets, p.Scratch = make([]int64, len(l.Value)), make([]int64, len(l.Scratch))
	for v, i := range l.Value {
		switch {
		case i >= 0:
			p.Offsets[v] = r.Offsets[i]
		case m.g.Values[v].Constant:
			p.Offsets[v] = -1
		}
	}
	for k, i := range l.Scratch {
		if p.Scratch[k] = -1; i >= 0 {
			p.Scratch[k] = r.Offsets[i]
		}
	}
	p.Overlaps = overlaps(m.g, p.Order, p.Offsets)
}

// overlaps returns which results lie over operands that die at their operator.
func overlaps(g *Graph, order []int, offsets []int64) (all []Overlap) {
	last := lastReads(g, order)
	for place, k := range order {
		o := &g.Operators[k]
		for _, y := range o.Results {
			for n, x := range o.Operands {
				if !g.Values[x].planned() || !g.Values[y].planned() || last[x] != place || slices.Contains(o.Operands[:n], x) {
					continue
				}
				shared := min(offsets[x]+g.Values[x].Size, offsets[y]+g.Values[y].Size) - max(offsets[x], offsets[y])
				if shared > 0 {
					all = append(all, Overlap{k, y, x, offsets[x] - offsets[y], shared})
				}
			}
		}
	}
	return all
}
