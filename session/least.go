package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: if few buffers could move at all, every set of them can be asked about: may these move, and no others? The sets
// are asked in the order of their movement, so the first that has a plan moves least, and that is
// proven. First comes the set of all: if that has no plan, there is none.
//
// Which buffers could move: those tied to the call by a chain of lifespans that meet. All others are out of the question,
// since what they do says nothing about the buffers of the call.
//
// A set without a plan rules out all sets within it. So most sets are never asked.
//
// Complexity: at most 2^leastMost questions of exact search, each about few buffers.

// leastMost is the largest number of buffers that could move for which all sets are asked. A question takes ten to thirty
// microseconds.
const leastMost = 7

// leastNodes limits each question, in nodes of exact search. Questions of so few buffers need some tens.
const leastNodes = 5_000

// least is the step repair for few buffers.
func (c *call) least() (Answer, []int64, error) {
	component, movable, ok := c.component()
	if !ok {
		return Answer{}, nil, nil
	}
	exact, err := run.Lookup("exact")
	if err != nil {
		return Answer{}, nil, err
	}
	all := uint32(1)<<len(movable) - 1
	at, status, err := c.mayMove(exact, component, movable, all)
	if err != nil || status == model.Unknown {
		return Answer{}, nil, err
	}
	if status == model.Infeasible {
		return Answer{Status: model.Infeasible, Proof: &Proof{Why: BySearch, Capacity: c.s.p.Capacity, By: "exact", LowestPossible: c.s.p.Capacity + 1}}, nil, nil
	}
	proven := true
	var ruledOut []uint32
	moves := make([]Movement, len(movable))
	for k, i := range movable {
		moves[k].add(c.s.cost(i), &c.s.p.Buffers[i])
	}
	for _, set := range byMovement(moves) {
		if set == all {
			break
		}
		if c.watch.Over() {
			return Answer{}, nil, nil
		}
		if slices.ContainsFunc(ruledOut, func(no uint32) bool { return set&^no == 0 }) {
			continue
		}
		found, status, err := c.mayMove(exact, component, movable, set)
		if err != nil {
			return Answer{}, nil, err
		}
		if status.HasPlan() {
			at = found
			break
		}
		if status == model.Unknown {
			proven = false
			continue
		}
		ruledOut = append(ruledOut, set)
	}
	return Answer{Least: proven}, at, nil
}

// component returns the buffers that are tied to those to place, and which of them could move. ok is false if these
// are too many.
func (c *call) component() (component, movable []int32, ok bool) {
	s := c.s
	in := make([]bool, len(s.at))
	for _, i := range c.homeless {
		in[i] = true
		component = append(component, i)
	}
	for k := 0; k < len(component); k++ {
		l := s.life[component[k]]
		for j, m := range s.life {
			if in[j] || m.lower >= l.upper || l.lower >= m.upper {
				continue
			}
			in[j] = true
			component = append(component, int32(j))
			if s.p.Buffers[j].Fixed == nil && !c.mine[j] {
				if movable = append(movable, int32(j)); len(movable) > leastMost {
					return nil, nil, false
				}
			}
		}
	}
	// Buffers that lost their place but are not of the call count as moved, whatever happens.
	slices.Sort(component)
	slices.Sort(movable)
	return component, movable, true
}

// byMovement returns all sets of what could move in the order of their movement.
func byMovement(moves []Movement) []uint32 {
	sets := make([]uint32, 1<<len(moves))
	sums := make([]Movement, len(sets))
	for set := range sets {
		sets[set] = uint32(set)
		for k := range moves {
			if set>>k&1 > 0 {
				sums[set].Cost = min(sums[set].Cost+moves[k].Cost, model.MaxSum)
				sums[set].Buffers += moves[k].Buffers
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b uint32) int {
		switch x, y := &sums[a], &sums[b]; {
		case x.less(y):
			return -1
		case y.less(x):
			return 1
		}
		return int(a) - int(b)
	})
	return sets
}

// mayMove asks exact search for a plan of a component. Only the buffers of the call and those in set may move.
func (c *call) mayMove(exact run.Planner, component, movable []int32, set uint32) ([]int64, model.Status, error) {
	s := c.s
	p := &model.Problem{Capacity: s.p.Capacity, Buffers: make([]model.Buffer, 0, len(component))}
	for _, i := range component {
		b := s.p.Buffers[i]
		if k, held := slices.BinarySearch(movable, i); held && set>>k&1 == 0 {
			b.Fixed = &c.old[i]
		}
		p.Buffers = append(p.Buffers, b)
	}
	r, err := c.ask(p, exact, false, leastNodes)
	if err != nil || !r.Status.HasPlan() {
		return nil, r.Status, err
	}
	at := slices.Clone(c.at)
	for k, i := range component {
		at[i] = r.Offsets[k]
	}
	return at, r.Status, nil
}
