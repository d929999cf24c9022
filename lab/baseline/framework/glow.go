package framework

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Idea: Glow makes up to three plans, each by first fit in an order, and takes the first one of the lowest. It stops if
// a plan is as low as the load. The first two orders repeat this step: find the first moment at which the buffers not
// yet in the order have most live bytes, and append one of those buffers. One order appends the largest (on a tie the
// one that lives longest), the other the one that lives longest (on a tie the largest). The third order is by start.
//
// Moments are events, as for XLA: each allocation and each release is one, and a buffer's life is counted in events.
// At equal times releases come first, both in the input's order.
//
// The parameter allocate=each is for requests that come one by one. It uses the third order only, and takes the
// lowest hole between live buffers.
//
// Invariant: load has the bytes of the buffers that are not placed, for each event.
//
// Complexity: O(n log n) for the order. The source walks over all events for each.
//
// Source: Glow, lib/CodeGen/MemoryAllocator.cpp (05dd99b), allocateAll and allocate. Its
// alignment is 64, to which it rounds sizes.

func init() {
	register(planner{
		name:    "glow",
		summary: "three orders: two by the use of the fullest moment, one by start; the lowest plan counts",
		source:  "Glow, MemoryAllocator.cpp (05dd99b)",
		round:   64,
		params: []param{
			{name: "allocate", words: []string{"all", "each"}, summary: "all: allocate all buffers at once; each: allocate each at its start"},
		},
		place: func(t *task) error {
			if t.choice("allocate") == 1 {
				return t.lowestHoles(t.sorted(t.earlier))
			}
			return glow(t)
		},
	})
}

func glow(t *task) error {
	c := t.clock(t.sorted(t.earlier), t.sorted(t.endsEarlier))
	longer := func(a, b int) int { return cmp.Compare(c.ticks(b), c.ticks(a)) }
	first := func(a, b int) int { return cmp.Compare(c.start[a], c.start[b]) }
	lowest := int64(0)
	for plan := range 3 {
		if plan > 0 && t.enough() {
			break // the plan stands
		}
		var offsets []int64
		switch plan {
		case 0:
			offsets, _ = place.Place(t.watch, t.tl, t.fullestFirst(c, keys(t.larger, longer, first)), place.FirstFit)
		case 1:
			offsets, _ = place.Place(t.watch, t.tl, t.fullestFirst(c, keys(longer, t.larger, first)), place.FirstFit)
		default:
			offsets, _ = place.Place(t.watch, t.tl, t.sorted(first), place.FirstFit)
		}
		if offsets == nil {
			return errStopped
		}
		t.nodes += int64(len(offsets))
		if height := model.HeightOf(t.tl.Problem, offsets); plan == 0 || height < lowest {
			lowest, t.best, t.offsets = height, offsets, offsets
		}
		if lowest == t.tl.MaxLoad {
			break
		}
	}
	t.offsets = t.best
	return nil
}

// lowestHoles places the buffers of an order by start, each in the lowest hole between live ones.
func (t *task) lowestHoles(order []int32) error {
	t.offsets = make([]int64, len(t.buffers))
	var live []block // by offset
	for _, i := range order {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		live = expire(live, b.Lower)
		at := int64(0)
		for k := 0; k < len(live) && live[k].from < at+b.Size; k++ {
			at = bound.Up(live[k].to, b.Align())
		}
		t.offsets[i] = at
		live = enter(live, block{at, at + b.Size, b.Upper})
	}
	return nil
}

// fullestFirst is an order by the fullest moment, and by compare among the buffers live then.
func (t *task) fullestFirst(c *xlaClock, compare func(a, b int) int) []int32 {
	n := len(t.buffers)
	ranks := t.sorted(compare)
	l := newLoads(2*n, t, ranks, c)
	order := make([]int32, 0, n)
	for range n {
		if t.stopped() {
			panic(errStopped) // for attempt
		}
		order = append(order, l.next())
	}
	return order
}

// loads has the live bytes of each event, in a tree. A node stores the bytes that are live through all of its events,
// and the most that are live in one of them. It also lists, by rank, the buffers that are live through all of its
// events but not of its parent's. So the first buffer of an event is on the path to it.
type loads struct {
	t           *task
	c           *xlaClock
	leaves      int
	cover, most []int64
	first, last []int32 // of a node's buffers in held, those that may be left
	held        []int32
	rank        []int32 // of a buffer
	taken       []bool
}

func newLoads(events int, t *task, ranks []int32, c *xlaClock) *loads {
	n := len(ranks)
	l := &loads{t: t, c: c, leaves: 1, rank: make([]int32, n), taken: make([]bool, n)}
	for l.leaves < events {
		l.leaves *= 2
	}
	l.cover, l.most = make([]int64, 2*l.leaves), make([]int64, 2*l.leaves)
	l.first, l.last = make([]int32, 2*l.leaves), make([]int32, 2*l.leaves)
	var total int32
	for _, i := range ranks {
		l.nodes(i, func(k int) { l.last[k]++ })
	}
	for k := range l.last {
		l.first[k], total = total, total+l.last[k]
		l.last[k] = l.first[k]
	}
	l.held = make([]int32, total)
	for r, i := range ranks {
		l.rank[i] = int32(r)
		l.nodes(i, func(k int) {
			l.held[l.last[k]] = i
			l.last[k]++
		})
		l.change(i, t.buffers[i].Size)
	}
	return l
}

// nodes calls do for the nodes that together have the events of a buffer.
func (l *loads) nodes(i int32, do func(k int)) {
	for low, high := int(l.c.start[i])+l.leaves, int(l.c.end[i])+l.leaves; low < high; low, high = low/2, high/2 {
		if low&1 == 1 {
			do(low)
			low++
		}
		if high&1 == 1 {
			high--
			do(high)
		}
	}
}

// change adds bytes to the events of a buffer.
func (l *loads) change(i int32, by int64) {
	l.nodes(i, func(k int) {
		l.cover[k] += by
		l.most[k] += by
	})
	for _, k := range [...]int{(int(l.c.start[i]) + l.leaves) / 2, (int(l.c.end[i]) - 1 + l.leaves) / 2} {
		for ; k >= 1; k /= 2 {
			l.most[k] = l.cover[k] + max(l.most[2*k], l.most[2*k+1])
		}
	}
}

// next takes the first buffer of the first of the fullest events.
func (l *loads) next() int32 {
	best := int32(-1)
	for k := 1; ; {
		for l.first[k] < l.last[k] && l.taken[l.held[l.first[k]]] {
			l.first[k]++
		}
		if l.first[k] < l.last[k] {
			if i := l.held[l.first[k]]; best < 0 || l.rank[i] < l.rank[best] {
				best = i
			}
		}
		if k >= l.leaves {
			break
		}
		if k *= 2; l.most[k] < l.most[k+1] {
			k++
		}
	}
	l.taken[best] = true
	l.change(best, -l.t.buffers[best].Size)
	return best
}
