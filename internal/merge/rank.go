package merge

import (
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: what was cut apart fits together again, and little else does. Two roots of equal size that meet in time may
// be the halves of one rectangle. So may two roots with the same sections. The pair that is least likely to match by
// chance is merged first. For a pair that meets at a boundary at which s roots start and e roots end,
//
//	score = ln size - ln (s × e)
//
// and for a pair with the same l sections, where s roots start at the first and e roots end at the last,
//
//	score = stacking × (ln (l + 1) - ln (s × e) / 2)
//
// So large equal sizes and long equal lifespans come first, where few others begin and end.
// Noise makes each restart differ.
//
// Complexity: each new root looks at scanMost others in each of three lists, and has at
// most offerMost candidates from each.

// A candidate is two roots that may be merged.
type candidate struct {
	score float64
	p, q  id
	shape shape
}

// heap is a binary heap of candidates, with the highest score on top. container/heap boxes each candidate: with it,
// merging takes 16% longer and allocates 100 times as often (the median of three, go test -bench Merge).
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
	// stacking is the weight of equal lifespans against equal sizes, noise that of chance.
	stacking, noise  float64
	stacks, wheeling bool // whether to merge two of the same lifespan, and five in a pinwheel

	heap   heap
	log    []step // what was joined and split since the round began
	torn   []id   // what the round takes apart, then what it may merge
	work   int64  // roots looked at
	most   int64  // how many may be looked at
	pollIn int    // work until the next look at the watch
	ended  bool   // a limit has come
}

// A step says that p was joined (joint), or that it was split.
type step struct {
	p     id
	joint bool
}

// stackable reports whether one of p and q can be on top of the other, as far as their alignments go.
func (m *merger) stackable(p, q id) bool {
	a, b := &m.all[p], &m.all[q]
	return !a.sealed && !b.sealed && a.align == b.align && a.size%a.align == 0 && b.size%b.align == 0
}

// fits reports whether a candidate can be merged: its roots may be merged already.
func (m *merger) fits(c *candidate) bool {
	a, b := &m.all[c.p], &m.all[c.q]
	if c.p == c.q || !a.root || !b.root {
		return false
	}
	if c.shape == beside {
		return a.last == b.first && a.size == b.size && a.align == b.align && !a.sealed && !b.sealed && m.meet(c)
	}
	return a.first == b.first && a.last == b.last && m.stackable(c.p, c.q)
}

// meet reports whether two roots at one offset share no byte in sections that are set aside.
func (m *merger) meet(c *candidate) bool {
	if len(m.all[c.p].visits) == 0 || len(m.all[c.q].visits) == 0 {
		return true
	}
	return !clash(m.visitsOf([]id{c.p, c.q}, []int64{0, 0}))
}

// offer puts a pair into the heap, if it fits. It reports whether it did.
func (m *merger) offer(p, q id, s shape) bool {
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

// A root looks at up to scanMost others that begin or end where it does, and offers up to offerMost pairs. Thousands of
// equal lifespans have millions of pairs, but a few partners for each are enough to stack them all.
const scanMost, offerMost = 256, 16

// offerPairs offers the pairs of p with other roots.
func (m *merger) offerPairs(p id) {
	c := &m.all[p]
	if m.stacks {
		m.offers(p, m.starts[c.first], stack, false)
	}
	m.offers(p, m.starts[c.last], beside, false)
	m.offers(p, m.ends[c.first], beside, true)
}

// offers offers the pairs of p with roots of the list; turned says that p is the second of the pair.
func (m *merger) offers(p id, list []id, s shape, turned bool) {
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

// make merges roots, and offers the pairs of the new one.
func (m *merger) make(c *composite) {
	p := m.join(c)
	m.log = append(m.log, step{p, true})
	m.offerPairs(p)
}

// pollWork is how many roots are looked at between two looks at the watch.
const pollWork = 1 << 14

// spend counts work.
func (m *merger) spend(work int) {
	m.work += int64(work)
	m.pollIn -= work
}

// over reports whether a limit has come, on time or on work.
func (m *merger) over() bool {
	m.spend(1)
	if m.work >= m.most {
		m.ended = true
	}
	if m.pollIn < 0 {
		m.pollIn = pollWork
		m.ended = m.ended || m.watch.Over()
	}
	return m.ended
}

// mergeAll merges candidates and pinwheels until there are no more, or until a limit comes.
func (m *merger) mergeAll() {
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

// begin merges from the buffers up. No candidate is left from before.
func (m *merger) begin() {
	m.heap, m.log = m.heap[:0], m.log[:0]
	for p := range m.live {
		if m.over() {
			return
		}
		m.offerPairs(m.live[p])
	}
	m.mergeAll()
	if invariants.Enabled {
		m.recheck()
	}
}
