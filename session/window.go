package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: what a repair cannot do may be done by planning a part again. The part is a window of time around the
// buffers to place: all buffers that are live in it are free, and all others stay where they are. The window grows until
// all are free. Free buffers have their old offsets as hints: planners try to put them in that order.
//
//	time   ────────────[  window 1  ]────────────
//	       ──────[       window 2       ]────────
//	       [          all, with hints           ]
//
// In front of the planner stands a proof: if the free buffers do not fit between those that stay, the planner says so
// early, mostly by the load above fixed offsets.
//
// Complexity: that of the planner, within a part of the node limit for each window.

// The windows: how many buffers are free in the first, and how many times as many in each one after it.
const (
	windowFirst = 16
	windowGrow  = 2
)

// exactNodes is how many times the node limit exact search has for each window, and in spare.go: on 80 hard changes of A to K,
// 2,000 of its nodes took a quarter of the time of 2,000 nodes of auto, and decided more. Another planner, if one is named, has
// a windowPart of the limit.
const (
	exactNodes = 4
	windowPart = 32
)

// exactWork limits the nodes of exact search in large problems, where a node takes longer: nodes times buffers.
const exactWork = 1_000_000

// exactly returns how many nodes exact search has for a problem of n buffers.
func (c *call) exactly(n int) int64 {
	return min(exactNodes*min(c.s.o.NodeLimit, model.MaxSum), max(1, exactWork/int64(max(n, 1))))
}

// hintsPart is the part of the node limit for hints. Fresh has what is left.
const hintsPart = 2

// window is the step window.
func (c *call) window() (Answer, []int64, error) {
	near := c.near()
	for free := windowFirst; ; free *= windowGrow {
		// All buffers at the same distance are free together.
		for free < len(near) && free > 0 && near[free].distance == 0 && near[free-1].distance == 0 {
			free++
		}
		if free >= len(near) {
			return Answer{}, nil, nil
		}
		at, err := c.again(near[:free], true)
		if at != nil || err != nil || c.watch.Over() {
			return Answer{}, at, err
		}
	}
}

// A neighbour is a buffer that could move, with how far in time it is from the buffers to place.
type neighbour struct {
	buffer   int32
	distance int64
}

