package graph

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the order with the lowest peak is not always the one with the lowest plan. If the plans of reorder.go are above
// the bound, all further orders are tried whose peak is below the best plan, until one fits there or none is left. If
// none is left, the best plan is proven to be the lowest of all orders.
//
// Few orders have to be planned, because an order that fails teaches about others. The beginning of an order is a
// graph, too: its outputs are the values that are still to be read. Its values must lie apart in every order that
// begins so. So if the beginning fails, all these orders fail. A beginning demands a set of facts about pairs of
// blocks:
//
//	met(a, b)    a and b take memory at once
//	apart(a, b)  they do, and no permit is for them
//
// The permits of a pair belong to the operator that makes the result, in any order. So orders with the same facts
// have the same plans, and an order with more facts has no further plans:
//
//	facts of a beginning that fails, a subset of the facts of an order  =>  the order fails
//
// An order that fails is cut back to its shortest beginning that fails, by bisection. The facts of that beginning are
// kept, and any other beginning that has them all is left out.
//
// Invariant: every order is at or above the best plan, or fails, or is still to be tried.
//
// Complexity: log2(operators) + 1 problems for each order that fails, each a small question: does it fit below the best
// plan? Blocks are at most mostBlocks, so that the facts of a beginning take at most 8 KiB.
//
// Trials: docs/lab/graph.md (keeping the facts of whole orders takes up to 60 problems for five operators, not 12).

// Limits of the search through all orders. Larger graphs keep the plan of reorder.go.
const (
	// DefaultProblems is the default of Options.Problems.
	DefaultProblems = 200
	// mostBlocks is how many values and blocks of scratch a graph may have.
	mostBlocks = 256
	// problemNodes is Options.Run.NodeLimit of a problem, if the caller sets none.
	problemNodes = 20_000
	// stepsEach is how many operators are tried in all for each problem that may be planned.
	stepsEach = 100
	// undecided is how many more problems a question counts as if a limit comes before its answer.
	undecided = 9
	// timeEach: a problem has this part of the time that is left.
	timeEach = 4
)

// exhaust looks for an order with a plan below p, or within the capacity if p has no plan. No plan is below bound. It
// returns the best plan, and whether no order is proven to have a lower one.
func (m *maker) exhaust(ctx context.Context, p *Plan, bound int64) (*Plan, bool, error) {
	most := m.o.Problems
	if most == 0 {
		most = DefaultProblems
	}
	if limit := m.o.Run.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, m.began.Add(limit))
		defer cancel()
	}
	x := &exhaustion{m: m, ctx: ctx, best: p, bound: bound, left: most, known: true}
	x.blocks()
	if x.count > mostBlocks || most < 0 {
		return p, false, nil
	}
	switch c := m.o.Run.Capacity; {
	case p.Status.HasPlan():
		x.target = p.Height - 1
	case c > 0:
		x.target = c
	default:
		return p, false, nil // a limit came at once
	}
	if x.target == 0 {
		return p, true, nil // something takes memory, or the bound would be 0
	}
	var cut []bool
	if loose := m.loose(); slices.Contains(loose, true) {
		cut = loose
	}
	halved := program(m.g, m.o.Permits, cut)
	x.owner = make([]int, len(halved.Operators))
	for k := range x.owner {
		x.owner[k] = k
	}
	for k, is := range cut {
		if is {
			x.owner[halved.first[k]] = k
		}
	}
	all, err := order.Each(ctx, &halved.Program, x.target, stepsEach*most, x)
	if err == nil {
		err = x.err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		m.cuts = append(m.cuts, plan.StopTimeout)
	}
	return x.best, all && x.known, err
}

// exhaustion is a search through all orders. It is the visitor of order.Each.
type exhaustion struct {
	m      *maker
	ctx    context.Context
	best   *Plan
	bound  int64 // no plan is lower
	target int64 // only plans of at most this height are sought
	left   int   // problems that may still be planned
	known  bool  // each order that was met fits the target or fails, and which of the two is known
	err    error // of the planner

	owner   []int      // by operator of order.Each: the graph's operator, for both of its halves
	block   []int      // by value, then by operator for scratch: the number of the block, -1 for none
	count   int        // of blocks
	to      []int      // by value: operators that are still to read it; one more for outputs
	order   []int      // the graph's operators that have run
	at      []moment   // at[0] is before the first operator, then one for each Enter
	refuted [][]uint64 // facts that fail together
}

