package engine

import (
	"context"

	"github.com/stowage-go/stowage/internal/exact/canonical"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: it is not known which order suits a problem, and there are few static orders. A score gives a
// whole space of orders:
//
//	score(j) = total(j)^a · width(j)^b · size(j)^c · noise(j)
//
// A search in a good order finds its plan in hardly more nodes than there are buffers. If it has not
// found one after some multiple of that, it will not. So many short dives reach lower heights than one
// long search, if each order is drawn near the last one that worked.
//
// All dives at a capacity share the memo: a failed state fails under any rank.
//
// Source: Stowage. Restarts with noise are from local search.

// A Diver searches one problem again and again. Close it after use.
type Diver struct {
	e *engine
}

// Score orders the buffers of a dive.
type Score = canonical.Score

// NewDiver prepares a problem.
func NewDiver(ctx context.Context, tl *timeline.Timeline) *Diver {
	e, _ := newEngine(ctx, tl, &plan.Options{}, common.Limits{}) // no option can be wrong
	return &Diver{e: e}
}

// Close releases the watch on the context.
func (d *Diver) Close() { d.e.watch.Close() }

// Dive searches for a plan within the capacity, with at most limit nodes for each partition and most in all. It returns
// the nodes that it took. The plan is nil if it found none. through says that no further dive would find one either.
func (d *Diver) Dive(capacity int64, s *Score, limit, most int64) (offsets []int64, nodes int64, through bool) {
	e := d.e
	for _, p := range e.byPeak {
		k := e.kernel(int(p))
		if k == nil || !k.SetCapacity(capacity) {
			return nil, nodes, true
		}
		k.OrderBy(s)
		r := k.Run(capacity, "", len(e.orders), min(limit, most-nodes))
		nodes += k.Nodes
		k.Nodes, k.Backtracks = 0, 0
		if r != common.Solved {
			return nil, nodes, r == common.Exhausted
		}
		e.keep(int(p), k.Plan())
	}
	return e.offsets(), nodes, false
}
