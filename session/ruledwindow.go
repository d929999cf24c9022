package session

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: window.go and spare.go with rules. A window frees the bodies near in time. All others that conflict with a free
// one are held in their places and pools. The step hints asks twice: first each body keeps its pool, then a body may leave it at the cost of its
// movement, which the planner minimises.
//
// Complexity: that of the planner, within a part of the node limit for each question.

// proof says who proved that there is no plan of a problem.
func (c *ruling) proof(p *model.Problem, r *plan.Result, planner run.Planner) *Proof {
	return byRules(p, cmp.Or(r.ProvedBy, planner.Name()))
}

// everything returns all indices.
func (c *ruling) everything() []int {
	all := make([]int, len(c.at))
	for i := range all {
		all[i] = i
	}
	return all
}

func nobody(int32) bool { return false }

// exactly returns how many nodes exact search has for n buffers.
func (c *ruling) exactly(n int) int64 {
	return min(exactNodes*min(c.s.o.NodeLimit, model.MaxSum), max(1, exactWork/int64(max(n, 1))))
}

// ahead asks exact search about all that could be in the way. It returns only a proof; a plan is kept as a spare one.
func (c *ruling) ahead() (Answer, *placing, error) {
	exact, err := run.Lookup("exact")
	if err != nil {
		return Answer{}, nil, err
	}
	all, _ := c.chain()
	p, status, proof, err := c.question(all, exact, c.exactly(len(all)), nobody, nil)
	if p != nil {
		c.moveBack(p)
		c.spare = p
	}
	return Answer{Status: infeasible(status), Proof: proof}, nil, err
}

// infeasible leaves nothing of a status but a proof.
func infeasible(s model.Status) model.Status {
	if s == model.Infeasible {
		return s
	}
	return model.Unknown
}

// spared takes the spare plan, if there is one.
func (c *ruling) spared() (Answer, *placing, error) { return Answer{}, c.spare, nil }

// window is the step window.
func (c *ruling) window() (Answer, *placing, error) {
	near := c.near()
	loose := make([]bool, len(c.at))
	for _, body := range c.homeless {
		c.loosen(loose, body)
	}
	for from, free := 0, windowFirst; free < len(near) && !c.watch.Over(); free *= windowGrow {
		for ; from < free; from++ {
			c.loosen(loose, near[from])
		}
		all := c.around(loose)
		nodes := c.s.o.NodeLimit / windowPart
		if c.s.windows != c.s.planner {
			nodes = c.exactly(len(all))
		}
		p, _, _, err := c.question(all, c.s.windows, nodes, func(i int32) bool { return !loose[i] }, func(q *model.Problem) {
			for k, i := range all {
				if loose[i] {
					c.hint(&q.Buffers[k], i)
				}
			}
		})
		if err != nil {
			return Answer{}, nil, err
		}
		if p != nil {
			c.moveBack(p)
			return Answer{}, p, nil
		}
	}
	return Answer{}, nil, nil
}

// loosen frees a body.
func (c *ruling) loosen(loose []bool, body int32) {
	for _, i := range c.members(body) {
		loose[i] = true
	}
}

// hint makes the old offset of a buffer its hint.
func (c *ruling) hint(b *model.Buffer, i int) {
	if c.old[i] != away {
		b.Hint = &c.old[i]
	}
}

// near returns the bodies that could move, the nearest in time to those to place first.
func (c *ruling) near() []int32 {
	b := c.p.Buffers
	first := c.members(c.homeless[0])[0]
	lower, upper := b[first].Lower, b[first].Upper
	for _, body := range c.homeless {
		for _, i := range c.members(body) {
			lower, upper = min(lower, b[i].Lower), max(upper, b[i].Upper)
		}
	}
	var near []int32
	distance := map[int32]int64{}
	for k := range c.at {
		body := c.of(int32(k))
		if _, pinned := c.pinned(body); pinned || c.at[k] == away {
			continue
		}
		d := max(b[k].Lower-upper+1, lower-b[k].Upper+1, 0)
		if old, there := distance[body]; !there {
			near = append(near, body)
			distance[body] = d
		} else {
			distance[body] = min(d, old)
		}
	}
	slices.SortStableFunc(near, func(a, b int32) int { return cmp.Compare(distance[a], distance[b]) })
	return near
}

