package core

import "github.com/stowage-go/stowage/internal/run"

// Does a partition fit a capacity?
//
// Idea: three orders of ranks have a turn each, since each is fast on other problems. A turn ends after so many nodes.
//
// Invariant: never means that no plan of the bodies as they are fits. An answer that a limit or a full trail cut off is
// unknown.
//
// Complexity: that of search.
//
// Source: core/stowage_core.c.

// budget is the nodes of a call, and its context.
type budget struct {
	watch       *run.Watch
	left, spent int64
	cancelled   bool
}

func (r *budget) over() bool {
	if !r.cancelled && r.watch.Over() {
		r.cancelled, r.left = true, 0
	}
	return r.cancelled
}

func (r *budget) spend(nodes int64) {
	nodes = min(nodes, r.left)
	r.left, r.spent = r.left-nodes, r.spent+nodes
}

// newKernel prepares what does not depend on the capacity, for bodies [low, high).
func newKernel(r *budget, p *problem, low, high int32) *kernel {
	k := &kernel{p: p, r: r, base: low, n: high - low, s0: p.bodies[low].first}
	firstPiece := p.bodies[low].piece
	k.pieces = p.bodies[high-1].piece + p.bodies[high-1].count - firstPiece
	for j := low; j < high; j++ {
		k.m = max(k.m, p.bodies[j].last-k.s0)
		k.unit = divisor(k.unit, p.bodies[j].align)
	}
	k.composite = k.pieces > k.n
	k.items, k.blocks, k.sections = make([]item, k.n), make([]block, k.pieces), make([]section, k.m+2)
	k.parts, k.frames = make([]part, 2*k.n+2), make([]frame, k.n+1)
	k.trail, k.ends = make([]change, trailEach*(k.n+1)), make([]int64, k.n)
	k.path, k.near, k.open = make([]int32, k.n), make([]int32, k.n), make([]int32, k.n)
	k.scratch = make([]int32, k.pieces)
	k.unplaced, k.starts, k.dirty = newBits(k.n), newBits(k.m), newBits(k.m)
	spans := 0
	for j := range k.n {
		b, x := &p.bodies[k.base+j], &k.items[j]
		x.first, x.last = b.first-k.s0, b.last-k.s0
		x.piece = b.piece - firstPiece
		x.end = x.piece + b.count
		x.align, x.tall, x.twin = b.align, roundUp(b.size, k.unit), -1
		k.sections[x.first+1].begins++
		for e := x.piece; e < x.end; e++ {
			y := &p.pieces[firstPiece+e]
			z := block{size: roundUp(y.high, k.unit), first: y.first - k.s0, last: y.last - k.s0, owner: j}
			k.blocks[e] = z
			spans += int(z.last - z.first)
			for s := z.first; s < z.last; s++ {
				k.sections[s+1].listAt++
			}
		}
		for i := j - 1; i >= 0 && k.items[i].first == x.first && b.fixed < 0 && b.count == 1; i-- {
			o := &p.bodies[k.base+i]
			if o.last == b.last && o.align == b.align && o.size == b.size && o.fixed < 0 && o.count == 1 {
				x.twin = i
				break
			}
		}
	}
	for s := range k.m + 1 {
		k.sections[s+1].begins += k.sections[s].begins
		k.sections[s+1].listAt += k.sections[s].listAt
	}
	k.list = make([]int32, spans)
	for e := range k.pieces {
		for s := k.blocks[e].first; s < k.blocks[e].last; s++ {
			x := &k.sections[s]
			k.list[x.listAt+x.live] = e
			x.live++
		}
	}
	return k
}

// askOrder searches a plan of at most that height with ranks by that word, within so many nodes.
func (k *kernel) askOrder(capacity int64, word string, most int64) outcome {
	alone := true
	k.limit, k.nodes, k.most, k.full, k.epoch, k.raised = 0, 0, most, false, 2, 0
	k.pathCount, k.trailCount, k.partCount, k.level, k.highest = 0, 0, 0, 0, 0
	for s := range k.m + 1 {
		x := &k.sections[s]
		x.total, x.live, x.cuts, x.edges, x.top = 0, 0, 0, 0, gone
	}
	clear(k.unplaced)
	clear(k.starts)
	for j := range k.n {
		b, x := &k.p.bodies[k.base+j], &k.items[j]
		x.ub = -1
		if capacity >= b.size {
			x.ub = (capacity - b.size) / b.align * b.align
		}
		x.lb, x.inf = max(b.fixed, 0), max(b.fixed, 0)
		if x.lb > x.ub {
			alone = false
		}
		if b.fixed >= 0 {
			x.ub = b.fixed
		}
		k.limit = max(k.limit, x.ub+x.tall)
		x.seen, x.logged, x.by, x.rank = 0, -1, -1, -1
		k.returnBody(j)
	}
	if !alone {
		return exhausted
	}
	by := keys{p: k.p, word: word, base: k.base}
	list := k.p.order[:k.n]
	for j := range list {
		list[j] = int32(j)
	}
	sort(list, by.before)
	for r, j := range list {
		k.items[j].tie = int32(r)
	}
	c := part{last: k.m, rank: -1, offset: -1}
	k.rankBodies(&c)
	k.trailCount = 0
	copy(k.dirty, k.starts)
	k.dirty.clear(k.m)
	result := exhausted
	if k.infer(&c) {
		result = k.search(c)
	}
	if result == exhausted && k.full {
		return cut
	}
	return result
}

// asker asks questions about a problem.
type asker struct {
	r     *budget
	p     *problem
	k     *kernel
	built int32 // the partition that k is for, by its first body; or -1
	stuck bool  // the trail was full in all orders, so more nodes do not help
}

type answer int8

const (
	never   answer = -1
	unknown answer = 0
	fits    answer = 1
)

var words = []string{"WA", "AW", "C"} // after the load

// ask asks about bodies [low, high), with at most limit nodes an order.
func (q *asker) ask(low, high int32, capacity, limit int64) answer {
	if q.built != low {
		q.k = newKernel(q.r, q.p, low, high)
		q.built = low
	}
	full := true
	for _, word := range words {
		if q.r.left <= 0 {
			break
		}
		result := q.k.askOrder(capacity, word, min(limit, q.r.left))
		q.r.spend(max(q.k.nodes, 1))
		full = full && q.k.full
		switch result {
		case exhausted:
			return never
		case cut:
			if q.p.scored {
				q.stuck = q.stuck || full
				return unknown
			}
		case solved:
			for j := range q.k.n {
				q.p.at[low+j] = q.k.items[j].best
			}
			return fits
		}
	}
	q.stuck = q.stuck || full
	return unknown
}

// askAll asks about every partition that is above the capacity. halves is how many nodes for two bodies.
func (q *asker) askAll(capacity, halves int64) answer {
	all := fits
	var low, high int32
	for ; low < q.p.n; low = high {
		high = q.p.partitionEnd(low)
		if q.p.heightOf(low, high) <= capacity {
			continue
		}
		if q.r.left <= 0 {
			return unknown
		}
		switch q.ask(low, high, capacity, halves*int64(high-low)/2+1) {
		case never:
			return never
		case unknown:
			all = unknown
		}
	}
	return all
}
