package milp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/lab/milp/internal/choices"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: one program for a problem with rules, with all pools, from package choices. Each body has a
// binary for each of its pools, and a column k for the steps above its first offset there:
//
//	offset = sum over pools of first·in + step·k,   k <= most·in,   sum of in = 1
//
// Each choice between two sides has a binary. Its two rows are switched off by the binary, and if the two bodies are
// in different pools:
//
//	offset(j) - offset(i) >= up   - M·below       - M·(2 - in(i) - in(j))
//	offset(i) - offset(j) >= -down - M·(1 - below) - M·(2 - in(i) - in(j))
//
// A penalised pair has a third way out, which costs. Heights are columns above every end in their pool. The measures
// of the objective are minimised in turn. The value that one reached is a row of the programs after it.
//
// As without rules, the solver is asked only for choices. Exact offsets follow from them. Its bounds count only if
// its tolerance cannot hide a unit.
//
// Invariant: a bound is claimed for a measure only if all before it are proven.
//
// Complexity: exponential, in the solver. It is a second opinion on some dozen buffers: it shares no code with the
// lowering that other planners use.

// Rules plans a problem with rules in one program. taken is false if the parameter rules asks for strips, the way of
// all other planners.
func (planner) Rules(ctx context.Context, p *model.Problem, o plan.Options) (result plan.Result, taken bool,
	err error,
) {
	s, err := settingsOf(&o)
	if err != nil || s.rules != "whole" {
		return result, err != nil, err
	}
	const strips = "; the parameter rules=strips plans pool by pool, as other planners do"
	if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
		return result, true, plan.Unsupported("milp", "cannot honour evictions in one program"+strips)
	}
	if banks := p.Rules.BankRules(); len(banks) > 0 {
		return result, true, plan.Unsupported("milp", "cannot honour "+strings.Join(banks, " and ")+" in one program"+strips)
	}
	if s.engine != "embedded" || s.lp != "" {
		return result, true, plan.Unsupported("milp",
			"takes a problem with rules only with the engine embedded, and writes no LP file of it"+strips)
	}
	e, err := choices.Encode(p, s.maxPairs)
	if err != nil {
		return result, true, refusal(err)
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	r := &ruledJob{e: e, o: o, s: s, watch: w, measures: p.Objective()}
	result, err = r.solve(ctx)
	return result, true, err
}

// ruledJob is the state of one call of Rules.
type ruledJob struct {
	e        *choices.Ruled
	o        plan.Options
	s        settings
	watch    *run.Watch
	measures []model.Measure

	f       *formulation
	widest  int64 // the largest number in the program
	heights []int32
	in      [][]line // of each body and place: 1 if the body is there
	offset  []line   // of each body
	below   [3][]int32
	paid    []int32

	best   *model.Plan
	values []int64 // of the measures, of best
	nodes  int64
	cut    bool
}

// A line is a sum of columns with coefficients, and a constant.
type line struct {
	fixed   float64
	entries []entry
}

func (l line) plus(x line, times float64) line {
	out := line{l.fixed + times*x.fixed, slices.Clone(l.entries)}
	for _, y := range x.entries {
		out.entries = append(out.entries, y.times(times))
	}
	return out
}

func one(column int32) line { return line{entries: []entry{{column, 1}}} }

// atLeast adds the row l >= least.
func (r *ruledJob) atLeast(l line, least float64) {
	// A row has no column twice.
	var merged []entry
	for _, x := range l.entries {
		if k := slices.IndexFunc(merged, func(y entry) bool { return y.column == x.column }); k >= 0 {
			merged[k].value += x.value
		} else {
			merged = append(merged, x)
		}
		r.widest = max(r.widest, int64(math.Abs(x.value)))
	}
	r.f.row(least-l.fixed, math.Inf(1), merged...)
}

func (r *ruledJob) column(upper float64, integer bool) int32 {
	r.f.column(0, 0, upper, integer)
	return int32(len(r.f.cost) - 1)
}

