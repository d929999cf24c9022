package engine

import (
	"context"
	"math"

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

// A Score orders buffers, the highest score first. The score is a sum of logarithms: the buffer's
// largest total, its width in sections and its size, each times its weight, plus its own noise.
type Score struct {
	Total, Width, Size float64
	Noise              []float64 // by buffer of the problem
}

// NewDiver prepares a problem.
func NewDiver(ctx context.Context, tl *timeline.Timeline) *Diver {
	e, _ := newEngine(ctx, tl, &plan.Options{}) // no option can be wrong
	return &Diver{e: e}
}

// Close releases the watch on the context.
func (d *Diver) Close() { d.e.watch.Close() }

// Dive searches for a plan within the capacity, with at most limit nodes for each partition. It returns
// the nodes that it took. The plan is nil if it found none. through says that no further dive would find
// one either.
func (d *Diver) Dive(capacity int64, s *Score, limit int64) (offsets []int64, nodes int64, through bool) {
	e := d.e
	for _, p := range e.byPeak {
		k := e.kernel(int(p))
		if k == nil || !k.setCapacity(capacity) {
			return nil, nodes, true
		}
		k.score = func(j common.Buffer, total int64) float64 {
			b := &k.of[j]
			return s.Total*math.Log(float64(total)) + s.Width*math.Log(float64(b.last-b.first)) + s.Size*math.Log(float64(b.rawSize)) + s.Noise[k.id[j]]
		}
		r := k.run(capacity, "", len(e.orders), limit)
		nodes += k.nodes
		k.nodes, k.backtracks = 0, 0
		if r != common.Solved {
			return nil, nodes, r == common.Exhausted
		}
		e.keep(int(p), k.plan())
	}
	return e.offsets(), nodes, false
}
