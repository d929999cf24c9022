package poolchoice

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: if the cheapest assignment by the loads does not pack, most of it does. All bodies that have a pool without a
// capacity begin there. Then as many bodies as possible go where that assignment has them. Those that save most for
// their bytes and time come first. The planner is asked about all at once. If it finds no plan, it is asked about the
// first half, and then about the second half beside what is there by now, and so on down to single bodies.
//
// Invariant: what is kept packs. The loads always fit, as less than the assignment is there.
//
// Complexity: at most growAsks questions, each with growNodes. A body that cannot come costs about the logarithm of the
// number of bodies.
//
// Trials: docs/lab/ruled.md (of 33 choices nine come nearer to the bound and none moves away).
//
// Source: group testing (Dorfman 1943), by halves (Hwang 1972).

const (
	growAsks  = 200
	growNodes = 4_000
)

// grow builds up an assignment that packs.
func (x *packing) grow(ctx context.Context) error {
	ctx, cancel := run.Share(ctx, 3)
	defer cancel()
	first, of := x.first, slices.Clone(x.first)
	var come []int32
	for k := range of {
		b := &x.loads.Bodies[x.loads.Single+k]
		for n, q := range b.Pools {
			if x.lowering.Pools[q].Capacity == 0 && n > int(of[k]) {
				of[k] = int32(n)
				come = append(come, int32(k))
				break
			}
		}
	}
	worth := make([]float64, len(of))
	for _, k := range come {
		b := &x.loads.Bodies[x.loads.Single+int(k)]
		worth[k] = float64(b.Costs[of[k]]-b.Costs[first[k]]) / float64(max(1, b.Area()))
	}
	slices.SortStableFunc(come, func(a, b int32) int { return cmp.Compare(worth[b], worth[a]) })
	left, nodes := x.left, x.nodes
	x.left, x.nodes = growAsks, growNodes
	defer func() { x.left, x.nodes = left, nodes }()
	return x.admit(ctx, of, first, come)
}

// admit moves as many of these bodies as it can to where first has them.
func (x *packing) admit(ctx context.Context, of, first assign.Assignment, come []int32) error {
	if len(come) == 0 || x.left <= 0 || x.plans.Over(ctx) {
		return nil
	}
	before := make([]int32, len(come))
	for n, k := range come {
		before[n], of[k] = of[k], first[k]
	}
	failed, err := x.try(ctx, of)
	if err != nil || failed < 0 {
		return err
	}
	for n, k := range come {
		of[k] = before[n]
	}
	if len(come) == 1 {
		return nil
	}
	half := len(come) / 2
	if err := x.admit(ctx, of, first, come[:half]); err != nil {
		return err
	}
	return x.admit(ctx, of, first, come[half:])
}
