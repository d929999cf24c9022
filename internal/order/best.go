package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// Options of [Best]. The zero value is usable.
type Options struct {
	// Given is the order to improve on: all operators, each after those that it needs. Default: 0, 1, 2, ….
	Given []int32
	// States limits memory and time: how many sets of operators the searches keep, all together. Default
	// [DefaultStates]. A negative limit allows none; bounds and quick orders remain. The sets never take more than
	// about 256 MiB, so with more than 8,000 operators there are fewer.
	States int
	// Off switches techniques off, for tests and measurements.
	Off Techniques
}

// setBytes is how much memory the sets of the searches may take.
const setBytes = 1 << 28

// DefaultStates is the default of [Options.States].
const DefaultStates = 1 << 18

// Techniques says which techniques are off. Any combination is sound and, without a limit, finds the lowest peak.
type Techniques struct {
	Collapse bool // run at once what fits and raises nothing
	Chains   bool // the same for chains of operators
	Backward bool // search from the end, too
	Bounds   bool // bytes that no order avoids
	Cuts     bool // order the parts between cutting operators by themselves
	Greedy   bool // orders in one pass, to begin with
	Memory   bool // never open the same set of operators twice
	Beams    bool // beams from both ends if the exact search does not finish
	Dives    bool // limits by bisection after that
}

// Result is what [Best] found.
type Result struct {
	// Order has the numbers of the operators, first to last. It is the given order unless a lower one was found.
	Order []int32
	// Peak is the most bytes live at once in Order, as [Program.Peak] counts them.
	Peak int64
	// Given is the peak of the given order. Peak is never above it.
	Given int64
	// Bound: no order has a peak below it.
	Bound int64
	// Status is Optimal if Peak = Bound, else Feasible.
	Status model.Status
	// States is how many sets of operators the searches kept.
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
	if o.States == 0 {
		o.States = DefaultStates
	}
	g := w.g
	r := Result{Given: g.peak(w, given), Bound: g.least(w)}
	if !o.Off.Bounds {
		r.Bound = max(r.Bound, g.footprint())
	}
	r.Order, r.Peak = slices.Clone(given), r.Given
	if r.Peak > r.Bound {
		g.improve(ctx, &r, o)
	}
	if r.Peak == r.Given {
		copy(r.Order, given)
	}
	if invariants.Enabled {
		g.checkOrder(r.Order, r.Peak)
	}
	if r.Status = model.Feasible; r.Peak == r.Bound {
		r.Status = model.Optimal
	}
	return r, nil
}

// improve searches part by part, the one with the highest peak first.
func (g *graph) improve(ctx context.Context, r *Result, o Options) {
	parts := []part{{0, len(r.Order), r.Peak}}
	if g.operators() <= reachMost {
		reach := newReach(g)
		if !o.Off.Bounds {
			r.Bound = max(r.Bound, g.unavoidable(ctx, reach))
		}
		if !o.Off.Cuts {
			parts = g.cut(reach, r.Order)
		}
	} else if !o.Off.Bounds {
		r.Bound = max(r.Bound, g.sampled(ctx, r.Order))
	}
	o.States = min(o.States, setBytes/((g.operators()+63)/64*8+33))
	open := 0
	for _, p := range parts {
		if p.peak > r.Bound {
			open++
		}
	}
	peak := r.Bound
	for _, p := range parts {
		if p.peak > r.Bound {
			f := found{peak: p.peak, bound: r.Bound}
			g.solve(ctx, r.Order, p, &f, (o.States-r.States)/open, &o.Off)
			open = max(1, open-1)
			r.States += f.states
			r.Bound = max(r.Bound, f.bound)
			p.peak = f.peak
		}
		peak = max(peak, p.peak)
	}
	r.Peak = max(peak, r.Bound)
}

// solve improves the order of one part, in place.
func (g *graph) solve(ctx context.Context, order []int32, p part, f *found, states int, off *Techniques) {
	lower, upper := newBitset(g.operators()), newBitset(g.operators())
	local := make([]int32, g.operators())
	for k, o := range order[:p.to] {
		upper.add(o)
		if k < p.from {
			lower.add(o)
		}
	}
	s := g.part(lower, upper)
	for k, o := range s.name {
		local[o] = int32(k)
	}
	for _, o := range order[p.from:p.to] {
		f.order = append(f.order, local[o])
	}
	f.improve(ctx, s, states, off)
	for k, o := range f.order {
		order[p.from+k] = s.name[o]
	}
}

// found is what is known of the orders of a graph.
type found struct {
	order  []int32 // in the graph's numbers
	peak   int64   // of order
	bound  int64   // no order that matters has a peak below it
	states int     // kept by all searches
}

// keep replaces the order if another one has a lower peak.
func (f *found) keep(g *graph, order []int32) {
	if peak := g.peak(newWalk(g), order); peak < f.peak {
		f.order, f.peak = order, peak
	}
}

// improve searches for an order below f.peak, and raises the bound: quick orders, the exact search with half of
// the states, beams with a quarter, then dives.
func (f *found) improve(ctx context.Context, g *graph, states int, off *Techniques) {
	if !off.Greedy {
		w := newWalk(g)
		for rule := range greedyRules {
			if order := w.greedy(ctx, rule, f.bound, off); order != nil {
				f.keep(g, order)
			}
		}
	}
	if f.peak <= f.bound || states <= 0 {
		return
	}
	half := states
	if !off.Dives || !off.Beams {
		half -= states / 2
	}
	e := newEnds(g, f.bound, f.peak, off)
	e.run(ctx, half)
	f.bound = max(f.bound, e.limit)
	f.states += e.states()
	if e.found() != nil {
		f.keep(g, e.way())
	}
	if !off.Beams {
		f.beams(ctx, g, (states-f.states)/2, off)
	}
	if off.Dives {
		return
	}
	for size := max(diveLeast, diveEach*g.operators()); f.peak > f.bound && f.states < states &&
		ctx.Err() == nil; size *= 4 {
		f.dive(ctx, g, size, states, off)
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
