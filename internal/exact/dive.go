package exact

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: which order suits a problem is not known, and the static ones are few. A score
// of powers of a buffer's total, width and size, with noise on each buffer, is an
// order of a whole space; a search that follows a good one finds its plan in hardly
// more nodes than there are buffers, and one that has not found it in some times as many will
// not. So many short dives in orders drawn near the last that worked go lower than a long
// one.
//
// The memo is shared by all dives at a capacity: what has failed, has under any rank.
//
// Source: Stowage; restarts with noise are from local search.

// A Diver searches a problem again and again. Close it after use.
type Diver struct {
	e *engine
}

// A Score orders buffers, the highest first: by the sum of the logarithms of a buffer's
// largest total, its width in sections and its size, each times its weight, and its own noise.
type Score struct {
	Total, Width, Size float64
	Noise              []float64 // by buffer of the problem
}

// NewDiver prepares a problem.
func NewDiver(ctx context.Context, tl *timeline.Timeline) *Diver {
	e, _ := newEngine(ctx, tl, &plan.Options{}) // no option can be wrong
	return &Diver{e: e}
}

// Close ends it.
func (d *Diver) Close() { d.e.watch.Close() }

// Dive searches for a plan within the capacity in at most limit nodes for each
// partition, of which it returns how many it took. The plan is nil where it has found
// none. It is through where another dive would not find any, either.
func (d *Diver) Dive(capacity int64, s *Score, limit int64) (offsets []int64, nodes int64, through bool) {
	e := d.e
	for _, p := range e.byPeak {
		k := e.kernel(int(p))
		if k == nil || !k.setCapacity(capacity) {
			return nil, nodes, true
		}
		k.score = func(j Buffer, total int64) float64 {
			b := &k.of[j]
			return s.Total*math.Log(float64(total)) + s.Width*math.Log(float64(b.last-b.first)) + s.Size*math.Log(float64(b.rawSize)) + s.Noise[k.id[j]]
		}
		r := k.run(capacity, "", len(e.orders), limit)
		nodes += k.nodes
		k.nodes, k.backtracks = 0, 0
		if r != solved {
			return nil, nodes, r == exhausted
		}
		e.keep(int(p), k.plan())
	}
	return e.offsets(), nodes, false
}
