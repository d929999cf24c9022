package learn

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the exact planner refutes most paths that cannot be completed in a few hundred
// nodes. So before a major backtrack it is asked, with so few, which targets are
// refuted. That is a feature of each target, next to those that cost nothing: how far
// beyond the last one that is not refuted it is. Plans that it comes upon are not used:
// it is asked what is lost, not for a way.
//
// Refuted sets of placements are remembered, whatever the order in which they were
// placed; so are the others.
//
// Invariant: what follows a refuted prefix of a path is refuted. A prefix that was too
// hard is taken as not refuted.
//
// Complexity: O(log(targets)) questions of so many nodes each at a major backtrack. They
// count as steps of the search.
//
// Source: ours. The paper has nothing of the kind; its features cost nothing.
//
// Measured (docs/planners/tela.md has the command) on 1,731 backtracks of 32 problems that
// the model had not learned from: the
// deepest target that can be completed is the deepest one that is not refuted with 10
// nodes in 33% of the cases, with 100 in 69%, with 1,000 in 85%; with the model in
// 45%, 67% and 85%, and in 41% where it does not look ahead.
//
// Tried and dropped: the rules' target unless it is refuted, and then the deepest that is
// not (of 42 hard inputs 24 improved and 9 worse with 300 nodes, 27 and 6 with 5,000); the
// deepest that is not refuted, however often it has been gone to before (of 31 hard inputs
// 15 improved and 6 worse with 1,000 nodes and a model, 18 and 3 where to each once).

const (
	// nodesAStep is how many nodes of the exact planner count as one step of tela's: they
	// are about as much faster.
	nodesAStep = 20
	// stepsAQuestion is what it takes to begin with one, in steps.
	stepsAQuestion = 8
	// remembered is the most answers that are kept; then all are forgotten.
	remembered = 1 << 18
)

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
	if o == nil || o.capacity != m.Capacity {
		o = newOracle(l.tl, &l.tl.Partitions[m.Partition], m.Capacity, l.nodes)
		o.dead, o.open = map[uint64]int64{}, map[uint64]struct{}{}
		l.oracles[m.Partition] = o
	}
	return o
}

// refuted reports whether the placements are refuted together, and by how many nodes. It
// remembers the answer.
func (o *oracle) refuted(ctx context.Context, path []tela.Placement) (nodes int64, refuted bool) {
	key := uint64(0)
	for _, p := range path {
		x := uint64(p.Buffer)<<40 ^ uint64(p.Offset)
		key ^= splitmix.Next(&x)
	}
	if nodes, ok := o.dead[key]; ok {
		return nodes, true
	}
	if _, ok := o.open[key]; ok {
		return 0, false
	}
	if len(o.dead)+len(o.open) >= remembered {
		clear(o.dead)
		clear(o.open)
	}
	before := o.spent
	stands, ok := o.stands(ctx, path)
	o.plans = o.plans[:0] // they would be kept for nothing
	if ok && !stands {
		o.dead[key] = o.spent - before
		return o.spent - before, true
	}
	o.open[key] = struct{}{}
	return 0, false
}

// Describe sets the features beyond and effort of the targets, and what that costs.
func (l *Lookahead) Describe(m *tela.Major) {
	o := l.of(m)
	spent, asked := o.spent, o.asked
	path := m.Path(nil)
	effort := float32(0)
	low, high := 0, len(m.Targets) // low is not refuted, as far as is known; high is
	for low+1 < high {
		k := low + (high-low)/2
		if nodes, refuted := o.refuted(l.ctx, path[:m.Targets[k].Point]); refuted {
			high, effort = k, float32(math.Log2(float64(1+nodes)))
		} else {
			low = k
		}
	}
	for k := range m.Targets {
		f := &m.Targets[k].Features
		f[tela.Beyond], f[tela.Effort] = float32(m.Targets[k].Point-m.Targets[low].Point), effort
	}
	m.Cost += (o.spent-spent)/nodesAStep + (o.asked-asked)*stepsAQuestion
}
