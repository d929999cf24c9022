package core

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// Merge. Idea: some problems were made by cutting a rectangle apart. Two bodies of the same size that follow each other
// without a section between are perhaps one (beside), and so are two with the same lifespan (stacked). They are joined,
// the best score first, until no two are left that could be. Few bodies are left, the roots, and the search plans these. If
// two were joined that do not belong together, the roots may not fit. So rounds take a stretch of time apart, join it
// again with noise in the scores, and keep the result if it has fewer roots. A plan of the roots is one of their bodies.
//
// Invariant: the roots tile their bodies. heads are lists of the roots that begin (0) or end (1) at a section. A score
// is the logarithm of how surprising it is that two sizes or lifespans agree, in 1/256 of a bit.
//
// Complexity: a join takes at most 768 pairs and the logarithm of the heap.
//
// Source: core/stowage_core.c.

const (
	single uint8 = iota
	beside
	stacked
)

const pairsEach = 16

// A bundle is a body, or two bundles that are planned as one.
type bundle struct {
	first, last           int32
	size, align, at       int64
	parts, previous, next [2]int32 // previous and next in heads
	place                 int32    // in live
	shape                 uint8
	root, sealed          bool // sealed: fixed, or of several pieces; never joined
}

type pair struct {
	score int32
	p, q  int32
	shape uint8
}

type forest struct {
	p             *problem
	r             *budget
	all           []bundle
	heads, counts [2][]int32
	live          []int32 // the roots
	spare         []int32 // free places in all
	log           []int32 // p was joined, ^p was split
	heap          []pair
	heapMost      int
	random        uint64
	stacking      int32   // the weight of stacking, in halves
	noise         int32   // in tenths
	work, dived   int64   // since it was charged; nodes of dives
	scores        []int16 // of the bodies, and three weights: the best, then those of the last dive
}

func (f *forest) draw() uint64 { return splitmix.Next(&f.random) }

func (f *forest) drawBelow(n int) int { return int((f.draw() >> 33) % uint64(n)) }

// log256 returns 256 log2 x, within 3.
func log256(x uint64) int32 {
	e := int32(max(bits.Len64(x)-1, 0))
	rest := uint32(x<<8>>e) & 255
	if e > 8 {
		rest = uint32(x>>(e-8)) & 255
	}
	return e*256 + int32(rest+rest*(256-rest)*88/65536)
}

// gumbel returns a draw of Gumbel's distribution: the best of scores with it is drawn in proportion to their
// exponentials.
func (f *forest) gumbel() int32 {
	return 2183 - log256(uint64(32*256+1-log256(f.draw()>>32|1)))
}

func (f *forest) addRoot(p int32) {
	c := &f.all[p]
	c.root = true
	for end, s := range [2]int32{c.first, c.last} {
		c.previous[end], c.next[end] = -1, f.heads[end][s]
		if c.next[end] >= 0 {
			f.all[c.next[end]].previous[end] = p
		}
		f.heads[end][s] = p
		f.counts[end][s]++
	}
	c.place = int32(len(f.live))
	f.live = append(f.live, p)
}

func (f *forest) removeRoot(p int32) {
	c := &f.all[p]
	c.root = false
	for end, s := range [2]int32{c.first, c.last} {
		if c.previous[end] >= 0 {
			f.all[c.previous[end]].next[end] = c.next[end]
		} else {
			f.heads[end][s] = c.next[end]
		}
		if c.next[end] >= 0 {
			f.all[c.next[end]].previous[end] = c.previous[end]
		}
		f.counts[end][s]--
	}
	mover := f.live[len(f.live)-1]
	f.live = f.live[:len(f.live)-1]
	if int(c.place) < len(f.live) {
		f.live[c.place] = mover
	}
	f.all[mover].place = c.place
}

func (f *forest) join(p int32) {
	f.removeRoot(f.all[p].parts[0])
	f.removeRoot(f.all[p].parts[1])
	f.addRoot(p)
}

func (f *forest) unjoin(p int32) {
	f.removeRoot(p)
	f.addRoot(f.all[p].parts[0])
	f.addRoot(f.all[p].parts[1])
}

func (f *forest) joinable(p, q int32, shape uint8) bool {
	a, b := &f.all[p], &f.all[q]
	if p == q || !a.root || !b.root || a.sealed || b.sealed || a.align != b.align {
		return false
	}
	if shape == beside {
		return a.last == b.first && a.size == b.size
	}
	return a.first == b.first && a.last == b.last && a.size%a.align == 0 && b.size%b.align == 0
}

