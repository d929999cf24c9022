package merge

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: a problem that is nearly full leaves one or two hundred composites. The three orders of exact search are not
// enough for these: success depends on which composite is placed first. So composites are planned by dives, short
// searches in orders drawn at random (engine.Diver). A dive that lowers the plan shows which orders are good for this
// problem. Three of four later orders are drawn near it, most of them so near that only a few composites change places.
// After a success, dives aim further below the lowest plan.
//
// Noise belongs to buffers, and a composite has the noise of its first buffer. So the next
// restart, which merges other buffers, can use the orders that this one has learned.
//
// Dives may use
//
//	nodes/2   usually
//	nodes·3/4 if a dive was the last to lower the plan
//	nodes/32  if an ejection has lowered it (ejections.go), and nodes/4 if a dive has since
//	nodes/16  if rounds take apart only parts (rounds.go)
//
// of all nodes so far. In packings, only merging helps, and dives must leave it the time.
//
// If nothing can be merged, there are no restarts, and dives plan the buffers.
//
// With several workers, dives run side by side, each with its own exact search. Which of
// them lowers the plan first is then up to chance. With one worker it is up to the seed.
//
// Source: Stowage.
//
// Trials: docs/lab/merge.md (composites with holes were rarely better than chance on J).

// diveNodes is the limit of a dive, in nodes for each composite.
const diveNodes = 3

// weightMost is the largest weight of a total, a width and a size in an order that is drawn afresh.
var weightMost = [...]float64{3, 2, 2}

// lowerMost bounds how many steps below the lowest plan a dive aims just after a success.
const lowerMost = 16

// diving is what dives have found out.
type diving struct {
	best   engine.Score // the order that lowered the plan last, with noise by buffer; Noise is nil if there is none
	lower  int64        // dives aim less than this many steps below the highest useful height
	missed int          // dives since lower was changed
	nodes  int64        // of all dives
	won    bool         // a dive was the last to lower the plan
	idle   int64        // dives since one has lowered the plan
	only   bool         // nothing can be merged: there are only dives
}

// bell is a random number around 0, of variance 1 and nearly normal: the sum of three uniform
// numbers, moved and scaled.
func bell(rng *rand.Rand) float64 { return 2*(rng.Float64()+rng.Float64()+rng.Float64()) - 3 }

// draw returns a random order, three times in four near the best one, if there is one.
func (d *diving) draw(rng *rand.Rand, n int) *engine.Score {
	s := &engine.Score{Noise: make([]float64, n)}
	weights := [...]*float64{&s.Total, &s.Width, &s.Size}
	if d.best.Noise == nil || rng.IntN(4) == 0 {
		for k, w := range weights {
			*w = rng.Float64() * weightMost[k]
		}
		far := rng.Float64()
		for i := range s.Noise {
			s.Noise[i] = far * bell(rng)
		}
		return s
	}
	far := [...]float64{0.03, 0.1, 0.3}[rng.IntN(3)]
	for k, w := range [...]float64{d.best.Total, d.best.Width, d.best.Size} {
		*weights[k] = w + far*bell(rng)
	}
	share := rng.Float64()
	for i, noise := range d.best.Noise {
		if s.Noise[i] = noise; rng.Float64() < share {
			s.Noise[i] += far * bell(rng)
		}
	}
	return s
}

// aim returns a capacity for a dive: highest() less up to lower - 1 steps, at least the goal.
func (s *search) aim(rng *rand.Rand) int64 {
	return max(s.highest()-s.step*rng.Int64N(max(s.diving.lower, 1)), s.goal)
}

// highest is the highest capacity that is still of use: a step below the lowest plan, and at
// most the capacity that the caller asks for.
func (s *search) highest() int64 {
	switch {
	case !s.o.Minimizing():
		return s.goal
	case s.o.Capacity > 0:
		return max(s.goal, min(s.height-s.step, s.o.Capacity))
	}
	return max(s.goal, s.height-s.step)
}

// leaf is the first buffer of a composite.
func (f *forest) leaf(p id) id {
	for f.all[p].shape != single {
		p = f.all[p].part[0]
	}
	return p
}

// dives plans the roots in orders drawn at random, until dives have used their share of the nodes.
func (s *search) dives(m *merger, rng *rand.Rand) {
	if !s.set.dives || s.done() || len(m.live) > thresholds.MergeAttemptsMost {
		return
	}
	tl := timeline.NewUnless(m.problem(s.tl), s.watch.Over)
	if tl == nil {
		return
	}
	d := &diver{s: s, m: m, tl: tl, leaves: make([]id, len(m.live))}
	for k, r := range m.live {
		d.leaves[k] = m.leaf(r)
	}
	workers := max(s.o.Workers, 1)
	if workers == 1 {
		d.run(rng)
		return
	}
	ended := make(chan bool)
	for range workers {
		rng := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		go func() {
			d.run(rng)
			ended <- true
		}()
	}
	for range workers {
		<-ended
	}
}

