package order

import (
	"context"
	"fmt"

	"github.com/stowage-go/stowage/model"
)

// Options of [Best]. The zero value is usable.
type Options struct {
	// Given is the order to improve on: all operators, each after those that it needs. Default: 0, 1, 2, ….
	Given []int32
	// States limits the memory and the time of the search: how many sets of operators it keeps, all its parts
	// together. Default [DefaultStates]. A negative limit allows none; the bounds and the quick orders remain.
	States int
	// Off switches techniques off, for tests and measurements.
	Off Techniques
}

// DefaultStates is the default of [Options.States]. With 500 operators it is about 25 MB.
const DefaultStates = 1 << 18

// Techniques says which techniques are off. Any combination is sound and, without a limit, finds the lowest
// peak.
type Techniques struct {
	Collapse bool // run at once what fits and raises nothing
	Chains   bool // the same for chains of operators
	Tail     bool // the same from the end
	Bounds   bool // bytes that no order avoids
	Greedy   bool // orders in one pass, to begin with
	Memory   bool // never open the same set of operators twice
}

// Result is what [Best] found.
type Result struct {
	// Order has the numbers of the operators, first to last. It is the given order unless a lower one was found.
	Order []int32
	// Peak is the most bytes live at once in Order, as [Program.Profile] counts them.
	Peak int64
	// Given is the peak of the given order. Peak is never above it.
	Given int64
	// Bound: no order has a peak below it.
	Bound int64
	// Status is Optimal if Peak = Bound, else Feasible.
	Status model.Status
	// States is how many sets of operators the search kept.
	States int
}

// Best returns an order of the operators with the lowest peak that it finds. The same program and options give
// the same result, unless the context ends. When a limit comes, the result is the best order so far, with a bound;
// a limit is no error. Errors are those of [Program.Check] and a given order that cannot run.
func Best(ctx context.Context, p *Program, o Options) (Result, error) {
	w, given, err := p.prepare(o.Given)
	if err != nil {
		return Result{}, err
	}
	g := w.g
	if o.States == 0 {
		o.States = DefaultStates
	}
	r := Result{Given: g.peak(w, given)}
	r.Order, r.Peak, r.Bound = append([]int32(nil), given...), r.Given, g.least(w)
	if !o.Off.Bounds {
		for _, bound := range g.unavoidable(newReach(g)) {
			r.Bound = max(r.Bound, bound)
		}
	}
	if r.Peak > r.Bound && !o.Off.Greedy {
		for rule := range greedyRules {
			if order, peak := w.greedy(rule, r.Bound, &o.Off); peak < r.Peak {
				r.Order, r.Peak = order, peak
			}
		}
	}
	if r.Peak > r.Bound {
		improve(ctx, g, &r, o)
	}
	if r.Status = model.Feasible; r.Peak == r.Bound {
		r.Status = model.Optimal
	}
	return r, nil
}

// improve searches for an order below the best of r, and raises its bound.
func improve(ctx context.Context, g *graph, r *Result, o Options) {
	n := g.operators()
	upper := newBitset(n)
	for k := range n {
		upper.add(int32(k))
	}
	var last []int32
	if !o.Off.Tail {
		w := newWalk(g)
		w.set(upper)
		last = w.tail(r.Bound)
		for _, k := range last {
			upper.drop(k)
		}
	}
	part := g.part(newBitset(n), upper)
	s := newSearch(part, r.Bound, r.Peak, &o.Off)
	s.run(ctx, o.States-r.States)
	r.Bound = s.limit
	r.States += s.states.count()
	if s.full {
		r.Peak, r.Order = s.limit, r.Order[:0]
		for _, k := range s.way() {
			r.Order = append(r.Order, part.name[k])
		}
		for _, k := range last {
			r.Order = append(r.Order, g.name[k])
		}
	}
}

// least returns a bound from what is live before the first operator and after the last.
func (g *graph) least(w *walk) int64 {
	all := newBitset(g.operators())
	for k := range g.operators() {
		all.add(int32(k))
	}
	w.set(all)
	return max(g.start, w.live)
}

// runs returns an error unless order has each operator once, after those that it needs.
func (g *graph) runs(order []int32) error {
	n := g.operators()
	if len(order) != n {
		return fmt.Errorf("%d operators of %d", len(order), n)
	}
	ran := newBitset(n)
	for k, o := range order {
		if o < 0 || int(o) >= n {
			return fmt.Errorf("place %d: operator %d of %d", k, o, n)
		}
		if ran.has(o) {
			return fmt.Errorf("place %d: operator %d a second time", k, o)
		}
		for _, q := range g.prior.of(o) {
			if !ran.has(q) {
				return fmt.Errorf("place %d: operator %d runs before operator %d, which it needs", k, o, q)
			}
		}
		ran.add(o)
	}
	return nil
}

// Profile returns how many bytes are live during each operator of an order, by place in the order, less what the
// best pairs save there: during, as the package comment has it. If order is nil, it is 0, 1, 2, …. Errors are those
// of [Best].
func (p *Program) Profile(order []int32) ([]int64, error) {
	w, order, err := p.prepare(order)
	if err != nil {
		return nil, err
	}
	profile := make([]int64, 0, len(order))
	for _, o := range order {
		during, _ := w.cost(o)
		profile = append(profile, during)
		w.run(o)
	}
	return profile, nil
}

// Peak returns the peak of an order: the greatest entry of its [Program.Profile], or the inputs together if that
// is more. If order is nil, it is 0, 1, 2, …. Errors are those of [Best].
func (p *Program) Peak(order []int32) (int64, error) {
	w, order, err := p.prepare(order)
	if err != nil {
		return 0, err
	}
	return w.g.peak(w, order), nil
}

// prepare compiles the program and checks an order, by default 0, 1, 2, ….
func (p *Program) prepare(order []int32) (*walk, []int32, error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	if order == nil {
		order = make([]int32, len(p.Operators))
		for k := range order {
			order[k] = int32(k)
		}
	}
	g := newGraph(p)
	if err := g.runs(order); err != nil {
		return nil, nil, fmt.Errorf("given order: %w", err)
	}
	return newWalk(g), order, nil
}
