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
// Complexity: each root has as many candidates as begin or end where it does.

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
	*forest
	watch *run.Watch
	rng   *rand.Rand
	unit  float64 // that divides all sizes
	// stacking weighs equal lifespans against equal sizes, noise what nobody knows.
	stacking, noise  float64
	stacks, wheeling bool // techniques

	heap  heap
	log   []step // since the round began
	looks int    // merges to the next look at the watch
	ended bool
}

// A step of a journal: p was joined, or split.
type step struct {
	p     piece
	joint bool
}

// stackable reports whether p can be on q, or q on p, as far as alignments go.
//
//go:noinline
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

// offer puts a candidate into the heap.
func (m *merger) offer(p, q piece, s shape) {
	c := candidate{p: p, q: q, shape: s}
	if !m.fits(&c) {
		return
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
}

// ask offers all that p may be one with.
func (m *merger) ask(p piece) {
	c := &m.all[p]
	if m.stacks {
		for _, q := range m.starts[c.first] {
			m.offer(p, q, stack)
		}
	}
	for _, q := range m.starts[c.last] {
		m.offer(p, q, beside)
	}
	for _, q := range m.ends[c.first] {
		m.offer(q, p, beside)
	}
}

// make joins roots and offers what comes of it.
func (m *merger) make(c *composite) {
	p := m.join(c)
	m.log = append(m.log, step{p, true})
	m.ask(p)
}

// looksEvery is the number of candidates between looks at the watch.
const looksEvery = 1024

// over reports whether a limit has come.
//
//go:noinline
func (m *merger) over() bool {
	if m.looks--; m.looks < 0 {
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