// diver runs dives for the roots of a forest, which does not change meanwhile.
type diver struct {
	s      *search
	m      *merger
	tl     *timeline.Timeline // of the roots
	leaves []id               // of each root
	mu     sync.Mutex         // guards the search and through
	// through says that the roots are proven to have no plan at highest() or below.
	through bool
}

// run dives until dives have used their share.
func (d *diver) run(rng *rand.Rand) {
	kernel := engine.NewDiver(d.s.ctx, d.tl)
	for first := true; ; first = false {
		order, target, limit, most := d.next(rng, first)
		if most == 0 {
			break
		}
		score := *order
		score.Noise = make([]float64, len(d.leaves))
		for k, leaf := range d.leaves {
			score.Noise[k] = order.Noise[leaf]
		}
		offsets, nodes, through := kernel.Dive(target, &score, limit, most)
		if !through {
			target = 0
		}
		d.ended(order, offsets, limit, most, max(nodes, 1), target) // a dive of no node counts as one
	}
	kernel.Close()
}

// next returns what the next dive does, and counts its nodes as spent: at most limit for each partition of the roots,
// and most in all. If most is 0, there is no next dive. The first dive of a worker ignores the shares.
func (d *diver) next(rng *rand.Rand, first bool) (order *engine.Score, target, limit, most int64) {
	d.mu.Lock()
	share := d.s.nodes / 2
	switch {
	case d.s.diving.won && d.s.ejecting.won:
		share = d.s.nodes / 4
	case d.s.diving.won:
		share += d.s.nodes / 4
	case d.s.ejecting.won:
		share, first = d.s.nodes/rivals-diveNodes*int64(len(d.leaves)), false
	}
	if d.s.parts {
		share = d.s.nodes / 16
	}
	if d.s.diving.only {
		share = math.MaxInt64
	}
	if !d.through && !d.s.done() && (first || d.s.diving.nodes <= share) &&
		(d.s.diving.idle < d.s.set.patience || d.s.limited()) {
		limit = diveNodes * int64(len(d.leaves))
		most = d.allow(limit * d.partitions())
	}
	if most > 0 {
		d.spend(most, limit)
		order, target = d.s.diving.draw(rng, len(d.s.tl.Problem.Buffers)), d.s.aim(rng)
	}
	d.mu.Unlock()
	return order, target, limit, most
}

// allow cuts the nodes of a dive, in all partitions, down to what the node limit of the run leaves:
//
//	most <= node limit - nodes
//
// If that leaves less than a node for each partition, there is no dive, and restarts go on with
// the rest. If there are only dives, the run has come to its limit: the rest counts as spent.
func (d *diver) allow(most int64) int64 {
	if d.s.o.NodeLimit == 0 {
		return most
	}
	left := d.s.o.NodeLimit - d.s.nodes
	if left >= d.partitions() {
		return min(most, left)
	}
	if d.s.diving.only {
		d.spend(left, 0)
	}
	return 0
}

// partitions is the number of partitions of the roots, 1 if no root is ever in use.
func (d *diver) partitions() int64 { return max(int64(len(d.tl.Partitions)), 1) }

// spend counts nodes of the run, and those of dives.
func (d *diver) spend(nodes, dives int64) {
	d.s.nodes += nodes
	d.s.diving.nodes += dives
}

// ended takes the result of a dive: the offsets of the roots, if any, its limits as of next, the
// nodes that it took, and the capacity that it proved too small for the roots (0 for none).
func (d *diver) ended(order *engine.Score, offsets []int64, limit, most, nodes, refuted int64) {
	d.mu.Lock()
	d.through = d.through || refuted >= d.s.highest()
	d.spend(nodes-most, nodes-limit)
	g := &d.s.diving
	if offsets != nil {
		offsets = d.m.expand(d.s.tl.Problem, offsets)
	}
	if offsets != nil && model.HeightOf(d.s.tl.Problem, offsets) < d.s.height {
		d.s.best, d.s.height = offsets, model.HeightOf(d.s.tl.Problem, offsets)
		g.best, g.lower, g.missed, g.won, g.idle = *order, lowerMost, 0, true, 0
		d.s.report()
	} else {
		g.idle++
		if g.missed++; g.missed == 8 {
			g.lower, g.missed = max(g.lower-1, 1), 0
		}
	}
	d.mu.Unlock()
}
