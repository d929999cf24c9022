package learn

import (
	"context"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: how many placements of a path can stand? The exact planner is asked
// whether the partition fits with the first k of them as fixed offsets. Fewer
// placements can only help, so the greatest such k is found by bisection.
//
// Each plan that the exact planner finds is kept: a path that agrees with it on
// its first k placements can stand up to there without another question. Most
// questions of a search are answered that way, since its paths share prefixes.
//
// Complexity: O(log(depth)) exact searches a path, each under a node limit.
//
// Source: section 6.3 of the paper, which suggests the bisection and the cache.

// An oracle answers for one partition and capacity.
type oracle struct {
	buffers  []int32 // indices in the problem
	local    map[int32]int32
	problem  model.Problem // the partition
	capacity int64
	nodes    int64     // limit of one question
	plans    [][]int64 // known plans, by local number
	asked    int64
	spent    int64               // nodes of the exact planner, one for each question besides
	dead     map[uint64]int64    // sets of placements that are refuted and by how many nodes, lookahead.go
	open     map[uint64]struct{} // sets that were not
}

// newOracle prepares a partition.
func newOracle(tl *timeline.Timeline, part *timeline.Partition, capacity, nodes int64) *oracle {
	o := &oracle{buffers: part.Buffers, local: make(map[int32]int32, len(part.Buffers)), capacity: capacity, nodes: nodes}
	for j, i := range part.Buffers {
		o.problem.Buffers = append(o.problem.Buffers, tl.Problem.Buffers[i])
		o.local[i] = int32(j)
	}
	return o
}

// deepest returns the greatest number of placements, from the first on, with
// which the partition still fits; ok is false where a limit leaves that open.
func (o *oracle) deepest(ctx context.Context, path []tela.Placement) (count int32, ok bool) {
	low, high := o.known(path), int32(len(path)+1) // low stands, high does not
	for low+1 < high {
		k := low + (high-low)/2
		stands, ok := o.stands(ctx, path[:k])
		if !ok {
			return 0, false
		}
		if stands {
			low = k
		} else {
			high = k
		}
	}
	return low, low >= 0
}

// known returns how many placements a known plan shares with the path at most, -1
// where no plan is known.
func (o *oracle) known(path []tela.Placement) int32 {
	most := int32(-1)
	for _, p := range o.plans {
		k := int32(0)
		for k < int32(len(path)) && p[o.local[path[k].Buffer]] == path[k].Offset {
			k++
		}
		most = max(most, k)
	}
	return most
}

// stands reports whether the partition fits with all placements of the path.
func (o *oracle) stands(ctx context.Context, path []tela.Placement) (stands, ok bool) {
	o.asked++
	p := model.Problem{Buffers: append([]model.Buffer(nil), o.problem.Buffers...)}
	for k := range path {
		p.Buffers[o.local[path[k].Buffer]].Fixed = &path[k].Offset
	}
	r, err := run.Run(ctx, &engine.Planner{}, timeline.New(&p), plan.Options{Capacity: o.capacity, NodeLimit: o.nodes})
	o.spent += r.Stats.Nodes + 1
	switch {
	case err != nil || r.Status == model.Unknown:
		return false, false
	case r.Status == model.Infeasible:
		return false, true
	}
	o.plans = append(o.plans, r.Offsets)
	return true, true
}

// A Guide is a policy that goes where the exact planner says: to the deepest
// target that can be completed. Nothing learned can do much better, so it tells
// what a model could win. It is made for one timeline.
type Guide struct {
	ctx     context.Context
	tl      *timeline.Timeline
	nodes   int64
	oracles map[int]*oracle // by partition
	// unanswered counts the questions that were too hard for the exact planner.
	unanswered int
}

// patience is the number of questions without an answer after which an input is
// not asked about any more: they take long, and there will be more of them.
const patience = 10

// NewGuide returns a guide that spends at most so many nodes of the exact planner
// on a question; where that is not enough tela's rules decide.
func NewGuide(ctx context.Context, tl *timeline.Timeline, nodes int64) *Guide {
	return &Guide{ctx: ctx, tl: tl, nodes: nodes, oracles: map[int]*oracle{}}
}

// deepest returns the greatest number of placements on the path with which the
// partition still fits; ok is false where that is not known.
func (g *Guide) deepest(m *tela.Major, path []tela.Placement) (count int32, ok bool) {
	if g.unanswered >= patience {
		return 0, false
	}
	x := g.oracles[m.Partition]
	if x == nil {
		x = newOracle(g.tl, &g.tl.Partitions[m.Partition], m.Capacity, g.nodes)
		g.oracles[m.Partition] = x
	}
	if count, ok = x.deepest(g.ctx, path); !ok {
		g.unanswered++
	}
	return count, ok
}

// Choose returns the deepest target that can be completed.
func (g *Guide) Choose(m *tela.Major) int {
	minimum, ok := g.deepest(m, m.Path(nil))
	if !ok {
		return tela.Rules
	}
	return nearest(m, minimum)
}

// Solved does nothing.
func (*Guide) Solved(int, []tela.Placement) {}

// nearest returns the deepest target that is no deeper than the minimum.
func nearest(m *tela.Major, minimum int32) int {
	best := tela.Rules
	for k := range m.Targets {
		if m.Targets[k].Point <= minimum {
			best = k
		}
	}
	return best
}