// near returns the buffers that could move, the nearest in time first.
func (c *call) near() []neighbour {
	s := c.s
	lower, upper := s.life[c.homeless[0]].lower, s.life[c.homeless[0]].upper
	for _, i := range c.homeless {
		lower, upper = min(lower, s.life[i].lower), max(upper, s.life[i].upper)
	}
	var all []neighbour
	for i, l := range s.life {
		if s.p.Buffers[i].Fixed == nil && c.at[i] != away {
			all = append(all, neighbour{int32(i), max(l.lower-upper+1, lower-l.upper+1, 0)})
		}
	}
	slices.SortStableFunc(all, func(a, b neighbour) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	return all
}

// again plans the buffers to place and some others again. The rest stays.
func (c *call) again(free []neighbour, hints bool) ([]int64, error) {
	s := c.s
	loose := make([]bool, len(s.at))
	for _, i := range c.homeless {
		loose[i] = true
	}
	for _, n := range free {
		loose[n.buffer] = true
	}
	p, of := c.part(loose, hints)
	nodes := s.o.NodeLimit / windowPart
	if s.windows != s.planner {
		nodes = c.exactly(len(p.Buffers))
	}
	r, err := c.ask(p, s.windows, false, nodes)
	if err != nil || !r.Status.HasPlan() {
		return nil, err
	}
	at := slices.Clone(c.at)
	for k, i := range of {
		at[i] = r.Offsets[k]
	}
	c.moveBack(at)
	return at, nil
}

// part returns the problem of the loose buffers, with those fixed that meet them in time; of has the index of each
// of its buffers.
func (c *call) part(loose []bool, hints bool) (p *model.Problem, of []int32) {
	s := c.s
	lower, upper := int64(0), int64(0)
	for i := range loose {
		if l := s.life[i]; loose[i] {
			if lower == upper {
				lower, upper = l.lower, l.upper
			}
			lower, upper = min(lower, l.lower), max(upper, l.upper)
		}
	}
	p = &model.Problem{Capacity: s.p.Capacity}
	for i := range s.p.Buffers {
		b := s.p.Buffers[i]
		switch {
		case !loose[i] && (s.life[i].lower >= upper || lower >= s.life[i].upper):
			continue
		case !loose[i]:
			b.Fixed = &c.at[i]
		case hints && c.old[i] != away && b.Fixed == nil:
			b.Hint = &c.old[i]
		case !hints:
			b.Hint = nil
		}
		p.Buffers = append(p.Buffers, b)
		of = append(of, int32(i))
	}
	return p, of
}

// hints is the step hints.
func (c *call) hints() (Answer, []int64, error) {
	return c.whole(c.s.planner, true, c.s.o.NodeLimit/hintsPart)
}

// fresh is the step fresh.
func (c *call) fresh() (Answer, []int64, error) {
	return c.whole(c.s.planner, false, max(c.s.o.NodeLimit-c.nodes, c.s.o.NodeLimit/hintsPart))
}

// whole plans all buffers again. Only here a planner's proof that there is no plan counts.
func (c *call) whole(planner run.Planner, hints bool, nodes int64) (Answer, []int64, error) {
	r, err := c.all(planner, hints, false, nodes)
	if err != nil {
		return Answer{}, nil, err
	}
	if r.Status == model.Infeasible {
		by := r.ProvedBy
		if by == run.Bound {
			by = "the lower bound"
		}
		return Answer{Status: model.Infeasible, Proof: &Proof{Why: BySearch, Capacity: c.s.p.Capacity, By: by, LowestPossible: r.LowerBound}}, nil, nil
	}
	return Answer{}, r.Offsets, nil
}

// A planned is the result of a planner for all buffers.
type planned struct {
	Status     model.Status
	Offsets    []int64
	LowerBound int64
	ProvedBy   string
}

// all asks the planner about all buffers.
func (c *call) all(planner run.Planner, hints, minimise bool, nodes int64) (planned, error) {
	s := c.s
	p := &model.Problem{Capacity: s.p.Capacity, Buffers: slices.Clone(s.p.Buffers)}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case !hints:
			b.Hint = nil
		case c.old[i] != away && b.Fixed == nil:
			b.Hint = &c.old[i]
		}
	}
	r, err := c.ask(p, planner, minimise, nodes)
	if err != nil {
		return planned{}, err
	}
	out := planned{Status: r.Status, LowerBound: r.LowerBound, ProvedBy: r.ProvedBy}
	if r.Status.HasPlan() {
		out.Offsets = r.Offsets
		if !minimise {
			c.moveBack(out.Offsets)
		}
	}
	return out, nil
}

// open plans a session that begins.
func (c *call) open() (Answer, error) {
	if p := c.hopeless(); p != nil {
		return Answer{Status: model.Infeasible, Proof: p}, nil
	}
	r, err := c.all(c.s.planner, true, true, c.s.o.NodeLimit)
	if err != nil {
		return Answer{}, err
	}
	switch {
	case r.Offsets != nil && !c.watch.Over():
		c.at = r.Offsets
		return c.take(Fresh, Answer{})
	case r.Status == model.Infeasible:
		for i := range c.s.at {
			c.homeless = append(c.homeless, int32(i))
		}
		if p := c.collision(); p != nil {
			return Answer{Status: model.Infeasible, Proof: p}, nil
		}
		return Answer{Status: model.Infeasible, Proof: &Proof{Why: BySearch, Capacity: c.s.p.Capacity, By: r.ProvedBy, LowestPossible: r.LowerBound}}, nil
	}
	return Answer{Enough: c.enough, Nodes: c.nodes}, nil
}
