package session

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: if a repair fails, a part of the problem is planned again. The part is a window of time around the bodies to
// place. Bodies that are live in it are free; all others stay where they are. The window grows until all bodies are
// free. Free buffers have their old offsets as hints, which set the order in which planners try offsets.
//
//	time   ────────────[  window 1  ]────────────
//	       ──────[       window 2       ]────────
//	       [          all, with hints           ]
//
// The planner begins with a proof: if the free buffers do not fit between those that stay, it says so early, mostly
// by the load above fixed offsets.
//
// With several pools the step hints asks twice: first each body keeps its pool, then a body may leave it at the cost of
// its movement, which the planner minimises.
//
// Complexity: that of the planner, within a part of the node limit for each window.

// The windows: how many bodies are free in the first, and how many times as many in each one after it.
const (
	windowFirst = 16
	windowGrow  = 2
)

// exactNodes is how many times the node limit exact search has for each window, and in spare.go. Another planner, if
// one is named, has a windowPart of the limit.
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
func (c *call) window() (Answer, placing, error) {
	near, least := c.near()
	loose, held := make([]bool, len(c.at)), make([]bool, len(c.at))
	c.mark(loose, c.homeless...)
	for from, free := 0, max(windowFirst, least); free < len(near) && !c.watch.Over(); free *= windowGrow {
		c.mark(loose, near[from:free]...)
		from = free
		for i := range held {
			held[i] = !loose[i]
		}
		all := c.ground.around(loose)
		nodes := c.s.o.NodeLimit / windowPart
		if c.s.windows != c.s.planner {
			nodes = c.exactly(len(all))
		}
		r, err := c.question(all, c.s.windows, nodes, held, func(q *model.Problem) { c.hintOld(q, all, held) })
		if err != nil {
			return Answer{}, placing{}, err
		}
		if r.plan.at != nil {
			c.moveBack(r.plan)
			return Answer{}, r.plan, nil
		}
	}
	return Answer{}, placing{}, nil
}

// near returns the bodies that could move, the nearest in time to those to place first, and how many are free in the
// first window at least.
func (c *call) near() (near []int32, least int) {
	s := c.s
	hull := never
	for _, body := range c.homeless {
		for _, i := range c.members(body) {
			hull = hull.with(s.life[i])
		}
	}
	distance := make([]int64, len(c.at))
	for i, l := range s.life {
		body, d := c.of(int32(i)), max(l.lower-hull.upper+1, hull.lower-l.upper+1, 0)
		if _, pinned := c.pinned(body); pinned || c.at[i] == away {
			continue
		}
		if int(body) == i {
			near = append(near, body)
			distance[body] = d
		}
		distance[body] = min(d, distance[body])
	}
	slices.SortStableFunc(near, func(a, b int32) int { return cmp.Compare(distance[a], distance[b]) })
	for c.s.p.Rules == nil && least < len(near) && distance[near[least]] == 0 {
		least++ // without rules all at distance 0 are free together
	}
	return near, least
}

// hintOld makes old offsets hints, of those that are not held.
func (c *call) hintOld(q *model.Problem, all []int32, held []bool) {
	for k, i := range all {
		if b := &q.Buffers[k]; c.old[i] != away && (held == nil || !held[i]) {
			b.Hint = &c.old[i]
		}
	}
}

// hintNone takes the hints away.
func hintNone(q *model.Problem) {
	for k := range q.Buffers {
		q.Buffers[k].Hint = nil
	}
}

// inPools is the first part of hints: every body that has a place keeps its pool.
func (c *call) inPools() (Answer, placing, error) {
	if c.pool == nil {
		return Answer{}, placing{}, nil
	}
	return c.whole(c.s.planner, c.s.o.NodeLimit/(2*hintsPart), false, func(q *model.Problem) {
		c.hintOld(q, c.alone, nil)
		for k := range q.Buffers {
			if c.at[k] != away {
				onlyIn(&q.Buffers[k], c.pool[k])
			}
		}
	})
}

// hints is the second part: a body may leave its pool, at the cost of its movement.
func (c *call) hints() (Answer, placing, error) {
	return c.whole(c.s.planner, c.s.o.NodeLimit/hintsPart, true, func(q *model.Problem) {
		c.hintOld(q, c.alone, nil)
		if q.Rules == nil {
			return
		}
		q.Rules.Objective = []model.Measure{model.MeasureCost}
		most := int64(model.MaxSum) / int64(2*len(q.Buffers)+2)
		for k := range q.Buffers {
			b := &q.Buffers[k]
			if c.old[k] == away || c.mine[k] || c.pool == nil {
				continue
			}
			x := model.Extra{}
			if b.Extra != nil {
				x = *b.Extra
			}
			for pool := range c.pools {
				if pool != c.oldPool[k] {
					x.Costs = append(x.Costs, model.PoolCost{Pool: pool, Cost: min(c.s.o.cost(b), most)})
				}
			}
			b.Extra = &x
		}
	})
}

// fresh is the step fresh.
func (c *call) fresh() (Answer, placing, error) {
	return c.whole(c.s.planner, max(c.s.o.NodeLimit-c.nodes, c.s.o.NodeLimit/hintsPart), true, hintNone)
}

// whole plans all buffers again. If they are as free as the rules leave them, a planner's proof that there is no plan
// counts.
func (c *call) whole(
	planner run.Planner, nodes int64, free bool, edit func(q *model.Problem),
) (Answer, placing, error) {
	r, err := c.question(c.alone, planner, nodes, nil, edit)
	if err != nil {
		return Answer{}, placing{}, err
	}
	if r.status == model.Infeasible && free {
		return Answer{Status: r.status, Proof: r.proof}, placing{}, nil
	}
	if r.plan.at != nil {
		c.moveBack(r.plan)
	}
	return Answer{}, r.plan, nil
}

// lowest plans all buffers as low as the planner finds. The answer is Infeasible, or says nothing.
func (c *call) lowest(hints bool, nodes int64) (placing, Answer, error) {
	if c.watch.Over() {
		return placing{}, Answer{}, nil
	}
	q := c.s.p
	q.Buffers = slices.Clone(q.Buffers)
	if hints {
		c.hintOld(&q, c.alone, nil)
	} else {
		hintNone(&q)
	}
	r, err := c.ask(&q, c.s.planner, true, nodes)
	switch {
	case err != nil:
		return placing{}, Answer{}, err
	case c.refusal != nil:
		return placing{}, Answer{}, c.refusal
	case r.Status == model.Infeasible:
		return placing{}, Answer{Status: r.Status, Proof: c.ground.proof(&q, &r, c.s.planner), Nodes: c.nodes}, nil
	case !r.Status.HasPlan() || c.watch.Over():
		return placing{}, Answer{Enough: c.enough, Nodes: c.nodes}, nil
	}
	p := placing{at: r.Offsets}
	if c.s.pool != nil {
		p.pool = make([]int32, len(r.Offsets))
		copy(p.pool, r.Pools)
	}
	return p, Answer{}, nil
}

// open plans a session that begins.
func (c *call) open() (Answer, error) {
	if proof := c.ground.atOnce(); proof != nil {
		return Answer{Status: model.Infeasible, Proof: proof}, nil
	}
	c.homeless = c.alone
	p, a, err := c.lowest(true, c.s.o.NodeLimit)
	if err != nil || p.at == nil {
		return a, err
	}
	return c.adopt(Fresh, Answer{}, p)
}
