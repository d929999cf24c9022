package pairwise

import "github.com/stowage-go/stowage/model"

// Idea: orders that form a cycle, a below b below c below a, raise their lower bounds for ever. The package bound has
// the two facts that prove it (bound/passes.go). This file looks for such a cycle. If a propagation takes more steps
// than it should, the chain of pushes that led to the last step is walked back. A bound that comes twice on the chain
// has pushed itself up along literals that hold. These literals are a contradiction, whatever the bounds, if their
// distances add up to more than 0, or if the bound has risen by the period of the alignments.
//
// Invariant: the value of an entry is that of the entry that pushed it plus the
// distance of the literal, rounded up: the walk sees the map itself.
//
// Complexity: a walk costs the length of the chain. It comes after so many steps that its cost is small beside them,
// and the next one comes after twice as many. After as many passes as there are bounds, each chain has some bound
// twice, so no cycle is missed for long.
//
// Source: negative cycles by walks to the root (Cherkassky and Goldberg 1999).
//
// Trials: docs/lab/planners.md (counting the rises of each bound costs more and still needs the walk).

// watchCycles sets when the propagation that begins has taken too many steps.
func (e *Engine) watchCycles() {
	e.stride = 2*len(e.value) + 64
	e.alarm = len(e.trail) + e.stride
}

// cyclic looks for a contradiction among the pushes that led to the last entry.
// If there is one, e.cycle has its literals.
func (e *Engine) cyclic() bool {
	e.stride *= 2
	e.alarm = len(e.trail) + e.stride
	if e.met == nil {
		e.met, e.metSum = make([]int32, len(e.value)), make([]int64, len(e.value))
	}
	found, sum := false, int64(0)
	last := int32(len(e.trail) - 1)
	t := last
	for {
		step := &e.trail[t]
		if e.met[step.v] == 0 {
			e.met[step.v], e.metSum[step.v] = t+1, sum
		} else if young := e.met[step.v] - 1; sum-e.metSum[step.v] > 0 || e.trail[young].value-step.value >= e.period {
			found = true
			for y := young; y != t; y = e.trail[y].a {
				e.cycle = append(e.cycle, e.trail[y].why)
			}
		}
		if found || !e.pushed(t) || sum < -model.MaxSum {
			break
		}
		sum += e.distanceOf(step.why)
		t = step.a
	}
	for y := last; ; y = e.trail[y].a {
		e.met[e.trail[y].v] = 0
		if y == t {
			return found
		}
	}
}

// pushed reports whether an entry is a bound that another has pushed.
func (e *Engine) pushed(t int32) bool {
	return int(t) >= len(e.value) && e.trail[t].v >= 0 && e.trail[t].why != decided
}
