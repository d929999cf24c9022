package evictbound

import (
	"container/heap"
	"math"
	"math/big"
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a set of evictions must free every excess. Its least price is bounded by a linear program, in which evictions
// may be taken in part. Give each section t a price π(t) >= 0 for a byte. For all such prices
//
//	price of a set  >=  sum over t of π(t) · excess(t)
//	                      - sum over evictions of max(0, sum over its t of π(t) · min(bytes, excess(t)) - cost)
//
// Every eviction is a stretch of the line of sections, so the best π come from a flow of least cost along that line.
// From one section to the next, all but the excess may pass for nothing. The bytes of an eviction pass over its stretch
// at cost / bytes. π(t) is the difference between the lengths of the shortest paths to section t and to the next.
//
// Invariant: the formula is evaluated exactly, with whole numbers, and holds for all prices. So a flow that is cut off
// gives a weaker bound and no false one, and so does an eviction that frees different bytes at different times. All
// costs are multiples of their common divisor, so the bound is rounded up to one.
//
// Complexity: one Dijkstra search and one blocking flow for each different length of a shortest path, at most
// boundEffort steps in all; the evaluation is O(sum of the lengths of the evictions).
//
// Source: the flow for matrices with consecutive ones is textbook (Ahuja, Magnanti, Orlin, Network Flows, 1993, section
// 9.6); min(bytes, excess) is the usual strengthening of a covering row.

// boundEffort is the most steps of a flow: a few seconds.
const boundEffort = 100_000_000

// flow sends the flow of each family, until over reports a limit.
func (l *Loads) flow(over func() bool) {
	for _, f := range l.families {
		n := newFlow(f, l.all)
		n.run(over)
		l.flows = append(l.flows, n)
	}
}

// Least returns a lower bound of the price of every set that frees enough.
func (l *Loads) Least() int64 {
	var apart, together int64
	for k, f := range l.families {
		if b := f.dual(l.all, l.flows[k].prices(), l.flows[k].scale); f.one {
			apart += b // no eviction is in two such families
		} else {
			together = max(together, b)
		}
	}
	return max(apart, together)
}

// dual evaluates the formula. The prices come multiplied by 2^scale.
func (f *family) dual(all []Eviction, prices []int64, scale int) int64 {
	// Prices times 2^a and costs times 2^b have one unit, 2^b.
	a, b := uint(max(0, -scale)), uint(max(0, scale))
	var total wide
	for t, x := range f.excess {
		total.add(prices[t], x)
	}
	sum := total.big(a)
	step := int64(0)
	for n, column := range f.columns {
		if len(column) == 0 {
			continue
		}
		step = bound.GCD(step, all[n].Cost)
		var gain wide
		for _, r := range column {
			for t := r.from; t < r.to; t++ {
				gain.add(prices[t], min(r.bytes, f.excess[t]))
			}
		}
		more := gain.big(a)
		cost := new(big.Int).Lsh(big.NewInt(all[n].Cost), b)
		if more.Sub(more, cost).Sign() > 0 {
			sum.Sub(sum, more)
		}
	}
	if step == 0 {
		return 0
	}
	return upTo(sum, step, b)
}

// A wide is a sum of products, up to 2^128.
type wide struct{ hi, lo uint64 }

func (w *wide) add(x, y int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi, _ = bits.Add64(w.hi, hi, carry)
}

// big returns the sum times 2^by.
func (w *wide) big(by uint) *big.Int {
	x := new(big.Int).SetUint64(w.hi)
	x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(w.lo))
	return x.Lsh(x, by)
}

// A flow is the network of a family. Arc 2k and arc 2k+1 are one another's reverse.
type flow struct {
	nodes  int
	scale  int // costs are multiplied by 2^scale and rounded down
	amount int64
	head   [][]int32 // arcs out of each node
	to     []int32
	room   []int64
	cost   []int64
	level  []int64 // distance of each node from the first, by the flow so far
	steps  int
	owner  []int32 // of each arc 2k, the eviction, or -1
}

// endless is more than any flow.
const endless = math.MaxInt64 / 4

