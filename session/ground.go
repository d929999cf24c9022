package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the steps of a call ask its ground where a body may lie, who is in its way, and what a planner says. There are
// two grounds. A strip is one pool without rules: lists of lifespans, read in a row, answer all questions. The ruled
// ground (between.go, loads.go) knows several pools, ties and pairs, and asks the packages that know rules.
//
// Complexity: O(n) for each question about places.

// A ground knows which places the bodies of a call may have, beside those that have one.
type ground interface {
	// mayLie reports whether a body may have a place, whatever else is there.
	mayLie(body, pool int32, origin int64) bool
	// bans appends the ranges of origins in a pool that placed buffers and reserved ranges forbid to a body.
	bans(list []ban, body, pool int32, p placing) []ban
	// best returns a free place for a body of the call.
	best(body int32) (pool int32, origin int64, ok bool)
	// strays appends the bodies that are not touched and cannot stay where they are.
	strays(list []int32, touched []bool) []int32
	// around returns the loose buffers and those that they could be in conflict with, ascending.
	around(loose []bool) []int32
	// chain returns the buffers that could be in the way of those to place, ascending, and the blocks among them. If there
	// are more than most blocks, both may lack some.
	chain(most int) (all []int32, blocks []block)
	// all returns the buffers of a question whose answer "no" is a proof.
	all() []int32
	// among returns the problem of some buffers. The caller may change the buffers, but not what they point to.
	among(all []int32) *model.Problem
	// solve asks a planner.
	solve(p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error)

	// atOnce returns a proof, before anything is tried, that there is no plan; nil for none. hopeless does so after a
	// body has found no free place, and proof after a planner has said so.
	atOnce() *Proof
	hopeless() *Proof
	proof(q *model.Problem, r *plan.Result, planner run.Planner) *Proof
}

// newGround returns the ground of a call.
func (c *call) newGround() ground {
	if c.s.p.Rules == nil {
		return strip{c}
	}
	return newRuled(c)
}

// A strip is the ground of a problem without rules.
type strip struct{ *call }

func (c strip) mayLie(i, _ int32, offset int64) bool {
	return allowed(&c.s.p.Buffers[i], nil, offset, c.s.p.Capacity)
}

func (c strip) bans(list []ban, i, _ int32, p placing) []ban { return c.s.bans(list, i, p.at) }

func (c strip) best(i int32) (pool int32, offset int64, ok bool) {
	s := c.s
	s.scratch.bans = s.bans(s.scratch.bans[:0], i, c.at)
	offset, ok = bestFit(&s.p.Buffers[i], s.scratch.bans, s.p.Capacity)
	return 0, offset, ok
}

// strays are the buffers that end above the capacity.
func (c strip) strays(list []int32, touched []bool) []int32 {
	capacity, buffers := c.s.p.Capacity, c.s.p.Buffers
	if capacity == 0 {
		return list
	}
	for i, at := range c.at {
		if at > capacity-buffers[i].Size && !touched[i] {
			list = append(list, int32(i))
		}
	}
	return list
}

// around returns all that is live from when the first loose buffer is to when the last one is.
func (c strip) around(loose []bool) (all []int32) {
	hull := never
	for i, l := range c.s.life {
		if loose[i] {
			hull = hull.with(l)
		}
	}
	for i, l := range c.s.life {
		if loose[i] || l.meets(hull) {
			all = append(all, int32(i))
		}
	}
	return all
}

// chain follows lifespans that meet. All other buffers are out of the question, since what they do says nothing about
// the buffers of the call. Buffers that lost their place but are not of the call count as moved, whatever happens.
func (c strip) chain(most int) (all []int32, blocks []block) {
	s := c.s
	in := make([]bool, len(s.at))
	for _, i := range c.homeless {
		in[i] = true
		all = append(all, i)
	}
	for k := 0; k < len(all); k++ {
		l := s.life[all[k]]
		for j, m := range s.life {
			if in[j] || !m.meets(l) {
				continue
			}
			in[j] = true
			all = append(all, int32(j))
			if s.p.Buffers[j].Fixed == nil && !c.mine[j] {
				if blocks = append(blocks, c.blocksOf(int32(j))...); len(blocks) > most {
					return all, blocks
				}
			}
		}
	}
	slices.Sort(all)
	slices.SortFunc(blocks, func(a, b block) int { return int(a.body - b.body) })
	return all, blocks
}

func (c strip) all() []int32 { return c.alone }

func (c strip) among(all []int32) *model.Problem {
	p := &model.Problem{Capacity: c.s.p.Capacity, Buffers: make([]model.Buffer, 0, len(all))}
	for _, i := range all {
		p.Buffers = append(p.Buffers, c.s.p.Buffers[i])
	}
	return p
}

func (c strip) solve(p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	r, err := run.Run(c.ctx, planner, run.Timeline(planner, p, nil), o)
	if r.Status == model.Unknown && r.Enough > 0 && (c.enough == 0 || r.Enough < c.enough) {
		c.enough = r.Enough
	}
	return r, err
}

// atOnce proves that the load is above the capacity, or that a pin is.
func (c strip) atOnce() *Proof {
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
			return byPin(b, capacity)
		}
	}
	return nil
}

func byPin(b *model.Buffer, capacity int64) *Proof {
	return &Proof{Why: ByPin, Capacity: capacity, A: b.ID, LowestPossible: *b.Fixed + b.Size}
}

// hopeless proves that a pinned buffer to place shares bytes with another pinned one, or that a pinned one ends above
// the capacity.
func (c strip) hopeless() *Proof {
	s := c.s
	for _, i := range c.homeless {
		b := &s.p.Buffers[i]
		if b.Fixed == nil {
			continue
		}
		if s.p.Capacity > 0 && *b.Fixed > s.p.Capacity-b.Size {
			return byPin(b, s.p.Capacity)
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

// proof has a pair of pins for its reason, if there is one.
func (c strip) proof(_ *model.Problem, r *plan.Result, _ run.Planner) *Proof {
	if pins := c.hopeless(); pins != nil {
		return pins
	}
	by := r.ProvedBy
	if by == run.Bound {
		by = "the lower bound"
	}
	return &Proof{Why: BySearch, Capacity: c.s.p.Capacity, By: by, LowestPossible: r.LowerBound}
}
