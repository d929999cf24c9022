package merge

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: a plan of the roots without the ties stands for many plans of the buffers. The parts of a stack may lie in any
// order, and a pinwheel may be turned upside down. So the roots are planned without the ties, which is as easy as if
// there were none, and local search looks for an arrangement within the roots that keeps them:
//
//	cost = sum over the ties of the bytes that the two share
//	move = choose a tie that is broken, one of its two buffers, and a stack or a pinwheel around it;
//	       swap its part of the stack with another, or turn the pinwheel
//
// A move that does not raise the cost is kept. A tie that stays broken is one that the arrangement alone cannot keep.
// So the roots are planned again with it, and with more and more ties if need be.
//
// Invariant: a move changes no root, and no two parts of a composite that live together in the base share bytes. So a
// plan without the ties stays one.
//
// Complexity: O(buffers of the moved composite + ties) for a move.
//
// Source: Stowage.

// settleMoves is how many moves there are for each tie. settleNodes is the limit of a search for the roots, in nodes
// for each of them.
const settleMoves, settleNodes = 50, 4

// settleTries is how often the roots of a restart are settled before they are loosened.
const settleTries = 4

// tied settles the roots, and loosens them.
func (s *search) tied(m *merger, rng *rand.Rand) {
	if len(m.base.ties) == 0 || s.ejecting.won && s.ejecting.settled > s.nodes/tiedShare {
		return
	}
	before := s.nodes
	hard := make([]bool, len(m.base.aside))
	for k := 0; k < settleTries && !s.done(); k++ {
		clear(hard)
		s.settle(m, rng, hard)
	}
	s.loosen(m, rng, hard)
	s.ejecting.settled += s.nodes - before
}

// settle plans the roots without ties, and arranges what is in them. hard has the sections whose ties the roots are
// planned with, and gets those of ties that stay broken.
func (s *search) settle(m *merger, rng *rand.Rand, hard []bool) {
	if !s.set.settling || len(m.live) > thresholds.MergeAttemptsMost {
		return
	}
	n := len(s.tl.Problem.Buffers)
	a := newArrangement(s.tl.Problem, m, rng)
	target := s.target(rng)
	for !s.done() {
		tl := timeline.NewUnless(m.without(s.tl, hard), s.watch.Over)
		if tl == nil {
			return
		}
		order := s.diving.draw(rng, n)
		score := &engine.Score{Total: order.Total, Width: order.Width, Size: order.Size, Noise: make([]float64, len(m.live))}
		for r, root := range m.live {
			score.Noise[r] = order.Noise[m.leaf(root)]
		}
		limit := settleNodes * int64(len(m.live))
		if s.o.NodeLimit > 0 {
			limit = min(limit, s.o.NodeLimit-s.nodes)
		}
		d := engine.NewDiver(s.ctx, tl)
		offsets, taken, _ := d.Dive(target, score, limit, limit)
		d.Close()
		s.nodes += max(taken, 1)
		if offsets == nil {
			return
		}
		at, broken := a.arrange(offsets)
		m.spend(a.work)
		a.work = 0
		s.charge(m)
		if at != nil {
			s.keep(at)
			return
		}
		if hard[broken.section] {
			return
		}
		hard[broken.section] = true
	}
}

// A knot is a composite in an arrangement. The parts of a stack that are stacks themselves are parts of it directly.
type knot struct {
	parent int32 // -1 for a root
	shape  shape
	turned bool // of a pinwheel: it is upside down
	size   int64
	at     int64 // its offset
	buffer id    // if it is one
	parts  []int32
}

// An arrangement is where the buffers of all roots lie.
type arrangement struct {
	problem *model.Problem
	m       *merger
	rng     *rand.Rand
	knots   []knot
	roots   []int32 // the knot of each root
	of      []int32 // the knot of each buffer
	work    int
}

func newArrangement(p *model.Problem, m *merger, rng *rand.Rand) *arrangement {
	a := &arrangement{
		problem: p, m: m, rng: rng, of: make([]int32, len(p.Buffers)), roots: make([]int32, len(m.live)),
	}
	for k, r := range m.live {
		a.roots[k] = a.add(r, -1)
	}
	return a
}