// moment is what is known of a beginning.
type moment struct {
	facts []uint64 // met(a, b) is bit 2n, apart(a, b) bit 2n+1, with n the number of the pair
	live  []int    // the values that take memory after it
	half  int      // the operator that has run by half; -1 for none
}

// blocks numbers the blocks, and says what is there before the first operator.
func (x *exhaustion) blocks() {
	g := x.m.g
	x.block, x.to = make([]int, len(g.Values)+len(g.Operators)), make([]int, len(g.Values))
	number := func(at int, is bool) {
		if x.block[at] = -1; is {
			x.block[at] = x.count
			x.count++
		}
	}
	for v := range g.Values {
		number(v, g.Values[v].planned())
	}
	for k := range g.Operators {
		number(len(g.Values)+k, g.Operators[k].Scratch > 0)
		for _, v := range once(g.Operators[k].Operands) {
			x.to[v]++
		}
	}
	for _, v := range once(g.Outputs) {
		x.to[v]++
	}
	if x.count > mostBlocks {
		return
	}
	first := moment{facts: make([]uint64, (x.count*x.count+63)/64), half: -1}
	for i, v := range g.Inputs {
		for _, w := range g.Inputs[:i] {
			x.meet(first.facts, v, w, true)
		}
	}
	for _, v := range once(g.Inputs) {
		if x.to[v] > 0 {
			first.live = append(first.live, v)
		}
	}
	x.at = append(x.at, first)
}

// meet adds the facts of two blocks, by their index in block.
func (x *exhaustion) meet(facts []uint64, v, w int, apart bool) {
	a, b := x.block[v], x.block[w]
	if a < 0 || b < 0 || a == b {
		return
	}
	bit := max(a, b)*(max(a, b)-1) + 2*min(a, b)
	facts[bit>>6] |= 1 << (bit & 63)
	if bit++; apart {
		facts[bit>>6] |= 1 << (bit & 63)
	}
}

// Enter is order.Visitor's. An operator that is cut in two runs by halves, one directly after the other.
func (x *exhaustion) Enter(o int32) bool {
	now, k := x.at[len(x.at)-1], x.owner[o]
	if now.half >= 0 && now.half != k {
		return false
	}
	if int(o) != k { // the first half
		now.half = k
		x.at = append(x.at, now)
		return true
	}
	next := moment{facts: x.run(k, now), half: -1}
	for _, facts := range x.refuted {
		if contains(next.facts, facts) {
			return false
		}
	}
	operands, results := once(x.m.g.Operators[k].Operands), x.m.g.Operators[k].Results
	for _, v := range operands {
		x.to[v]--
	}
	for _, list := range [][]int{now.live, results} {
		for _, v := range list {
			if x.to[v] > 0 {
				next.live = append(next.live, v)
			}
		}
	}
	x.at, x.order = append(x.at, next), append(x.order, k)
	return true
}

// Leave is order.Visitor's.
func (x *exhaustion) Leave() {
	last := len(x.at) - 1
	if x.at[last].half < 0 {
		k := x.order[len(x.order)-1]
		for _, v := range once(x.m.g.Operators[k].Operands) {
			x.to[v]++
		}
		x.order = x.order[:len(x.order)-1]
	}
	x.at = x.at[:last]
}

// run returns the facts when operator k runs at a moment.
func (x *exhaustion) run(k int, now moment) []uint64 {
	o, facts := &x.m.g.Operators[k], slices.Clone(now.facts)
	scratch := len(x.m.g.Values) + k
	for i, y := range o.Results {
		for _, v := range now.live {
			dies := x.to[v] == 1 && slices.Contains(o.Operands, v)
			x.meet(facts, v, y, !dies || !slices.ContainsFunc(o.Permits, func(p Permit) bool {
				return p.Result == y && p.Operand == v && x.m.o.Permits.count(p)
			}))
		}
		for _, other := range o.Results[:i] {
			x.meet(facts, y, other, true)
		}
		x.meet(facts, y, scratch, true)
	}
	for _, v := range now.live {
		x.meet(facts, v, scratch, true)
	}
	return facts
}

