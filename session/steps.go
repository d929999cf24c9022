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

// Idea: the steps are a list, in the order of what they cost. Each gets the offsets of before the call, and the
// buffers that must be placed. It returns offsets for all, or none. What it returns is verified before it is
// taken over. So a step cannot leave a bad plan.
//
// The two cheap proofs come first: the load, and pins that collide.

// A call is one call of a session while its buffers are placed.
type call struct {
	s        *Session
	ctx      context.Context
	watch    *run.Watch
	changed  []int32 // the buffers that the call is about
	mine     []bool  // says of each buffer whether it is one of these
	old      []int64 // offset of each buffer before the call; away for new ones
	at       []int64 // offsets in the making; away for those that must be placed
	homeless []int32 // the buffers to place
	nodes    int64   // nodes used up
	spare    []int64 // a plan of all, to take if no step before fresh finds one; nil for none
	restart  uint64  // added to the seed of the planners that are asked
	enough   int64   // the least height that a planner found above the capacity; 0 for none
}

// scratch is memory that calls use again.
type scratch struct {
	old, at  []int64
	mine     []bool
	homeless []int32
	bans     []ban
	moved    []int32 // of home.go
	from     []int64 // of home.go
	repair   repairer
	overlaps overlaps
}

// begin prepares a call. done must be called after it.
func (s *Session) begin(ctx context.Context, changed []int32) (c *call, done func()) {
	end := context.CancelFunc(func() {})
	if s.o.Timeout > 0 {
		ctx, end = context.WithTimeout(ctx, s.o.Timeout)
	}
	c = &call{s: s, ctx: ctx, watch: run.NewWatch(ctx), changed: changed}
	r := &s.scratch
	r.old = append(r.old[:0], s.at...)
	r.at = append(r.at[:0], s.at...)
	r.mine = slices.Grow(r.mine[:0], len(s.at))[:len(s.at)]
	clear(r.mine)
	for _, i := range changed {
		r.mine[i] = true
	}
	c.old, c.at, c.mine = r.old, r.at, r.mine
	return c, func() { c.watch.Close(); end() }
}

// place finds places, by the steps up to effort, and takes the new offsets over.
func (c *call) place(effort Step) (Answer, error) {
	s := c.s
	if p := c.hopeless(); p != nil {
		return Answer{Status: model.Infeasible, Proof: p}, nil
	}
	if c.watch.Over() {
		return Answer{}, nil
	}
	c.keep()
	if len(c.homeless) == 0 {
		return c.take(Keep, Answer{Step: Keep, Least: true})
	}
	if effort >= Fit && !s.skip[Fit] && c.fit() { // only the buffers of the call moved, and those above a new capacity, which must
		return c.take(Fit, Answer{Least: true})
	}
	if p := c.collision(); p != nil {
		return Answer{Status: model.Infeasible, Proof: p}, nil
	}
	for _, step := range [...]struct {
		step Step
		find func() (Answer, []int64, error)
	}{{Repair, c.least}, {Repair, c.repair}, {Repair, c.stroll}, {Window, c.ahead}, {Window, c.window}, {Window, c.wander}, {Hints, c.hints}, {Fresh, c.fresh}, {Fresh, c.spared}, {Fresh, c.merged}} {
		if effort < step.step || c.watch.Over() {
			break
		}
		if s.skip[step.step] {
			continue
		}
		a, at, err := step.find()
		if err != nil {
			return Answer{}, err
		}
		if a.Status == model.Infeasible {
			a.Nodes = c.nodes
			return a, nil
		}
		if at != nil && !c.watch.Over() {
			if step.step >= Window && !s.skip[Repair] { // who leaves out repairs wants the planner's plan
				at = c.homing(at, homeLate)
			}
			c.at = at
			return c.take(step.step, a)
		}
	}
	return Answer{Enough: c.enough, Nodes: c.nodes}, nil
}

// keep lists the buffers without a valid offset. The others keep theirs.
func (c *call) keep() {
	s, homeless := c.s, c.s.scratch.homeless[:0]
	capacity := s.p.Capacity
	for i := range c.at {
		if b := &s.p.Buffers[i]; capacity > 0 && c.at[i] > capacity-b.Size {
			c.at[i] = away
			homeless = append(homeless, int32(i))
		}
	}
	for _, i := range c.changed {
		want := c.old[i]
		if b := &s.p.Buffers[i]; b.Fixed != nil {
			want = *b.Fixed
		} else if want == away && b.Hint != nil {
			want = *b.Hint
		}
		if c.at[i] == away && c.old[i] != away {
			continue // too high: it is in the list
		}
		c.at[i] = away
		s.scratch.bans = s.bans(s.scratch.bans[:0], i, c.at)
		if want != away && !s.skip[Keep] && allowed(&s.p.Buffers[i], s.scratch.bans, want, capacity) {
			c.at[i] = want
		} else {
			homeless = append(homeless, i)
		}
	}
	c.homeless, s.scratch.homeless = homeless, homeless
	c.largestFirst()
}