// solve minimises the measures in turn.
func (r *ruledJob) solve(ctx context.Context) (plan.Result, error) {
	p := r.e.Problem
	began := time.Now()
	minimizing := r.o.Minimize || len(p.Rules.Objective) > 0 || len(p.Rules.Pools) > 1 || p.AllPools()[0].Capacity == 0
	result := plan.Result{Planner: "milp"}
	for b := range r.e.Bodies {
		if len(r.e.Bodies[b].Places) == 0 {
			result.Status, result.ProvedBy = model.Infeasible, "milp"
			return result, nil
		}
	}
	if slices.Max(append(slices.Clone(r.e.Reach), 0)) > largest/8 {
		result.Stopped = plan.StopEffort
		return result, nil
	}
	r.build(minimizing)
	proven := true
	bounds := make([]model.Value, 0, len(r.measures))
	for k, m := range r.measures {
		bounds = append(bounds, model.Value{Measure: m})
		if k > 0 && (!minimizing || r.best == nil || r.watch.Over()) {
			proven = proven && r.best != nil && r.values[k] == 0
			continue
		}
		unit, l := r.measure(m)
		least, fits, err := r.ask(ctx, l, minimizing)
		if err != nil {
			return plan.Result{}, err
		}
		if !fits && k == 0 {
			result.Status, result.ProvedBy, result.Stats.Nodes = model.Infeasible, "milp", r.nodes
			return result, nil
		}
		if r.best == nil {
			break
		}
		if proven && minimizing && least > 0 && least <= math.MaxInt64/unit {
			bounds[k].Value = min(least*unit, r.values[k])
		}
		proven = proven && bounds[k].Value == r.values[k]
		r.atLeast(line{}.plus(l, -1), -math.Floor(float64(r.values[k])/float64(unit)))
	}
	result.Stats.Nodes, result.Stats.Elapsed = r.nodes, time.Since(began)
	switch {
	case r.best == nil:
		result.Stopped = r.why(ctx)
		return result, nil
	case proven:
		result.Status, result.ProvedBy = model.Optimal, "milp"
	default:
		result.Status = model.Feasible
		if minimizing {
			result.Stopped = r.why(ctx)
		}
	}
	result.Plan, result.Bounds = *r.best, bounds
	result.Measures = model.MeasuresOf(p, r.best)
	result.Height = model.ValueOf(result.Measures, model.MeasureHeight)
	result.Plan.Height = result.Height
	if r.measures[0] == model.MeasureHeight {
		result.LowerBound = bounds[0].Value
	}
	return result, nil
}

// why says which limit ended the run.
func (r *ruledJob) why(ctx context.Context) plan.Stop {
	switch {
	case r.cut || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return plan.StopTimeout
	case r.watch.Over():
		return plan.StopInterrupt
	case r.o.NodeLimit > 0 && r.nodes >= r.o.NodeLimit:
		return plan.StopNodes
	}
	return plan.StopEffort
}

// build makes the columns and rows that all measures have in common.
func (r *ruledJob) build(minimizing bool) {
	e := r.e
	r.f = &formulation{start: []int32{0}}
	for b := range e.Bodies {
		at, places := line{}, e.Bodies[b].Places
		var in []line
		sum := line{}
		for _, x := range places {
			here := line{fixed: 1}
			if len(places) > 1 {
				here = one(r.column(1, true))
				sum = sum.plus(here, 1)
			}
			in = append(in, here)
			at = at.plus(here, float64(x.First))
			if most := (x.Last - x.First) / x.Step; most > 0 {
				k := one(r.column(float64(most), x.Step > 1))
				at = at.plus(k, float64(x.Step))
				if len(places) > 1 {
					r.atLeast(line{}.plus(here, float64(most)).plus(k, -1), 0)
				}
			}
		}
		if len(places) > 1 {
			r.atLeast(sum, 1)
			r.atLeast(line{}.plus(sum, -1), -1)
		}
		r.in, r.offset = append(r.in, in), append(r.offset, at)
	}
	for _, s := range e.Apart {
		r.below[0] = append(r.below[0], r.choice(&s, -1))
	}
	for _, s := range e.Penalties {
		paid := int32(-1)
		if minimizing && slices.Contains(r.measures, model.MeasurePenalty) {
			paid = r.column(1, true)
			r.below[1] = append(r.below[1], r.choice(&s, paid))
		}
		r.paid = append(r.paid, paid)
	}
	for _, s := range e.Reserved {
		k := slices.IndexFunc(e.Bodies[s.I].Places, func(x choices.Place) bool { return x.Pool == s.J })
		if k < 0 {
			r.below[2] = append(r.below[2], -1)
			continue
		}
		below := r.column(1, true)
		r.sides(r.offset[s.I], r.furthest(int(s.I)), &s, below, r.in[s.I][k], line{fixed: 1}, -1)
		r.below[2] = append(r.below[2], below)
	}
	for q := range e.Reach {
		r.heights = append(r.heights, r.column(float64(e.Reach[q]), true))
		for b := range e.Bodies {
			for k, x := range e.Bodies[b].Places {
				if x.Pool == int32(q) {
					// height - offset + M·(1 - in) >= extent
					m := float64(r.furthest(b) + e.Bodies[b].Extent)
					r.atLeast(one(r.heights[q]).plus(r.offset[b], -1).plus(line{fixed: 1}, m).plus(r.in[b][k], -m),
						float64(e.Bodies[b].Extent))
				}
			}
		}
	}
	r.cliques()
}

