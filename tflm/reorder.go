package tflm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: the order of the operators decides which bytes are live at once, and package graph finds orders in which these
// are few. Permits count: if the operand dies at the operator in that order, a pair of a result and an operand counts
// as the bytes of both laid over each other. The model is planned in its own order, then in the orders found. The plan
// with the smallest head is taken.
//
// The graph of diagonal.go has ticks; the graph here has the operators of the model, which can move. So it has each
// value with all its readers, and the pairs of operators whose order must stay (tflite.Model.Prior).
//
// Invariant: no head is larger than without the option, and OrderBound <= Head.
//
// Offsets are multiples of 16, so a distance counts as rounded up to one.
//
// If a limit comes, an order found for results that lie apart may be better than an order found for permits. So it is
// tried too, if the order for permits is not proven.
//
// Complexity: that of graph.Orders once or twice, and of one to four more plans if an order differs.

// reorder is Make with Options.Reorder.
func reorder(ctx context.Context, m *tflite.Model, o Options) (*Plan, error) {
	began, limit := time.Now(), o.Solve.Timeout
	orders, bound, err := ordersOf(ctx, m, &o)
	if err != nil {
		return nil, err
	}
	// part returns the time for the next of so many plans, until half of the timeout has gone.
	part := func(plans int) time.Duration {
		if limit <= 0 {
			return limit
		}
		return max((limit/2-time.Since(began))/time.Duration(plans), 20*time.Millisecond)
	}
	o.Solve.Timeout = part(1 + len(orders))
	given, err := inOrder(ctx, m, o)
	if err != nil || given.Kept {
		return given, err
	}
	given.OrderBound = bound
	p, err := given.inOrders(ctx, given, orders, o, part)
	if weaker := o; err == nil && (o.InPlace || o.Kernels != "") && bound > 0 && !p.OrderProven() {
		if weaker.InPlace, weaker.Kernels = false, ""; limit > 0 {
			weaker.Solve.Timeout = part(2)
		}
		if orders, _, err = ordersOf(ctx, m, &weaker); err == nil {
			p, err = given.inOrders(ctx, p, orders, o, part)
		}
	}
	if left := limit - time.Since(began); err == nil && limit > 0 && left > limit/50 {
		o.Solve.Timeout = left
		return given.rest(ctx, p, o)
	}
	return p, err
}

// rest gives the time that is left to p, the plan in the given order, if it may still become lower than the best.
// Otherwise it gives the time to the order of the best.
func (p *Plan) rest(ctx context.Context, best *Plan, o Options) (*Plan, error) {
	cut := func(p *Plan) bool { return p.Offsets == nil || p.Result.Stopped == stowage.StopTimeout }
	switch {
	case cut(p) && (best.Offsets == nil || p.Result.LowerBound < best.Head):
		q, err := inOrder(ctx, p.Model, o)
		if err != nil || q.Offsets == nil || best.Offsets != nil && q.Head >= best.Head {
			return best, err
		}
		q.OrderBound = p.OrderBound
		return q, nil
	case best != p && cut(best):
		return p.inOrders(ctx, best, [][]int{best.Order}, o, func(int) time.Duration { return o.Solve.Timeout })
	}
	return best, nil
}

// inOrders returns the plan with the smallest head: best, or a plan in one of the orders. p is the plan in the given
// order. left says how much time the next of so many plans has.
func (p *Plan) inOrders(ctx context.Context, best *Plan, orders [][]int, o Options,
	left func(plans int) time.Duration,
) (*Plan, error) {
	m := p.Model
	for k, order := range orders {
		if best.OrderProven() {
			break
		}
		data, err := m.Reordered(order)
		if err != nil {
			return best, unlessDamaged(err)
		}
		moved, err := tflite.Parse(data, m.File)
		if err != nil {
			return nil, err
		}
		next := o
		next.Solve.Timeout, next.bars = left(len(orders)-k), p.bars()
		next.Scratch = slices.Clone(o.Scratch)
		for i := range next.Scratch {
			next.Scratch[i].Operator = slices.Index(order, o.Scratch[i].Operator)
		}
		q, err := inOrder(ctx, moved, next)
		if err != nil {
			return nil, err
		}
		if q.Offsets != nil && q.Head < p.WrittenHead() && (best == p || q.Head < best.Head) {
			q.Order, q.OrderBound, q.was = order, p.OrderBound, p
			q.Before, q.Greedy, q.Faulty, q.replace = p.Before, p.Greedy, p.Faulty, p.replace
			best = q
		}
	}
	return best, nil
}

// unlessDamaged returns the error, or nil if it says that a file cannot be rewritten: the order of such a model is
// kept.
func unlessDamaged(err error) error {
	if errors.Is(err, tflite.ErrDamaged) || errors.Is(err, tflite.ErrNewer) || errors.Is(err, tflite.ErrExternal) {
		return nil
	}
	return err
}

// OrderProven reports whether no order of the operators has a plan with a smaller head.
func (p *Plan) OrderProven() bool {
	return p.OrderBound > 0 && p.Offsets != nil && p.Head <= p.OrderBound
}

// Moved returns how many operators are at another place than in the model as it was.
func (p *Plan) Moved() int { return graph.Moved(p.Order) }

