// Package pages plans problems with pools that have a granularity: buffers of different kinds that conflict share no
// page.
package pages

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/ruled/inorder"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned without pages. If the plan keeps the rule, it is the answer. Otherwise all kinds but one
// take whole pages: their buffers are as large as these, and begin where a page begins. Each plan of that keeps the
// rule, unless it counts on windows, so each kind is left out in turn. Before that, buffers are placed one after the
// other with the rule itself (internal/ruled/inorder). Small problems are enumerated (internal/ruled/enumerate).
//
//	pages of the kinds with whole pages hold bytes of one kind; pages of the other kind hold none of theirs
//
// A buffer that may be in pools of different pages takes pages that are whole in each of them, which may be far too
// large. So each buffer also stays in its pool of the plan without pages, and takes pages of that one.
//
// Invariant: bounds are those without pages.
//
// Complexity: a problem for each kind, and two more, or twice as many; at most mostKinds kinds are left out.

// mostKinds is the most kinds that are left out in turn.
const mostKinds = 8

// Plan plans a valid problem without evictions.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	if !p.Rules.HasPages() {
		return planner(ctx, p, o.Options, spent)
	}
	x := relax.New(p, o, spent, planner)
	err := search(ctx, &x)
	return x.Result("pages"), err
}

func search(ctx context.Context, x *relax.Search) error {
	kind := x.P.Rules.KindOf(len(x.P.Buffers))
	r, err := x.Ask(ctx, without(x.P, kind, 0, nil))
	if err != nil || r.Status == model.Infeasible {
		return err
	}
	if r.Status.HasPlan() && Keeps(x.P, kind, &r.Plan) {
		x.Settle(&r)
		return nil
	}
	x.Cut = true
	inorder.Offer(ctx, x, &r)
	if r.Status.HasPlan() && uneven(x.P, kind) {
		if err := whole(ctx, x, kind, r.PoolOf); err != nil {
			return err
		}
	}
	return whole(ctx, x, kind, nil)
}

// whole asks for plans in which all kinds but one take whole pages, for each kind. If in is not nil, it has the pool in
// which each buffer stays.
func whole(ctx context.Context, x *relax.Search, kind []int32, in func(i int) int32) error {
	for left := int32(len(x.P.Rules.Kinds)); left >= 0; left-- {
		if left > mostKinds || x.Over(ctx) {
			continue
		}
		q := without(x.P, kind, left+1, in)
		if q == nil {
			continue
		}
		s, err := x.Ask(ctx, q)
		if err != nil {
			return err
		}
		if s.Status.HasPlan() && Keeps(x.P, kind, &s.Plan) {
			s.Status, s.Measures = model.Feasible, model.MeasuresOf(x.P, &s.Plan)
			s.Height = model.ValueOf(s.Measures, model.MeasureHeight)
			x.Offer(&s)
		}
	}
	return nil
}

// uneven reports whether a buffer of a kind may be in pools of different pages.
func uneven(p *model.Problem, kind []int32) bool {
	for i := range p.Buffers {
		first := int64(-1)
		for k := range p.Rules.Pools {
			if kind[i] == 0 || !p.Buffers[i].MayUse(int32(k)) {
				continue
			}
			g := max(1, p.Rules.Pools[k].Granularity)
			if first >= 0 && g != first {
				return true
			}
			first = g
		}
	}
	return false
}

// without is the problem without pages. If left is not 0, all kinds but left - 1 take whole pages. If in is not nil, it
// has the pool in which each buffer stays. The problem is nil if that needs numbers that are too large.
func without(p *model.Problem, kind []int32, left int32, in func(i int) int32) *model.Problem {
	q, rules := *p, *p.Rules
	q.Rules, rules.Kinds, rules.Pools, q.Buffers = &rules, nil, slices.Clone(rules.Pools), slices.Clone(p.Buffers)
	for k := range rules.Pools {
		rules.Pools[k].Granularity = 0
	}
	if in != nil && len(rules.Pools) > 0 {
		q.Buffers = relax.Stay(q.Buffers, in)
	}
	for i := range q.Buffers {
		b := &q.Buffers[i]
		if left == 0 || kind[i] == 0 || kind[i] == left-1 || b.Fixed != nil {
			continue
		}
		step := int64(1)
		for k := range p.Rules.Pools {
			if g := p.Rules.Pools[k].Granularity; g > 0 && b.MayUse(int32(k)) {
				if step = bound.LCM(step, g, model.MaxSum/int64(64*len(q.Buffers))); step == 0 {
					return nil
				}
			}
		}
		align := bound.LCM(b.Align(), step, model.MaxSum/int64(64*len(q.Buffers)))
		if align == 0 || b.Size > model.MaxSum/int64(64*len(q.Buffers)) {
			return nil
		}
		b.Alignment, b.Size = align, bound.Up(b.Size, step)
	}
	if left > 0 && !common(&q) {
		return nil
	}
	return &q
}

// common reports whether the alignments of each body and of each pool have a multiple in common that is small enough.
func common(q *model.Problem) bool {
	body, _, _ := model.BodiesOf(q)
	align := make([]int64, len(q.Buffers))
	for i := range q.Buffers {
		of := i
		if body != nil {
			of = int(body[i])
		}
		limit := model.MaxSum / int64(64*len(q.Buffers))
		if align[of] = bound.LCM(max(align[of], 1), q.Buffers[i].Align(), limit); align[of] == 0 {
			return false
		}
		for k := range q.Rules.Pools {
			if a := q.Rules.Pools[k].Alignment; a > 1 && bound.LCM(align[of], a, limit) == 0 {
				return false
			}
		}
	}
	return true
}

// Keeps reports whether no two buffers of different kinds that conflict have a page in common.
func Keeps(p *model.Problem, kind []int32, plan *model.Plan) bool {
	c, pools := model.NewConflicts(p), p.AllPools()
	var order []int
	for i := range p.Buffers {
		if kind[i] > 0 && pools[plan.PoolOf(i)].Granularity > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return int(max(-1, min(1, plan.Offsets[i]-plan.Offsets[j]))) })
	for n, i := range order {
		g := pools[plan.PoolOf(i)].Granularity
		last := (plan.Offsets[i] + p.Buffers[i].Size - 1) / g
		for _, j := range order[n+1:] {
			if plan.Offsets[j]/g > last {
				break
			}
			if plan.PoolOf(i) == plan.PoolOf(j) && kind[i] != kind[j] && c.Conflict(i, j) {
				return false
			}
		}
	}
	return true
}
