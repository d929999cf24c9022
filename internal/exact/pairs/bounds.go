package pairs

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: a decided pair is one or two difference constraints between offsets:
//
//	offset(to) >= offset(from) + weight
//
// Each constraint raises a lower bound and lowers an upper bound. A queue has the buffers whose
// bounds have moved. It is worked off until no bound moves.
//
// Invariant: the bounds are those that follow from the constraints, which are called arcs. low,
// taken as offsets, satisfies all arcs.
//
// Complexity: O(arcs of the buffers whose bounds move), each possibly several times.
// bound.Passes says how often at most, if there is a solution at all.

// bounds has the lower and upper bound of each offset under a set of arcs.
type bounds struct {
	align     []int64
	low, high []int64
	out, in   [][]arc // arc {to, w} in out[i]: offset(to) >= offset(i) + w
	steps     []step  // the trail

	// Scratch of propagate.
	queue  []int32
	queued []bool
	passes []int64

	// proof is how often a propagation may pass over one buffer before that shows that
	// it never ends. patience is how often it may pass in any case.
	proof, patience int64
	gaveUp          bool // a propagation did not end: a failure proves nothing
	watch           *run.Watch
}

type arc struct {
	to int32
	w  int64
}

// step is an entry of the trail: what it changed, and what was there before.
type step struct {
	what change
	at   int32
	old  int64
}

// change names an array that a step changed.
type change byte

const (
	lowRose   change = iota // low[at] was old
	highSank                // high[at] was old
	arcAdded                // out[at] has got an arc to old
	pairChose               // a pair was decided (search.go)
)

// add adds an arc. The caller propagates.
func (b *bounds) add(from, to int32, w int64) {
	b.out[from] = append(b.out[from], arc{to, w})
	b.in[to] = append(b.in[to], arc{from, w})
	b.log(arcAdded, from, int64(to))
}

// log adds to the trail.
func (b *bounds) log(what change, at int32, old int64) {
	b.steps = append(b.steps, step{what, at, old})
}

// propagate restores the fixpoint of the bounds from the given buffers on. It reports
// whether every buffer still has an offset.
func (b *bounds) propagate(from ...int32) bool {
	b.queue = b.queue[:0]
	clear(b.passes)
	for _, i := range from {
		b.push(i)
	}
	ok := true
	for head := 0; head < len(b.queue); head++ {
		i := b.queue[head]
		b.queued[i] = false
		ok = ok && b.mayPass(i) && b.pass(i) // after a failure only the queue is emptied
	}
	return ok
}

// mayPass counts a pass over buffer i. It is false if the propagation never ends, or takes too long.
func (b *bounds) mayPass(i int32) bool {
	b.passes[i]++
	if passes := b.passes[i]; passes > 2*int64(len(b.align))+2 {
		if passes > b.proof {
			return false
		}
		if passes > b.patience || b.watch.Over() {
			b.gaveUp = true
			return false
		}
	}
	return true
}

// pass passes the bounds of buffer i on along its arcs. It reports whether every buffer
// that it reaches still has an offset.
func (b *bounds) pass(i int32) bool {
	for _, a := range b.out[i] {
		v := b.low[i] + a.w
		if v <= b.low[a.to] {
			continue
		}
		if v = bound.Up(v, b.align[a.to]); v > b.high[a.to] {
			return false
		}
		b.log(lowRose, a.to, b.low[a.to])
		b.low[a.to] = v
		b.push(a.to)
	}
	for _, a := range b.in[i] {
		v := b.high[i] - a.w
		if v >= b.high[a.to] {
			continue
		}
		if v < b.low[a.to] {
			return false
		}
		if v = bound.Down(v, b.align[a.to]); v < b.low[a.to] {
			return false
		}
		b.log(highSank, a.to, b.high[a.to])
		b.high[a.to] = v
		b.push(a.to)
	}
	return true
}

// push puts a buffer into the queue of a propagation.
func (b *bounds) push(i int32) {
	if !b.queued[i] {
		b.queued[i] = true
		b.queue = append(b.queue, i)
	}
}

// undo takes back a step that is not of a pair.
func (b *bounds) undo(s step) {
	switch s.what {
	case lowRose:
		b.low[s.at] = s.old
	case highSank:
		b.high[s.at] = s.old
	case arcAdded:
		b.out[s.at] = b.out[s.at][:len(b.out[s.at])-1]
		b.in[s.old] = b.in[s.old][:len(b.in[s.old])-1]
	}
}