// cliques adds rows that the solver would take long to find. If no two bodies of a set may share a byte, the bodies
// lie one above the other, so a pool is at least as high as the sum of their extents. One set is grown from each
// body, the largest bodies first.
func (r *ruledJob) cliques() {
	e, n := r.e, len(r.e.Bodies)
	whole := make([]bool, n*n)
	for _, s := range e.Apart {
		if s.Up == e.Bodies[s.I].Extent && -s.Down == e.Bodies[s.J].Extent {
			whole[int(s.I)*n+int(s.J)], whole[int(s.J)*n+int(s.I)] = true, true
		}
	}
	order := make([]int, n)
	for b := range order {
		order[b] = b
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Bodies[b].Extent, e.Bodies[a].Extent) })
	for first := range n {
		clique := []int{first}
		for _, b := range order {
			if b != first && !slices.ContainsFunc(clique, func(c int) bool { return !whole[b*n+c] }) {
				clique = append(clique, b)
			}
		}
		for q := range e.Reach {
			l := one(r.heights[q])
			for _, b := range clique {
				for k, x := range e.Bodies[b].Places {
					if x.Pool == int32(q) {
						l = l.plus(r.in[b][k], -float64(e.Bodies[b].Extent))
					}
				}
			}
			if len(clique) > 1 {
				r.atLeast(l, 0)
			}
		}
	}
}

// furthest returns the highest offset of a body.
func (r *ruledJob) furthest(b int) (last int64) {
	for _, x := range r.e.Bodies[b].Places {
		last = max(last, x.Last)
	}
	return last
}

// choice adds the binary and the rows of two bodies, for each pool that both may be in. paid is a column that
// switches both rows off, or -1.
func (r *ruledJob) choice(s *choices.Sides, paid int32) int32 {
	below, far := r.column(1, true), max(r.furthest(int(s.I)), r.furthest(int(s.J)))
	for k, x := range r.e.Bodies[s.I].Places {
		for m, y := range r.e.Bodies[s.J].Places {
			if x.Pool == y.Pool {
				r.sides(r.offset[s.J].plus(r.offset[s.I], -1), far, s, below, r.in[s.I][k], r.in[s.J][m], paid)
			}
		}
	}
	return below
}

// sides adds the two rows of a choice: difference >= up, or difference <= down.
// a and b are 1 if they hold. far is how large the difference may be, with either sign.
func (r *ruledJob) sides(difference line, far int64, s *choices.Sides, below int32, a, b line, paid int32) {
	for _, x := range []struct {
		difference line
		least      float64
		off        line
	}{
		{difference, float64(s.Up), one(below)},
		{line{}.plus(difference, -1), float64(-s.Down), line{fixed: 1}.plus(one(below), -1)},
	} {
		m := math.Max(0, x.least+float64(far))
		l := x.difference.plus(x.off, m).plus(line{fixed: 2}, m).plus(a, -m).plus(b, -m)
		if paid >= 0 {
			l = l.plus(one(paid), m)
		}
		r.atLeast(l, x.least)
	}
}