// around returns the loose buffers and those that conflict with one, ascending.
func (c *ruling) around(loose []bool) (all []int) {
	in := slices.Clone(loose)
	for i := range loose {
		for j := range in {
			if loose[i] && !in[j] && c.conflicts.Conflict(i, j) {
				in[j] = true
			}
		}
	}
	for i := range in {
		if in[i] {
			all = append(all, i)
		}
	}
	return all
}

// held is the first part of hints: every body that has a place keeps its pool.
func (c *ruling) held() (Answer, *placing, error) {
	if len(c.pools) == 1 {
		return Answer{}, nil, nil
	}
	return c.whole(c.s.o.NodeLimit/(2*hintsPart), false, func(q *model.Problem) {
		for k := range q.Buffers {
			b := &q.Buffers[k]
			if c.hint(b, k); c.at[k] != away {
				x := copied(*b)
				setPools(&x, []int32{c.pool[k]})
				*b = x
			}
		}
	})
}

// hints is the second part: a body may leave its pool, at the cost of its movement.
func (c *ruling) hints() (Answer, *placing, error) {
	return c.whole(c.s.o.NodeLimit/hintsPart, true, func(q *model.Problem) {
		q.Rules.Objective = []model.Measure{model.MeasureCost}
		most := int64(model.MaxSum) / int64(2*len(q.Buffers)+2)
		for k := range q.Buffers {
			b := &q.Buffers[k]
			if c.hint(b, k); c.old[k] == away || c.mine[k] || len(c.pools) == 1 {
				continue
			}
			x := model.Extra{}
			if b.Extra != nil {
				x = *b.Extra
			}
			for pool := range int32(len(c.pools)) {
				if pool != c.oldPool[k] {
					x.Costs = append(x.Costs, model.PoolCost{Pool: pool, Cost: min(c.s.o.cost(b), most)})
				}
			}
			b.Extra = &x
		}
	})
}

// fresh is the step fresh.
func (c *ruling) fresh() (Answer, *placing, error) {
	return c.whole(max(c.s.o.NodeLimit-c.nodes, c.s.o.NodeLimit/hintsPart), true, func(q *model.Problem) {
		for k := range q.Buffers {
			q.Buffers[k].Hint = nil
		}
	})
}

// whole plans all buffers again. If they are free to go to any pool, a planner's proof that there is no plan counts.
func (c *ruling) whole(nodes int64, free bool, edit func(q *model.Problem)) (Answer, *placing, error) {
	p, status, proof, err := c.question(c.everything(), c.s.planner, nodes, nobody, edit)
	if err != nil {
		return Answer{}, nil, err
	}
	if status == model.Infeasible && free {
		return Answer{Status: status, Proof: proof}, nil, nil
	}
	if p != nil {
		c.moveBack(p)
	}
	return Answer{}, p, nil
}

// lowest plans all buffers as low as the planner finds. The places are in c.at and c.pool if the status is Feasible.
func (c *ruling) lowest(hints bool, nodes int64) (Answer, error) {
	if c.watch.Over() {
		return Answer{}, nil
	}
	q := *c.p
	q.Buffers = slices.Clone(q.Buffers)
	for k := range q.Buffers {
		if hints {
			c.hint(&q.Buffers[k], k)
		} else {
			q.Buffers[k].Hint = nil
		}
	}
	r, err := c.ask(&q, c.s.planner, true, nodes)
	switch {
	case err != nil:
		return Answer{}, err
	case c.refusal != nil:
		return Answer{}, c.refusal
	case r.Status == model.Infeasible:
		return Answer{Status: r.Status, Proof: c.proof(&q, &r, c.s.planner), Nodes: c.nodes}, nil
	case !r.Status.HasPlan() || c.watch.Over():
		return Answer{Nodes: c.nodes}, nil
	}
	c.at, c.pool = slices.Clone(r.Offsets), make([]int32, len(r.Offsets))
	copy(c.pool, r.Pools)
	return Answer{Status: model.Feasible, Step: Fresh, Moved: c.movement(c.at, c.pool), Nodes: c.nodes}, nil
}
