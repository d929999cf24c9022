package engine

import "github.com/stowage-go/stowage/plan"

// Idea: where decomposition has left a component of one section, its buffers are
// live at the same moments, rest on the same top, and can only be stacked. All
// orders give the same height but for the topmost buffer, which takes no more
// than its own size where the others take theirs rounded up to the alignment. So
// the component fits exactly where some buffer has room on top of the others,
// and no search is needed: n placements of O(n) each become one pass.
//
// It is a part of the technique decomposition. It does not hold where a buffer is
// fixed, where alignments differ, or where windows do.
//
// Complexity: O(buffers).

// isStack reports whether the component can be stacked as it is.
func (k *kernel) isStack(c component) bool {
	return c.last-c.first == 1 && k.stackable && k.sw.decomposition
}

// stack stacks a component of one section in the order of its buffers, but for
// the one that goes on top.
func (k *kernel) stack(c component) outcome {
	list := k.listOf(c)
	at := k.lb[list[0]]
	total := k.total[c.first]
	topmost := nobody
	for i := len(list) - 1; i >= 0; i-- {
		if j := list[i]; at+total-k.size[j] <= k.of[j].ub {
			topmost = j
			break
		}
	}
	if topmost == nobody {
		k.backtracks++
		k.proof.refuted()
		return exhausted
	}
	for _, j := range list {
		if j != topmost {
			k.best[j] = at
			at += k.size[j]
		}
	}
	k.best[topmost] = at
	if k.tell != nil {
		for _, j := range list {
			k.say(plan.MovePlace, j)
		}
	}
	return solved
}
