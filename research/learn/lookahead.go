package learn

import (
	"context"

	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the exact planner refutes most paths that cannot be completed in a few dozen
// nodes. So before a major backtrack it is asked, with so few, how much of the path
// is already refuted: no target within that part is worth going to. What it leaves
// open, the rules or a model decide.
//
// The rules' target is asked about first; only where it is refuted are those above it.
// Refuted sets of placements are remembered, whatever the order in which they were
// placed; so are the others.
//
// Invariant: what follows a refuted prefix of a path is refuted. A prefix that was too
// hard is taken as not refuted.
//
// Complexity: O(log(depth)) questions of so many nodes each at a major backtrack. They
// count as steps of the search, NodesAStep of them as one.
//
// Source: ours. The paper has nothing of the kind; its features cost nothing.
//
// Measured on 42 hard inputs, 200,000 steps: with 300 nodes 24 improved and 9 worse in
// five times the time, with 5,000 nodes 27 and 6 in seventeen times; the oracle with
// 20,000 nodes, 28 and 5.
//
// Tried and dropped: the deepest point that is not refuted, whatever the rules say (of
// 31 hard inputs 10 improved and 11 worse with 100 nodes, 15 and 7 with 1,000).

// NodesAStep is how many nodes of the exact planner count as one step of tela's: they
// are about as much faster.
const NodesAStep = 20

// A Lookahead tells what of a path is refuted. It is made for one timeline.
type Lookahead struct {
	ctx     context.Context
	tl      *timeline.Timeline
	nodes   int64
	oracles map[int]*oracle // by partition
}

// NewLookahead returns one that spends at most so many nodes on a question.
func NewLookahead(ctx context.Context, tl *timeline.Timeline, nodes int64) *Lookahead {
	return &Lookahead{ctx: ctx, tl: tl, nodes: nodes, oracles: map[int]*oracle{}}
}

// of returns what is known of the partition.
func (l *Lookahead) of(m *tela.Major) *oracle {
	o := l.oracles[m.Partition]
	if o == nil {
		o = newOracle(l.tl, &l.tl.Partitions[m.Partition], m.Capacity, l.nodes)
		o.dead, o.open = map[uint64]struct{}{}, map[uint64]struct{}{}
		l.oracles[m.Partition] = o
	}
	return o
}

// refuted reports whether the placements are refuted together. It remembers the answer.
func (o *oracle) refuted(ctx context.Context, path []tela.Placement) bool {
	key := uint64(0)
	for _, p := range path {
		x := uint64(p.Buffer)<<40 ^ uint64(p.Offset)
		key ^= splitmix.Next(&x)
	}
	if _, ok := o.dead[key]; ok {
		return true
	}
	if _, ok := o.open[key]; ok {
		return false
	}
	stands, ok := o.stands(ctx, path)
	if ok && !stands {
		o.dead[key] = struct{}{}
		return true
	}
	o.open[key] = struct{}{}
	return false
}

// A Refuter goes where the rules go, unless the look-ahead has refuted that: then to
// the deepest target that is not refuted. It is what a look-ahead is worth without a
// model.
type Refuter struct {
	Look *Lookahead
	// After is the number of backtracks of a tree up to which the rules are followed.
	After int64
}

// Choose returns the target.
func (r *Refuter) Choose(m *tela.Major) int {
	if m.Backtracks < r.After {
		return tela.Rules
	}
	o := r.Look.of(m)
	before := o.spent
	defer func() { m.Cost += (o.spent - before) / NodesAStep }()
	path := m.Path(nil)
	if !o.refuted(r.Look.ctx, path[:m.Default]) {
		return tela.Rules
	}
	low, high := int32(-1), m.Default // low is not refuted, as far as is known; high is
	for low+1 < high {
		if k := low + (high-low)/2; o.refuted(r.Look.ctx, path[:k]) {
			high = k
		} else {
			low = k
		}
	}
	return nearest(m, low)
}

// Solved does nothing.
func (*Refuter) Solved(int, []tela.Placement) {}
