package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: the steps of steps.go with rules. Each places bodies: the buffers that a tie holds together move together. A change of pool is
// a movement, too.
//
//	keep     every body keeps its place
//	fit      the bodies of the call go to free places in their pools, or in others that allow them
//	repair   for few bodies: the least movement, proven (ruledleast.go); else bodies make room for one another (ruledwalk.go)
//	window   a planner places the bodies near in time again, around the others (ruledwindow.go)
//	hints    a planner places all again: first each in its pool, then in any, where a change of pool costs what it moves
//	fresh    a planner places all again
//
// If the call does not keep or fit, the loads may prove it hopeless (ruledload.go), whatever the steps.
//
// Invariant: what a step returns is verified before it becomes the draft's plan. Infeasible comes only from the loads, and from a planner
// that was free to place all buffers that could be in the way.

// A ruling is one call of a session with rules while its buffers are placed.
type ruling struct {
	*bodies
	s        *Session
	ctx      context.Context
	watch    *run.Watch
	d        *draft
	old      []int64 // places before the call; away for new buffers
	oldPool  []int32
	at       []int64 // places in the making; away for those that must be placed
	pool     []int32
	mine     []bool  // the buffers that the call is about
	homeless []int32 // the bodies to place
	must     Movement
	nodes    int64
	refusal  error    // of a planner that does not take a rule
	spare    *placing // a plan of all, to take if no step before fresh finds one
	scratch  []ban
}

// A placing is a place for every buffer.
type placing struct {
	at   []int64
	pool []int32
}

// begin prepares a call. done must be called after it.
func (r *ruled) begin(ctx context.Context, d *draft) (c *ruling, done func()) {
	end := context.CancelFunc(func() {})
	if r.s.o.Timeout > 0 {
		ctx, end = context.WithTimeout(ctx, r.s.o.Timeout)
	}
	c = &ruling{bodies: newBodies(d.p), s: r.s, ctx: ctx, watch: run.NewWatch(ctx), d: d, old: d.at, oldPool: d.pool, mine: make([]bool, len(d.at))}
	c.at, c.pool = slices.Clone(d.at), slices.Clone(d.pool)
	for _, i := range d.mine {
		c.mine[i] = true
	}
	return c, func() { c.watch.Close(); end() }
}

// isUnsupported says that a planner does not take a problem.
func isUnsupported(err error) bool { return errors.Is(err, ErrUnsupported) }

// place finds places, by the steps up to effort. They are in c.at and c.pool if the status is Feasible.
func (c *ruling) place(effort Step) (Answer, error) {
	if c.watch.Over() {
		return Answer{}, nil
	}
	c.keep()
	if len(c.homeless) == 0 {
		return c.take(Keep, Answer{Least: true}, &placing{c.at, c.pool})
	}
	var fitted *placing
	if effort >= Fit && !c.s.skip[Fit] {
		if fitted = c.fit(); fitted != nil {
			m := c.movement(fitted.at, fitted.pool)
			least := m.Cost == c.must.Cost && m.Buffers == c.must.Buffers
			if least || effort < Repair || c.s.skip[Repair] {
				return c.take(Fit, Answer{Least: least}, fitted)
			}
		}
	}
	if fitted == nil {
		if proof := c.hopeless(); proof != nil {
			return Answer{Status: model.Infeasible, Proof: proof}, nil
		}
	}
	for _, step := range [...]struct {
		step Step
		find func() (Answer, *placing, error)
	}{
		{Repair, c.least},
		{Fit, func() (Answer, *placing, error) { return Answer{}, fitted, nil }},
		{Repair, c.walk},
		{Window, c.ahead},
		{Window, c.window},
		{Hints, c.held},
		{Hints, c.hints},
		{Fresh, c.fresh},
		{Fresh, c.spared},
	} {
		if effort < step.step || c.watch.Over() {
			break
		}
		if c.s.skip[step.step] {
			continue
		}
		a, found, err := step.find()
		if err != nil {
			return Answer{}, err
		}
		if a.Status == model.Infeasible {
			a.Nodes = c.nodes
			return a, nil
		}
		if found != nil && !c.watch.Over() {
			return c.take(step.step, a, found)
		}
	}
	return Answer{Nodes: c.nodes}, nil
}

