package pairwise

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: a bound that has moved is compared once with each of its buffer's pairs. If the pair has its order, the bound
// is passed on. If the pair is open and the bound rules out one of its orders, the other order holds.
//
// Lower and upper bounds are mirror images. With side 0 for lb and 1 for -ub, the literal m that pushes from bound (j,
// side) to bound (k, side) is "j below k" on side 0 and "k below j" on side 1, and
//
//	m holds   ⇒  value[k, side] >= value[j, side] + distance(m)
//	m is open and value[j, side] + distance(m) + value[k, other side] > 0
//	          ⇒  m is refuted
//
// Most moves of a bound have no effect: the bound pushes along no literal, no placed buffer has an open pair, and the
// tightest opposite bound of any unplaced buffer is too far away. Such a bound is skipped. So a step with a thousand
// buffers that all overlap is linear instead of quadratic.
//
// Complexity: O(halves of the buffers whose bounds move), each possibly several times; a bound moves at most once for
// each pair between two decisions unless orders form a cycle, which cycle.go finds.
//
// Left out: a threshold for each bound below which it refutes no pair. Each Pop that reopens a pair would have to
// lower it.

// pollHalves is the number of halves between looks at the watch: a fraction of a millisecond.
const pollHalves = 1 << 15

// propagate runs the queue empty and reports whether no contradiction shows, or false if the watch ends it.
func (e *Engine) propagate() bool {
	e.watchCycles()
	value, order := e.value, e.order
	for e.head != e.tail {
		v := e.queue[e.head]
		if e.head++; e.head == len(e.queue) {
			e.head = 0
		}
		if e.head == e.tail {
			e.head, e.tail = 0, 0
		}
		e.queued[v] = false
		side := v & 1
		x := value[v]
		if e.pushing[v] == 0 && e.open == 0 && x+e.reach[v]+e.peak[1-side] <= 0 {
			continue
		}
		j := v >> 1
		begin, end := e.from[j], e.from[j+1]
		if e.work += int(end-begin) + 1; e.work >= pollHalves && e.ended() {
			return false
		}
		others, literals := e.other[begin:end], e.literal[begin:end]
		own := e.size[j]
		for h, k := range others {
			m := literals[h] ^ side
			o := order[m>>1]
			if o == 2-uint8(m&1) {
				continue // m is refuted
			}
			d := own
			if e.distance != nil {
				d = e.distance[m]
			} else if side == 1 {
				d = e.size[k]
			}
			if o != 0 {
				if x+d > value[2*k+side] && !e.raise(2*k+side, x+d, m, e.at[v]) {
					return false
				}
				continue
			}
			if x+d+value[2*k+1-side] <= 0 {
				continue
			}
			if !e.refute(m, v, 2*k+1-side) {
				return false
			}
			x = value[v]
		}
	}
	if invariants.Enabled {
		e.check()
	}
	return true
}

// refute decides the open pair of literal m for its other literal, because bounds v and w, one of each buffer, leave
// no room for m. It reports whether no bounds met.
func (e *Engine) refute(m, v, w int32) bool {
	holds := m ^ 1
	e.decide(holds, entry{prev: -1, why: m, a: e.at[v], b: e.at[w]})
	// The order that holds pushes in the opposite direction: from w's buffer to v, and from v's buffer to w, by the
	// bounds of the same side.
	return e.pass(holds, w^1, v) && e.pass(holds, v^1, w)
}

// pass pushes bound u to bound v along a literal that holds.
func (e *Engine) pass(literal, u, v int32) bool {
	lower := u >> 1
	if u&1 == 1 {
		lower = v >> 1
	}
	x := e.value[u] + e.dist(literal, lower)
	return x <= e.value[v] || e.raise(v, x, literal, e.at[u])
}

// decide makes a literal hold, with the reason in t.
func (e *Engine) decide(literal int32, t entry) {
	p := literal >> 1
	t.v = ^literal
	e.order[p] = uint8(1 + literal&1)
	e.orderAt[p] = int32(len(e.trail))
	e.trail = append(e.trail, t)
	e.count(literal, 1)
}

// count keeps undecided, pushing and open for a literal that comes to hold (by 1) or ceases to (by -1).
func (e *Engine) count(literal int32, by int32) {
	lower, upper := e.first[literal>>1], e.second[literal>>1]
	if literal&1 == 1 {
		lower, upper = upper, lower
	}
	e.pushing[2*lower] += by
	e.pushing[2*upper+1] += by
	for _, j := range [...]int32{lower, upper} {
		e.undecided[j] -= by
		if e.isPlaced[j] {
			e.open -= int64(by)
		}
	}
}

// raise lifts bound v to x, rounded up to the alignment, along a literal and from the trail entry of another bound. It
// reports whether v does not meet its opposite.
func (e *Engine) raise(v int32, x int64, why, from int32) bool {
	j := v >> 1
	x = bound.Up(x, e.align[j])
	e.trail = append(e.trail, entry{v: v, prev: e.at[v], value: x, why: why, a: from})
	e.at[v] = int32(len(e.trail) - 1)
	e.value[v] = x
	if x+e.value[v^1] > 0 {
		return e.fail(e.at[v], e.at[v^1])
	}
	if s := v & 1; x > e.peak[s] && !e.isPlaced[j] {
		e.peak[s] = x
	}
	e.enqueue(v)
	if len(e.trail) > e.alarm && e.cyclic() {
		return e.fail(e.at[v], e.at[v^1])
	}
	return true
}

// ended looks at the watch. If the watch is over, it empties the queue.
func (e *Engine) ended() bool {
	e.work = 0
	if !e.watch.Over() {
		return false
	}
	e.failedA, e.failedB = 0, 0
	e.drain()
	return true
}

func (e *Engine) enqueue(v int32) {
	if e.queued[v] {
		return
	}
	e.queued[v] = true
	e.queue[e.tail] = v
	if e.tail++; e.tail == len(e.queue) {
		e.tail = 0
	}
}

// fail notes the entries of the two bounds that met, or of the bound that has
// pushed itself and its opposite, and empties the queue.
func (e *Engine) fail(a, b int32) bool {
	e.failed, e.failedA, e.failedB = true, a, b
	e.drain()
	return false
}

func (e *Engine) drain() {
	clear(e.queued)
	e.head, e.tail = 0, 0
}
