package descend

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a search counts its nodes here. The count alone decides when the node limit is reached and when progress is
// reported, so a run without a clock is the same every time. Each node, and whatever takes long within a node, also
// looks at the watch.
//
// After a limit the budget stays over. A propagation that the limit cut off reports a contradiction, though there may
// be none. So from then on the search must not refute anything.

// reportEvery is the number of nodes between reports.
const reportEvery = 1 << 14

// A Budget counts nodes against the limits of a run.
type Budget struct {
	// Nodes and Backtracks are the effort so far.
	Nodes, Backtracks int64
	// Watch is over when the context of the run is.
	Watch *run.Watch

	o           plan.Options
	start       time.Time
	over        bool
	best, bound int64
	offsets     []int64 // of the plan of height best
}

// NewBudget starts the budget of a run; Close ends it.
func NewBudget(ctx context.Context, o plan.Options) *Budget {
	return &Budget{Watch: run.NewWatch(ctx), o: o, start: time.Now()}
}

// Close ends the watch.
func (b *Budget) Close() { b.Watch.Close() }

// Spend counts a node and reports whether the search may go on.
func (b *Budget) Spend() bool {
	if b.Over() {
		return false
	}
	b.Nodes++
	if b.Nodes%reportEvery == 0 {
		b.progress()
	}
	return true
}

// Over reports whether a limit has been reached: whether there is no further node.
func (b *Budget) Over() bool {
	if !b.over {
		b.over = b.o.NodeLimit > 0 && b.Nodes >= b.o.NodeLimit || b.Watch.Over()
	}
	return b.over
}

// Ended reports whether the context has ended. Unlike Over it does not look at the node limit. So a search may finish
// the last node that the limit allows, and what it proves there counts.
func (b *Budget) Ended() bool { return b.Watch.Over() }

// Report tells the caller of a plan of that height, if the caller listens.
func (b *Budget) Report(height, bound int64, offsets []int64) {
	b.best, b.bound, b.offsets = height, bound, offsets
	b.progress()
}

// progress reports to the caller, if the caller listens.
func (b *Budget) progress() {
	if b.o.Progress != nil {
		b.o.Progress(plan.Progress{
			Height: b.best, LowerBound: b.bound, Nodes: b.Nodes, Elapsed: time.Since(b.start), Offsets: b.offsets,
		})
	}
}
