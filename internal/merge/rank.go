package merge

import (
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/run"
)

// Idea: what was cut apart fits together again, and little else does. Two roots that
// meet in time and are equally large may be the halves of one; so may two of the
// same sections. Which is likelier to be no accident goes first: large equal sizes,
// long equal lifespans, where few others begin and end. Noise makes each run another.
//
// Complexity: a root looks at scanMost others of each list, and has offerMost candidates
// in each.

// A candidate is two roots that may be one.
type candidate struct {
	score float64
	p, q  piece
	shape shape
}

// heap is a binary heap of candidates, the best first.
type heap []candidate

func (h *heap) push(c candidate) {
	a := append(*h, c)
	k := len(a) - 1
	for k > 0 && a[(k-1)/2].score < c.score {
		a[k] = a[(k-1)/2]
		k = (k - 1) / 2
	}
	a[k] = c
	*h = a
}

func (h *heap) pop() candidate {
	a := *h
	top, c := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	for k := 0; len(a) > 0; {
		kid := 2*k + 1
		if kid+1 < len(a) && a[kid+1].score > a[kid].score {
			kid++
		}
		if kid >= len(a) || a[kid].score <= c.score {
			a[k] = c
			break
		}
		a[k] = a[kid]
		k = kid
	}
	return top
}

// merger merges the roots of a forest.
type merger struct {
	forest
	watch *run.Watch
	rng   *rand.Rand
	unit  float64 // that divides all sizes
	// stacking weighs equal lifespans against equal sizes, noise what nobody knows.
	stacking, noise  float64
	stacks, wheeling bool // techniques

	heap  heap
	log   []step // since the round began
	work  int64  // roots looked at
	most  int64  // that may be
	looks int    // work to the next look at the watch
	ended bool
}

// A step of a journal: p was joined, or split.
type step struct {
	p     piece
	joint bool
}

// stackable reports whether p can be on q, or q on p, as far as alignments go.
func (m *merger) stackable(p, q piece) bool {
	a, b := &m.all[p], &m.all[q]
	return !a.sealed && !b.sealed && a.align == b.align && a.size%a.align == 0 && b.size%b.align == 0
}

// fits reports whether two roots can be one in that shape.
func (m *merger) fits(c *candidate) bool {
	a, b := &m.all[c.p], &m.all[c.q]
	if c.p == c.q || !a.root || !b.root {
		return false
	}
	if c.shape == beside {
		return a.last == b.first && a.size == b.size && a.align == b.align && !a.sealed && !b.sealed
	}
	return a.first == b.first && a.last == b.last && m.stackable(c.p, c.q)
}

// offer puts a candidate into the heap, if it is one.
func (m *merger) offer(p, q piece, s shape) bool {
	c := candidate{p: p, q: q, shape: s}
	if !m.fits(&c) {
		return false
	}
	a := &m.all[p]
	if s == beside {
		c.score = math.Log(float64(a.size)/m.unit) - math.Log(float64(len(m.ends[a.last])*len(m.starts[a.last])))
	} else {
		c.score = m.stacking * (math.Log(float64(a.last-a.first)+1) - math.Log(float64(len(m.starts[a.first])*len(m.ends[a.last])))/2)
	}
	if m.noise > 0 {
		c.score -= m.noise * math.Log(-math.Log(1-m.rng.Float64()))
	}
	m.heap.push(c)
	return true
}

// Of what begins or ends where a root does, scanMost are looked at and offerMost
// offered: thousands of equal lifespans have millions of pairs, and one partner at a
// time is enough to put them all on one another.
const scanMost, offerMost = 256, 16

// ask offers what p may be one with.
func (m *merger) ask(p piece) {
	c := &m.all[p]
	if m.stacks {
		m.offers(p, m.starts[c.first], stack, false)
	}
	m.offers(p, m.starts[c.last], beside, false)
	m.offers(p, m.ends[c.first], beside, true)
}

// offers offers p and some of the list, p last where turned.
func (m *merger) offers(p piece, list []piece, s shape, turned bool) {
	at, offered := 0, 0
	if len(list) > scanMost {
		at = m.rng.IntN(len(list))
	}
	scan := min(len(list), scanMost)
	m.spend(scan)
	for range scan {
		if at == len(list) {
			at = 0
		}
		q := list[at]
		at++
		if turned && m.offer(q, p, s) || !turned && m.offer(p, q, s) {
			if offered++; offered == offerMost {
				return
			}
		}
	}
}

// make joins roots and offers what comes of it.
func (m *merger) make(c *composite) {
	p := m.join(c)
	m.log = append(m.log, step{p, true})
	m.ask(p)
}

// looksEvery is the work between looks at the watch, in roots looked at.
const looksEvery = 1 << 14

// spend counts work.
func (m *merger) spend(work int) {
	m.work += int64(work)
	m.looks -= work
}

// over reports whether a limit has come: the watch's, or that of work.
func (m *merger) over() bool {
	m.spend(1)
	if m.work >= m.most {
		m.ended = true
	}
	if m.looks < 0 {
		m.looks = looksEvery
		m.ended = m.ended || m.watch.Over()
	}
	return m.ended
}

// settle merges until no candidate is left, or a limit comes.
func (m *merger) settle() {
	for {
		for len(m.heap) > 0 && !m.over() {
			if c := m.heap.pop(); m.fits(&c) {
				made := m.pair(c.p, c.q, c.shape)
				m.make(&made)
			}
		}
		if m.ended || !m.wheeling || !m.wheels() {
			return
		}
	}
}

// begin merges from the buffers up.
func (m *merger) begin() {
	m.heap, m.log = m.heap[:0], m.log[:0]
	for p := range m.live {
		if m.over() {
			return
		}
		m.ask(m.live[p])
	}
	m.settle()
}
