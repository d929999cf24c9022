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
	err := relax.Branch[state](ctx, &x.Search, x, s)
	return x.Result("groups"), err
}

// Question returns the problem of a branch.
func (x *search) Question(s *state) (*model.Problem, *plan.Result) {
	if s.r != nil {
		return nil, s.r
	}
	return x.question(s, false), nil
}

// Paid returns what each plan of a branch pays for groups.
func (x *search) Paid(s *state) (model.Measure, int64) { return model.MeasurePenalty, s.paid }

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

// Split branches on the dearest group that the plan of a branch pays for.
func (x *search) Split(ctx context.Context, s *state, r, asked *plan.Result) (next []state, err error) {
	if !x.Take(r) {
		return nil, nil
	}
	if slices.ContainsFunc(s.kept, func(y kept) bool { return !y.moved && x.paged(y.pair) && x.shares(y.pair, &r.Plan) }) {
		t, err := x.Ask(ctx, x.question(s, true))
		if err == nil && t.Status.HasPlan() {
			x.Take(&t)
		}
		x.Cut = x.Cut || x.O.Least && x.Hopes(r)
		return nil, err
	}
	dearest := -1
	for k := range x.P.Rules.Groups {
		g := &x.P.Rules.Groups[k]
		if !s.decided[k] && x.c.Pays(g, &r.Plan) && (dearest < 0 || g.Cost > x.P.Rules.Groups[dearest].Cost) {
			dearest = k
		}
	}
	if !x.O.Least || dearest < 0 {
		x.Close(r)
		return nil, nil
	}
	g := &x.P.Rules.Groups[dearest]
	decided := slices.Clone(s.decided)
	decided[dearest] = true
	for _, free := range x.ways(g) {
		next = append(next, state{decided: decided, kept: slices.Concat(s.kept, free), paid: s.paid})
	}
	return append(next, state{decided: decided, kept: s.kept, paid: s.paid + g.Cost, r: asked}), nil
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
