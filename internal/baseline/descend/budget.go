package descend

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a search counts its nodes here; the count alone decides when the node
// limit is reached and when the clock and the context are looked at, so that a
// run without them is the same every time.

// pollEvery is the number of nodes between looks at the context.
const pollEvery = 256

// A Budget counts nodes against the limits of a run.
type Budget struct {
	// Nodes and Backtracks are the effort so far.
	Nodes, Backtracks int64

	ctx         context.Context
	o           plan.Options
	start       time.Time
	over        bool
	best, bound int64
}

// NewBudget starts the budget of a run.
func NewBudget(ctx context.Context, o plan.Options) *Budget {
	return &Budget{ctx: ctx, o: o, start: time.Now()}
}

// Spend counts a node and reports whether the search may go on.
func (b *Budget) Spend() bool {
	b.Nodes++
	if b.o.NodeLimit > 0 && b.Nodes > b.o.NodeLimit {
		b.Nodes--
		b.over = true
	} else if b.Nodes%pollEvery == 0 {
		b.poll()
	}
	return !b.over
}

// Over reports whether a limit has been reached; it looks at the context.
func (b *Budget) Over() bool {
	if b.o.NodeLimit > 0 && b.Nodes >= b.o.NodeLimit {
		b.over = true
	}
	if !b.over {
		b.poll()
	}
	return b.over
}

// Poll looks at the context, for nodes that take long, and reports whether the
// search may go on.
func (b *Budget) Poll() bool {
	b.poll()
	return !b.over
}

func (b *Budget) poll() {
	if b.ctx.Err() != nil {
		b.over = true
	}
	if b.Nodes%(64*pollEvery) == 0 {
		b.progress()
	}
}

// progress reports to the caller, where one listens.
func (b *Budget) progress() {
	if b.o.Progress != nil {
		b.o.Progress(plan.Progress{Height: b.best, LowerBound: b.bound, Nodes: b.Nodes, Elapsed: time.Since(b.start)})
	}
}