// stands returns the place before the call of a body's buffers, those that the call is about aside if there are others. ok is false if
// they have none, or several.
func (c *ruling) stands(body int32) (pool int32, origin int64, ok bool) {
	for _, mine := range [...]bool{false, true} {
		some := false
		for _, i := range c.members(body) {
			if c.mine[i] != mine || c.old[i] == away {
				if c.mine[i] == mine && !mine {
					return 0, 0, false
				}
				continue
			}
			if here := c.old[i] - c.from(i); !some {
				pool, origin, some = c.oldPool[i], here, true
			} else if c.oldPool[i] != pool || here != origin {
				return 0, 0, false
			}
		}
		if some {
			return pool, origin, true
		}
	}
	return 0, 0, false
}

// put places a body; lift takes it away.
func (c *ruling) put(p *placing, body, pool int32, origin int64) {
	for _, i := range c.members(body) {
		p.at[i], p.pool[i] = origin+c.from(i), pool
	}
}

func (c *ruling) lift(p *placing, body int32) {
	for _, i := range c.members(body) {
		p.at[i] = away
	}
}

// room reports whether a body may lie at a place beside what is placed.
func (c *ruling) room(p *placing, body, pool int32, origin int64) bool {
	if !c.mayLie(body, pool, origin) {
		return false
	}
	c.scratch = c.bans(c.scratch[:0], body, pool, p.at, p.pool)
	return free(c.scratch, origin)
}

// moves returns what it costs to move the members of a body, those of the call aside.
func (c *ruling) moves(body int32) (m Movement) {
	for _, i := range c.members(body) {
		if !c.mine[i] {
			m.add(c.s.o.cost(&c.p.Buffers[i]), &c.p.Buffers[i])
		}
	}
	return m
}

// keep leaves every body where it is, if it may lie there. It lists the others.
func (c *ruling) keep() {
	now := &placing{c.at, c.pool}
	touched := map[int32]bool{}
	var called []int32 // the bodies of the call, in its order
	for _, i := range c.d.mine {
		if body := c.of(i); !touched[body] {
			touched[body] = true
			called = append(called, body)
			c.lift(now, body)
		}
	}
	for k := range c.at {
		body := c.of(int32(k))
		if int(body) != k || touched[body] {
			continue
		}
		pool, origin, ok := c.stands(body)
		if ok && c.mayLie(body, pool, origin) {
			continue
		}
		if ok {
			c.forced(body)
		}
		touched[body] = true
		c.lift(now, body)
		c.homeless = append(c.homeless, body)
	}
	c.part(now, touched)
	for _, body := range called {
		if !c.settle(now, body) {
			c.homeless = append(c.homeless, body)
		}
	}
	c.largestFirst(c.homeless)
}

// forced notes that a body cannot stay.
func (c *ruling) forced(body int32) {
	m := c.moves(body)
	c.must.Cost, c.must.Buffers = min(c.must.Cost+m.Cost, model.MaxSum), c.must.Buffers+m.Buffers
}

// part lifts bodies whose rules have changed, as long as they share bytes with others that they may not. The cheap ones go first.
func (c *ruling) part(now *placing, touched map[int32]bool) {
	var named []int32
	for _, i := range c.d.named {
		if body := c.of(i); !touched[body] {
			touched[body] = true
			named = append(named, body)
		}
	}
	slices.SortStableFunc(named, func(a, b int32) int {
		_, p := c.pinned(a)
		_, q := c.pinned(b)
		x, y := c.moves(a), c.moves(b)
		switch {
		case p != q && q, p == q && x.less(&y):
			return -1
		case p != q, y.less(&x):
			return 1
		}
		return int(a - b)
	})
	for _, body := range named {
		if pool, origin, _ := c.stands(body); !c.room(now, body, pool, origin) {
			c.lift(now, body)
			c.homeless = append(c.homeless, body)
		}
	}
}

// settle puts a body of the call where it was, or where a pin or a hint wants it. No buffer but those of the call moves.
func (c *ruling) settle(now *placing, body int32) bool {
	pool, origin, stood := c.stands(body)
	others := c.moves(body).Buffers > 0
	if others && (!stood || !c.mayLie(body, pool, origin)) {
		if stood {
			c.forced(body)
		}
		return false
	}
	if c.s.skip[Keep] {
		return false
	}
	if others {
		if !c.room(now, body, pool, origin) {
			return false
		}
		c.put(now, body, pool, origin)
		return true
	}
	want, pinned := c.pinned(body)
	if !pinned && stood && c.room(now, body, pool, origin) {
		c.put(now, body, pool, origin)
		return true
	}
	if hint := c.p.Buffers[body].Hint; !pinned && !stood && hint != nil {
		want, pinned = *hint-c.from(body), true
	}
	for q := range c.pools {
		if pinned && c.room(now, body, int32(q), want) {
			c.put(now, body, int32(q), want)
			return true
		}
	}
	return false
}

