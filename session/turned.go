package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: exact search and merge build a plan from the ground up. A pinned buffer high above is out of their sight until they come
// there, and room that is left under it is lost. So the last question is asked upside down too: offset o of a buffer becomes
//
//	capacity - size - o
//
// Then a pin near the capacity is one near the ground. A plan of either problem is one of the other, and so is a proof that there
// is none.
//
// Complexity: that of the planners, within exactNodes and mergeNodes times the node limit.
//
// Measured, on 63 changes of A, D, E and K that no other step decided: without their pins exact search plans 49 in at most 20,000
// nodes, mostly in fewer than 2,000. With the pins it plans 2 of 63 in 5,000 nodes and 4 upside down; merge plans 5 and
// 8; all together 13. Such plans move most of the bytes, so they come last.
// Tried and dropped: the problem within the life of the changed buffer, which exact search mostly plans at once, and never
// refutes (A and K); climb, which plans none.

// mergeNodes is how many times the node limit merge has.
const mergeNodes = 10

// turned asks exact search upside down, and merge both ways.
func (c *call) turned() (Answer, []int64, error) {
	s := c.s
	for _, q := range [...]struct {
		planner string
		nodes   int64
		turn    bool
	}{
		{"exact", c.exactly(len(c.at)), true},
		{"merge", mergeNodes * min(s.o.NodeLimit, model.MaxSum/mergeNodes), false},
		{"merge", mergeNodes * min(s.o.NodeLimit, model.MaxSum/mergeNodes), true},
	} {
		if c.watch.Over() {
			break
		}
		p := &model.Problem{Capacity: s.p.Capacity, Buffers: slices.Clone(s.p.Buffers)}
		if q.turn && !turn(p) {
			continue
		}
		planner, err := run.Lookup(q.planner)
		if err != nil {
			return Answer{}, nil, err
		}
		r, err := c.ask(p, planner, false, q.nodes)
		if err != nil {
			return Answer{}, nil, err
		}
		if r.Status == model.Infeasible {
			return Answer{Status: model.Infeasible, Proof: &Proof{Why: BySearch, Capacity: s.p.Capacity, By: q.planner, LowestPossible: r.LowerBound}}, nil, nil
		}
		if !r.Status.HasPlan() {
			continue
		}
		at := slices.Clone(r.Offsets)
		if q.turn {
			for i := range at {
				at[i] = s.p.Capacity - p.Buffers[i].Size - at[i]
			}
		}
		c.moveBack(at)
		return Answer{}, at, nil
	}
	return Answer{}, nil, nil
}

// turn turns a problem upside down. It reports false, and leaves the problem as it was, if there is no capacity, a pin is above
// it, or a buffer has gaps or an alignment.
func turn(p *model.Problem) bool {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if p.Capacity == 0 || len(b.Gaps) > 0 || b.Align() > 1 || b.Fixed != nil && *b.Fixed > p.Capacity-b.Size {
			return false
		}
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Hint = nil
		if b.Fixed != nil {
			at := p.Capacity - b.Size - *b.Fixed
			b.Fixed = &at
		}
	}
	return true
}