// add makes the knots of a composite.
func (a *arrangement) add(p id, parent int32) int32 {
	c := &a.m.all[p]
	k := int32(len(a.knots))
	a.knots = append(a.knots, knot{parent: parent, shape: c.shape, size: c.size, buffer: p})
	if c.shape == single {
		a.of[p] = k
		return k
	}
	parts := a.parts(p, c.shape, nil)
	for j, q := range parts {
		parts[j] = id(a.add(q, k))
	}
	for _, q := range parts {
		a.knots[k].parts = append(a.knots[k].parts, int32(q))
	}
	return k
}

// parts returns the parts of a composite, those of stacks within a stack in their place.
func (a *arrangement) parts(p id, s shape, into []id) []id {
	c := &a.m.all[p]
	for _, q := range c.part[:c.count()] {
		if s == stack && a.m.all[q].shape == stack {
			into = a.parts(q, s, into)
		} else {
			into = append(into, q)
		}
	}
	return into
}

// put gives a knot and all that is in it their offsets.
func (a *arrangement) put(k int32, at int64) {
	a.work++
	x := &a.knots[k]
	x.at = at
	switch x.shape {
	case beside:
		for _, q := range x.parts {
			a.put(q, at)
		}
	case stack:
		for _, q := range x.parts {
			a.put(q, at)
			at += a.knots[q].size
		}
	case wheel: // a, b, d, e, c
		low, right := a.knots[x.parts[0]].size, a.knots[x.parts[1]].size
		for j, up := range [...]int64{0, 0, low, low, right} {
			if x.turned {
				up = x.size - up - a.knots[x.parts[j]].size
			}
			a.put(x.parts[j], at+up)
		}
	}
}

// shared returns how many bytes the buffers of a tie share.
func (a *arrangement) shared(t *tie) int64 {
	p, q := a.knots[a.of[t.a]].at, a.knots[a.of[t.b]].at
	return max(0, min(p+t.x.Upper, q+t.y.Upper)-max(p+t.x.Lower, q+t.y.Lower))
}

// cost returns the cost, and a tie that is broken, by chance.
func (a *arrangement) cost() (cost int64, broken *tie) {
	seen := 0
	for k := range a.m.base.ties {
		t := &a.m.base.ties[k]
		if bytes := a.shared(t); bytes > 0 {
			cost += bytes
			if seen++; a.rng.IntN(seen) == 0 {
				broken = t
			}
		}
	}
	a.work += len(a.m.base.ties)
	return cost, broken
}

// arrange moves what is in the roots, which have these offsets, until all ties hold. It returns the offsets of the
// buffers, or a tie that stays broken.
func (a *arrangement) arrange(offsets []int64) ([]int64, *tie) {
	for k, r := range a.roots {
		a.put(r, offsets[k])
	}
	cost, broken := a.cost()
	for range settleMoves * len(a.m.base.ties) {
		if cost == 0 {
			break
		}
		b := broken.a
		if a.rng.IntN(2) == 0 {
			b = broken.b
		}
		k, from, to := a.choose(a.of[b])
		if k < 0 {
			continue
		}
		a.move(k, from, to)
		if now, other := a.cost(); now <= cost {
			cost, broken = now, other
		} else {
			a.move(k, from, to)
			_, broken = a.cost()
		}
	}
	if cost > 0 {
		return nil, broken
	}
	at := a.m.expand(a.problem, offsets)
	for k := range a.knots {
		if x := &a.knots[k]; x.shape == single {
			at[x.buffer] = x.at
		}
	}
	return at, nil
}

// choose draws a stack or a pinwheel around a knot. In a stack it also draws two places, and the knot is in one of
// them. It returns -1 if there is none.
func (a *arrangement) choose(k int32) (at int32, from, to int) {
	at = -1
	seen := 0
	for child, p := k, a.knots[k].parent; p >= 0; child, p = p, a.knots[p].parent {
		x := &a.knots[p]
		if x.shape == beside {
			continue
		}
		if seen++; a.rng.IntN(seen) > 0 {
			continue
		}
		at, from, to = p, 0, 0
		if x.shape == stack {
			for x.parts[from] != child {
				from++
			}
			if to = a.rng.IntN(len(x.parts) - 1); to >= from {
				to++
			}
		}
	}
	return at, from, to
}

// move swaps two parts of a stack, or turns a pinwheel. The same move undoes it.
func (a *arrangement) move(k int32, from, to int) {
	x := &a.knots[k]
	if x.shape == wheel {
		x.turned = !x.turned
	} else {
		x.parts[from], x.parts[to] = x.parts[to], x.parts[from]
	}
	a.put(k, x.at)
}