// measure returns a measure as a sum of columns, in units.
func (r *ruledJob) measure(m model.Measure) (unit int64, l line) {
	name, id, single := strings.Cut(string(m), ":")
	pools := r.e.Problem.AllPools()
	switch {
	case m == model.MeasureEviction:
		return 1, line{}
	case m == model.MeasureCost:
		for b := range r.e.Bodies {
			for _, x := range r.e.Bodies[b].Places {
				unit = bound.GCD(x.Cost, unit)
			}
		}
		unit = max(unit, 1)
		for b := range r.e.Bodies {
			for k, x := range r.e.Bodies[b].Places {
				l = l.plus(r.in[b][k], float64(x.Cost/unit))
			}
		}
		return unit, l
	case m == model.MeasurePenalty:
		for _, s := range r.e.Penalties {
			unit = bound.GCD(s.Cost, unit)
		}
		unit = max(unit, 1)
		for k, s := range r.e.Penalties {
			if r.paid[k] >= 0 {
				l = l.plus(one(r.paid[k]), float64(s.Cost/unit))
			}
		}
		return unit, l
	}
	all := -1
	if strings.HasPrefix(name, "max_") {
		r.f.column(0, 0, float64(slices.Max(r.e.Reach)), true)
		all = len(r.f.cost) - 1
	}
	for q := range pools {
		if single && pools[q].ID != id {
			continue
		}
		h := one(r.heights[q])
		if strings.HasSuffix(name, string(model.MeasurePeak)) {
			top := int64(0)
			for _, x := range pools[q].Reserved {
				top = max(top, x.Upper/r.e.Unit)
			}
			r.f.column(0, float64(top), float64(max(top, r.e.Reach[q])), true)
			peak := one(int32(len(r.f.cost) - 1))
			r.atLeast(peak.plus(h, -1), 0)
			h = peak
		}
		if all >= 0 {
			r.atLeast(one(int32(all)).plus(h, -1), 0)
		} else {
			l = l.plus(h, 1)
		}
	}
	if all >= 0 {
		l = one(int32(all))
	}
	return r.e.Unit, l
}

// ask minimises one line, and keeps the plan if it is the best so far. least is a proven bound of the line, 0 for
// none; fits is false if there is proven to be no plan.
func (r *ruledJob) ask(ctx context.Context, l line, minimizing bool) (least int64, fits bool, err error) {
	for _, x := range l.entries {
		r.widest = max(r.widest, int64(math.Abs(x.value)))
	}
	if r.widest > largest || r.watch.Over() {
		return 0, true, nil
	}
	f := *r.f
	f.cost = make([]float64, len(r.f.cost))
	if minimizing {
		for _, x := range l.entries {
			f.cost[x.column] += x.value
		}
	}
	lim := limits{seed: r.o.Seed, cache: r.s.cache, first: !minimizing}
	var sharp bool
	lim.tolerance, sharp = tolerance(r.widest)
	if r.o.NodeLimit > 0 {
		if lim.nodes = r.o.NodeLimit - r.nodes; lim.nodes < 1 {
			return 0, true, nil
		}
	}
	a, err := r.s.solve(ctx, &f, lim)
	if err != nil {
		return 0, true, err
	}
	r.nodes, r.cut = r.nodes+a.nodes, r.cut || a.cut
	if a.values != nil {
		r.keep(a.values)
	}
	if sharp && a.verdict != infeasible && !math.IsInf(a.bound, 0) {
		least = int64(math.Ceil(a.bound + l.fixed - slack))
	}
	return least, a.verdict != infeasible || !sharp, nil
}

// keep makes the exact plan of a solution, and keeps it if it is better.
func (r *ruledJob) keep(values []float64) {
	is := func(l line) bool {
		x := l.fixed
		for _, y := range l.entries {
			x += y.value * values[y.column]
		}
		return x > 0.5
	}
	d := &choices.Decision{Place: make([]int, len(r.e.Bodies))}
	for b := range r.e.Bodies {
		d.Place[b] = slices.IndexFunc(r.in[b], is)
		if d.Place[b] < 0 {
			return
		}
	}
	side := func(column int32) pairwise.Choice {
		if is(one(column)) {
			return pairwise.Below
		}
		return pairwise.Above
	}
	for _, c := range r.below[0] {
		d.Apart = append(d.Apart, side(c))
	}
	for k, paid := range r.paid {
		c := pairwise.Open
		if paid >= 0 && !is(one(paid)) {
			c = side(r.below[1][k])
		}
		d.Penalties = append(d.Penalties, c)
	}
	for _, c := range r.below[2] {
		if c < 0 {
			d.Reserved = append(d.Reserved, pairwise.Open)
		} else {
			d.Reserved = append(d.Reserved, side(c))
		}
	}
	at := r.e.Least(r.watch, d)
	if at == nil {
		return
	}
	plan := r.e.Plan(d.Place, at)
	var found []int64
	all := model.MeasuresOf(r.e.Problem, &plan)
	for _, m := range r.measures {
		found = append(found, model.ValueOf(all, m))
	}
	if r.best == nil || slices.Compare(found, r.values) < 0 {
		r.best, r.values = &plan, found
	}
}
