package tela

import "slices"

// Idea: if the heuristics run out of candidates, they have proven nothing. A search over the orders of pairs is
// complete and decides: if every pair has an order, the least fixpoint of the bounds is a plan.
//
// The search branches on the open pair with the least room, the sum of the room that its two orders leave. It tries
// the order that leaves more room first. After a failure it goes back to the latest level that the failure follows
// from. The earlier levels that it follows from are kept as the reason for the other order of that level.
//
// Invariant: node k of the stack is level k+1 of the engine; if it is flipped, its other order is refuted given the
// levels in its reason, all of them below k+1. So a failure that follows from no level is a proof.
//
// Complexity: O(open pairs) a node, exponentially many nodes. It is meant for
// problems that the heuristics all but decide.
//
// Source: the encoding of section 5.1, with conflict-directed backjumping.

// An orderNode is an order that is decided.
type orderNode struct {
	literal int32
	flipped bool
	reason  []int32 // levels that refute the other order, ascending; valid where flipped
}

// complete decides whether the partition fits, given the engine at its root.
func (s *search) complete() outcome {
	var stack []orderNode
	var conflict []int32
	for {
		p := s.tightest()
		if p < 0 {
			return found
		}
		node := orderNode{literal: p}
		for {
			if !s.limits.spend() {
				s.engine.PopTo(0)
				return limited
			}
			if s.decide(&stack, node) {
				break
			}
			conflict = s.engine.Conflict(conflict[:0])
			for {
				if len(conflict) == 0 {
					s.engine.PopTo(0)
					return s.limits.proven()
				}
				latest := conflict[len(conflict)-1]
				failed := stack[latest-1]
				conflict = conflict[:len(conflict)-1]
				s.engine.PopTo(int(latest) - 1)
				stack = stack[:latest-1]
				if !failed.flipped {
					node = orderNode{failed.literal ^ 1, true, slices.Clone(conflict)}
					break
				}
				conflict = append(conflict, failed.reason...)
				slices.Sort(conflict)
				conflict = slices.Compact(conflict)
			}
		}
	}
}

// decide pushes an order and reports whether no contradiction shows.
func (s *search) decide(stack *[]orderNode, node orderNode) bool {
	*stack = append(*stack, node)
	s.limits.counters.Nodes++
	return s.engine.Order(node.literal)
}

// tightest returns the literal to try first of the open pair with the least room, or -1 if every pair has its order.
func (s *search) tightest() int32 {
	best, least := int32(-1), int64(0)
	for p := range int32(s.engine.Pairs()) {
		if s.engine.Decided(p) >= 0 {
			continue
		}
		x, y := s.engine.Slack(2*p), s.engine.Slack(2*p+1)
		if sum := x + y; best < 0 || sum < least {
			best, least = 2*p, sum
			if y > x {
				best++
			}
		}
	}
	return best
}