// orderOf returns the order for a model: the planned model, or the same model before its weights were folded. In the
// latter, the operators that were folded run first.
func (p *Plan) orderOf(m *tflite.Model) ([]int, error) {
	planned := p.was.Model.Operators
	if len(m.Operators) == len(planned) {
		return p.Order, nil
	}
	var order []int
	at := make([]int, 0, len(planned)) // of each planned operator, in m
	for k := range m.Operators {
		o := &m.Operators[k]
		if n := len(at); n < len(planned) && slices.Equal(o.Inputs, planned[n].Inputs) &&
			slices.Equal(o.Outputs, planned[n].Outputs) {
			at = append(at, k)
		} else {
			order = append(order, k)
		}
	}
	if len(at) < len(planned) {
		return nil, errors.New(m.File + ": has other operators than the model that was planned")
	}
	for _, k := range p.Order {
		order = append(order, at[k])
	}
	return order, nil
}

// ordersOf returns the orders to try, without the model's own, and a lower bound of the head in any order. It returns
// no orders if the order of the model is kept.
func ordersOf(ctx context.Context, m *tflite.Model, o *Options) (orders [][]int, bound int64, err error) {
	npu := slices.ContainsFunc(m.Operators, func(o tflite.Operator) bool { return o.Custom == npu })
	if len(m.Subgraphs) != 1 || npu {
		return nil, 0, nil
	}
	g := operators(m, o)
	if g == nil {
		return nil, 0, nil
	}
	if o.Solve.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Solve.Timeout/4)
		defer cancel()
	}
	if orders, bound, err = graph.Orders(ctx, g, graph.Options{States: o.States}); err != nil {
		return nil, 0, err
	}
	return slices.DeleteFunc(orders, slices.IsSorted[[]int]), bound, nil
}

// operators returns the operators of a model as a graph; nil if the model has tensors that are
// written twice, or read or wanted before they are written.
func operators(m *tflite.Model, o *Options) *graph.Graph {
	s, g := &m.Subgraphs[0], &graph.Graph{}
	const nobody = -1
	caller := len(m.Operators)
	value, writer := slices.Repeat([]int{nobody}, len(m.Tensors)), slices.Repeat([]int{nobody}, len(m.Tensors))
	values := func(list []int32, by int) (out []int, ok bool) {
		for _, t := range list {
			if t < 0 || !m.Tensors[t].Arena() {
				continue
			}
			if value[t] < 0 {
				value[t] = len(g.Values)
				g.Values = append(g.Values,
					graph.Value{
						Name: "tensor " + strconv.Itoa(int(t)), Size: tflite.RoundUp(m.Tensors[t].Bytes), Alignment: tflite.Alignment,
					})
				if writer[t] = by; by == caller {
					g.Inputs = append(g.Inputs, value[t])
				}
			} else if by != caller {
				return nil, false // an operator has read or written it before
			}
			out = append(out, value[t])
		}
		return out, true
	}
	_, _ = values(s.Inputs, caller)
	prior := m.Prior()
	for k := range m.Operators {
		x := graph.Operator{Name: "operator " + strconv.Itoa(k), After: prior[k]}
		x.Operands, _ = values(m.Operators[k].Inputs, caller) // values that no operator writes are there from the start
		var ok bool
		if x.Results, ok = values(m.Operators[k].Outputs, k); !ok {
			return nil
		}
		for _, q := range movable(m, k, o) {
			x.Permits = append(x.Permits, graph.Permit{
				Result: value[q.result], Operand: value[q.operand], Distance: tflite.RoundUp(max(q.distance, 0)), Exactly: q.equal,
			})
		}
		g.Operators = append(g.Operators, x)
	}
	for _, x := range o.Scratch {
		if x.Operator >= 0 && x.Operator < len(g.Operators) && x.Bytes > 0 {
			g.Operators[x.Operator].Scratch += tflite.RoundUp(x.Bytes)
		}
	}
	for _, t := range s.Outputs {
		if m.Tensors[t].Arena() && value[t] < 0 {
			return nil
		}
		if value[t] >= 0 {
			g.Outputs = append(g.Outputs, value[t])
		}
	}
	return g
}

// movable returns the permits of an operator under the options, for any order: each operand may be one that dies there.
func movable(m *tflite.Model, operator int, o *Options) (all []permit) {
	x := &m.Operators[operator]
	if o.Kernels != "" {
		if d, ok := described.Operator(m, x); ok && x.Custom == "" && len(x.Callees) == 0 {
			found, _ := distance.Of(distance.Library(o.Kernels), d)
			all = pairs(m, operator, found)
		}
		return all
	}
	if !o.InPlace || !inPlace[x.Name()] || len(x.Outputs) != 1 {
		return nil
	}
	operands, y := x.Inputs, &m.Tensors[x.Outputs[0]]
	if oneOperand[x.Name()] && len(operands) > 1 {
		operands = operands[:1]
	}
	for n, in := range operands {
		if in < 0 || in == x.Outputs[0] || slices.Contains(operands[:n], in) {
			continue
		}
		if a := &m.Tensors[in]; a.Arena() && y.Arena() && a.Bytes == y.Bytes && a.Type == y.Type {
			all = append(all, permit{operator: operator, result: int(x.Outputs[0]), operand: int(in), equal: true})
		}
	}
	return all
}

// Given returns the model in its former order.
func (p *Plan) Given() *tflite.Model {
	if p.was != nil {
		return p.was.Model
	}
	return p.Model
}
