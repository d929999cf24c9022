package engine

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/exact/canonical"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an exhausted search is a tree of questions, each with two answers: does buffer j lie at the offset where it was
// tried, or higher? The tree convinces every reader who draws the conclusions of internal/verify/certificate.go. Those
// are as strong as the inferences here, but they know nothing of canonical plans, orders or parts. Each candidate that
// is tried opens a question. If its placement fails, the next candidate is the next question under the answer "higher".
// If no candidate is left, that answer is refuted.
//
// If a part of a split is solved, it says nothing: its steps are cut off. The part that fails stands for all.
//
// The memo and the fronts cannot be written down, because "this state has failed before" is no reason that a reader
// could follow. Effective sizes are not among the checker's conclusions. So a run that writes a refutation goes without
// these three. It also leaves out partitions with windows: if windows interlock, a different search decides them.
//
// Complexity: 16 bytes a node, in memory.

// Step is a step of a refutation.
type Step = canonical.Step

// A Refutation shows that Buffers do not fit a capacity.
type Refutation struct {
	Buffers []int32 // of the problem
	Steps   []Step
}

// hasWindow reports whether a buffer has a gap in which some of it stays in use. The kernel drops windows that
// say nothing beyond other sections, but a reader of a refutation sees them.
func hasWindow(p *model.Problem) func(i int32) bool {
	return func(i int32) bool {
		return slices.ContainsFunc(p.Buffers[i].Gaps, func(g model.Gap) bool { return g.Window != nil })
	}
}

// Refute looks for a refutation of the capacity that can be written down. Each buffer alone must fit the
// capacity. Refute returns nil if each partition has a plan, if a limit of o or ctx came first, if the
// refutation is too long, or if the reason is in the windows.
func Refute(ctx context.Context, tl *timeline.Timeline, capacity int64, o plan.Options) (*Refutation, error) {
	e, err := newEngine(ctx, tl, &o, common.Limits{})
	if err != nil {
		return nil, err
	}
	defer e.watch.Close()
	e.Memo, e.Fronts, e.EffectiveSizes = false, false, false
	fit := make([]bool, len(e.parts))
	for halves, open := int64(firstRound), true; open && !e.over(); halves = longer(halves) {
		open = false
		for _, p := range e.byPeak {
			k := e.kernel(int(p))
			if k == nil {
				return nil, nil
			}
			if fit[p] || k.Windowed || slices.ContainsFunc(tl.Partitions[p].Buffers, hasWindow(tl.Problem)) {
				continue
			}
			buffers := tl.Partitions[p].Buffers
			for i, order := range e.orders {
				k.Proof = &canonical.Proof{}
				r := k.Run(capacity, order, i, e.within(halves*int64(len(buffers))))
				e.count(&k.Nodes, &k.Backtracks)
				if r == common.Exhausted {
					if k.Proof.Lost {
						return nil, nil
					}
					return &Refutation{buffers, k.Proof.Steps}, nil
				}
				if fit[p] = r == common.Solved; fit[p] || e.over() {
					break
				}
			}
			open = open || !fit[p]
		}
	}
	return nil, nil
}