func newFlow(f *family, all []Eviction) *flow {
	n := &flow{nodes: len(f.excess) + 1}
	n.head, n.level = make([][]int32, n.nodes), make([]int64, n.nodes)
	for _, x := range f.excess {
		n.amount = max(n.amount, x)
	}
	for t, x := range f.excess {
		n.arc(int32(t), int32(t+1), n.amount-x, 0, -1)
		n.arc(int32(t+1), int32(t), endless, 0, -1) // more than the excess may be freed
	}
	dearest := 0.0
	each := func(yield func(k int, r relief, unit float64)) {
		for k, column := range f.columns {
			work := 0.0
			for _, r := range column {
				work += float64(r.bytes) * float64(r.to-r.from)
			}
			for _, r := range column {
				yield(k, r, float64(all[k].Cost)*float64(r.to-r.from)/work)
			}
		}
	}
	each(func(_ int, _ relief, unit float64) { dearest = max(dearest, unit) })
	if dearest > 0 {
		n.scale = 30 - int(math.Ceil(math.Log2(dearest)))
	}
	each(func(k int, r relief, unit float64) {
		n.arc(r.from, r.to, r.bytes, int64(math.Ldexp(unit, n.scale)), int32(k))
	})
	return n
}

func (n *flow) arc(from, to int32, room, cost int64, owner int32) {
	k := int32(len(n.to))
	n.head[from], n.head[to] = append(n.head[from], k), append(n.head[to], k+1)
	n.to = append(n.to, to, from)
	n.room = append(n.room, room, 0)
	n.cost = append(n.cost, cost, -cost)
	n.owner = append(n.owner, owner)
}

// prices returns π of each section.
func (n *flow) prices() []int64 {
	prices := make([]int64, n.nodes-1)
	for t := range prices {
		prices[t] = max(0, n.level[t+1]-n.level[t])
	}
	return prices
}

// run sends the flow until over reports a limit.
func (n *flow) run(over func() bool) {
	left := n.amount
	for left > 0 && n.steps < boundEffort && !over() && n.distances() {
		blocked := make([]int, n.nodes) // of each node, the first arc that may still lead to the end
		on := make([]bool, n.nodes)     // the path so far
		for left > 0 && n.steps < boundEffort && !over() {
			sent := n.send(0, left, blocked, on)
			if sent == 0 {
				break
			}
			left -= sent
		}
	}
}

// distances raises the levels by the distances in the network so far. It returns false if the end cannot be reached.
func (n *flow) distances() bool {
	far := make([]int64, n.nodes)
	for k := range far {
		far[k] = endless
	}
	far[0] = 0
	q := queue{{0, 0}}
	for len(q) > 0 {
		x := heap.Pop(&q).(near)
		if x.far > far[x.node] {
			continue
		}
		for _, k := range n.head[x.node] {
			n.steps++
			to := n.to[k]
			if d := x.far + n.cost[k] + n.level[x.node] - n.level[to]; n.room[k] > 0 && d < far[to] {
				far[to] = d
				heap.Push(&q, near{to, d})
			}
		}
	}
	end := far[n.nodes-1]
	if end == endless {
		return false
	}
	for k := range n.level {
		n.level[k] += min(far[k], end)
	}
	return true
}

// send sends flow to the end along arcs of a shortest path.
func (n *flow) send(node int32, most int64, blocked []int, on []bool) int64 {
	if int(node) == n.nodes-1 {
		return most
	}
	on[node] = true
	defer func() { on[node] = false }()
	for ; blocked[node] < len(n.head[node]); blocked[node]++ {
		n.steps++
		k := n.head[node][blocked[node]]
		to := n.to[k]
		if n.room[k] == 0 || on[to] || n.cost[k]+n.level[node]-n.level[to] != 0 {
			continue
		}
		if sent := n.send(to, min(most, n.room[k]), blocked, on); sent > 0 {
			n.room[k] -= sent
			n.room[k^1] += sent
			return sent
		}
	}
	return 0
}

// A near is an entry of the queue of Dijkstra's search: a node and its distance.
type near struct {
	node int32
	far  int64
}

type queue []near

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].far < q[j].far }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(near)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// parts returns how much of each eviction the flow uses, from 0 to 1.
func (n *flow) parts(evictions int) []float64 {
	used, has := make([]float64, evictions), make([]float64, evictions)
	for k, e := range n.owner {
		if e >= 0 {
			used[e] += float64(n.room[2*k+1])
			has[e] += float64(n.room[2*k] + n.room[2*k+1])
		}
	}
	for e := range used {
		if has[e] > 0 {
			used[e] /= has[e]
		}
	}
	return used
}