// largestFirst sorts the buffers to place: the pinned first, then by size times life, and by index.
func (c *call) largestFirst() {
	s := c.s
	slices.SortFunc(c.homeless, func(i, j int32) int {
		a, b := &s.p.Buffers[i], &s.p.Buffers[j]
		if (a.Fixed != nil) != (b.Fixed != nil) {
			if a.Fixed != nil {
				return -1
			}
			return 1
		}
		if x, y := saturated(a.Size, a.Upper-a.Lower), saturated(b.Size, b.Upper-b.Lower); x != y {
			if x > y {
				return -1
			}
			return 1
		}
		return int(i - j)
	})
}

// fit gives each buffer to place the best offset that is free. It reports whether all have one; if not, none has.
func (c *call) fit() bool {
	s := c.s
	for k, i := range c.homeless {
		s.scratch.bans = s.bans(s.scratch.bans[:0], i, c.at)
		at, ok := bestFit(&s.p.Buffers[i], s.scratch.bans, s.p.Capacity)
		if !ok {
			for _, j := range c.homeless[:k] {
				c.at[j] = away
			}
			return false
		}
		c.at[i] = at
	}
	return true
}

// hopeless returns the proof that the load is above the capacity, or that a pin is.
func (c *call) hopeless() *Proof {
	s := c.s
	capacity := s.p.Capacity
	if capacity == 0 {
		return nil
	}
	if load, time := s.load.peak(); load > capacity {
		return &Proof{Why: ByLoad, Capacity: capacity, Slot: time, Load: load, LowestPossible: load}
	}
	for _, i := range c.changed {
		b := &s.p.Buffers[i]
		if b.Size > capacity { // a buffer that is always in a gap has no load
			return &Proof{Why: ByLoad, Capacity: capacity, Slot: b.Lower, Load: b.Size, LowestPossible: b.Size}
		}
		if b.Fixed != nil && *b.Fixed > capacity-b.Size {
			return &Proof{Why: ByPin, Capacity: capacity, A: b.ID, LowestPossible: *b.Fixed + b.Size}
		}
	}
	return nil
}

// collision returns the proof that a pinned buffer to place shares bytes with another pinned one, or that a pinned one
// ends above the capacity.
func (c *call) collision() *Proof {
	s := c.s
	for _, i := range c.homeless {
		b := &s.p.Buffers[i]
		if b.Fixed == nil {
			continue
		}
		if s.p.Capacity > 0 && *b.Fixed > s.p.Capacity-b.Size {
			return &Proof{Why: ByPin, Capacity: s.p.Capacity, A: b.ID, LowestPossible: *b.Fixed + b.Size}
		}
		for j := range s.p.Buffers {
			other := &s.p.Buffers[j]
			if int32(j) == i || other.Fixed == nil {
				continue
			}
			pair := model.Problem{Buffers: []model.Buffer{*b, *other}}
			if verify.Collide(&pair) != nil {
				return &Proof{Why: ByCollision, A: b.ID, B: other.ID}
			}
		}
	}
	return nil
}

// take verifies the offsets in c.at, and takes them over. After the steps keep and fit only the buffers of the call
// are compared with the others, since the others lay right before.
func (c *call) take(step Step, a Answer) (Answer, error) {
	s := c.s
	wrong := ""
	if step <= Fit {
		wrong = verify.FirstMoved(&s.p, c.at, s.p.Capacity, c.touched())
	} else {
		wrong = verify.First(&s.p, c.at, s.p.Capacity, -1)
	}
	if wrong != "" {
		return Answer{}, fmt.Errorf("%w: step %s: %s", ErrInvalidPlan, step, wrong)
	}
	a.Status, a.Step, a.Nodes = model.Feasible, step, c.nodes
	a.Moved = c.movement(c.at)
	for i, offset := range c.at {
		s.move(int32(i), offset)
	}
	return a, nil
}

// touched returns the buffers that the call is about, and those that were placed.
func (c *call) touched() []int32 {
	if len(c.homeless) == 0 {
		return c.changed
	}
	return append(slices.Clone(c.changed), c.homeless...)
}

// ask asks a planner about a problem under a part of the node limit. All questions of a session go through here.
func (c *call) ask(p *model.Problem, planner run.Planner, minimise bool, nodes int64) (plan.Result, error) {
	tl := run.Timeline(planner, p, nil)
	r, err := run.Run(c.ctx, planner, tl, plan.Options{
		Capacity: p.Capacity, Minimize: minimise, Seed: c.s.o.Seed + c.restart, NodeLimit: max(1, nodes), Workers: 1,
	})
	c.nodes += r.Stats.Nodes
	if r.Status == model.Unknown && r.Enough > 0 && (c.enough == 0 || r.Enough < c.enough) {
		c.enough = r.Enough
	}
	return r, err
}
