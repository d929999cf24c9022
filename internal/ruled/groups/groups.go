// Package groups plans problems with prices that are paid once for a set of pairs.
package groups

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned without groups. The plan is a plan, and pays for some groups. If it may not be the best, the
// search branches on the dearest group that it pays for and that is open:
//
//	the group is not paid   |   it is paid
//
// The second branch has a higher bound of the penalty. The first has a rule more, or is one branch for each pair if all
// pairs would have to count:
//
//	a pair shares no bytes   apart, if it does not conflict anyway
//	a pair coincides         in one pool, and in lockstep
//
// If two buffers are of different kinds, apart also keeps them off each other's pages, which is too much. The branch then
// has no rule for the pair. If its plan pays all the same, that with the rule is tried, and the branch may be left open.
//
// Invariant: the branches together have all plans, and those of a branch pay at least for the groups that it says are
// paid.
//
// Complexity: at most relax.MostQuestions problems without groups.
//
// Source: branch and bound by relaxation.

// search is the state of a search.
type search struct {
	relax.Search
	c    *model.Conflicts
	kind []int32 // of each buffer, if pools have pages
}

// state is a branch.
type state struct {
	decided []bool       // of each group, whether the branch says something of it
	kept    []kept       // pairs that must not count
	paid    int64        // what is paid in each plan of the branch
	r       *plan.Result // of the branch before, if it has the same problem
}

// kept is a pair that must not count in a group.
type kept struct {
	pair  model.Pair
	moved bool
}

// Plan plans a valid problem. planner plans one without groups.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	x := &search{Search: relax.New(p, o, spent, planner), c: model.NewConflicts(p)}
	if p.Rules.HasPages() {
		x.kind = p.Rules.KindOf(len(p.Buffers))
	}
	s := state{decided: make([]bool, len(p.Rules.Groups))}
	for k := range p.Rules.Groups {
		s.decided[k] = p.Rules.Groups[k].Cost == 0 || !slices.Contains(p.Objective(), model.MeasurePenalty)
	}
	err := x.branch(ctx, s)
	return x.Result("groups"), err
}

// question is the problem of a branch, or a stricter one whose plans are all of the branch. It is nil if the ties leave no
// place for pairs that must coincide.
func (x *search) question(s *state, strict bool) *model.Problem {
	p, rules := *x.P, *x.P.Rules
	rules.Groups, rules.Apart, p.Rules = nil, slices.Clip(rules.Apart), &rules
	rules.SamePool, rules.Lockstep = slices.Clip(rules.SamePool), slices.Clip(rules.Lockstep)
	for _, y := range s.kept {
		switch list := []int32{y.pair[0], y.pair[1]}; {
		case !y.moved:
			if strict || !x.paged(y.pair) {
				rules.Apart = append(rules.Apart, y.pair)
			}
		default:
			rules.SamePool, rules.Lockstep = append(rules.SamePool, list), append(rules.Lockstep, list)
		}
	}
	if len(rules.Lockstep) > len(x.P.Rules.Lockstep) {
		if _, _, fault := model.BodiesOf(rules.Level(&p)); fault != "" {
			return nil
		}
	}
	return &p
}

// branch searches the plans of a branch.
func (x *search) branch(ctx context.Context, s state) error {
	if x.Over(ctx) {
		return nil
	}
	if s.r == nil {
		q := x.question(&s, false)
		if q == nil {
			return nil
		}
		r, err := x.Ask(ctx, q)
		if err != nil {
			return err
		}
		s.r = &r
	}
	if s.r.Status == model.Infeasible {
		return nil
	}
	r := *s.r
	r.Bounds = slices.Clone(r.Bounds)
	for k := range r.Bounds {
		if r.Bounds[k].Measure == model.MeasurePenalty {
			r.Bounds[k].Value += s.paid
		}
	}
	if x.O.Least && !x.Hopes(&r) {
		return nil
	}
	if !r.Status.HasPlan() {
		x.Cut = true
		return nil
	}
	r.Measures = model.MeasuresOf(x.P, &r.Plan)
	x.Offer(&r)
	if slices.ContainsFunc(s.kept, func(y kept) bool { return !y.moved && x.paged(y.pair) && x.shares(y.pair, &r.Plan) }) {
		t, err := x.Ask(ctx, x.question(&s, true))
		if err == nil && t.Status.HasPlan() {
			t.Measures = model.MeasuresOf(x.P, &t.Plan)
			x.Offer(&t)
		}
		x.Cut = x.Cut || x.O.Least && x.Hopes(&r)
		return err
	}
	dearest := -1
	for k := range x.P.Rules.Groups {
		g := &x.P.Rules.Groups[k]
		if !s.decided[k] && x.c.Pays(g, &r.Plan) && (dearest < 0 || g.Cost > x.P.Rules.Groups[dearest].Cost) {
			dearest = k
		}
	}
	if !x.O.Least || dearest < 0 {
		x.Cut = x.Cut || x.O.Least && r.Status != model.Optimal
		return nil
	}
	g := &x.P.Rules.Groups[dearest]
	s.decided = slices.Clone(s.decided)
	s.decided[dearest] = true
	for _, free := range x.ways(g) {
		less := state{decided: s.decided, kept: slices.Concat(s.kept, free), paid: s.paid}
		if err := x.branch(ctx, less); err != nil {
			return err
		}
	}
	s.paid += g.Cost
	return x.branch(ctx, s)
}

// ways returns the ways not to pay for a group, each as pairs that must not count.
func (x *search) ways(g *model.Group) (ways [][]kept) {
	var all []kept
	for _, pair := range g.Pairs {
		i, j := int(pair[0]), int(pair[1])
		conflict := x.c.Conflict(i, j)
		never := !g.Moved && (conflict || x.c.SameBody(i, j)) // the pair cannot count
		always := g.Moved && conflict
		switch y := (kept{pair, g.Moved}); {
		case g.All && never:
			return [][]kept{nil}
		case g.All && !always:
			ways = append(ways, []kept{y})
		case !g.All && always:
			return nil
		case !g.All && !never:
			all = append(all, y)
		}
	}
	if !g.All {
		ways = [][]kept{all}
	}
	return ways
}

// shares reports whether two buffers share bytes.
func (x *search) shares(pair model.Pair, plan *model.Plan) bool {
	return x.c.Counts(&model.Group{}, pair, plan)
}

// paged reports whether a pair that is apart shares no page either.
func (x *search) paged(pair model.Pair) bool {
	if x.kind == nil {
		return false
	}
	a, b := x.kind[pair[0]], x.kind[pair[1]]
	return a != b && a > 0 && b > 0
}