// largestFirst sorts bodies: the pinned first, then by the sum of size times life, and by index.
func (c *ruling) largestFirst(list []int32) {
	area := func(body int32) (a int64) {
		for _, i := range c.members(body) {
			b := &c.p.Buffers[i]
			a = min(a+saturated(b.Size, b.Upper-b.Lower), model.MaxSum)
		}
		return a
	}
	slices.SortFunc(list, func(a, b int32) int {
		_, p := c.pinned(a)
		_, q := c.pinned(b)
		switch x, y := area(a), area(b); {
		case p != q && p, p == q && x > y:
			return -1
		case p != q, x < y:
			return 1
		}
		return int(a - b)
	})
}

// fit gives each body to place the best place that is free. It returns nil unless all have one.
func (c *ruling) fit() *placing {
	p := &placing{slices.Clone(c.at), slices.Clone(c.pool)}
	for _, body := range c.homeless {
		pool, origin, ok := c.bestPlace(p, body)
		if !ok {
			return nil
		}
		c.put(p, body, pool, origin)
	}
	return p
}

// bestPlace returns a free place of a body: where most of it was, if that is free; else the smallest gap of the pool where it was, or of
// the first pool that has room.
func (c *ruling) bestPlace(p *placing, body int32) (pool int32, origin int64, ok bool) {
	pools := len(c.pools)
	if at, pinned := c.pinned(body); pinned {
		for q := range int32(pools) {
			if c.room(p, body, q, at) {
				return q, at, true
			}
		}
		return 0, 0, false
	}
	home := int32(0)
	dearest := Movement{Cost: -1}
	for _, i := range c.members(body) {
		if c.old[i] == away {
			continue
		}
		m := Movement{}
		if !c.mine[i] {
			m.add(c.s.o.cost(&c.p.Buffers[i]), &c.p.Buffers[i])
		}
		if at := c.old[i] - c.from(i); dearest.less(&m) && c.room(p, body, c.oldPool[i], at) {
			pool, origin, ok, dearest = c.oldPool[i], at, true, m
		}
		home = c.oldPool[i]
	}
	order := []int32{home}
	for q := range int32(pools) {
		if q != home {
			order = append(order, q)
		}
	}
	for _, q := range order {
		if !ok {
			c.scratch = c.bans(c.scratch[:0], body, q, p.at, p.pool)
			pool = q
			origin, ok = c.bestOrigin(c.scratch, body, q)
		}
	}
	return pool, origin, ok
}

// movement measures new places against those before the call. Buffers that the call is about do not count.
func (c *ruling) movement(at []int64, pool []int32) (m Movement) {
	for i := range at {
		if (at[i] != c.old[i] || pool[i] != c.oldPool[i]) && !c.mine[i] {
			m.add(c.s.o.cost(&c.p.Buffers[i]), &c.p.Buffers[i])
		}
	}
	return m
}

// moveBack puts bodies back where they were, if that is free, the costly ones first.
func (c *ruling) moveBack(p *placing) {
	var gone []int32
	for k := range p.at {
		body := c.of(int32(k))
		if pool, origin, ok := c.stands(body); int(body) == k && ok && (p.pool[k] != pool || p.at[k] != origin+c.from(body)) {
			gone = append(gone, body)
		}
	}
	slices.SortStableFunc(gone, func(a, b int32) int {
		x, y := c.moves(a), c.moves(b)
		switch {
		case y.less(&x):
			return -1
		case x.less(&y):
			return 1
		}
		return 0
	})
	for range backPasses {
		left := gone[:0]
		for _, body := range gone {
			pool, origin, _ := c.stands(body)
			if c.room(p, body, pool, origin) {
				c.put(p, body, pool, origin)
			} else {
				left = append(left, body)
			}
		}
		if len(left) == len(gone) {
			break
		}
		gone = left
	}
}

// verified says what the verifier says of the places.
func (c *ruling) verified(step Step) error {
	now := state{p: c.p, at: c.at, pool: c.pool}
	if wrong := verify.FirstOf(c.p, now.plan()); wrong != "" {
		return fmt.Errorf("%w: step %s: %s", ErrInvalidPlan, step, wrong)
	}
	return nil
}

// take verifies a plan, and makes it that of the call.
func (c *ruling) take(step Step, a Answer, p *placing) (Answer, error) {
	c.at, c.pool = p.at, p.pool
	if err := c.verified(step); err != nil {
		return Answer{}, err
	}
	a.Status, a.Step, a.Nodes, a.Moved = model.Feasible, step, c.nodes, c.movement(p.at, p.pool)
	return a, nil
}
