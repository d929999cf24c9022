package canonical

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/plan"
)

// Idea: decomposition may leave a component of one section. Its buffers are live at the same moments and
// rest on the same top, so they can only be stacked. All orders give the same height, except for the topmost
// buffer: that one takes only its own size, while the others are rounded up to the alignment. So the component
// fits exactly if some buffer t has room on top of all others:
//
//	lb + sum over j other than t of size(j) <= ub(t)
//
// No search is needed. One pass replaces n placements of O(n) each.
//
// This is a part of the technique decomposition. It does not hold if a buffer is fixed, if alignments differ,
// or if there are windows.
//
// Complexity: O(buffers).

// isStack reports whether the component can be stacked as it is.
func (k *Kernel) isStack(c component) bool {
	return c.last-c.first == 1 && k.stackable && k.sw.Decomposition
}

// stack stacks a component of one section. The buffers keep their order, except for the topmost one.
func (k *Kernel) stack(c component) common.Outcome {
	list := k.listOf(c)
	at := k.lb[list[0]]
	total := k.total[c.first]
	topmost := common.Nobody
	for i := len(list) - 1; i >= 0; i-- {
		if j := list[i]; at+total-k.size[j] <= k.of[j].ub {
			topmost = j
			break
		}
	}
	if topmost == common.Nobody {
		k.Backtracks++
		k.Proof.refuted()
		return common.Exhausted
	}
	for _, j := range list {
		if j != topmost {
			k.best[j] = at
			at += k.size[j]
		}
	}
	k.best[topmost] = at
	if k.Tell != nil {
		for _, j := range list {
			k.say(plan.MovePlace, j)
		}
	}
	return common.Solved
}