// Full is order.Visitor's. It plans the order that has run.
func (x *exhaustion) Full() (limit int64, keep int) {
	const end = -1 // no more orders
	keep = len(x.at) - 2
	if x.left == 0 {
		x.known = false
		return end, keep
	}
	l := lower(x.m.g, x.order, x.m.o.Permits)
	r := x.plan(l.Problem, true)
	if r == nil {
		return end, keep
	}
	switch r.Status {
	case model.Unknown:
		x.known, x.left = false, max(x.left-undecided, 0)
	case model.Infeasible:
		// at is the moment after the shortest beginning that fails. First halves are moments too, and no operators that ran.
		at := 0
		for left := x.shortest(); left > 0; {
			if at++; x.at[at].half < 0 {
				left--
			}
		}
		keep = at - 1
		x.refuted = append(x.refuted, x.at[at].facts)
	default:
		p := &Plan{Order: slices.Clone(x.order)}
		x.m.fill(p, l, r)
		if x.best.Status.HasPlan() {
			p.Saved, p.Saved.Order = x.best.Saved, x.best.Saved.Order+x.best.Height-p.Height
		}
		x.known = x.known && r.Status == model.Optimal
		x.best, x.target = p, p.Height-1
		if x.target < x.bound || !x.m.o.Run.Minimizing() {
			return end, keep
		}
	}
	return x.target, keep
}

// shortest returns how many operators the shortest beginning has that fails, for an order that does.
func (x *exhaustion) shortest() int {
	fits, fails := 0, len(x.order)
	for fails-fits > 1 && x.left > 0 {
		n := (fits + fails) / 2
		g := beginning(x.m.g, x.order[:n])
		order := make([]int, n)
		for k := range order {
			order[k] = k
		}
		r := x.plan(lower(g, order, x.m.o.Permits).Problem, false)
		if r == nil {
			break
		}
		if r.Status == model.Infeasible {
			fails = n
		} else {
			fits = n
		}
	}
	return fails
}

// plan asks the planner for a plan within the target, the lowest if minimize is set; nil if there is an error.
func (x *exhaustion) plan(p *model.Problem, minimize bool) *plan.Result {
	x.left--
	o := x.m.o.Run
	o.Capacity, o.Minimize = x.target, minimize
	if o.NodeLimit == 0 {
		o.NodeLimit = problemNodes
	}
	if o.Timeout > 0 {
		o.Timeout = max((o.Timeout-time.Since(x.m.began))/timeEach, 1)
	}
	r, err := x.m.o.Solve(x.ctx, p, o)
	if err != nil {
		x.err = err
		return nil
	}
	return r
}

// beginning returns the graph of the first operators of an order. Values that are still to be read are its outputs.
// Values that are not there yet count as constants.
func beginning(g *Graph, first []int) *Graph {
	b := &Graph{Name: g.Name, Values: slices.Clone(g.Values), Inputs: g.Inputs, Outputs: slices.Clone(g.Outputs)}
	ran, by := make([]bool, len(g.Operators)), makers(g)
	for _, k := range first {
		ran[k] = true
		o := g.Operators[k]
		o.After = nil
		b.Operators = append(b.Operators, o)
	}
	for v := range b.Values {
		if by[v] >= 0 && !ran[by[v]] {
			b.Values[v] = Value{Name: g.Values[v].Name, Constant: true}
		}
	}
	for k := range g.Operators {
		if !ran[k] {
			b.Outputs = append(b.Outputs, g.Operators[k].Operands...)
		}
	}
	return b
}

// contains reports whether a set has all facts of another one.
func contains(all, some []uint64) bool {
	for k, word := range some {
		if word&^all[k] != 0 {
			return false
		}
	}
	return true
}

// once returns the values of a list, each once.
func once(list []int) []int {
	out := make([]int, 0, len(list))
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
