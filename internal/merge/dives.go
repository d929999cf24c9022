package merge

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/tune"
	"github.com/stowage-go/stowage/model"
)

// Idea: a problem that is nearly full is left with a hundred composites or two, for
// which the three orders of exact search are not enough: what holds it up is which of
// them goes first. So composites are planned by short dives in orders drawn at random
// (exact.Diver). A dive that lowers the plan gives away which orders are good for this
// problem; three in four of those that follow are drawn near it, most of them so near
// that a few composites change places, and their aim is lowered faster as long as they
// succeed.
//
// Noise belongs to buffers, and a composite has that of its first one. So what one
// restart has learned of orders is of use to the next, which merges otherwise.
//
// Dives have half of all nodes, or three quarters where it was one that lowered the plan
// last: where it is the merging that matters, as in packings, they must not be in its way.
//
// Where nothing goes together there are no restarts, and dives are for the buffers.
//
// With workers dives go side by side, each with a kernel of its own; which one lowers
// the plan first is then up to chance. With one it is up to the seed.
//
// Source: Stowage. On J of the challenging suite, dives of 2, 3 and 6 nodes a composite took
// 14, 20 and 14 s to the load, mean of five seeds.
//
// Tried and dropped: composites with holes, padded where another merge or several then
// become possible. J has few that are told apart from chance by it: 993,280 at best.

// diveNodes is the limit of a dive, in nodes for each composite.
const diveNodes = 3

// weightMost is the most that the weight of a total, a width or a size is in an order that is drawn afresh.
var weightMost = [...]float64{3, 2, 2}

// lowerMost is by how many steps a dive after a success may aim lower than the plan.
const lowerMost = 16

// diving is what dives have found out.
type diving struct {
	best   exact.Score // the order that lowered the plan last, with noise by buffer; nil for none
	lower  int64       // by how many steps at most dives aim lower
	missed int         // dives since it was changed
	nodes  int64       // of all dives
	won    bool        // it was a dive that lowered the plan last
	idle   int64       // dives since one has lowered it
	only   bool        // nothing goes together: there are dives and nothing else
}

// Dives reports whether it was a dive that lowered the plan last: then more of them are
// worth more than anything else.
func (l *Learned) Dives() bool { return l.diving.won }

// bell is a random number around 0, of variance 1 and nearly normal: the sum of three uniform
// numbers, moved and scaled.
func bell(rng *rand.Rand) float64 { return 2*(rng.Float64()+rng.Float64()+rng.Float64()) - 3 }

// draw returns an order: near the best, or any.
func (d *diving) draw(rng *rand.Rand, n int) *exact.Score {
	s := &exact.Score{Noise: make([]float64, n)}
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

// aim returns the capacity for a dive.
func (s *search) aim(rng *rand.Rand) int64 {
	return max(s.highest()-s.step*rng.Int64N(max(s.diving.lower, 1)), s.goal)
}

// highest is the highest capacity that is still worth asking for.
func (s *search) highest() int64 {
	switch {
	case !s.o.Minimizing():
		return s.goal
	case s.o.Capacity > 0:
		return max(s.goal, min(s.height-s.step, s.o.Capacity))
	}
	return max(s.goal, s.height-s.step)
}

// leaf is a buffer of a composite.
func (f *forest) leaf(p piece) piece {
	for f.all[p].shape != single {
		p = f.all[p].part[0]
	}
	return p
}

// dives plans the roots in orders drawn at random, until dives have had their share of
// nodes.
func (s *search) dives(m *merger, rng *rand.Rand) {
	if s.done() || len(m.live) > tune.MergeAttemptsMost {
		return
	}
	tl := timeline.NewUnless(m.problem(s.tl), s.watch.Over)
	if tl == nil {
		return
	}
	d := &diver{s: s, m: m, tl: tl, leaves: make([]piece, len(m.live))}
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

// diver has dives for the roots of a forest, which does not change meanwhile.
type diver struct {
	s      *search
	m      *merger
	tl     *timeline.Timeline // of the roots
	leaves []piece            // of each root
	mu     sync.Mutex         // guards the search, and through
	// through says that the roots have no lower plan than the lowest so far.
	through bool
}

// run dives until the dives have had their share.
func (d *diver) run(rng *rand.Rand) {
	kernel := exact.NewDiver(d.s.ctx, d.tl)
	for first := true; ; first = false {
		order, target, limit := d.next(rng, first)
		if limit == 0 {
			break
		}
		score := *order
		score.Noise = make([]float64, len(d.leaves))
		for k, leaf := range d.leaves {
			score.Noise[k] = order.Noise[leaf]
		}
		offsets, nodes, through := kernel.Dive(target, &score, limit)
		if !through {
			target = 0
		}
		d.ended(order, offsets, max(nodes, 1)-limit, target)
	}
	kernel.Close()
}

// next returns what to dive for, with a limit of 0 where there is nothing, and counts
// the limit as spent. A run that is the first has a dive whatever the shares.
func (d *diver) next(rng *rand.Rand, first bool) (order *exact.Score, target, limit int64) {
	d.mu.Lock()
	share := d.s.nodes / 2
	if d.s.diving.won {
		share += d.s.nodes / 4
	}
	if d.s.diving.only {
		share = math.MaxInt64
	}
	if !d.through && !d.s.done() && (first || d.s.diving.nodes <= share) && (d.s.diving.idle < d.s.set.patience || d.s.limited()) {
		limit = diveNodes * int64(len(d.leaves))
		if d.s.o.NodeLimit > 0 {
			limit = min(limit, d.s.o.NodeLimit-d.s.nodes)
		}
		d.spend(limit)
		order, target = d.s.diving.draw(rng, len(d.s.tl.Problem.Buffers)), d.s.aim(rng)
	}
	d.mu.Unlock()
	return order, target, limit
}

// spend counts nodes of dives.
func (d *diver) spend(nodes int64) {
	d.s.nodes += nodes
	d.s.diving.nodes += nodes
}

// ended takes what came of a dive, and gives back what it did not need of its limit. A
// dive that ends before its first node counts as one. The roots do not fit the capacity
// refuted.
func (d *diver) ended(order *exact.Score, offsets []int64, nodes, refuted int64) {
	d.mu.Lock()
	d.through = d.through || refuted >= d.s.highest()
	d.spend(nodes)
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