// offer puts a pair into the heap, if it can be joined. It returns 1 if it can, else 0.
func (f *forest) offer(p, q int32, shape uint8) int {
	if !f.joinable(p, q, shape) {
		return 0
	}
	a := &f.all[p]
	c := pair{p: p, q: q, shape: shape}
	if shape == beside {
		c.score = log256(uint64(a.size/f.p.step)) - log256(uint64(f.counts[1][a.last])*uint64(f.counts[0][a.last]))
	} else {
		c.score = f.stacking * (2*log256(uint64(a.last-a.first)+1) -
			log256(uint64(f.counts[0][a.first])*uint64(f.counts[1][a.last]))) / 4
	}
	if f.noise != 0 {
		c.score += f.noise * f.gumbel() / 10
	}
	if len(f.heap) == f.heapMost {
		return 1
	}
	k := len(f.heap)
	f.heap = append(f.heap, c)
	for ; k > 0 && f.heap[(k-1)/2].score < c.score; k = (k - 1) / 2 {
		f.heap[k] = f.heap[(k-1)/2]
	}
	f.heap[k] = c
	return 1
}

func (f *forest) bestPair() pair {
	end := len(f.heap) - 1
	top, c := f.heap[0], f.heap[end]
	f.heap = f.heap[:end]
	if end == 0 {
		return top
	}
	k := 0
	for {
		child := 2*k + 1
		if child+1 < end && f.heap[child+1].score > f.heap[child].score {
			child++
		}
		if child >= end || f.heap[child].score <= c.score {
			break
		}
		f.heap[k], k = f.heap[child], child
	}
	f.heap[k] = c
	return top
}

// offerPairs offers pairs of p with what begins with it, begins at its end, ends at its begin.
func (f *forest) offerPairs(p int32) {
	first, last := f.all[p].first, f.all[p].last
	for way, q := range [3]int32{f.heads[0][first], f.heads[0][last], f.heads[1][first]} {
		for seen, offered := 0, 0; q >= 0 && seen < 256 && offered < pairsEach; seen++ {
			f.work++
			end := 0
			switch way {
			case 0:
				offered += f.offer(p, q, stacked)
			case 1:
				offered += f.offer(p, q, beside)
			case 2:
				offered += f.offer(q, p, beside)
				end = 1
			}
			q = f.all[q].next[end]
		}
	}
}

// settle joins until nothing joins.
func (f *forest) settle() {
	for len(f.heap) > 0 {
		c := f.bestPair()
		f.work++
		if !f.joinable(c.p, c.q, c.shape) {
			continue
		}
		var p int32
		if end := len(f.spare) - 1; end >= 0 {
			p, f.spare = f.spare[end], f.spare[:end]
		} else {
			p, f.all = int32(len(f.all)), append(f.all, bundle{})
		}
		a, b, m := &f.all[c.p], &f.all[c.q], &f.all[p]
		m.first, m.last, m.align, m.size = a.first, b.last, a.align, a.size
		m.shape, m.sealed, m.parts = c.shape, false, [2]int32{c.p, c.q}
		if c.shape == stacked {
			m.size += b.size
		}
		f.join(p)
		f.log = append(f.log, p)
		f.offerPairs(p)
	}
}

// roundAt takes what touches sections [low, high) apart and joins again. It keeps that if there are no more roots than
// before.
func (f *forest) roundAt(low, high int32) {
	before := len(f.live)
	f.log, f.heap = f.log[:0], f.heap[:0]
	for k := 0; k < len(f.live); {
		c := &f.all[f.live[k]]
		if c.shape == single || c.first >= high || c.last <= low {
			k++
			continue
		}
		f.log = append(f.log, ^f.live[k])
		f.unjoin(f.live[k])
	}
	for k := 0; k < len(f.live); k++ {
		if c := &f.all[f.live[k]]; c.first <= high && c.last >= low {
			f.offerPairs(f.live[k])
		}
	}
	f.settle()
	if len(f.live) <= before {
		for _, p := range f.log {
			if p < 0 {
				f.spare = append(f.spare, ^p)
			}
		}
		return
	}
	for k := len(f.log) - 1; k >= 0; k-- {
		if p := f.log[k]; p < 0 {
			f.join(^p)
		} else {
			f.unjoin(p)
			f.spare = append(f.spare, p)
		}
	}
	f.log = f.log[:0]
}
