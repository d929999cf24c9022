package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the steps are a list of techniques, in the order of their cost. Each gets the places from before the call,
// and the bodies that must be placed. It returns places for all, or none. The places are verified before they are
// taken over, so a step cannot leave a bad plan.
//
// Some techniques take only buffers by themselves in one pool; one is only for problems with rules. The list says so.

// A technique is one way to find places for all bodies.
type technique struct {
	step  Step
	needs needs
	find  func(*call) (Answer, placing, error)
}

// needs says which problems a technique takes.
type needs uint8

const (
	anything needs = iota
	noRules
	rules
)

var techniques = [...]technique{
	{Repair, anything, (*call).least},
	{Fit, anything, (*call).fitting},
	{Repair, noRules, (*call).repair},
	{Repair, noRules, (*call).earlyWalks},
	{Repair, rules, (*call).bodyWalks},
	{Window, anything, (*call).ahead},
	{Window, anything, (*call).window},
	{Window, noRules, (*call).lateWalks},
	{Hints, anything, (*call).inPools},
	{Hints, anything, (*call).hints},
	{Fresh, anything, (*call).fresh},
	{Fresh, anything, (*call).spared},
	{Fresh, noRules, (*call).merged},
}

// A call is one call of a session while its bodies are placed.
type call struct {
	bodies
	ground   ground
	s        *Session
	ctx      context.Context
	watch    *run.Watch
	pools    int32    // how many there are
	changed  []int32  // the buffers that the call is about
	named    []int32  // buffers whose rules the call changes
	mine     []bool   // says of each buffer whether the call is about it
	old      []int64  // offset of each buffer before the call; away for new ones
	oldPool  []int32  // pools before the call; nil if there is one
	at       []int64  // offsets in the making; away for those that must be placed
	pool     []int32  // pools in the making; nil if there is one
	homeless []int32  // the bodies to place
	must     Movement // of bodies that cannot stay, whatever the others do
	fitted   placing  // free places for all, though others must move
	nodes    int64    // nodes used up
	spare    placing  // a plan of all, to take if no step before fresh finds one
	restart  uint64   // added to the seed of the planners that are asked
	enough   int64    // the least height that a planner found above the capacity; 0 for none
	refusal  error    // of a planner that does not take a rule
}

// scratch is memory that calls use again.
type scratch struct {
	old, at  []int64
	mine     []bool
	touched  []bool
	called   []int32
	homeless []int32
	alone    []int32
	bans     []ban
	moved    []int32 // of swapback.go
	from     []int64 // of swapback.go
	repair   repairer
	overlaps overlaps
}

// zeros returns a list of n zeros, or of n times false, in the memory of another.
func zeros[T bool | int64](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// begin prepares a call. done must be called after it.
func (s *Session) begin(ctx context.Context, changed []int32) (c *call, done func()) {
	end := context.CancelFunc(func() {})
	if s.o.Timeout > 0 {
		ctx, end = context.WithTimeout(ctx, s.o.Timeout)
	}
	n, r := len(s.at), &s.scratch
	r.old, r.at, r.mine = append(r.old[:0], s.at...), append(r.at[:0], s.at...), zeros(r.mine, n)
	for _, i := range changed {
		r.mine[i] = true
	}
	c = &call{
		bodies: bodies{alone: s.everything()}, s: s, ctx: ctx, watch: run.NewWatch(ctx), pools: 1,
		changed: changed, named: s.named, mine: r.mine,
		old: r.old, oldPool: slices.Clone(s.pool), at: r.at, pool: slices.Clone(s.pool),
	}
	c.ground = c.newGround()
	return c, func() { c.watch.Close(); end() }
}

// now returns the places in the making, and before the places from before the call.
func (c *call) now() placing    { return placing{c.at, c.pool} }
func (c *call) before() placing { return placing{c.old, c.oldPool} }

// place finds places, by the steps up to effort, and takes them over.
func (c *call) place(effort Step) (Answer, error) {
	s := c.s
	if p := c.ground.atOnce(); p != nil {
		return Answer{Status: model.Infeasible, Proof: p}, nil
	}
	if c.watch.Over() {
		return Answer{}, nil
	}
	c.keep()
	if len(c.homeless) == 0 {
		return c.adopt(Keep, Answer{Least: true}, c.now())
	}
	if effort >= Fit && !s.skip[Fit] && c.fit() {
		a := Answer{Moved: c.movement(c.now())}
		a.Least = a.Moved.Cost == c.must.Cost && a.Moved.Buffers == c.must.Buffers
		if a.Least || effort < Repair || s.skip[Repair] {
			return c.adopt(Fit, a, c.now())
		}
		c.fitted = c.now().clone()
		c.lift(c.now(), c.homeless...)
	} else if p := c.ground.hopeless(); p != nil {
		return Answer{Status: model.Infeasible, Proof: p}, nil
	}
	for _, t := range techniques {
		if effort < t.step || c.watch.Over() {
			break
		}
		if s.skip[t.step] || t.needs != anything && (t.needs == rules) != (s.p.Rules != nil) {
			continue
		}
		a, found, err := t.find(c)
		if err != nil {
			return Answer{}, err
		}
		if a.Status == model.Infeasible {
			a.Nodes = c.nodes
			return a, nil
		}
		if found.at != nil && !c.watch.Over() {
			if t.step >= Window && !s.skip[Repair] { // who leaves out repairs wants the planner's plan
				found = c.walkBack(found, backLate)
			}
			a.Moved = c.movement(found)
			return c.adopt(t.step, a, found)
		}
	}
	return Answer{Enough: c.enough, Nodes: c.nodes}, nil
}

// fitting ends the step fit, if least has not found that less movement is enough.
func (c *call) fitting() (Answer, placing, error) { return Answer{}, c.fitted, nil }

// wrong says what the verifier says about the places that a step has found. The steps keep and fit change only the
// touched buffers, so only these are compared with the others.
func (s *Session) wrong(step Step, p placing, touched []int32) string {
	switch {
	case s.p.Rules != nil:
		return verify.FirstOf(&s.p, p.plan())
	case step <= Fit:
		return verify.FirstMoved(&s.p, p.at, s.p.Capacity, touched)
	}
	return verify.First(&s.p, p.at, s.p.Capacity, -1)
}

// adopt verifies places, and takes them over.
func (c *call) adopt(step Step, a Answer, p placing) (Answer, error) {
	s := c.s
	touched := c.changed
	if len(c.homeless) > 0 {
		touched = slices.Concat(c.changed, c.homeless)
	}
	if wrong := s.wrong(step, p, touched); wrong != "" {
		return Answer{}, fmt.Errorf("%w: step %s: %s", ErrInvalidPlan, step, wrong)
	}
	a.Status, a.Step, a.Nodes = model.Feasible, step, c.nodes
	for i, at := range s.at {
		if p.at[i] != at || p.pool != nil && p.pool[i] != s.pool[i] {
			s.move(int32(i), p.at[i], p.in(int32(i)))
		}
	}
	return a, nil
}

// ask asks a planner about a problem under a part of the node limit. All questions of a session go through here.
func (c *call) ask(p *model.Problem, planner run.Planner, minimise bool, nodes int64) (plan.Result, error) {
	r, err := c.ground.solve(p, planner, plan.Options{
		Capacity: p.Capacity, Minimize: minimise, Seed: c.s.o.Seed + c.restart, NodeLimit: max(1, nodes), Workers: 1,
	})
	c.nodes += r.Stats.Nodes
	return r, err
}
